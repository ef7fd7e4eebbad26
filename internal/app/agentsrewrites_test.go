package app_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/app"
)

// rewriteOf is how a hook of an agent replaces the arguments of a call, and with which event.
func rewriteOf(agent, arguments string) (event, answer string) {
	switch agent {
	case "codex":
		return "PreToolUse", `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow",` +
			`"updatedInput":` + arguments + `}}`
	case "copilot":
		return "preToolUse", `{"modifiedArgs":` + arguments + `}`
	case "crush":
		return "PreToolUse", `{"updated_input":` + arguments + `}`
	case "cursor":
		return "preToolUse", `{"permission":"allow","updated_input":` + arguments + `}`
	case "gemini":
		return "BeforeTool", `{"hookSpecificOutput":{"tool_input":` + arguments + `}}`
	}
	return "PreToolUse", `{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":` + arguments + `}}`
}

// TestRewrittenArgumentsAreWhatRuns: in the form of each agent, by its own names of arguments.
// Kimi Code and Qwen Code take no rewritten arguments, which is said.
func TestRewrittenArgumentsAreWhatRuns(t *testing.T) {
	for _, agent := range []string{"claude", "codex", "copilot", "crush", "cursor", "droid", "gemini", "grok", "kimi",
		"qwen"} {
		t.Run(agent, func(t *testing.T) {
			h := newAgentHome(t, "")
			event, answer := rewriteOf(agent, `{"command":"echo rewritten"}`)
			h.write("hook.sh", "echo '"+answer+"'\n")
			on := h.settings(agent, event, command("hook.sh"))
			a := h.ask(`@tool shell_exec {"command": "echo as it was"}`, app.Options{Set: []string{on},
				Permissions: app.PermissionOptions{TrustTools: true}})
			want := "rewritten"
			if agent == "kimi" || agent == "qwen" {
				want = "as it was"
				if !strings.Contains(a.notices, "updatedInput") {
					t.Errorf("nobody said that the arguments stay: %s", a.notices)
				}
			}
			if !strings.Contains(a.answer, want) {
				t.Errorf("the tool answered %q, want %q\n%s", a.answer, want, a.notices)
			}
		})
	}
}

// noteTool is a plugin's tool that agents have no names for: it tells its arguments.
const noteTool = `#!/bin/sh
case "$1" in --schema) echo '{"name": "note", "description": "Takes notes.", "parameters": {"type": "object",
 "properties": {"a": {"type": "string"}, "b": {"type": "string"}, "c": {"type": "string"}, "d": {"type": "string"}}}}'
  exit ;; esac
printf '%s' "$CHIBI_TOOL_ARGS"
`

// changer is a native plugin that changes the argument d.
const changer = `#!/bin/sh
case "$1" in --schema) echo '{"name": "changer", "tool": false, "hooks": ["pre_tool"]}'; exit ;; esac
sed 's/.*"arguments":\({[^}]*}\).*/{"arguments":\1}/; s/"d":"[^"]*"/"d":"native"/'
`

// editing is a hook's script that changes one argument of what it gets, after a while that is
// another one in each process, and answers in the form of an agent.
func editing(agent, key, value string) string {
	_, answer := rewriteOf(agent, "ARGS")
	return fmt.Sprintf(`in=$(cat | sed 's/.*"tool_input":\({[^}]*}\).*/\1/; s/"%s":"[^"]*"/"%s":"%s"/')
sleep 0.0$(($$ %% 5))
printf '%%s' '%s' | sed "s/ARGS/$in/"
`, key, key, value, answer)
}

// withNote adds the tool and writes hooks into the working directory.
func (h agentHome) withNote(scripts map[string]string) {
	h.t.Helper()
	plugins := filepath.Join(os.Getenv("HOME"), ".chibi", "plugins")
	h.write(filepath.Join(plugins, "note"), noteTool)
	for name, script := range scripts {
		h.write(name, script)
	}
}

// command is an entry of a settings file that runs a script.
func command(script string) string {
	return fmt.Sprintf(`{"type": "command", "command": "sh ./%s"}`, script)
}

// TestRewritesOfDifferentArgumentsAllTakeEffect: within one agent, across two, and with a native
// plugin.
func TestRewritesOfDifferentArgumentsAllTakeEffect(t *testing.T) {
	h := newAgentHome(t, "")
	h.withNote(map[string]string{"a.sh": editing("claude", "a", "claude-1"), "b.sh": editing("claude", "b", "claude-2"),
		"c.sh": editing("gemini", "c", "gemini"),
		filepath.Join(os.Getenv("HOME"), ".chibi", "plugins", "changer"): changer})
	set := []string{h.settings("claude", "PreToolUse", command("a.sh"), command("b.sh")),
		h.settings("gemini", "BeforeTool", command("c.sh"))}
	a := h.ask(`@tool note {"a": "-", "b": "-", "c": "-", "d": "-"}`, app.Options{Set: set})
	if want := `{"a":"claude-1","b":"claude-2","c":"gemini","d":"native"}`; !strings.Contains(a.answer, want) {
		t.Errorf("the tool answered %s, want %s\n%s", a.answer, want, a.notices)
	}
}

// TestTheLaterOfTwoRewritesCounts: whichever process ends first.
func TestTheLaterOfTwoRewritesCounts(t *testing.T) {
	h := newAgentHome(t, "")
	h.withNote(map[string]string{"1.sh": editing("claude", "a", "first"), "2.sh": editing("claude", "a", "second")})
	set := []string{h.settings("claude", "PreToolUse", command("1.sh"), command("2.sh"))}
	calls := ""
	for i := range 25 {
		calls += fmt.Sprintf("@tool note {\"a\": \"-\", \"b\": \"%d\"}\n", i)
	}
	a := h.ask(calls, app.Options{Set: set})
	if n := strings.Count(a.answer, `{"a":"second"`); n != 25 {
		t.Errorf("%d of 25 calls ran with the later rewrite\n%.300s\n%s", n, a.answer, a.notices)
	}
}
