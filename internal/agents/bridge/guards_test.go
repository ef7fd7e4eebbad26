package bridge_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/bridge"
	"github.com/chibi-host/chibi/internal/app"
)

// TestAGuardThatDoesNotSayWhatItIsDenies: the configuration does not require it, it said itself
// that its failure blocks. It denies also if it takes all the time that there is for the event.
func TestAGuardThatDoesNotSayWhatItIsDenies(t *testing.T) {
	t.Setenv("CHIBI_SCHEMA_CACHE", "on")
	home := t.TempDir()
	t.Chdir(home)
	const says = `[ "$1" != --schema ] || ` +
		`echo '{"name": "guard", "tool": false, "hooks": ["pre_tool"], "on_failure": "block"}'`
	const call = `{"session_id":"x","tool_name":"Bash","tool_input":{"command":"ls"}}`
	const prompt = `{"session_id":"x","prompt":"hi"}`
	const broken, late = "--schema: exit status 3", "plugins did not describe themselves in time: "
	for _, step := range []struct {
		guard, event, payload string
		within                time.Duration
		want                  string // why the guard is missing; "": it is not
	}{
		{says, "PreToolUse", call, time.Hour, ""},
		{"exit 3", "PreToolUse", call, time.Hour, broken},
		{"exit 3", "UserPromptSubmit", prompt, time.Hour, broken},
		{"exec sleep 1000", "PreToolUse", call, 3 * time.Second, late},
		{says, "PreToolUse", call, time.Hour, ""},
	} {
		for name, text := range map[string]string{"config.toml": "[plugins]\nprobe_timeout_ms = 600000\n",
			"plugins/guard": "#!/bin/sh\n" + step.guard + "\n"} {
			path := filepath.Join(home, name)
			err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o755))
			if err != nil {
				t.Fatal(err)
			}
		}
		claude, _ := agents.ByName("claude")
		e := bridge.Event{Agent: claude, Name: step.event, Options: app.Options{Home: home}}
		ctx, cancel := context.WithTimeout(t.Context(), step.within)
		out := string(e.Answer(ctx, strings.NewReader(step.payload)).Stdout)
		cancel()
		refused := strings.Contains(out, `"permissionDecision":"deny"`) || strings.Contains(out, `"decision":"block"`)
		missing := strings.Contains(out, `the guard \"guard\" is missing: `+step.want)
		if wanted := step.want != ""; refused != wanted || missing != wanted {
			t.Errorf("%s, %s: %s", step.guard, step.event, out)
		}
	}
}
