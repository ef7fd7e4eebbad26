package bridge_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/agents/bridge"
	"github.com/chibi-host/chibi/internal/agents/engine"
)

// What others wrote into config.toml of Codex stays when chibi's table is taken out, or nothing is
// changed.
func TestTheServerIsTakenOutOfATOMLThatOthersWroteTo(t *testing.T) {
	codex, _ := engine.ByName("codex")
	const inText = "s = \"\"\"\n[mcp_servers.chibi]\nno table\n\"\"\"\n"
	for name, test := range map[string]struct {
		before, added, want string
		refused             bool
	}{
		"a table":             {before: "a = 1\n", added: "\n[x]\ny = 1\n", want: "a = 1\n\n[x]\ny = 1\n"},
		"a comment":           {before: "a = 1\n", added: "# mine\n", want: "a = 1\n# mine\n"},
		"a comment and table": {added: "\n# of x\n[x]\ny = 1\n", want: "\n# of x\n[x]\ny = 1\n"},
		"a key in it":         {before: "a = 1\n", added: "enabled = true\n", want: "a = 1\n"},
		"a table in it":       {before: "a = 1\n", added: "[mcp_servers.chibi.env]\nA = \"1\"\n", want: "a = 1\n"},
		"another server": {before: "[mcp_servers.a]\ncommand = \"b\"\n", added: "# mine\n",
			want: "[mcp_servers.a]\ncommand = \"b\"\n# mine\n"},
		"a text like it": {before: inText, added: "# mine\n", refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, ".codex", "config.toml")
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			write := func(text string) {
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			read := func() string {
				text, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				return string(text)
			}
			write(test.before)
			i := bridge.Installer{Agent: codex, Scope: engine.ScopeUser, Home: filepath.Join(dir, "home"), Chibi: "/bin/chibi",
				UserHome: dir, Project: dir, Getenv: func(string) string { return "" }}
			if _, err := i.Add(); err != nil {
				t.Fatal(err)
			}
			added := read()
			if !strings.HasPrefix(added, test.before) || !strings.Contains(added[len(test.before):], "[mcp_servers.chibi]") {
				t.Fatalf("add made it %q", added)
			}
			write(added + test.added)
			_, err := i.Remove()
			if test.refused {
				if err == nil || !strings.Contains(err.Error(), "take it out yourself") || read() != added+test.added {
					t.Errorf("%q, %v", read(), err)
				}
				return
			}
			if got := read(); err != nil || got != test.want {
				t.Errorf("%q, %v, want %q", got, err, test.want)
			}
		})
	}
}
