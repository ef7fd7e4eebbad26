package app_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/systest"
)

// agentHome is a home in which hooks of one agent run, and a project with its working directory.
type agentHome struct{ t *testing.T }

// newAgentHome makes a home whose configuration has these lines besides those for the tools.
func newAgentHome(t *testing.T, lines string) agentHome {
	t.Helper()
	t.Setenv("HOME", t.TempDir())
	t.Setenv("CHIBI_HOME", "")
	t.Chdir(t.TempDir())
	h := agentHome{t}
	h.write(filepath.Join(os.Getenv("HOME"), ".chibi", "config.toml"), "[tools]\ncoding = true\n"+lines)
	return h
}

// write writes a file; a relative path is in the working directory.
func (h agentHome) write(path, text string) {
	h.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		h.t.Fatal(err)
	}
}

// settings writes settings files with hooks of an event of an agent and returns the line of the
// configuration that names them.
func (h agentHome) settings(agent, event string, hooks ...string) string {
	name := agent + ".json"
	list := strings.Join(hooks, ", ")
	switch agent {
	case "claude", "codex", "droid", "gemini", "grok", "qwen":
		list = fmt.Sprintf(`{"hooks": [%s]}`, list)
	}
	h.write(name, fmt.Sprintf(`{"version": 1, "hooks": {%q: [%s]}}`, event, list))
	dir, err := os.Getwd()
	if err != nil {
		h.t.Fatal(err)
	}
	return fmt.Sprintf("foreign.%s.files=[%q]", agent, filepath.Join(dir, name))
}

// asked is what a run of one prompt showed.
type asked struct {
	answer  string // what the model said; the demo model repeats what tools answer
	notices string // what the person was told
}

// ask runs a prompt.
func (h agentHome) ask(prompt string, o app.Options) (a asked) {
	h.t.Helper()
	o.Model.Demo, o.Version = true, "test"
	o.Output = agent.Output{Text: func(delta string) { a.answer += delta },
		Notice: func(text string) { a.notices += text + "\n" }}
	s, err := app.Open(h.t.Context(), o)
	if err != nil {
		h.t.Fatal(err)
	}
	defer s.Close()
	for _, skipped := range s.Loaded.Skipped {
		a.notices += skipped.Reason + "\n"
	}
	if err := s.Run(h.t.Context(), func() error { return s.Ask(h.t.Context(), prompt) }); err != nil {
		a.notices += err.Error() + "\n"
	}
	return a
}

// beforeTool are the events of the agents before a tool is called, as the table has them.
func beforeTool(agent string) string {
	switch agent {
	case "gemini":
		return "BeforeTool"
	case "cursor":
		return "preToolUse"
	}
	return "PreToolUse"
}

// verdictRows is the table of verdicts: how a hook before a tool ends, and what that means in
// each agent.
//
//	go     the tool runs, unless somebody else objects
//	ALLOW  it runs, and nobody is asked
//	ask    the person is asked; here nobody is there, so that it does not run
//	err    it runs, and the person is told that the hook failed
//	DENY   it does not run, and the model is told the reason
//	HALT   it does not run, and the turn ends
//
// "said" behind it: the person is told that the answer has no effect, or what the hook wrote. Where a
// program was seen to do something else than its documentation says, the table has what it did (see
// docs/AGENTS.md).
func verdictRows() [][]string {
	hook := func(inside string) string {
		return `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse",` + inside + `}}'`
	}
	deny := `"permissionDecision":"deny","permissionDecisionReason":"no rm"`
	noName := `echo '{"hookSpecificOutput":{` + deny + `}}'`
	return [][]string{
		{"what the hook does", "reason", "claude", "codex", "copilot", "crush", "cursor", "droid", "gemini",
			"grok", "kimi", "qwen"},
		{"echo hello", "", "go", "go", "go", "go", "err", "go", "go said", "go", "go", "go"},
		{`echo '{"decision":'`, "", "go", "err", "go", "go", "err", "go", "go said", "go", "go", "go"},
		{hook(deny), "no rm", "DENY", "DENY", "DENY", "DENY", "go said", "DENY", "go said", "DENY", "DENY", "DENY"},
		{hook(`"permissionDecision":"deny"`), "", "DENY", "err", "DENY", "DENY", "go said", "DENY", "go said",
			"DENY", "DENY", "DENY"},
		{noName, "no rm", "err", "err", "DENY", "DENY", "go said", "DENY", "go said", "DENY", "DENY", "DENY"},
		{hook(`"more":1,` + deny), "no rm", "DENY", "err", "DENY", "DENY", "go said", "DENY", "go said", "DENY",
			"DENY", "DENY"},
		{hook(`"permissionDecision":"ask"`), "", "ask", "err", "ask", "go said", "go said", "ask", "go said",
			"ask", "go said", "ask"},
		{`echo '{"decision":"block","reason":"no rm"}'`, "no rm", "DENY", "DENY", "go said", "go said",
			"go said", "go said", "DENY", "DENY", "go said", "DENY"},
		{`echo '{"decision":"deny","reason":"no rm"}'`, "no rm", "go said", "err", "go said", "DENY", "go said",
			"go said", "DENY", "DENY", "go said", "DENY"},
		{`echo '{"continue":false}'`, "", "HALT", "err", "go said", "go said", "go said", "HALT", "HALT",
			"go said", "go said", "DENY"},
		{`echo '{"permission":"deny","agent_message":"no rm"}'`, "no rm", "go said", "err", "go said", "go said",
			"DENY", "go said", "go said", "go said", "go said", "go said"},
		{`echo '{"permissionDecision":"deny","permissionDecisionReason":"no rm"}'`, "no rm", "go said", "err",
			"DENY", "go said", "go said", "go said", "go said", "go said", "go said", "go said"},
		{`echo '{"block":true}'`, "", "go said", "err", "go said", "go said", "go said", "go said", "go said",
			"go said", "go said", "go said"},
		{"echo no rm >&2; exit 1", "no rm", "err", "err", "DENY", "err", "err", "err", "go said", "err", "err",
			"err"},
		{hook(deny) + "; exit 1", "no rm", "DENY", "err", "DENY", "err", "err", "DENY", "go said", "DENY", "err",
			"DENY"},
		{"echo no rm >&2; exit 2", "no rm", "DENY", "DENY", "DENY", "DENY", "DENY", "DENY", "DENY", "DENY",
			"DENY", "DENY"},
		{"exit 2", "", "DENY", "err", "DENY", "DENY", "DENY", "DENY", "go", "DENY", "DENY", "err"},
		{hook(`"permissionDecision":"allow"`) + "; exit 2", "", "DENY", "err", "DENY", "DENY", "DENY", "DENY",
			"go said", "DENY", "DENY", "err"},
		{`echo '{"decision":"deny","reason":"no rm"}' >&2; exit 2`, "no rm", "DENY", "DENY", "DENY", "DENY",
			"DENY", "DENY", "DENY", "DENY", "DENY", "DENY"},
		{"echo no rm >&2; exit 3", "no rm", "err", "err", "DENY", "err", "err", "HALT", "DENY", "err", "err",
			"err"},
		{"no-such-command", "", "err", "err", "DENY", "err", "err", "err", "DENY", "err", "err", "err"},
		{"echo no rm >&2; exit 49", "no rm", "err", "err", "DENY", "HALT", "err", "err", "DENY", "err", "err",
			"err"},
		{"kill -9 $$", "", "err", "err", "DENY", "err", "err", "err", "go", "err", "err", "err"},
		{"sleep 60", "", "err", "err", "err", "err", "err", "err", "err", "err", "err", "err"},
	}
}

