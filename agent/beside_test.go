package agent

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
)

// block is a context as the model sees it.
func block(plugin, text string) string {
	return "<context plugin=\"" + plugin + "\">\n" + text + "\n</context>"
}

// TestContexts are for the model, beside what they are about, and stored with it.
func TestContexts(t *testing.T) {
	const p = "p"
	text := "the <b> of it"
	seen := block(p, "the &lt;b&gt; of it")
	for _, test := range []struct {
		name    string
		hooks   plugin.Handlers
		replies []reply
		window  []string
	}{
		{"beside the prompt", answerAt(hookpoints.PreMessage, hookpoints.PreMessageAnswer{Context: text}),
			[]reply{says("hello")}, []string{"user " + seen + "\n\nhi", "assistant hello"}},
		{"beside the result of a call", answerAt(hookpoints.PreTool, hookpoints.PreToolAnswer{Context: text}),
			[]reply{calls("echo", "{}"), says("hello")},
			[]string{"user hi", "call echo {}", "result echo {}\n\n" + seen, "assistant hello"}},
		{"of a blocked call", answerAt(hookpoints.PreTool,
			hookpoints.PreToolAnswer{Block: true, Message: "no", Context: text}),
			[]reply{calls("echo", "{}"), says("hello")}, []string{"user hi", "call echo {}",
				"result echo no\n(blocked by plugin \"p\")\n\n" + seen, "assistant hello"}},
		{"beside the output", answerAt(hookpoints.PreToolOutput, hookpoints.PreToolOutputAnswer{Context: text}),
			[]reply{calls("echo", "{}"), says("hello")},
			[]string{"user hi", "call echo {}", "result echo {}\n\n" + seen, "assistant hello"}},
		{"after a response", answerAt(hookpoints.PostTurn, hookpoints.PostTurnAnswer{Context: text}),
			[]reply{says("hello")}, []string{"user hi", "assistant hello", "user " + seen}},
		{"after the results", answerAt(hookpoints.PostToolBatch, hookpoints.PostToolBatchAnswer{Context: text}),
			[]reply{calls("echo", "{}"), says("hello")},
			[]string{"user hi", "call echo {}", "result echo {}", "user " + seen, "assistant hello"}},
		{"an empty one is none", answerAt(hookpoints.PreMessage, hookpoints.PreMessageAnswer{Context: " \n"}),
			[]reply{says("hello")}, []string{"user hi", "assistant hello"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newHarness(t, test.replies...)
			h.plug(p, test.hooks)
			h.prompt("hi")
			same(t, "window", h.window()[1:], test.window)
			last := h.model.requests[len(h.model.requests)-1].sent()
			if strings.Contains(test.window[len(test.window)-2], seen) && !strings.Contains(last, seen) {
				t.Errorf("the model was not told: %s", last)
			}
			h.prompt("more")
			last = h.model.requests[len(h.model.requests)-1].sent()
			if strings.Contains(strings.Join(test.window, ""), seen) && !strings.Contains(last, seen) {
				t.Errorf("a later request does not have it: %s", last)
			}
		})
	}
}

// TestContextsOfSeveralPlugins are all there, in plugin order; a long one is cut.
func TestContextsOfSeveralPlugins(t *testing.T) {
	h := newHarness(t, says("hello"))
	h.plug("a", answerAt(hookpoints.PreMessage, hookpoints.PreMessageAnswer{Context: "one"}))
	h.plug("b", answerAt(hookpoints.PreMessage, hookpoints.PreMessageAnswer{Context: strings.Repeat("ä", maxContext+1)}))
	h.prompt("hi")
	want := "user:" + block("a", "one") + "\n\n" +
		block("b", strings.Repeat("ä", maxContext)+"...\n[cut: the first 10000 of 10001 characters]") + "\n\nhi"
	same(t, "requests", h.sent(), []string{want})
}

