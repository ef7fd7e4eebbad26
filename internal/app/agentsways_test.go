package app_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/internal/app"
)

// call is a prompt with which the model calls the shell.
const call = `@tool shell_exec {"command": "echo it ran"}`

// TestHooksThatAreURLs are posted to, and only what a server says with success counts.
func TestHooksThatAreURLs(t *testing.T) {
	t.Setenv("TOKEN", "s3cret")
	t.Setenv("OTHER", "not this")
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = append(got, r.Method+" "+r.Header.Get("Authorization")+" "+string(body))
		switch r.URL.Path {
		case "/deny":
			fmt.Fprint(w, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",`+
				`"permissionDecisionReason":"the server says no"}}`)
		case "/403":
			http.Error(w, "go away", http.StatusForbidden)
		case "/away":
			http.Redirect(w, r, "/deny", http.StatusTemporaryRedirect)
		case "/text":
			fmt.Fprint(w, "hello")
		case "/stall":
			<-r.Context().Done()
		}
	}))
	defer server.Close()
	for _, test := range []struct{ agent, url, answer, notice string }{
		{"claude", server.URL + "/deny", "the server says no", ""},
		{"claude", server.URL + "/empty", "it ran", ""},
		{"claude", server.URL + "/403", "it ran", "the server answered with status 403: go away"},
		{"claude", server.URL + "/away", "it ran", "the server answered with status 307"},
		{"claude", server.URL + "/text", "it ran", "the server's answer is not a JSON object"},
		{"claude", server.URL + "/stall", "it ran", "deadline exceeded"},
		{"claude", "http://10.1.2.3/", "it ran", "[foreign] allow_private = true allows it"},
		{"claude", "ftp://localhost/", "it ran", "is not a URL that begins with http:// or https://"},
		{"qwen", server.URL + "/deny", "the server says no", ""},
		{"copilot", server.URL + "/deny", "it ran", "unless COPILOT_HOOK_ALLOW_LOCALHOST=1 is set"},
		{"copilot", "http://example.com/", "it ran", "Copilot CLI posts to https URLs only"},
	} {
		h := newAgentHome(t, "")
		got = nil
		on := h.settings(test.agent, "PreToolUse", fmt.Sprintf(`{"type": "http", "url": %q, "timeout": 1, "timeoutSec": 1,
"headers": {"Authorization": "$TOKEN$OTHER"}, "allowedEnvVars": ["TOKEN"]}`, test.url))
		a := h.ask(call, trusting(on))
		if !strings.Contains(a.answer, test.answer) || !strings.Contains(a.notices, test.notice) {
			t.Errorf("%s %s: %q\n%s", test.agent, test.url, a.answer, a.notices)
		}
		if strings.Contains(test.url, "/deny") && test.agent != "copilot" {
			if want := `POST s3cret {"session_id":`; len(got) != 1 || !strings.HasPrefix(got[0], want) {
				t.Errorf("the server got %q, want one request %s...", got, want)
			}
		}
	}
	h := newAgentHome(t, "")
	on := h.settings("claude", "SessionStart", fmt.Sprintf(`{"type": "http", "url": %q}`, server.URL))
	if a := h.ask("@say x", trusting(on)); !strings.Contains(a.notices,
		`Claude Code runs no handlers of type "http" at SessionStart`) {
		t.Errorf("at SessionStart: %s", a.notices)
	}
	h.write("claude.json", fmt.Sprintf(`{"allowedHttpHookUrls": ["https://*.example.com/*"], "hooks": {"PreToolUse":
[{"hooks": [{"type": "http", "url": "%s/deny"}]}]}}`, server.URL))
	if a := h.ask(call, trusting(on)); !strings.Contains(a.answer, "it ran") ||
		!strings.Contains(a.notices, "is not one of the URLs that allowedHttpHookUrls of Claude Code allows") {
		t.Errorf("with a list of URLs: %+v", a)
	}
}

// TestHooksThatAskAModel run if the configuration says so.
func TestHooksThatAskAModel(t *testing.T) {
	no := `"prompt": "@say {\"ok\": false, \"reason\": \"not wise\"}\n$ARGUMENTS"`
	for _, test := range []struct{ event, hook, prompt, answer, notice string }{
		{"PreToolUse", `"type": "prompt", "continueOnBlock": true, ` + no, call, "not wise", ""},
		{"PreToolUse", `"type": "prompt", ` + no, call, "", "not wise"}, // the turn ends
		{"PreToolUse", `"type": "agent", ` + no, call, "not wise", ""},
		{"PreToolUse", `"type": "prompt", "prompt": "@say {\"ok\": true}"`, call, "it ran", ""},
		{"PreToolUse", `"type": "prompt", "prompt": "@say fine"`, call, "it ran", "the model did not answer"},
		{"UserPromptSubmit", `"type": "prompt", ` + no, "@say hello", "", "not wise"},
	} {
		h := newAgentHome(t, "")
		on := h.settings("claude", test.event, "{"+test.hook+"}")
		a := h.ask(test.prompt, trusting(on, "foreign.model_hooks=true"))
		if !strings.Contains(a.answer, test.answer) || !strings.Contains(a.notices, test.notice) ||
			test.answer != "it ran" && strings.Contains(a.answer, "it ran") {
			t.Errorf("%s %s: %q\n%s", test.event, test.hook, a.answer, a.notices)
		}
		if a = h.ask(call, trusting(on)); !strings.Contains(a.answer, "it ran") ||
			!strings.Contains(a.notices, "chibi runs a handler that asks a model only with [foreign] model_hooks = true") {
			t.Errorf("without model_hooks: %+v", a)
		}
	}
	h := newAgentHome(t, "")
	for _, agent := range []string{"codex", "copilot"} {
		on := h.settings(agent, "PreToolUse", `{"type": "prompt", `+no+`}`)
		if a := h.ask(call, trusting(on, "foreign.model_hooks=true")); !strings.Contains(a.answer, "it ran") ||
			!strings.Contains(a.notices, `handlers of type "prompt" ask no model for a verdict in`) {
			t.Errorf("%s: %+v", agent, a)
		}
	}
}

