package hooks_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/agents/hooks"
	"github.com/chibi-host/chibi/internal/agents/settings"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/process"
)

// asked returns a host with one handler of Claude Code's PreToolUse, and the host's notices.
func asked(t *testing.T, h settings.Handler, ways hooks.Ways) (*plugin.Host, *[]string) {
	t.Helper()
	claude, _ := agents.ByName("claude")
	h.Event, h.Line = "PreToolUse", 3
	p, err := hooks.NewPlugin(&claude, h, hooks.Options{Name: "claude:PreToolUse:1", Path: "settings.json",
		Run: func(context.Context) engine.Run { return engine.Run{Session: "s1"} }, Ways: ways,
		Runner: process.Runner{Env: []string{"TOKEN=secret", "OTHER=hidden"}}})
	if err != nil {
		t.Fatal(err)
	}
	said := &[]string{}
	host := &plugin.Host{Plugins: []plugin.Plugin{p}, Notify: func(n plugin.Notice) { *said = append(*said, n.Text) }}
	return host, said
}

const denial = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",` +
	`"permissionDecisionReason":"not here"}}`

func TestAnHTTPHandlerIsASettingOfAnswers(t *testing.T) {
	for name, test := range map[string]struct {
		status  int
		body    string
		err     error
		message string // of the block; "": none
		failure string // the notice; "": none
	}{
		"a denial":                {status: 200, body: denial, message: "not here"},
		"nothing":                 {status: 204},
		"a text":                  {status: 200, body: "hello", failure: `is not a JSON object: it begins with "hello"`},
		"a status alone":          {status: 403, body: denial, failure: "the server answered with status 403"},
		"a server that is absent": {err: errors.New("connection refused"), failure: "connection refused"},
	} {
		t.Run(name, func(t *testing.T) {
			var got hooks.Posting
			host, said := asked(t, settings.Handler{Kind: engine.HTTPHandler, URL: "http://localhost/x",
				Headers: map[string]string{"Authorization": "Bearer $TOKEN ${OTHER}."}, AllowedEnv: []string{"TOKEN"}},
				hooks.Ways{Post: func(_ context.Context, to hooks.Posting) (int, []byte, error) {
					got = to
					return test.status, []byte(test.body), test.err
				}})
			answer, err := plugin.Fire(t.Context(), host, hookpoints.PreTool, shellCall("ls"))
			if err != nil || answer.Block != (test.message != "") || !strings.Contains(answer.Message, test.message) {
				t.Errorf("%+v, %v", answer, err)
			}
			if all := strings.Join(*said, "\n"); !strings.Contains(all, test.failure) || test.failure == "" && all != "" {
				t.Errorf("the notices are %q, want %q", all, test.failure)
			}
			if !strings.Contains(string(got.Body), `"tool_name":"Bash"`) || got.Headers["Authorization"] != "Bearer secret ." {
				t.Errorf("it was sent %s with %v", got.Body, got.Headers)
			}
		})
	}
}

func TestAModelJudgesACall(t *testing.T) {
	for name, test := range map[string]struct {
		answer, message, failure string
	}{
		"yes":        {answer: `{"ok": true}`},
		"no":         {answer: "```json\n{\"ok\": false, \"reason\": \"too dangerous\"}\n```", message: "too dangerous"},
		"no verdict": {answer: "I would rather not.", failure: `the model did not answer {"ok": true}`},
	} {
		t.Run(name, func(t *testing.T) {
			prompt := ""
			host, said := asked(t, settings.Handler{Kind: engine.PromptHandler, Prompt: `Is $ARGUMENTS worth \$5?`,
				ContinueOnBlock: true}, hooks.Ways{
				Ask: func(_ context.Context, q hooks.Judging) (string, error) {
					prompt = q.Text
					return test.answer, nil
				}})
			answer, err := plugin.Fire(t.Context(), host, hookpoints.PreTool, shellCall("ls"))
			if err != nil || answer.Block != (test.message != "") || !strings.Contains(answer.Message, test.message) {
				t.Errorf("%+v, %v", answer, err)
			}
			if all := strings.Join(*said, "\n"); !strings.Contains(all, test.failure) || test.failure == "" && all != "" {
				t.Errorf("the notices are %q, want %q", all, test.failure)
			}
			if !strings.HasPrefix(prompt, `Is {"session_id"`) || !strings.Contains(prompt, "worth $5?") {
				t.Errorf("the model was asked: %s", prompt)
			}
		})
	}
}

