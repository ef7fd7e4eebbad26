package gitconfig

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/fuzztest"
)

// text returns settings as text.
func text(list []Setting) string {
	var lines []string
	for _, s := range list {
		lines = append(lines, s.Name+"="+s.Value)
	}
	return strings.Join(lines, "|")
}

// samples are files with what they say; "": they cannot be read.
func samples() map[string]string {
	return map[string]string{
		"[core]\n\tbare = false\n":                      "core.bare=false",
		"[CORE] FsMonitor=x\n":                          "core.fsmonitor=x",
		"\ufeff[core]\r\n\teditor = vi \r\n":            "core.editor=vi",
		"[core]\n\tbare\n":                              "core.bare=true",
		"[core]\neditor = a # b\npager = \"a # b\" ; c": "core.editor=a|core.pager=a # b",
		"[core]\neditor = a\\\n b\n":                    "core.editor=a b",
		"[core]\neditor = a\\\r\nb\n":                   "core.editor=ab",
		"[core]\neditor = \" a\"b\" \"\n":               "core.editor= ab ",
		"[core]\neditor = a\\tb\\\\c\\\"d\\n":           "core.editor=a\tb\\c\"d\n",
		"[remote \"a.B \\\"c\\\\\"]\nurl = x\n":         "remote.a.B \"c\\.url=x",
		"[Remote.A.B]\nurl = x\n":                       "remote.a.b.url=x",
		"# [core]\n; x\n[a]b=c":                         "a.b=c",
		"[a][b]c=d":                                     "b.c=d",
		"[a]\nb = c \\\n":                               "a.b=c ",
		"[a]\nb =\n":                                    "a.b=",
		"[a]\n":                                         "nothing",
		"b = c\n":                                       "b=c",
		"[a\n":                                          "",
		"[a \"b]\nc = d\n":                              "",
		"[a]\nb c\n":                                    "",
		"[a]\nb = \"c\n":                                "",
		"[a]\nb = c\\d\n":                               "",
		"[a]\n= c\n":                                    "",
		"[a]\nb = c\x00d\n":                             "",
		"[a]\nb = " + strings.Repeat("c", MaxFile) + "\n":       "",
		"[a]\n" + strings.Repeat("b=c\n", maxSettings+1) + "\n": "",
	}
}

func TestParse(t *testing.T) {
	for data, want := range samples() {
		list, err := Parse([]byte(data))
		if got := text(list); want != "" && want != "nothing" && (got != want || err != nil) {
			t.Errorf("%q: %q, %v, want %q", data, got, err, want)
		}
		if want == "" && err == nil {
			t.Errorf("%.40q can be read: %.40q", data, text(list))
		}
	}
}

// TestGitReadsTheSame: what git says of the same files.
func TestGitReadsTheSame(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("there is no git")
	}
	for data, want := range samples() {
		if len(data) > 1000 || strings.Contains(data, "\x00") {
			continue
		}
		path := filepath.Join(t.TempDir(), "config")
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(git, "config", "--list", "-z", "--file", path).Output()
		if (err != nil) != (want == "") {
			t.Errorf("%q: git says %v, want %q", data, err, want)
		}
		if err != nil {
			continue
		}
		list, _ := Parse([]byte(data))
		var lines []byte
		for _, s := range list {
			lines = append(lines, s.Name+"\n"+s.Value+"\x00"...)
		}
		out = bytes.ReplaceAll(out, []byte("bare\x00"), []byte("bare\ntrue\x00"))
		if !bytes.Equal(lines, out) {
			t.Errorf("%q: %q, git reads %q", data, lines, out)
		}
	}
}

