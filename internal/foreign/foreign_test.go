package foreign_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/foreign"
)

// made makes files and returns the directory that they are in.
func made(t *testing.T, files ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, name := range files {
		path := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// agent is an agent with places of every kind.
func agent() engine.Dialect {
	return engine.Dialect{Name: "a", Shape: engine.Shape{Root: "hooks"}, Places: []engine.Place{
		{Scope: engine.ScopeUser, Path: ".a/settings.json", Variable: "A_HOME", Format: "json"},
		{Scope: engine.ScopeUser, Path: ".a/hooks/*.json", Format: "json"},
		{Scope: engine.ScopeProject, Path: ".a/settings.json", Format: "json"},
		{Scope: engine.ScopeLocal, Path: ".a/local.json", Format: "jsonc"},
	}}
}

func paths(root string, list []foreign.Candidate) (names []string) {
	for _, c := range list {
		name, _ := filepath.Rel(root, c.Path)
		names = append(names, name)
	}
	return names
}

func TestPlacesOfAPersonsSettings(t *testing.T) {
	root := made(t, "home/.a/hooks/b.json", "home/.a/hooks/a.json", "home/.a/hooks/c.txt", "else/settings.json")
	env := map[string]string{}
	l := foreign.Looker{Home: filepath.Join(root, "home"), Getenv: func(name string) string { return env[name] }}
	want := []string{"home/.a/settings.json", "home/.a/hooks/a.json", "home/.a/hooks/b.json"}
	if got := paths(root, l.Own(agent())); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	env["A_HOME"] = filepath.Join(root, "else")
	if got := paths(root, l.Own(agent())); got[0] != "else/settings.json" {
		t.Errorf("A_HOME does not count: %q", got)
	}
	env["A_HOME"] = "relative" // it would be another place in each directory
	if got := paths(root, l.Own(agent())); got[0] != "home/.a/settings.json" {
		t.Errorf("a relative A_HOME counts: %q", got)
	}
	l.Home, env["A_HOME"] = "", ""
	if got := l.Own(agent()); got != nil {
		t.Errorf("without a home: %v", got)
	}
}

func TestSettingsOfAProjectAreThoseOfTheNearestDirectory(t *testing.T) {
	root := made(t, ".a/settings.json", ".a/local.json", "sub/deep/x", "other/.a/local.json")
	for dir, want := range map[string][]string{
		"sub/deep": {".a/settings.json", ".a/local.json"}, "other": {"other/.a/local.json"},
	} {
		dirs := []string{filepath.Join(root, dir), filepath.Join(root, filepath.Dir(dir)), root}
		if got := paths(root, foreign.Project(agent(), dirs)); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", dir, got, want)
		}
	}
	if got := foreign.Project(agent(), []string{filepath.Join(root, "sub")}); got != nil {
		t.Errorf("%v", got)
	}
}

func TestFormatsOfNamedFiles(t *testing.T) {
	plain := engine.Dialect{Places: []engine.Place{{Format: "json"}}}
	for _, test := range []struct {
		d          engine.Dialect
		path, want string
	}{{agent(), "/x.json", "jsonc"}, {plain, "/x.json", "json"}, {plain, "/x.toml", "toml"}} {
		if got := foreign.Named(test.d, test.path, "/").Format; got != test.want {
			t.Errorf("%s: %s, want %s", test.path, got, test.want)
		}
	}
	c := foreign.OfPlugin(plain, "/p")
	if c.Path != filepath.FromSlash("/p/hooks/hooks.json") || !c.IsPlugin || c.Root != "/p" {
		t.Errorf("%+v", c)
	}
}

func TestReadingASettingsFile(t *testing.T) {
	claude, _ := engine.ByName("claude")
	root := t.TempDir()
	path := filepath.Join(root, "settings.json")
	c := foreign.Named(claude, path, root)
	if _, err := foreign.Read(claude, c); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a file: %v", err)
	}
	for _, test := range []struct {
		text       string
		says, does bool
		problem    string
	}{
		{`{"permissions": {}}`, false, false, ""},
		{`{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}`, true, true, ""},
		{`{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "chibi bridge run claude Stop"}]}]}}`, true, false,
			""},
		{`{"disableAllHooks": true}`, true, true, ""},
		{`{"hooks": `, true, false, "not JSON"},
		{strings.Repeat(" ", engine.MaxSettingsBytes+10), true, false, "it is larger than 4194304 bytes"},
	} {
		if err := os.WriteFile(path, []byte(test.text), 0o644); err != nil {
			t.Fatal(err)
		}
		files, errs := foreign.ReadAll(claude, []foreign.Candidate{c, foreign.Named(claude, path+".gone", root)})
		if len(errs) > 0 || len(files) != 1 {
			t.Fatalf("%.40q: %v, %v", test.text, files, errs)
		}
		f := files[0]
		if f.SaysSomething() != test.says || f.HasEffect() != test.does ||
			test.problem != "" && (len(f.Problems) != 1 || !strings.Contains(f.Problems[0].Text, test.problem)) {
			t.Errorf("%.40q: %v, %v, %v", test.text, f.SaysSomething(), f.HasEffect(), f.Problems)
		}
	}
	if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o755)); err != nil {
		t.Fatal(err)
	}
	if _, errs := foreign.ReadAll(claude, []foreign.Candidate{c}); len(errs) != 1 {
		t.Errorf("a directory: %v", errs)
	}
}

