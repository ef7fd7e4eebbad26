package hooks_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/agents/hooks"
	"github.com/chibi-host/chibi/internal/agents/settings"
	"github.com/chibi-host/chibi/plugin"
)

// hostOf returns a host with the hooks of a settings file of Claude Code, which run in dir, and the host's notices.
func hostOf(t *testing.T, dir, text string) (*plugin.Host, *[]string) {
	t.Helper()
	claude, _ := agents.ByName("claude")
	read := settings.Read(claude, []byte(text), "json")
	if len(read.Problems) > 0 {
		t.Fatal(read.Problems)
	}
	said := &[]string{}
	host := &plugin.Host{Notify: func(n plugin.Notice) { *said = append(*said, n.Text) }}
	memory := &hooks.Memory{}
	for _, h := range read.Handlers {
		p, err := hooks.NewPlugin(&claude, h, hooks.Options{
			Name: "claude:" + h.Event, Path: "settings.json", Dir: dir, Memory: memory,
			Run: func(context.Context) engine.Run {
				return engine.Run{Session: "s1", Cwd: dir, Project: dir, Source: "startup"}
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		host.Plugins = append(host.Plugins, p)
	}
	return host, said
}

// settingsWith returns a settings file with commands for an event.
func settingsWith(event string, commands ...string) string {
	var list []map[string]string
	for _, command := range commands {
		list = append(list, map[string]string{"type": "command", "command": command})
	}
	text, _ := json.Marshal(map[string]any{"hooks": map[string]any{event: []any{map[string]any{"hooks": list}}}})
	return string(text)
}

func shellCall(command string) hookpoints.PreToolPayload {
	arguments, _ := json.Marshal(map[string]any{"command": command, "timeout_secs": 5})
	return hookpoints.PreToolPayload{ToolName: "shell_exec", Arguments: arguments, ToolCallID: "c1",
		Category: "shell", Subject: "command"}
}

func TestAHookOfClaudeSeesAndBlocksACommand(t *testing.T) {
	dir := t.TempDir()
	host, said := hostOf(t, dir, settingsWith("PreToolUse", `cat > seen; echo "$CLAUDE_PROJECT_DIR" > project; `+
		`echo "no pushing" >&2; exit 2`))
	answer, err := plugin.Fire(t.Context(), host, hookpoints.PreTool, shellCall("git push"))
	if err != nil || !answer.Block || !strings.Contains(answer.Message, "no pushing") {
		t.Errorf("%+v, %v, %q", answer, err, *said)
	}
	seen, _ := os.ReadFile(filepath.Join(dir, "seen"))
	want := `"tool_name":"Bash","tool_input":{"command":"git push","timeout":5000}`
	if !strings.Contains(string(seen), want) {
		t.Errorf("it saw %s, want %s", seen, want)
	}
	if project, _ := os.ReadFile(filepath.Join(dir, "project")); strings.TrimSpace(string(project)) != dir {
		t.Errorf("the project is %s", project)
	}
}

func TestRewritesOfDifferentArgumentsBothTakeEffect(t *testing.T) {
	rewrite := func(input string) string {
		return `printf '%s' '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":` + input + `}}'`
	}
	host, said := hostOf(t, t.TempDir(), settingsWith("PreToolUse", rewrite(`{"command":"ls -l","timeout":5000}`),
		rewrite(`{"command":"ls","timeout":9000}`)))
	answer, err := plugin.Fire(t.Context(), host, hookpoints.PreTool, shellCall("ls"))
	if want := `{"command":"ls -l","timeout_secs":9}`; err != nil || string(answer.Arguments) != want {
		t.Errorf("%s, want %s; %v, %q", answer.Arguments, want, err, *said)
	}
}

func TestAMatcherDecidesWhoIsAsked(t *testing.T) {
	dir := t.TempDir()
	host, _ := hostOf(t, dir, `{"hooks":{"PreToolUse":[{"matcher":"Write|Edit","hooks":[`+
		`{"type":"command","command":"touch asked"}]}]}}`)
	if _, err := plugin.Fire(t.Context(), host, hookpoints.PreTool, shellCall("ls")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "asked")); err == nil {
		t.Error("a hook for Write got a command")
	}
}

// TestASessionStartsOnce holds that its hook runs at the first prompt, that what it says is in
// every system prompt, and that it runs again after a compaction.
func TestASessionStartsOnce(t *testing.T) {
	dir := t.TempDir()
	host, said := hostOf(t, dir, settingsWith("SessionStart", `cat >> starts; echo; echo "Mind the gap."`))
	prompt := func(want string) {
		t.Helper()
		prompt := hookpoints.PreMessagePayload{Prompt: "hi"}
		if _, err := plugin.Fire(t.Context(), host, hookpoints.PreMessage, prompt); err != nil {
			t.Fatal(err)
		}
		answer, err := plugin.Fire(t.Context(), host, hookpoints.PreSystemPrompt, hookpoints.SystemPromptPayload{})
		starts, _ := os.ReadFile(filepath.Join(dir, "starts"))
		if err != nil || answer.Inject != "Mind the gap." || strings.Count(string(starts), want) != 1 {
			t.Errorf("%q, %v, %q after %s", answer.Inject, err, *said, starts)
		}
	}
	prompt(`"source":"startup"`)
	prompt(`"source":"startup"`)
	if _, err := plugin.Fire(t.Context(), host, hookpoints.PostCompact, hookpoints.ContextPayload{}); err != nil {
		t.Fatal(err)
	}
	prompt(`"source":"compact"`)
}

func TestWhatFailsNamesFileLineAndCommand(t *testing.T) {
	host, said := hostOf(t, t.TempDir(), settingsWith("PreToolUse", "exit 7"))
	answer, err := plugin.Fire(t.Context(), host, hookpoints.PreTool, shellCall("ls"))
	all := strings.Join(*said, "\n")
	if err != nil || answer.Block || !strings.Contains(all, `settings.json line 1, "exit 7": exit status 7`) {
		t.Errorf("%+v, %v, %q", answer, err, all)
	}
}
