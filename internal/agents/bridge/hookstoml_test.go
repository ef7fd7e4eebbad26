package bridge_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/bridge"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/pelletier/go-toml/v2"
)

// Entries in one list of a TOML file have no other keys than Kimi Code knows, as it drops all hooks for
// one more, and what others write into the file stays when they are taken out.
func TestEntriesInAListOfATOML(t *testing.T) {
	kimi, _ := agents.ByName("kimi")
	const own = "[[hooks]]\nevent = \"Stop\"\ncommand = \"mine\"\n"
	for name, test := range map[string]struct {
		before, added, want string
		refused             bool // by add
	}{
		"no file":              {},
		"settings":             {before: "a = 1\n", want: "a = 1\n"},
		"no newline":           {before: "a = 1", want: "a = 1"},
		"a hook":               {before: own, want: own},
		"a hook behind":        {before: "a = 1\n", added: "\n" + own, want: "a = 1\n\n" + own},
		"a table and comments": {before: own, added: "\n# of x\n[x]\ny = 1\n", want: own + "\n# of x\n[x]\ny = 1\n"},
		"a list on one line":   {before: "hooks = [{event = \"Stop\", command = \"mine\"}]\n", refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, ".kimi-code", "config.toml")
			i := bridge.Installer{Agent: kimi, Scope: engine.ScopeUser, Home: home(t, "", nil), Chibi: "/bin/sh", UserHome: dir,
				Project: dir, Getenv: func(string) string { return "" }, NoServer: true}
			read := func() string {
				text, _ := os.ReadFile(path)
				return string(text)
			}
			write := func(text string) {
				t.Helper()
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if test.before != "" {
				write(test.before)
			}
			_, err := i.Add()
			if (err != nil) != test.refused {
				t.Fatalf("add: %v", err)
			}
			if test.refused {
				if read() != test.before {
					t.Errorf("it is now %q", read())
				}
				return
			}
			var all struct{ Hooks []map[string]any }
			if err := toml.Unmarshal([]byte(read()), &all); err != nil {
				t.Fatal(err)
			}
			for _, hook := range all.Hooks {
				for key := range hook {
					if !strings.Contains(" event command timeout ", " "+key+" ") {
						t.Errorf("an entry has the key %s", key)
					}
				}
			}
			if found, err := i.Find(); err != nil || len(found) != 1 || found[0].Problem != "" {
				t.Errorf("%+v, %v", found, err)
			}
			for _, wrong := range []string{"event = \"Stop\"\nname = \"x\"\n", "event = \"Stopp\"\n"} {
				added := read()
				write(added + "\n[[hooks]]\ncommand = \"theirs\"\n" + wrong)
				found, err := i.Find()
				if err != nil || len(found) != 1 || !found[0].IsDead || !strings.Contains(found[0].Problem, "runs no hooks") {
					t.Errorf("%+v, %v", found, err)
				}
				write(added)
			}
			if test.added != "" {
				write(read() + test.added)
			}
			if _, err := i.Remove(); err != nil || read() != test.want {
				t.Errorf("remove makes it %q, want %q, %v", read(), test.want, err)
			}
		})
	}
}