func TestFilesOfTheProjectThatAHookNames(t *testing.T) {
	root := made(t, ".claude/hooks/a.sh", "tools/b.py", "tools/lib/c.js", "with space/d.sh", "e")
	abs := func(path string) string { return filepath.Join(root, path) }
	const sub = "tools"
	for command, want := range map[string][]string{
		`.claude/hooks/a.sh`: {".claude/hooks/a.sh"},
		`"$CLAUDE_PROJECT_DIR"/.claude/hooks/a.sh --strict`:  {".claude/hooks/a.sh"},
		`"$CLAUDE_PROJECT_DIR/.claude/hooks/a.sh"`:           {".claude/hooks/a.sh"},
		`${CLAUDE_PROJECT_DIR}/.claude/hooks/a.sh`:           {".claude/hooks/a.sh"},
		`${CLAUDE_PROJECT_DIR:-.}/.claude/hooks/a.sh`:        {".claude/hooks/a.sh"},
		`$GEMINI_PROJECT_DIR/.claude/hooks/a.sh`:             {".claude/hooks/a.sh"},
		`bash "$(git rev-parse --show-toplevel)/tools/b.py"`: {"tools/b.py"},
		`python3 $(pwd)/tools/b.py`:                          {"tools/b.py"},
		`cd .claude/hooks && ./a.sh`:                         {".claude/hooks/a.sh"},
		`cd tools; node lib/c.js`:                            {"tools/lib/c.js"},
		`python3 b.py`:                                       {"tools/b.py"}, // from the working directory
		abs("tools/b.py") + ` x`:                             {"tools/b.py"},
		`node --require=./tools/lib/c.js -e 1`:               {"tools/lib/c.js"},
		`'./with space/d.sh'`:                                {"with space/d.sh"},
		`./.claude/hooks/a.sh | tools/b.py > /dev/null`:      {".claude/hooks/a.sh", "tools/b.py"},
		`/bin/echo hello`:                                    nil,
		`$HOME/.claude/hooks/a.sh`:                           nil,
		`../outside`:                                         nil,
		`echo .claude`:                                       nil, // a directory
	} {
		h := engine.Handler{Kind: engine.CommandHandler, Command: command}
		got := foreign.NewPrograms(root).Of(h, []string{root, abs(sub)})
		var wanted []string
		for _, path := range want {
			wanted = append(wanted, abs(path))
		}
		if !slices.Equal(got, wanted) {
			t.Errorf("%s: %q, want %q", command, got, wanted)
		}
	}
	h := engine.Handler{Command: "node", Exec: true, Args: []string{"${CLAUDE_PROJECT_DIR}/tools/lib/c.js"},
		Env: map[string]string{"NODE_OPTIONS": "--require ./e"}, Dir: "tools"}
	want := []string{abs("tools/lib/c.js"), abs("e")}
	if got := foreign.NewPrograms(root).Of(h, []string{root}); !slices.Equal(got, want) {
		t.Errorf("the arguments and variables of a program: %q", got)
	}
}

func TestTheScriptThatACommandStarts(t *testing.T) {
	for _, test := range []struct {
		command   string
		want      string
		isProgram bool
	}{
		{`"$CLAUDE_PROJECT_DIR"/a.sh x`, "/root/a.sh", true}, {"./a.sh", "/dir/a.sh", true}, {"/bin/x", "/bin/x", true},
		{"python3 ./a.py", "/dir/a.py", false}, {"bash $CLAUDE_PROJECT_DIR/a.sh", "/root/a.sh", false},
		{"A=b ./a.sh", "/dir/a.sh", true}, {"echo hi", "", false}, {"sh -c ./a.sh", "", false}, {"$HOME/a.sh", "", false},
		{"~/a.sh", "", false}, {"jq . < /dev/stdin", "", false}, {"", "", false},
	} {
		path, isProgram := foreign.Script(engine.Handler{Command: test.command}, "/root", "/dir")
		if filepath.ToSlash(path) != test.want || isProgram != test.isProgram {
			t.Errorf("%s: %q, %v; want %q, %v", test.command, path, isProgram, test.want, test.isProgram)
		}
	}
}