func TestAToolOfAnMCPServerIsAskedWithPartsOfThePayload(t *testing.T) {
	var input json.RawMessage
	host, said := asked(t, settings.Handler{Kind: engine.MCPToolHandler, Server: "guard", Tool: "check",
		Input: json.RawMessage(`{"line":"ran: ${tool_input.command}"}`)},
		hooks.Ways{Call: func(_ context.Context, _, _ string, in json.RawMessage) (string, error) {
			input = in
			return denial, nil
		}})
	answer, err := plugin.Fire(t.Context(), host, hookpoints.PreTool, shellCall(`echo "a"`))
	if err != nil || !answer.Block || string(input) != `{"line":"ran: echo \"a\""}` {
		t.Errorf("%+v, %s, %v, %q", answer, input, err, *said)
	}
}

func TestAHandlerThatIsNotRunSaysWhy(t *testing.T) {
	claude, _ := agents.ByName("claude")
	for kind, want := range map[engine.HandlerKind]string{
		engine.PromptHandler: "[foreign] model_hooks = true", engine.HTTPHandler: "chibi does not run HTTP handlers here",
		engine.MCPToolHandler: "does not run a handler that calls a tool", "": "does not know this type",
	} {
		_, err := hooks.NewPlugin(&claude, settings.Handler{Event: "PreToolUse", Kind: kind}, hooks.Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// TestWhatIsSaidInTheBackgroundComesWithTheNextPrompt: nobody waits for the hook, whose end the
// test waits for by Close.
func TestWhatIsSaidInTheBackgroundComesWithTheNextPrompt(t *testing.T) {
	dir := t.TempDir()
	claude, _ := agents.ByName("claude")
	memory := &hooks.Memory{}
	add := func(host *plugin.Host, command string, wakes bool) {
		p, err := hooks.NewPlugin(&claude, settings.Handler{Event: "PreToolUse", Kind: engine.CommandHandler,
			Command: command, Async: true, AsyncRewake: wakes}, hooks.Options{Name: command, Dir: dir, Memory: memory,
			Run: func(context.Context) engine.Run { return engine.Run{} }})
		if err != nil {
			t.Fatal(err)
		}
		host.Plugins = append(host.Plugins, p)
	}
	host := &plugin.Host{}
	add(host, `echo '{"systemMessage":"done later","decision":"block","reason":"too late"}'`, false)
	add(host, `echo "look again" >&2; exit 2`, true)
	host.Plugins = append(host.Plugins, hooks.NewBackground(claude, memory))
	answer, err := plugin.Fire(t.Context(), host, hookpoints.PreTool, shellCall("ls"))
	if err != nil || answer.Block {
		t.Errorf("%+v, %v", answer, err)
	}
	if ended := memory.Close(time.Minute); ended != nil {
		t.Errorf("%q were ended", ended)
	}
	stop, err := plugin.Fire(t.Context(), host, hookpoints.PreStop, hookpoints.PreStopPayload{})
	if err != nil || len(stop.FollowUpMessages) != 1 || !strings.Contains(stop.FollowUpMessages[0], "look again") {
		t.Errorf("%+v, %v", stop, err)
	}
}

func TestAHookInTheBackgroundEndsWithTheRun(t *testing.T) {
	dir := t.TempDir()
	claude, _ := agents.ByName("claude")
	memory := &hooks.Memory{}
	p, err := hooks.NewPlugin(&claude, settings.Handler{Event: "PreToolUse", Kind: engine.CommandHandler, Async: true,
		Command: "while :; do sleep 1; done"}, hooks.Options{Name: "slow", Dir: dir, Memory: memory,
		Run: func(context.Context) engine.Run { return engine.Run{} }})
	if err != nil {
		t.Fatal(err)
	}
	host := &plugin.Host{Plugins: []plugin.Plugin{p}}
	if _, err := plugin.Fire(t.Context(), host, hookpoints.PreTool, shellCall("ls")); err != nil {
		t.Fatal(err)
	}
	if ended := memory.Close(0); len(ended) != 1 || ended[0] != "slow" {
		t.Errorf("%q were ended", ended)
	}
}
