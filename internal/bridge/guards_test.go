package bridge_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/bridge"
	"github.com/chibi-host/chibi/plugin/dialect"
)

// TestAGuardThatDoesNotSayWhatItIsDenies: the configuration does not require it, it said itself
// that its failure blocks. It denies also if it takes all the time that there is for the event.
func TestAGuardThatDoesNotSayWhatItIsDenies(t *testing.T) {
	t.Setenv("CHIBI_SCHEMA_CACHE", "on")
	const says = `echo '{"name": "guard", "tool": false, "hooks": ["pre_tool"], "on_failure": "block"}'`
	for name, breaks := range map[string]string{"it fails": "exit 3", "it is slow": "exec sleep 1000"} {
		home := t.TempDir()
		t.Chdir(home)
		write := func(name, text string) {
			t.Helper()
			path := filepath.Join(home, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		answer := func(ctx context.Context, event, payload string) string {
			claude, _ := dialect.ByName("claude")
			e := bridge.Event{Agent: claude, Name: event, Options: app.Options{Home: home}}
			return string(e.Answer(ctx, strings.NewReader(payload)).Stdout)
		}
		const call = `{"session_id":"x","tool_name":"Bash","tool_input":{"command":"ls"}}`
		write("config.toml", "[plugins]\nprobe_timeout_ms = 600000\n")
		write("plugins/guard", "#!/bin/sh\n[ \"$1\" = --schema ] && "+says+"\nexit 0\n")
		if out := answer(t.Context(), "PreToolUse", call); out != "" {
			t.Fatalf("%s: at first %s", name, out)
		}
		write("plugins/guard", "#!/bin/sh\n"+breaks+"\n")
		for event, payload := range map[string]string{"PreToolUse": call,
			"UserPromptSubmit": `{"session_id":"x","prompt":"hello"}`} {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			out := answer(ctx, event, payload)
			cancel()
			refused := strings.Contains(out, `"deny"`) || strings.Contains(out, `"decision":"block"`)
			if !refused || !strings.Contains(out, `the guard \"guard\" is missing: `) {
				t.Errorf("%s, %s: %s", name, event, out)
			}
		}
	}
}