// judge is an MCP server whose tool denies a command that it is told.
const judge = `import json, sys
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m:
        continue
    result = {}
    if m["method"] == "initialize":
        result = {"protocolVersion": m["params"]["protocolVersion"], "capabilities": {"tools": {}},
                  "serverInfo": {"name": "judge", "version": "1"}}
    elif m["method"] == "tools/list":
        result = {"tools": [{"name": "judge", "inputSchema": {"type": "object"}}]}
    elif m["method"] == "tools/call":
        asked = m["params"]["arguments"]["about"]
        answer = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
                                         "permissionDecisionReason": "judged: " + asked}}
        result = {"content": [{"type": "text", "text": json.dumps(answer)}], "isError": "fail" in asked}
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": result}), flush=True)
`

// TestHooksThatCallAToolOfAServer: with what the payload has in their arguments.
func TestHooksThatCallAToolOfAServer(t *testing.T) {
	h := newAgentHome(t, "")
	h.write("judge.py", judge)
	dir, _ := os.Getwd()
	h.write(filepath.Join(os.Getenv("HOME"), ".chibi", "config.toml"), fmt.Sprintf(`[tools]
coding = true
[mcp.judge]
command = "python3"
args = [%q]
`, filepath.Join(dir, "judge.py")))
	hook := func(server string) string {
		return h.settings("claude", "PreToolUse", fmt.Sprintf(`{"type": "mcp_tool", "server": %q, "tool": "judge",
"input": {"about": "${tool_input.command}"}}`, server))
	}
	for _, test := range []struct{ server, command, answer, notice string }{
		{"judge", "echo it ran", "judged: echo it ran", ""},
		{"judge", "echo it ran # fail", "it ran", "failed"},
		{"gone", "echo it ran", "it ran", "gone"},
	} {
		a := h.ask(fmt.Sprintf(`@tool shell_exec {"command": %q}`, test.command), trusting(hook(test.server)))
		if !strings.Contains(a.answer, test.answer) || !strings.Contains(a.notices, test.notice) {
			t.Errorf("%s: %q\n%s", test.server, a.answer, a.notices)
		}
	}
}

// TestHooksInTheBackground tell their context with the next prompt, make the turn go on, and are
// ended after the run.
func TestHooksInTheBackground(t *testing.T) {
	h := newAgentHome(t, "")
	h.write("said.sh", `echo '{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit",`+
		`"additionalContext":"from behind"}}'`)
	h.write("wake.sh", "echo 'look again' >&2; exit 2\n")
	h.write("claude.json", `{"hooks": {"UserPromptSubmit": [{"hooks": [
  {"type": "command", "command": "sh ./said.sh; touch said", "async": true},
  {"type": "command", "command": "touch hanging; exec sleep 100000", "async": true}]}],
 "PostToolUse": [{"hooks": [{"type": "command", "command": "sh ./wake.sh", "async": true, "asyncRewake": true}]}]}}`)
	dir, _ := os.Getwd()
	o := trusting(fmt.Sprintf("foreign.claude.files=[%q]", filepath.Join(dir, "claude.json")))
	var answer, notices string
	o.Model.Demo = true
	o.Output = agent.Output{Text: func(delta string) { answer += delta },
		Notice: func(text string) { notices += text + "\n" }}
	s, err := app.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	err = s.Run(t.Context(), func() error {
		for _, prompt := range []string{"first", "second", `@tool shell_exec {"command": "sleep 1"}`} {
			if err := s.Ask(t.Context(), prompt); err != nil {
				return err
			}
			for !exists("said") || !exists("hanging") {
				time.Sleep(time.Millisecond)
			}
		}
		// What the hook of a prompt says comes with a later one, when it has ended.
		for !strings.Contains(answer, "from behind") {
			time.Sleep(100 * time.Millisecond)
			if err := s.Ask(t.Context(), "and now?"); err != nil {
				return err
			}
		}
		return nil
	})
	s.Close()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(notices, "in the background 5s after the run: claude:UserPromptSubmit:2") {
		t.Errorf("nothing says which hook was ended: %s", notices)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// TestHooksThatMisbehaveAreBounded: those that read nothing of a large payload, leave a child with
// their pipes, or hang.
func TestHooksThatMisbehaveAreBounded(t *testing.T) {
	for script, notice := range map[string]string{
		"exit 0":                       "",
		"sleep 100000 & exit 0":        "",
		"cat >/dev/null; sleep 100000": "it took too long",
		"wc -c >size":                  "",
	} {
		h := newAgentHome(t, "")
		h.write("hook.sh", script+"\n")
		on := h.settings("claude", "PreToolUse", `{"type": "command", "command": "sh ./hook.sh", "timeout": 3}`)
		large := strings.Repeat("x", 600_000)
		a := h.ask(fmt.Sprintf(`@tool write_file {"path": "large", "content": %q}`, large), trusting(on))
		if !exists("large") || !strings.Contains(a.notices, notice) {
			t.Errorf("%s: %.200q\n%.500s", script, a.answer, a.notices)
		}
		if size, _ := os.ReadFile("size"); strings.HasPrefix(script, "wc") && len(strings.TrimSpace(string(size))) != 6 {
			t.Errorf("the hook got %s bytes", size)
		}
	}
}
