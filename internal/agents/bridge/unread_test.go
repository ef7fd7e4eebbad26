package bridge_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/bridge"
	"github.com/chibi-host/chibi/internal/app"
)

// A call whose arguments nest too deep to be read does not pass: no guard and no rule would judge it.
func TestACallThatCannotBeReadDoesNotPassARequiredGuard(t *testing.T) {
	const guard = "#!/bin/sh\n[ \"$1\" = --schema ] || exit\n" +
		`echo '{"name": "guard", "description": "d", "tool": false, "hooks": ["pre_tool"]}'` + "\n"
	deep := fmt.Sprintf(`{"tool_name":"Bash","tool_input":{"command":"ls","x":%s%s}}`, strings.Repeat("[", 2000),
		strings.Repeat("]", 2000))
	for config, want := range map[string]string{
		"": `Reason":"chibi: payload of PreToolUse: it nests too deep`,
		"[plugins.guard]\non_failure = \"block\"\n": `Reason":"chibi: the guard \"guard\" cannot decide: payload of`,
		"[plugins.other]\non_failure = \"block\"\n": `Reason":"chibi: the guard \"other\" is missing`,
	} {
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, "plugins"), 0o755); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{"config.toml": config, "plugins/guard": guard} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		claude, _ := agents.ByName("claude")
		event := bridge.Event{Agent: claude, Name: "PreToolUse", Options: app.Options{Home: dir}}
		out := event.Answer(context.Background(), strings.NewReader(deep))
		if !strings.Contains(string(out.Stdout), want) {
			t.Errorf("%q: %s", config, out.Stdout)
		}
	}
}