// TestVerdictsBeforeATool runs each row in a third of the agents, which take turns, through a settings file; with
// CHIBI_TEST_ALL=1 in each. That the tables of the agents have these verdicts, their golden cases hold.
func TestVerdictsBeforeATool(t *testing.T) {
	rows := verdictRows()
	columns := rows[0][2:]
	if strings.Join(columns, " ") != strings.Join(agents.Names(), " ") {
		t.Fatalf("the table has %v, want all agents", columns)
	}
	for n, row := range rows[1:] {
		for i, agent := range columns {
			if (n+i)%3 != 0 && !systest.All() {
				continue
			}
			t.Run(agent+" "+row[0], func(t *testing.T) {
				h := newAgentHome(t, "") // a conversation of all cases would make each longer
				if got := h.verdict(agent, row[0], row[1]); got != row[i+2] {
					t.Errorf("%s: %s\n%s, want %s", agent, row[0], got, row[i+2])
				}
			})
		}
	}
}

// verdict runs a hook before a call and returns what became of it. A denial must have the reason.
func (h agentHome) verdict(agent, script, reason string) string {
	h.t.Helper()
	h.write("hook.sh", script+"\n")
	limit := map[string]string{"gemini": `"timeout": 500`, "qwen": `"timeout": 500`,
		"copilot": `"timeoutSec": 0.5`}[agent]
	if limit == "" {
		limit = `"timeout": 0.5`
	}
	if !strings.HasPrefix(script, "sleep") {
		limit = strings.ReplaceAll(limit, "0.5", "60")
		limit = strings.ReplaceAll(limit, "500", "60000")
	}
	on := h.settings(agent, beforeTool(agent), `{"type": "command", "command": "sh ./hook.sh", `+limit+`}`)
	call := func(o app.Options) (asked, bool) {
		os.Remove("ran")
		o.Set = []string{on}
		a := h.ask(`@tool shell_exec {"command": "touch ran"}`, o)
		_, err := os.Stat("ran")
		return a, err == nil
	}
	trusting, ran := call(app.Options{Permissions: app.PermissionOptions{TrustTools: true}})
	plugin := fmt.Sprintf("plugin %q at %s: ", agent+":"+beforeTool(agent)+":1", beforeTool(agent))
	said := strings.Contains(trusting.notices, plugin)
	failed := said && strings.Contains(trusting.notices, "went on without it")
	told := strings.Contains(trusting.answer, "The tool answered: ")
	verdict := "?"
	switch {
	case ran && failed:
		return "err"
	case ran:
		verdict = "go"
	case !told:
		return "HALT"
	case strings.Contains(trusting.answer, "there is no terminal to ask at"):
		return "ask"
	case !strings.Contains(trusting.answer, reason) && !strings.Contains(trusting.answer, "hook errored"):
		return fmt.Sprintf("denied, but the model was told %q", trusting.answer)
	default:
		return "DENY"
	}
	if _, ran = call(app.Options{}); ran {
		verdict = "ALLOW"
	}
	if said {
		verdict += " said"
	}
	return verdict
}
