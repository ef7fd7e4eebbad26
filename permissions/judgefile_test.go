package permissions

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chibi-host/chibi/tools"
)

var (
	readFile  = tools.Spec{Name: "read_file", Category: tools.CategoryRead}
	grepFiles = tools.Spec{Name: "grep_files", Category: tools.CategorySearch}
	writeFile = tools.Spec{Name: "write_file", Category: tools.CategoryWrite}
	fileEdit  = tools.Spec{Name: "file_edit", Category: tools.CategoryEdit}
)

// fileCallOf is a call of a tool about a path without links.
func fileCallOf(spec tools.Spec, name string) Call {
	return Call{Tool: spec, Access: tools.Access{Path: name, Real: name}}
}

func TestPatternsOfPaths(t *testing.T) {
	for _, test := range []struct {
		pattern, path string
		want          bool
	}{
		{".env", "/project/.env", true},
		{".env", "/project/a/b/.env", true},
		{".env", "/elsewhere/.env", false},
		{".env", "/project/.envrc", false},
		{"*.pem", "/project/keys/a.pem", true},
		{"secrets/**", "/project/secrets/a/b", true},
		{"secrets/**", "/project/a/secrets/b", false},
		{"**/secrets/**", "/project/a/secrets/b", true},
		{"secrets", "/project/a/secrets/b/c", true},
		{"secrets/", "/project/a/secrets/b", true},
		{"./secrets", "/project/secrets/b", true},
		{"./secrets", "/project/a/secrets", false},
		{"/secrets", "/project/secrets/b", true},
		{"/secrets", "/secrets/b", false},
		{"//secrets", "/secrets/b", true},
		{"//**/.env", "/elsewhere/.env", true},
		{"~/.aws", "/home/me/.aws/credentials", true},
		{"~/.aws", "/project/.aws", false},
		{"a/*/c", "/project/a/b/c", true},
		{"a/*/c", "/project/a/b/b/c", false},
		{"a/**/c", "/project/a/c", true},
		{"a/**/c", "/project/a/b/b/c", true},
		{"a?c/d", "/project/abc/d", true},
		{"a[!x]c/d", "/project/abc/d", true},
		{"a[!b]c/d", "/project/abc/d", false},
		{`a\*/d`, "/project/a*/d", true},
		{`a\*/d`, "/project/ab/d", false},
		{"/", "/project/a", true},
		{"**/a", "/project", false},
		{"//", "/elsewhere", true},
	} {
		rule := "read(" + test.pattern + ")"
		call := fileCallOf(readFile, test.path)
		if got := rulesOf(t, []string{rule}, nil, nil).Judge(call); (got.Decision == Deny) != test.want {
			t.Errorf("%s denies %s: %+v", rule, test.path, got)
		}
		if got := rulesOf(t, nil, nil, []string{rule}).Judge(call); (got.Decision == Allow) != test.want {
			t.Errorf("%s allows %s: %+v", rule, test.path, got)
		}
	}
}

// TestTheProjectIsWherePatternsBegin: the root, or without one the directory in which chibi was
// started.
func TestTheProjectIsWherePatternsBegin(t *testing.T) {
	for _, test := range []struct {
		root, dir, path string
		want            Decision
	}{
		{"/project", "/project/sub", "/project/a", Allow},
		{"/project", "/project/sub", "/project", Allow},
		{"/project", "/project/sub", "/projects/a", Undecided},
		{"/project", "/project/sub", "/a", Undecided},
		{"", "/home/me/work", "/home/me/work/a", Allow},
		{"", "/home/me/work", "/home/me/a", Undecided},
		{"", "/home/me", "/home/me/a", Allow},
		{"", "", "/a", Undecided},
		{"/project", "/project", "", Undecided},
	} {
		for _, rule := range []string{"read(*)", "read_file(**)", "read( ** )", "read(/**)"} {
			r, err := NewRules(Settings{Allow: written(rule), Root: test.root, Dir: test.dir, UserHome: "/home/me",
				ReadRoots: []string{"/elsewhere"}})
			if err != nil {
				t.Fatal(err)
			}
			if got := r.Judge(fileCallOf(readFile, test.path)); got.Decision != test.want {
				t.Errorf("%s in %q, %q: %q is %+v", rule, test.root, test.dir, test.path, got)
			}
		}
	}
}

func TestADenialHoldsUnderEverySpellingOfAName(t *testing.T) {
	deny, allow := rulesOf(t, []string{"read(/secrets)"}, nil, nil), rulesOf(t, nil, nil, []string{"read(/secrets)"})
	for _, name := range []string{"/project/SECRETS/a", "/project/secrets/a", "/project/Secrets/A",
		"/project/se\u200bcrets/a"} {
		if got := deny.Judge(fileCallOf(readFile, name)); got.Decision != Deny {
			t.Errorf("%q: %+v", name, got)
		}
	}
	if got := allow.Judge(fileCallOf(readFile, "/project/SECRETS/a")); got.Decision != Undecided {
		t.Errorf("allowed: %+v", got)
	}
}