// TestARetryDoesNotRepeatContexts: the prompt alone is asked again.
func TestARetryDoesNotRepeatContexts(t *testing.T) {
	h := newHarness(t, fails("", errors.New("overloaded")), says("hello"))
	h.plug("p", answerAt(hookpoints.PreMessage, hookpoints.PreMessageAnswer{Context: "one"}))
	h.Prompt(t.Context(), "hi")
	if _, err := h.Retry(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := "user:" + block("p", "one") + "\n\nhi"
	same(t, "requests", h.sent(), []string{want, want})
}

// TestAContextAtPreStop makes the turn go on, as a further message, within the bound.
func TestAContextAtPreStop(t *testing.T) {
	h := newHarness(t, says("hello"))
	h.Settings.MaxFollowUps = 1
	h.plug("a", answerAt(hookpoints.PreStop, hookpoints.PreStopAnswer{FollowUpMessages: []string{"more"}}))
	h.plug("b", answerAt(hookpoints.PreStop, hookpoints.PreStopAnswer{Context: "one"}))
	h.prompt("hi")
	same(t, "requests", h.sent(), []string{"user:hi",
		"user:hi assistant:hello user:more user:" + block("b", "one")})
}

// TestAPluginEndsTheTurn: no further request is made, and what happened is stored.
func TestAPluginEndsTheTurn(t *testing.T) {
	const halted = `halted by plugin "p": enough`
	two := calls("echo", `{"n":1}`, "echo", `{"n":2}`)
	notRun := `Error: not run: the turn ended before: ` + halted
	for _, test := range []struct {
		name   string
		hooks  plugin.Handlers
		window []string
	}{
		{"at pre_message", answerAt(hookpoints.PreMessage, hookpoints.PreMessageAnswer{Halt: true, Message: "enough"}), nil},
		{"at pre_tool", answerAt(hookpoints.PreTool, hookpoints.PreToolAnswer{Halt: true, Message: "enough"}),
			[]string{"user hi", `call echo {"n":1}`, `call echo {"n":2}`, "result echo " + halted, "result echo " + notRun}},
		{"at pre_tool_output",
			answerAt(hookpoints.PreToolOutput, hookpoints.PreToolOutputAnswer{Halt: true, Message: "enough"}),
			[]string{"user hi", `call echo {"n":1}`, `call echo {"n":2}`, `result echo {"n":1}`, "result echo " + notRun}},
		{"at post_turn", answerAt(hookpoints.PostTurn, hookpoints.PostTurnAnswer{Halt: true, Message: "enough",
			Recipe: "compact"}), []string{"user hi", `call echo {"n":1}`, `call echo {"n":2}`,
			"result echo Error: not run: " + halted, "result echo Error: not run: " + halted}},
		{"at post_tool_batch",
			answerAt(hookpoints.PostToolBatch, hookpoints.PostToolBatchAnswer{Halt: true, Message: "enough"}),
			[]string{"user hi", `call echo {"n":1}`, `call echo {"n":2}`, `result echo {"n":1}`, `result echo {"n":2}`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newHarness(t, two, says("never"))
			h.plug("p", test.hooks)
			failed := observe(h, hookpoints.OnTurnFailed)
			_, err := h.Prompt(t.Context(), "hi")
			var ended *HaltedError
			if !errors.As(err, &ended) || err.Error() != halted || len(h.model.requests) > 1 || len(*failed) != 0 {
				t.Errorf("%v after %d requests; on_turn_failed: %v", err, len(h.model.requests), *failed)
			}
			same(t, "window", h.window()[min(1, len(test.window)):], append([]string(nil), test.window...))
		})
	}
}

// TestAHaltAtPreStop only keeps the turn from going on: its answer is complete.
func TestAHaltAtPreStop(t *testing.T) {
	h := newHarness(t, says("hello"))
	h.plug("a", answerAt(hookpoints.PreStop, hookpoints.PreStopAnswer{FollowUpMessages: []string{"more"}}))
	h.plug("p", answerAt(hookpoints.PreStop, hookpoints.PreStopAnswer{Halt: true, Message: "enough"}))
	if answer := h.prompt("hi"); answer != "hello" || len(h.model.requests) != 1 {
		t.Errorf("answer %q after %d requests", answer, len(h.model.requests))
	}
	h.noticed(`halted by plugin "p": enough`)
}

// TestAHaltAtPrePermission refuses the call and ends the turn.
func TestAHaltAtPrePermission(t *testing.T) {
	h := newHarness(t, calls("shell_it", `{"command":"default ask"}`), says("never"))
	h.plan(tools.CategoryShell, tools.Access{}, nil)
	h.Gate = &permissions.Gate{Policy: policy{}}
	h.plug("p", answerAt(hookpoints.PrePermission, hookpoints.PrePermissionAnswer{Halt: true, Message: "enough"}))
	if _, err := h.Prompt(t.Context(), "hi"); err == nil || err.Error() != `halted by plugin "p": enough` {
		t.Errorf("%v", err)
	}
	same(t, "window", h.window()[3:], []string{`result shell_it Permission denied: halted by plugin "p": enough`})
}

// TestAHaltInsideASubAgent ends the sub-agent, not the conversation.
func TestAHaltInsideASubAgent(t *testing.T) {
	h := withAgents(t, spawns(`{"task":"look"}`), calls("echo", "{}"), says("done"))
	h.plug("p", plugin.HandlePoint(hookpoints.PreTool,
		func(_ context.Context, call hookpoints.PreToolPayload) (a hookpoints.PreToolAnswer, err error) {
			a.Halt, a.Message = call.Nested, "enough"
			return a, nil
		}))
	if answer := h.prompt("go"); answer != "done" {
		t.Errorf("answer %q", answer)
	}
	if got := h.model.requests[2].Messages[2].Content; !strings.Contains(got, `halted by plugin "p": enough`) {
		t.Errorf("result %q", got)
	}
}

// TestDecisionsAtPreTool count with those at the permission points, the strictest first.
func TestDecisionsAtPreTool(t *testing.T) {
	yes := person{answer: permissions.Answer{Allow: true, Scope: permissions.Once}}
	for _, test := range []struct {
		name, command string
		decision      hookpoints.Decision
		person        permissions.Person
		trust         bool
		result        string
	}{
		{"allowed", "default ask", "allow", nil, false, "done"},
		{"a rule denies", "rule deny", "allow", nil, false, "Permission denied: the rule denies it"},
		{"a rule asks", "rule ask", "allow", nil, false, "Permission denied: a person must allow it"},
		{"denied", "ls", "deny", nil, false, "because\n(blocked by plugin \"p\")"},
		{"asked", "ls", "ask", yes, false, "done"},
		{"asked without a terminal", "ls", "ask", nil, false,
			`Permission denied: because; a person must allow it, and there is no terminal to ask at; no rule and no flag ` +
				`answers the question of a plugin, only you or a plugin at pre_permission (plugin "p")`},
		{"a rule that allows is not enough", "rule allow", "ask", nil, false, "Permission denied: because; a person must " +
			"allow it"},
		{"nor is trust", "ls", "ask", nil, true, "Permission denied: because; a person must allow it"},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newHarness(t, calls("shell_it", `{"command":"`+test.command+`"}`), says("hello"))
			h.plan(tools.CategoryShell, tools.Access{}, nil)
			h.Gate = &permissions.Gate{Policy: policy{}, Person: test.person, TrustAll: test.trust}
			answer := hookpoints.PreToolAnswer{Decision: test.decision, Reason: "because"}
			h.plug("p", answerAt(hookpoints.PreTool, answer))
			h.prompt("hi")
			if got := h.model.requests[1].Messages[2].Content; !strings.HasPrefix(got, test.result) {
				t.Errorf("result %q, want %q", got, test.result)
			}
		})
	}
}