func TestWhichSettingsRunSomething(t *testing.T) {
	for line, want := range map[string]bool{
		"[core]fsmonitor=./x": true, "[core]fsmonitor=true": false, "[core]hooksPath=x": true, "[core]sshCommand=x": true,
		"[core]pager=x": true, "[core]editor=x": true, "[core]askPass=x": true, "[core]gitProxy=x": true,
		"[core]attributesFile=x": true, "[core]alternateRefsCommand=x": true, "[core]worktree=x": false,
		"[core]excludesFile=x": false, "[core]bare=false": false, "[core]filemode=true": false,
		"[pager]log=less": true, "[pager]log=false": false, "[sequence]editor=x": true,
		"[alias]a=!x": true, "[alias]a=checkout": false, "[alias]a=log --oneline -x": false, "[alias]a=rebase -x y": true,
		"[alias]a=\\\"rebase\\\" -x y": true, "[alias]a=rebase -ix y": true, "[alias]a=rebase --ex y": true,
		"[alias]a=grep -Ox y":      true,
		"[alias]a=grep --open=x y": true, "[alias]a=b -x y": true, "[alias]a=config core.pager x": true, "[alias]a=": false,
		"[alias]a=diff --output=x": true, "[alias]a=difftool -x y": true,
		"[alias]a=log --pretty=format:'%h %s' --graph": false,
		"[alias]a=commit --amend --no-edit":            false, "[alias]a=diff --ext-diff --output-indicator-new=x": false,
		"[alias]a=rebase -i --autosquash --update-refs": false, "[alias]a=status -sb": false,
		"[alias]a=bisect run x": true, "[alias]a=fetch --upload-pack=x": true, "[alias \"a\"]command=!x": true,
		"[filter \"f\"]clean=x": true, "[filter \"f\"]smudge=x": true, "[filter \"f\"]process=x": true,
		"[filter \"f\"]required": false, "[diff]external=x": true, "[diff \"d\"]command=x": true,
		"[diff \"d\"]textconv=x": true, "[diff \"d\"]binary": false, "[merge \"m\"]driver=x": true, "[merge]ff=only": false,
		"[mergetool \"m\"]cmd=x": true, "[difftool \"m\"]path=x": true, "[guitool \"g\"]cmd=x": true,
		"[credential]helper=x": true, "[credential \"https://h\"]helper=x": true, "[credential]username=x": false,
		"[include]path=x": true, "[includeIf \"gitdir:~/\"]path=x": true, "[init]templateDir=x": true,
		"[gpg]program=x": true, "[gpg \"ssh\"]program=x": true, "[gpg \"ssh\"]defaultKeyCommand=x": true,
		"[gpg \"ssh\"]allowedSignersFile=x": true, "[interactive]diffFilter=x": true, "[uploadpack]packObjectsHook=x": true,
		"[remote \"r\"]uploadpack=x": true, "[remote \"r\"]receivepack=x": true, "[remote \"r\"]vcs=x": true,
		"[remote \"r\"]url=x": false, "[remote \"r\"]fetch=x": false, "[branch \"b\"]merge=x": false,
		"[url \"u\"]insteadOf=x": true, "[url \"u\"]pushInsteadOf=x": true, "[protocol]allow=always": true,
		"[protocol \"ext\"]allow=always": true, "[submodule \"s\"]update=!x": true, "[submodule \"s\"]update=merge": false,
		"[submodule \"s\"]url=x": false, "[sendemail]toCmd=x": true, "[sendemail \"s\"]smtpServer=x": true,
		"[trailer \"t\"]cmd=x": true, "[trailer \"t\"]command=x": true, "[man \"m\"]cmd=x": true,
		"[browser \"b\"]cmd=x": true, "[web]browser=x": true, "[instaweb]httpd=x": true, "[tar \"t\"]command=x": true,
		"[imap]tunnel=x": true, "[gc]recentObjectsHook=x": true, "[lfs \"customtransfer.t\"]path=x": true,
		"[user]name=x": false, "[user]email=x": false, "[commit]template=x": false, "[extensions]worktreeConfig=true": false,
		"[hook \"h\"]command=x": true, "[hook \"h\"]event=x": false, "[CORE]PAGER=x": true, "[core \"x\"]pager=y": false,
		"[svn]authorsProg=x": true, "[core]virtualFilesystem=x": true,
	} {
		list, err := Parse([]byte(line))
		if err != nil || len(list) != 1 || list[0].Runs() != want {
			t.Errorf("%s: %+v, %v; want %v", line, list, err, want)
		}
	}
}

