package engine_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/process"
)

// TestAHookOfCursorSeesTheFileBeforeItIsRead runs a hook that denies files with a secret in them.
func TestAHookOfCursorSeesTheFileBeforeItIsRead(t *testing.T) {
	dir := t.TempDir()
	const guard = `grep -q '"content":"[^"]*sesame' && echo '{"permission":"deny","user_message":"a secret"}' || echo '{}'`
	cursor, _ := engine.ByName("cursor")
	hook, err := engine.NewPlugin(&cursor,
		engine.Handler{Event: "beforeReadFile", Kind: engine.CommandHandler, Command: guard},
		engine.HookOptions{Name: "cursor:beforeReadFile:1", Path: filepath.Join(dir, "hooks.json"), Dir: dir,
			Runner: process.Runner{}, Run: func(context.Context) engine.Run { return engine.Run{Cwd: dir} }})
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		text string
		deny bool
	}{
		"a secret":             {"open sesame", true},
		"no secret":            {"open", false},
		"a secret after 1 MiB": {strings.Repeat("ä", 1<<19) + "sesame", false},
		"not text":             {"sesame\x00", false},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, "file")
			if err := os.WriteFile(path, []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
			payload, _ := json.Marshal(hookpoints.PreFileReadPayload{ToolName: "read_file", Path: path, Cwd: dir,
				Arguments: json.RawMessage(`{}`)})
			answer, err := hook.Handler.Handle(context.Background(),
				plugin.Event{Point: hookpoints.PreFileRead.Name, Payload: payload})
			if denied := strings.Contains(string(answer.Body), `"deny"`); err != nil || denied != test.deny {
				t.Errorf("%s, %v", answer.Body, err)
			}
		})
	}
}
