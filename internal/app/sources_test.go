package app_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/tools"
	"github.com/google/go-cmp/cmp"
)

// everySource makes a home in which each source of plugins and tools has one. Programs add a
// line to the file started.
func everySource(t *testing.T, baseURL string) (dir, started string) {
	t.Helper()
	dir, started = home(t), filepath.Join(t.TempDir(), "started")
	user := os.Getenv("HOME")
	begin := "#!/bin/sh\necho \"$0 $1\" >> " + started + "\n"
	for path, text := range map[string]string{
		filepath.Join(dir, "plugins/near"): begin + `echo '{"name": "near", "description": "d",
"hooks": ["on_start"]}'` + "\n",
		filepath.Join(user, ".kodelet/hooks/let"): begin + "[ $1 = hook ] && echo before_tool_call\n",
		filepath.Join(dir, "far"): begin + `while read -r line; do
id=$(printf %s "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
case "$line" in
*'"initialize"'*) r='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},'
r=$r'"serverInfo":{"name":"s","version":"1"}}' ;;
*'"tools/list"'*) r='{"tools":[{"name":"look","description":"d","inputSchema":{"type":"object"}}]}' ;;
*) continue ;;
esac
echo '{"jsonrpc":"2.0","id":'$id',"result":'$r'}'
done
`,
		filepath.Join(user, ".claude/settings.json"): `{"hooks": {"PreToolUse": [{"hooks":
[{"type": "command", "command": "true"}]}]}}`,
		filepath.Join(dir, "recipes/swap.md"): "---\nname: swap\ndescription: d\nhooks:\n  turn_end:\n" +
			"    handler: swap_context\n---\nhello\n",
		filepath.Join(dir, "config.toml"): `model = "m"
api_key = "k"
base_url = "` + baseURL + `"
auto_compact = true
tools.coding = true
tools.agents = true
foreign.claude.user = true
[mcp.far]
command = "` + filepath.Join(dir, "far") + `"
[[kode.hooks.tool_call_pre]]
exec = "true"
`,
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return dir, started
}

// TestTheOrderOfSources: plugins are asked, and tools offered, in one order.
func TestTheOrderOfSources(t *testing.T) {
	dir, _ := everySource(t, "http://127.0.0.1:1")
	var said []string
	o := app.Options{Home: dir, Recipe: "swap"}
	o.Output.Notice = func(text string) { said = append(said, text) }
	s, err := app.Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var protocols []string
	for _, p := range s.Loaded.Plugins {
		protocols = append(protocols, p.Origin.Protocol)
	}
	if diff := cmp.Diff([]string{"chibi", "kodelet", "kode", "claude", "recipe", app.BuiltIn},
		slices.Compact(protocols)); diff != "" {
		t.Errorf("plugins (-want +got):\n%s", diff)
	}
	var kinds []tools.Kind
	for _, spec := range s.Agent.Tools.Specs() {
		kinds = append(kinds, spec.Kind)
	}
	names := slices.IndexFunc(s.Agent.Tools.Specs(), func(spec tools.Spec) bool { return spec.Name == "spawn_agent" })
	if diff := cmp.Diff([]tools.Kind{tools.Plugin, tools.MCP, tools.Builtin, tools.File, tools.Builtin, tools.Coding,
		tools.Builtin},
		slices.Compact(kinds)); diff != "" || names < len(kinds)-2 {
		t.Errorf("tools (-want +got), agents' at %d of %d:\n%s\n%s", names, len(kinds), diff, strings.Join(said, "\n"))
	}
}

// TestASessionForAnotherContextStartsNothing: it opens that context, and shares all else.
func TestASessionForAnotherContextStartsNothing(t *testing.T) {
	var connections atomic.Int32
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	dir, started := everySource(t, server.URL)
	m := newShared()
	o := m.options(dir, "work")
	o.Model = app.ModelOptions{}
	s, err := app.Open(context.Background(), o)
	if err == nil {
		err = s.Connect()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	count := func() [3]int {
		text, err := os.ReadFile(started)
		if err != nil {
			t.Fatal(err)
		}
		return [3]int{strings.Count(string(text), "\n"), int(connections.Load()), int(m.opened.Load())}
	}
	before := count()
	if before[0] < 3 || before[2] != 1 {
		t.Errorf("the first session started %d programs and opened %d stores", before[0], before[2])
	}
	other, err := s.For(context.Background(), "other")
	if err != nil {
		t.Fatal(err)
	}
	if other.Name() != "other" || len(other.Loaded.Plugins) != len(s.Loaded.Plugins) {
		t.Errorf("context %q with %d plugins", other.Name(), len(other.Loaded.Plugins))
	}
	other.Close()
	if after := count(); after != before {
		t.Errorf("programs, connections, stores: before %v, after %v", before, after)
	}
}
