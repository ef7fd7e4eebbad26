package app_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/internal/app"
)

// trusting is how these tests run: no tool is asked about.
func trusting(set ...string) app.Options {
	return app.Options{Set: set, Permissions: app.PermissionOptions{TrustTools: true}}
}

// TestARuleSaysWhichCallsAHookIsAbout: the "if" of Claude Code's hooks.
func TestARuleSaysWhichCallsAHookIsAbout(t *testing.T) {
	h := newAgentHome(t, "")
	hook := func(rule string) string {
		return fmt.Sprintf(`{"type": "command", "command": "echo no >&2; exit 2", "if": %q}`, rule)
	}
	on := h.settings("claude", "PreToolUse", hook("Bash(rm *)"))
	for command, want := range map[string]string{"rm x": "no\n", "cd / && FOO=1 rm x": "no\n", "echo $(rm x)": "no\n",
		"echo rm": "rm\n"} {
		a := h.ask(fmt.Sprintf(`@tool shell_exec {"command": %q}`, command), trusting(on))
		if !strings.HasPrefix(a.answer, "The tool answered: "+want) {
			t.Errorf("%s: %q, want %q (%s)", command, a.answer, want, a.notices)
		}
	}
	// A rule elsewhere than at a call never runs, and one that cannot be read neither: both is said.
	a := h.ask("@say x", trusting(h.settings("claude", "Stop", hook("Bash(rm *)"))))
	if !strings.Contains(a.notices, `its "if" is a rule about calls of tools, so that Claude Code never runs it at Stop`) {
		t.Errorf("a rule at Stop: %s", a.notices)
	}
	a = h.ask("@say x", trusting(h.settings("claude", "PreToolUse", hook("Bash(rm"))))
	if !strings.Contains(a.notices, `if: "Bash(rm" is no rule: a parenthesis is not closed`) {
		t.Errorf("a broken rule: %s", a.notices)
	}
}

// TestAnAgentsHookContinuesATurnOnlySoOften: as often as its agent lets it, or its loop_limit says.
func TestAnAgentsHookContinuesATurnOnlySoOften(t *testing.T) {
	for _, test := range []struct {
		agent, event, hook string
		want               int
	}{
		{"claude", "Stop", `"command": "echo >>asked; echo more >&2; exit 2"`, 8},
		{"cursor", "stop", `"command": "echo >>asked; echo '{\"followup_message\": \"more\"}'"`, 5},
		{"cursor", "stop", `"loop_limit": 2, "command": "echo >>asked; echo '{\"followup_message\": \"more\"}'"`, 2},
		{"copilot", "agentStop", `"command": "echo >>asked; echo '{\"decision\": \"block\", \"reason\": \"more\"}'"`, 8},
	} {
		h := newAgentHome(t, "")
		on := h.settings(test.agent, test.event, fmt.Sprintf(`{"type": "command", %s}`, test.hook))
		a := h.ask("@say hello", trusting(on, "max_follow_ups=20"))
		asked, _ := os.ReadFile("asked")
		if n := strings.Count(string(asked), "\n"); n != test.want+1 ||
			!strings.Contains(a.notices, fmt.Sprintf("it has gone on %d times", test.want)) {
			t.Errorf("%s was asked %d times, want %d\n%s", test.agent, n, test.want+1, a.notices)
		}
	}
}

// TestASessionStartLeavesVariablesForCommands: in the file of CLAUDE_ENV_FILE, of which only its own
// process is told.
func TestASessionStartLeavesVariablesForCommands(t *testing.T) {
	h := newAgentHome(t, "")
	t.Setenv("BASE", "base")
	h.write("hook.sh", `echo 'export A="$BASE/a b" C=c'"
# a comment
export B='\$A'
unset X" >>"$CLAUDE_ENV_FILE"
stat -c %a "$(dirname "$CLAUDE_ENV_FILE")" >mode
`)
	on := h.settings("claude", "SessionStart", command("hook.sh"))
	a := h.ask(`@tool shell_exec {"command": "echo $A,$B,$C,$CLAUDE_ENV_FILE"}`, trusting(on))
	if !strings.Contains(a.answer, "base/a b,$A,c,\n") {
		t.Errorf("the command had %q\n%s", a.answer, a.notices)
	}
	if !strings.Contains(a.notices, `"unset X" in its file for variables has no effect`) {
		t.Errorf("the other line is not said: %s", a.notices)
	}
	if mode, _ := os.ReadFile("mode"); strings.TrimSpace(string(mode)) != "700" {
		t.Errorf("others can read the directory: %s", mode)
	}
}

// TestCursorsSessionStartSetsVariablesForHooks that run later.
func TestCursorsSessionStartSetsVariablesForHooks(t *testing.T) {
	h := newAgentHome(t, "")
	h.write("cursor.json", `{"version": 1, "hooks": {
"sessionStart": [{"command": "echo '{\"env\": {\"LEFT\": \"by it\"}}'"}],
"beforeSubmitPrompt": [{"command": "echo \"$LEFT\" >left; echo '{}'"}]}}`)
	dir, _ := os.Getwd()
	a := h.ask("@say x", trusting(fmt.Sprintf("foreign.cursor.files=[%q]", filepath.Join(dir, "cursor.json"))))
	if left, _ := os.ReadFile("left"); strings.TrimSpace(string(left)) != "by it" {
		t.Errorf("the hook had %q\n%s", left, a.notices)
	}
}

// TestTheStatusOfAHookIsShownWhileItRuns: its statusMessage.
func TestTheStatusOfAHookIsShownWhileItRuns(t *testing.T) {
	h := newAgentHome(t, "")
	o := trusting(h.settings("claude", "UserPromptSubmit",
		`{"type": "command", "command": "true", "statusMessage": "Checking the prompt"}`))
	shown := ""
	o.Output = agent.Output{Waiting: func(what string) func() {
		shown += what + "\n"
		return func() {}
	}}
	o.Model.Demo = true
	s, err := app.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Run(t.Context(), func() error { return s.Ask(t.Context(), "hello") }); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(shown, "Checking the prompt\n") {
		t.Errorf("shown was %q", shown)
	}
}