func TestWhatIsPutBack(t *testing.T) {
	const before = "[core]\n\tbare = false\n[remote \"o\"]\n\turl = u\n"
	const hooked = "[core]\n\thooksPath = .husky # ours\n[user]\n\tname = a\n"
	const many = "[include]\n\tpath = a\n\tpath = b\n[user]\n\tname = a\n"
	for name, test := range map[string]struct {
		before, now, want string
		changed           []string
	}{
		"nothing has changed": {before, before, before, nil},
		"a remote":            {before, before + "[remote \"n\"]\n\turl = v\n", before + "[remote \"n\"]\n\turl = v\n", nil},
		"a monitor":           {before, before + "[core]\n\tfsmonitor = ./x\n", before, []string{"core.fsmonitor"}},
		"a monitor and a remote": {before,
			strings.Replace(before, "false\n", "false\n\tfsmonitor = ./x\n", 1) + "[remote \"n\"]\n\turl = v\n",
			before + "[remote \"n\"]\n\turl = v\n", []string{"core.fsmonitor"}},
		"a monitor on the line of its section, and a name": {before, before + "[core] fsmonitor = ./x\n[user]\n\tname = a\n",
			before + "[core] \n[user]\n\tname = a\n", []string{"core.fsmonitor"}},
		"a value of several lines, and a name": {before, before + "[alias]\n\ta = !x \\\n y\n[user]\n\tname = a",
			before + "[alias]\n[user]\n\tname = a", []string{"alias.a"}},
		"another value": {hooked, strings.Replace(hooked, ".husky # ours", "evil", 1), hooked, []string{"core.hookspath"}},
		"another value, and another name": {hooked,
			"[core]\n\thooksPath = evil\n[user]\n\tname = b\n",
			"[core]\n\thookspath = \".husky\"\n[user]\n\tname = b\n", []string{"core.hookspath"}},
		"a removed value, and another name": {hooked, "[core]\n[user]\n\tname = b\n",
			"[core]\n[user]\n\tname = b\n[core]\n\thookspath = \".husky\"\n", []string{"core.hookspath"}},
		"a removed value of a subsection, and a name": {"[filter \"a\\\"b\"]\n\tclean = x \\\"y\\\\\n", "[user]\n\tname = b",
			"[user]\n\tname = b\n[filter \"a\\\"b\"]\n\tclean = \"x \\\"y\\\\\"\n", []string{"filter.a\"b.clean"}},
		"one value more": {many, "[include]\n\tpath = a\n\tpath = evil\n\tpath = b\n[user]\n\tname = b\n",
			"[include]\n\tpath = a\n\tpath = b\n[user]\n\tname = b\n", []string{"include.path"}},
		"values in another order": {many, "[include]\n\tpath = b\n\tpath = a\n[user]\n\tname = b\n",
			"[include]\n\tpath = \"a\"\n\tpath = \"b\"\n[user]\n\tname = b\n", []string{"include.path"}},
		"an alias that ran nothing": {"[alias]\n\ta = log\n", "[alias]\n\ta = !x\n", "[alias]\n\ta = log\n",
			[]string{"alias.a"}},
	} {
		changed, err := Changed([]byte(test.before), []byte(test.now))
		if err != nil || !slices.Equal(changed, test.changed) {
			t.Errorf("%s: changed %q, %v, want %q", name, changed, err, test.changed)
		}
		if got := Restore([]byte(test.before), []byte(test.now)); string(got) != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, test.want)
		}
	}
}

// FuzzRestore: whatever two files say, what is put back runs what the first one ran, and all else is
// as in the second.
func FuzzRestore(f *testing.F) {
	for data := range samples() {
		if len(data) < 1000 {
			f.Add([]byte("[core]\n\teditor = vi\n[include]\n\tpath = a\n"), []byte(data))
			f.Add([]byte(data), []byte("[core]\n\teditor = vi\n[include]\n\tpath = a\n[x]y\n"))
		}
	}
	f.Fuzz(func(t *testing.T, before, now []byte) {
		fuzztest.Memory(t)
		was, err := Parse(before)
		is, err2 := Parse(now)
		if err != nil {
			return
		}
		got := Restore(before, now)
		list, err := Parse(got)
		if err != nil || len(Difference(Running(was), Running(list))) > 0 {
			t.Fatalf("%q runs %s, want %s", got, text(Running(list)), text(Running(was)))
		}
		if err2 != nil || bytes.Equal(got, before) {
			return
		}
		changed := Difference(Running(was), Running(is))
		for _, name := range Difference(is, list) {
			if !slices.Contains(changed, name) {
				t.Fatalf("%q changes %s of %q", got, name, now)
			}
		}
	})
}