// TestAnAskWhereNobodyAsks refuses the call: of a tool without a category, and without a gate.
func TestAnAskWhereNobodyAsks(t *testing.T) {
	for _, gate := range []*permissions.Gate{nil, {Policy: policy{}}} {
		h := newHarness(t, calls("echo", "{}"), says("hello"))
		h.Gate = gate
		h.plug("p", answerAt(hookpoints.PreTool, hookpoints.PreToolAnswer{Decision: "ask", Reason: "because"}))
		h.prompt("hi")
		got := h.model.requests[1].Messages[2].Content
		if !strings.HasPrefix(got, "Permission denied: because; a person must allow it") {
			t.Errorf("result %q", got)
		}
	}
}

// TestACompactionThatAPluginBlocks changes nothing; the prompt is answered nevertheless.
func TestACompactionThatAPluginBlocks(t *testing.T) {
	no := hookpoints.CompactAnswer{Block: true, Message: "not now"}
	h := newHarness(t, says("hello"))
	for _, text := range []string{"one", "two"} {
		h.store(contexts.UserMessage("user", "work", text), contexts.AssistantMessage("work", text))
	}
	h.plug("p", answerAt(hookpoints.PreCompact, no))
	h.plug("q", answerAt(hookpoints.PreRollingCompact, no))
	before := h.window()
	var refused *RefusedError
	_, err := h.Compact(t.Context())
	if !errors.As(err, &refused) || err.Error() != `the compaction was refused: not now (plugin "p")` {
		t.Errorf("%v", err)
	}
	same(t, "window", h.window(), before)
	h.Settings.ContextWindow, h.Settings.AutoCompact = 1, true
	if answer := h.prompt("hi"); answer != "hello" {
		t.Errorf("answer %q", answer)
	}
	h.noticed(`context "work" could not be compacted and continues as it is: the compaction was refused: not now ` +
		`(plugin "q")`)
	messages := []hookpoints.ChatMessage{{Role: "user", Content: "sum"}}
	h.plug("r", answerAt(hookpoints.PostTurn, hookpoints.PostTurnAnswer{Messages: messages}))
	h.Settings.AutoCompact, h.notices = false, nil
	h.prompt("hi")
	h.noticed(`the compaction was refused: not now (plugin "p"); the conversation stays as it is`)
}