func TestLinksAreJudgedAsNamedAndAsResolved(t *testing.T) {
	root := t.TempDir()
	elsewhere := t.TempDir()
	notThere := filepath.Join(elsewhere, "not-there")
	for name, target := range map[string]string{"inner": "src", "outer": elsewhere, "new": notThere} {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(root, "src"), 0o755); err != nil {
		t.Fatal(err)
	}
	rules := func(deny, allow string) *Rules {
		r, err := NewRules(Settings{Root: root, Dir: root, Deny: written(deny), Allow: written(allow)})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for _, test := range []struct {
		path, deny, allow string
		want              Decision
	}{
		{"inner/a", "write(/src)", "write(/inner)", Deny},
		{"inner/a", "write(/inner)", "write(/src)", Deny},
		{"inner/a", "write(/x)", "write(/inner)", Undecided},
		{"inner/a", "write(/x)", "write(/src)", Undecided},
		{"inner/a", "write(/x)", "write(/**)", Allow},
		{"outer/a", "write(/x)", "write(/outer)", Undecided},
		{"outer/a", "write(//" + elsewhere + ")", "write(//)", Deny},
		{"new", "write(/x)", "write(/new)", Undecided},
		{"new", "write(not-there)", "write(//)", Allow},
		{"new", "write(//**/not-there)", "write(//)", Deny},
		{"inner/../a", "write(/x)", "write(/a)", Allow},
	} {
		access := AccessOf(writeFile, []byte(`{"path": "`+test.path+`"}`), root)
		if got := rules(test.deny, test.allow).Judge(Call{Tool: writeFile, Access: access}); got.Decision != test.want {
			t.Errorf("%s, deny %s, allow %s: %+v, want %s", test.path, test.deny, test.allow, got, test.want)
		}
	}
}

func TestARuleAboutFilesHoldsForAllToolsThatDoTheSame(t *testing.T) {
	for _, test := range []struct {
		deny string
		spec tools.Spec
		want bool
	}{
		{"read(/secrets)", readFile, true},
		{"read(/secrets)", grepFiles, true},
		{"read_file(/secrets)", grepFiles, true},
		{"file_head(/secrets)", readFile, true},
		{"read", grepFiles, true},
		{"read_file", grepFiles, false},
		{"search(/secrets)", readFile, false},
		{"grep_files(/secrets)", grepFiles, true},
		{"read(/secrets)", writeFile, false},
		{"read(/secrets)", fileEdit, true},
		{"write(/secrets)", fileEdit, true},
		{"file_edit(/secrets)", writeFile, true},
		{"write", fileEdit, false},
		{"write(/secrets)", readFile, false},
		{"write(/secrets)", tools.Spec{Name: "save", Category: tools.CategoryWrite}, true},
	} {
		got := rulesOf(t, []string{test.deny}, nil, nil).Judge(fileCallOf(test.spec, "/project/secrets/a"))
		if (got.Decision == Deny) != test.want {
			t.Errorf("%s and %s: %+v", test.deny, test.spec.Name, got)
		}
	}
}

func TestWhatMayNotBeReadIsNotFound(t *testing.T) {
	for _, test := range []struct {
		deny, ask []string
		path      string
		want      bool
	}{
		{nil, nil, "/project/secrets/a", true},
		{[]string{"read(/secrets)"}, nil, "/project/secrets/a", false},
		{[]string{"read(/secrets)"}, nil, "/project/a", true},
		{nil, []string{"read_file(/secrets)"}, "/project/secrets/a", false},
		{[]string{"read"}, nil, "/project/a", false},
		{nil, nil, "/home/me/.chibi/config.toml", false},
		{nil, nil, "/home/me/.chibi/contexts/work/local.toml", false},
		{nil, nil, "/home/me/.chibi/plugins/a", true},
	} {
		if got := rulesOf(t, test.deny, test.ask, nil).MayRead(test.path); got != test.want {
			t.Errorf("deny %v, ask %v: %s: %v", test.deny, test.ask, test.path, got)
		}
	}
	got := rulesOf(t, nil, []string{"read(/secrets)"}, nil).Judge(fileCallOf(grepFiles, "/project/secrets"))
	want := "chibi asks before each file that it reads there, so it cannot search there; read single files"
	if got.Decision != Deny || got.Reason != want {
		t.Errorf("a search where reading is asked: %+v", got)
	}
}

func TestKeysAndSettingsAreNeverRead(t *testing.T) {
	r := rulesOf(t, nil, nil, []string{"read"})
	got := r.Judge(fileCallOf(readFile, "/home/me/.chibi/config.toml"))
	want := "/home/me/.chibi/config.toml holds keys, settings or approvals of chibi, which tools never read"
	if got.Decision != Deny || got.Reason != want {
		t.Errorf("%+v", got)
	}
}

func TestAcceptedEdits(t *testing.T) {
	for _, test := range []struct {
		spec      tools.Spec
		path      string
		deny, ask []string
		want      Decision
	}{
		{writeFile, "/project/a", nil, nil, Allow},
		{fileEdit, "/more/a", nil, nil, Allow},
		{fileEdit, "/elsewhere/a", nil, nil, Undecided},
		{writeFile, "/project/a", []string{"write(/a)"}, nil, Deny},
		{writeFile, "/project/a", nil, []string{"edit(/a)"}, Ask},
		{writeFile, "/project/.git/config", nil, nil, Ask},
		{readFile, "/elsewhere/a", nil, nil, Undecided},
	} {
		r, err := NewRules(Settings{Root: "/project", WriteRoots: []string{"/more"}, AcceptEdits: true,
			Deny: written(test.deny...), Ask: written(test.ask...)})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Judge(fileCallOf(test.spec, test.path)); got.Decision != test.want {
			t.Errorf("%s %s: %+v, want %s", test.spec.Name, test.path, got, test.want)
		}
	}
}
