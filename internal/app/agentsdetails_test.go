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
	if !strings.Contains(a.notices, `if: "Bash(rm" is not a rule: a parenthesis is not closed`) {
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

// plugins writes plugins of an agent whose guards all have the same command, and returns the line of the
// configuration that names them. Each guard refuses a command that names the plugin.
func (h agentHome) plugins(agent, command string, names ...string) string {
	h.t.Helper()
	dir, _ := os.Getwd()
	event, matcher := "PreToolUse", "Bash"
	if agent == "gemini" || agent == "qwen" {
		event, matcher = beforeTool(agent), "run_shell_command"
	}
	var dirs []string
	for _, name := range names {
		at := filepath.Join(dir, name)
		h.write(filepath.Join(at, "hooks", "guard.sh"),
			fmt.Sprintf("grep -q %q && { echo %s says no >&2; exit 2; }\nexit 0\n", "rm "+name, name))
		h.write(filepath.Join(at, "hooks", "hooks.json"), fmt.Sprintf(`{"hooks": {%q: [{"matcher": %q, "hooks": [
			{"type": "command", "command": %q}, {"type": "command", "command": %q}]}]}}`, event, matcher, command, command))
		dirs = append(dirs, fmt.Sprintf("%q", at))
	}
	return fmt.Sprintf("foreign.%s.plugins=[%s]", agent, strings.Join(dirs, ", "))
}

// TestPluginsWithTheSameCommandAllRun: the text stands for a file of each plugin, whose directory the agent
// fills in or tells in a variable. In one plugin the same command runs once.
func TestPluginsWithTheSameCommandAllRun(t *testing.T) {
	for _, test := range []struct{ agent, command string }{
		{"claude", `sh "${CLAUDE_PLUGIN_ROOT}/hooks/guard.sh"`},
		{"claude", `sh "$CLAUDE_PLUGIN_ROOT"/hooks/guard.sh`},
		{"codex", `sh "$PLUGIN_ROOT/hooks/guard.sh"`},
		{"gemini", `sh '${extensionPath}${/}hooks${pathSeparator}guard.sh'`},
		{"qwen", `cd '${workspacePath}' && sh "${extensionPath}/hooks/guard.sh"`},
	} {
		h := newAgentHome(t, "")
		on := h.plugins(test.agent, test.command, "first one", "second")
		for _, name := range []string{"first one", "second"} {
			a := h.ask(fmt.Sprintf(`@tool shell_exec {"command": "rm %s"}`, name), trusting(on))
			if !strings.Contains(a.answer, name+" says no") || strings.Contains(a.notices, "failed") {
				t.Errorf("%s: %s: the guard of %s did not answer: %s\n%s", test.agent, test.command, name, a.answer, a.notices)
			}
		}
	}
	h := newAgentHome(t, "")
	o := trusting(h.plugins("claude", "true", "a", "b"))
	s, err := app.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Load(t.Context()); err != nil || len(s.Loaded.Plugins) != 2 || len(s.Loaded.Skipped) != 2 ||
		s.Loaded.Skipped[0].Reason != "it is the same as claude:PreToolUse:1, and runs once" {
		t.Errorf("%d run, left out: %v, %v", len(s.Loaded.Plugins), s.Loaded.Skipped, err)
	}
}

// TestADeadGuardOfCopilotDenies, and the person is told why nothing runs any more.
func TestADeadGuardOfCopilotDenies(t *testing.T) {
	for hook, why := range map[string]string{
		`"bash": "./gone.sh"`:                      "exit status 127: ",
		`"exec": "./gone.sh", "args": ["x"]`:       "it did not run: ",
		`"exec": "no-such-program", "args": []`:    "it did not run: ",
		`"bash": "kill -9 $$"`:                     "it was ended by ",
		`"bash": "exit 0", "cwd": "no/such/place"`: "it did not run: ",
	} {
		h := newAgentHome(t, "")
		a := h.ask(`@tool shell_exec {"command": "touch ran"}`, trusting(h.settings("copilot", "preToolUse", "{"+hook+"}")))
		if exists("ran") || !strings.Contains(a.notices, "copilot:preToolUse:1") || !strings.Contains(a.notices, why) ||
			!strings.Contains(a.notices, "which denies in GitHub Copilot CLI") {
			t.Errorf("%s: ran %v\n%s\n%s", hook, exists("ran"), a.answer, a.notices)
		}
	}
}
