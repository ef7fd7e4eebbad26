package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
)

// withAgents is a harness whose model can start sub-agents, and answers so.
func withAgents(t testing.TB, replies ...reply) *harness {
	h := newHarness(t, replies...)
	if err := h.Tools.Add(SpawnTool()); err != nil {
		t.Fatal(err)
	}
	return h
}

// spawns answers with calls of spawn_agent, one for each task.
func spawns(arguments ...string) reply {
	var list []string
	for _, one := range arguments {
		list = append(list, spawnToolName, one)
	}
	return calls(list...)
}

// TestEveryHookFiresInsideASubAgent in the same order as in the conversation, of which
// nothing of the sub-agent becomes a part.
func TestEveryHookFiresInsideASubAgent(t *testing.T) {
	h := withAgents(t, spawns(`{"task":"look"}`), calls("echo", "{}"), says("seen"), says("done"))
	if got := h.prompt("go"); got != "done" {
		t.Errorf("answer %q", got)
	}
	inside := slices.Concat([]string{"pre_message", "pre_system_prompt", "post_system_prompt"}, asks,
		[]string{"post_turn", "pre_tool", "run echo {}", "pre_tool_output", "post_tool_output", "post_tool"}, again,
		[]string{"post_turn", "post_message", "pre_stop"})
	want := slices.Concat(begins("go"), asks, []string{`store call spawn_agent {"task":"look"}`, "post_turn", "pre_tool",
		"pre_spawn_agent"}, inside, []string{"post_spawn_agent", "pre_tool_output", "post_tool_output",
		"store result spawn_agent seen", "post_tool"}, again, []string{"show done", "show ", "store assistant done",
		"post_turn"}, ends)
	same(t, "log", h.log, want)
	same(t, "requests", h.sent(), []string{"user:go", "user:look", "user:look assistant: tool:{}",
		"user:go assistant: tool:seen"})
	h.noticed()
}

// TestHooksKnowInWhichSubAgentTheyAre by its id and its type.
func TestHooksKnowInWhichSubAgentTheyAre(t *testing.T) {
	h := withAgents(t, spawns(`{"task":"look","agent":"reviewer"}`), calls("echo", "{}"), says("seen"), says("done"))
	h.Subagents.Recipe = h.Recipes
	calls, stops := observe(h, hookpoints.PreTool), observe(h, hookpoints.PreStop)
	messages, requests := observe(h, hookpoints.PreMessage), observe(h, hookpoints.PreAPIRequest)
	h.prompt("go")
	conversation := hookpoints.Nesting{}
	inside := hookpoints.Nesting{Nested: true, AgentID: "agent-1", AgentType: "reviewer"}
	both := []hookpoints.Nesting{conversation, inside}
	same(t, "pre_tool", []hookpoints.Nesting{(*calls)[0].Nesting, (*calls)[1].Nesting}, both)
	same(t, "pre_message", []hookpoints.Nesting{(*messages)[0].Nesting, (*messages)[1].Nesting}, both)
	same(t, "pre_stop", []hookpoints.Nesting{(*stops)[0].Nesting, (*stops)[1].Nesting},
		[]hookpoints.Nesting{inside, conversation})
	if got := (*requests)[1]; got.Nesting != inside || !strings.Contains(string(got.RequestBody), "Run reviewer.") {
		t.Errorf("pre_api_request %+v: %s", got.Nesting, got.RequestBody)
	}
}

// TestTheHooksOfSubAgents see what is asked of one, and what became of it.
func TestTheHooksOfSubAgents(t *testing.T) {
	h := withAgents(t, spawns(`{"input":"look","model":"m2","temperature":0.5,"max_tokens":9,"tools":["echo"]}`),
		finishes(llm.Reply{Text: "seen", Usage: llm.Usage{InputTokens: 7, OutputTokens: 2}}), says("done"))
	before, after := observe(h, hookpoints.PreSpawnAgent), observe(h, hookpoints.PostSpawnAgent)
	h.prompt("go")
	temperature, most := 0.5, 9
	about := hookpoints.Spawned{Depth: 1, AgentID: "agent-1", AgentType: "general", ToolName: "spawn_agent",
		ToolCallID: "c1", ContextName: "work"}
	same(t, "pre_spawn_agent", *before, []hookpoints.PreSpawnAgentPayload{{
		SystemPrompt: subagentPrompt, Input: "look", Model: "m2", Temperature: &temperature, MaxTokens: &most,
		Tools: []string{"echo"}, Spawned: about}})
	(*after)[0].DurationMS = 0
	same(t, "post_spawn_agent", *after, []hookpoints.PostSpawnAgentPayload{{
		SystemPrompt: subagentPrompt, Input: "look", Model: "m2", Response: "seen", Status: "ran",
		Usage:     hookpoints.Usage{InputTokens: 7, OutputTokens: 2, CurrentContextWindow: 9, MaxContextWindow: 128000},
		Responses: 1, Spawned: about}})
	raw := h.model.requests[1].raw
	if !strings.Contains(raw, `"model":"m2"`) || !strings.Contains(raw, `"temperature":0.5`) ||
		!strings.Contains(raw, `"max_tokens":9`) {
		t.Errorf("request %s", raw)
	}
}

// TestPluginsDecideAboutSubAgents before they start.
func TestPluginsDecideAboutSubAgents(t *testing.T) {
	prompt, input, model := "Be brief.", "look twice", "m3"
	for _, test := range []struct {
		name     string
		answer   hookpoints.PreSpawnAgentAnswer
		result   string
		status   hookpoints.SpawnStatus
		requests []string
	}{
		{"rewritten", hookpoints.PreSpawnAgentAnswer{SystemPrompt: &prompt, Input: &input, Model: &model}, "seen",
			hookpoints.SpawnRan, []string{"user:go", "user:look twice", "user:go assistant: tool:seen"}},
		{"answered", hookpoints.PreSpawnAgentAnswer{Response: "known already"}, "known already", hookpoints.SpawnAnswered,
			[]string{"user:go", "user:go assistant: tool:known already"}},
		{"blocked", hookpoints.PreSpawnAgentAnswer{Block: true, Message: "too dear"}, "too dear\n(blocked by plugin \"p\")",
			hookpoints.SpawnBlocked, []string{"user:go", "user:go assistant: tool:too dear\n(blocked by plugin \"p\")"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := withAgents(t, spawns(`{"task":"look"}`), says("seen"), says("done"))
			h.plug("p", answerAt(hookpoints.PreSpawnAgent, test.answer))
			after := observe(h, hookpoints.PostSpawnAgent)
			h.prompt("go")
			same(t, "requests", h.sent(), test.requests)
			if got := (*after)[0]; got.Status != test.status || (got.BlockedBy == "p") != (test.name == "blocked") {
				t.Errorf("post_spawn_agent %+v", got)
			}
			i := slices.IndexFunc(h.events, func(e Event) bool { return e.Kind == EventAgent && e.Subagent.Status != "" })
			if ended := h.events[i].Subagent; (ended.Plugin == "p") != (test.status != hookpoints.SpawnRan) {
				t.Errorf("it ended so: %+v", ended)
			}
			if raw := h.model.requests[1].raw; test.status == hookpoints.SpawnRan &&
				(!strings.Contains(raw, prompt) || !strings.Contains(raw, model)) {
				t.Errorf("request %s", raw)
			}
		})
	}
}

// TestASubAgentHasTheToolsOfItsParentAtMost, whatever it is given and calls.
func TestASubAgentHasTheToolsOfItsParentAtMost(t *testing.T) {
	filtered := func(h *harness) {
		h.plug("filter", plugin.HandlePoint(hookpoints.PreAPITools, func(_ context.Context, p hookpoints.PreAPIToolsPayload) (
			a hookpoints.PreAPIToolsAnswer, err error) {
			if !p.Nested { // what plugins filter for the conversation holds inside
				a.Exclude = []string{"other"}
			}
			return a, nil
		}))
	}
	for _, test := range []struct {
		name, arguments string
		setup           func(*harness)
		call            string
		offered         string // inside
		told            string // about the call, inside
	}{
		{"all", `{"task":"x"}`, nil, "other", "echo other", "{}"},
		{"some", `{"task":"x","tools":["echo"]}`, nil, "other", "echo", `Error: tool "other" is not available here`},
		{"none", `{"task":"x","tools":[]}`, nil, "echo", "", `Error: tool "echo" is not available here`},
		{"a filter of the parent", `{"task":"x"}`, filtered, "other", "echo", `Error: tool "other" is not available here`},
		{"a recipe", `{"task":"x","agent":"r"}`, func(h *harness) {
			h.Subagents.Recipe = func(context.Context, string, map[string]string) (Recipe, error) {
				return Recipe{Name: "r", Prompt: "R", Tools: []string{"other"}}, nil
			}
		}, "echo", "other", `Error: tool "echo" is not available here`},
		{"notes of the context", `{"task":"x"}`, func(h *harness) {
			spec := tools.Spec{Name: "note", OfContext: true}
			h.Tools.Add(goTool{spec, func(tools.Call) tools.Result { return tools.Result{} }})
		}, "note", "echo other", `Error: tool "note" is not available here`},
		{"a sub-agent of its own", `{"task":"x"}`, nil, "spawn_agent", "echo other",
			"Error: this sub-agent cannot start another one: max_agent_depth is 1; do the task here"},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := withAgents(t, spawns(test.arguments), calls(test.call, "{}"), says("seen"), says("done"))
			h.tool("other", func(call tools.Call) tools.Result { return tools.Result{Text: string(call.Arguments)} })
			if test.setup != nil {
				test.setup(h)
			}
			h.prompt("go")
			var offered []string
			for _, tool := range h.model.requests[1].Tools {
				offered = append(offered, tool.Function.Name)
			}
			same(t, "offered", strings.Join(offered, " "), test.offered)
			same(t, "told", h.sent()[2], "user:x assistant: tool:"+test.told)
		})
	}
}

// TestSpawnIsRefused where a sub-agent cannot be started, with what the model is told.
func TestSpawnIsRefused(t *testing.T) {
	for _, test := range []struct {
		name, arguments, told string
	}{
		{"no task", `{"task":" "}`, "Error: the task is empty; say what the sub-agent is to do"},
		{"unknown tools", `{"task":"x","tools":["echo","rm","sh"]}`,
			"Error: a sub-agent can only have tools that are available here; these are not: rm, sh"},
		{"no recipes", `{"task":"x","agent":"r"}`, `Error: there is no recipe "r"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := withAgents(t, spawns(test.arguments), says("done"))
			h.prompt("go")
			same(t, "requests", h.sent(), []string{"user:go", "user:go assistant: tool:" + test.told})
		})
	}
}

// TestAnAgentCannotStartItself, also where agents may work inside each other.
func TestAnAgentCannotStartItself(t *testing.T) {
	h := withAgents(t, spawns(`{"task":"a","agent":"r"}`), spawns(`{"task":"b","agent":"r"}`, `{"task":"c"}`),
		says("deep"), says("seen"), says("done"))
	h.Subagents.Recipe, h.Subagents.MaxDepth = h.Recipes, 2
	after := observe(h, hookpoints.PostSpawnAgent)
	h.prompt("go")
	same(t, "request", h.sent()[3],
		`user:a assistant: tool:Error: the agent "r" is running already and cannot start itself tool:deep`)
	inner := (*after)[0]
	same(t, "the inner one", []any{inner.AgentID, inner.ParentID, inner.Depth}, []any{"agent-1.2", "agent-1", 2})
}

// TestASubAgentThatFails is a result for the model that asked for it, with what there is, and
// a notice.
func TestASubAgentThatFails(t *testing.T) {
	echo := calls("echo", "{}")
	for _, test := range []struct {
		name    string
		inside  []reply
		setup   func(*harness)
		told    string
		notices []string
	}{
		{"an empty answer", []reply{says("")}, nil, "its model answered nothing",
			[]string{"agent-1: its model answered nothing"}},
		{"an error of the server", []reply{fails("", errors.New("HTTP 500: no"))}, nil, "HTTP 500: no",
			[]string{"agent-1: HTTP 500: no"}},
		{"an error after a text", []reply{fails("half", errors.New("cut"))}, nil, "cut\nIts last message:\nhalf",
			[]string{"agent-1: cut"}},
		{"an incomplete answer", []reply{finishes(llm.Reply{Text: "half", FinishReason: "length"})}, nil,
			"its answer is incomplete: it reached its length limit (api.max_tokens, or the model's context window)\n" +
				"Its last message:\nhalf",
			[]string{"agent-1: the model's answer is incomplete", "agent-1: its answer is incomplete"}},
		{"rounds without end", []reply{finishes(llm.Reply{Text: "I look.",
			ToolCalls: []llm.ToolCall{{ID: "c1", Name: "echo"}}}), echo}, func(h *harness) { h.Settings.MaxSteps = 2 },
			"the model called tools in 2 responses without an answer; stopped, as max_tool_rounds says\n" +
				"Its last message:\nI look.",
			[]string{"agent-1: the model called tools in 2 responses"}},
		{"too many tokens", []reply{finishes(llm.Reply{ToolCalls: []llm.ToolCall{{ID: "c1", Name: "echo"}},
			Usage: llm.Usage{InputTokens: 90, OutputTokens: 10}})}, func(h *harness) { h.Subagents.MaxTokens = 100 },
			"the sub-agents of this turn have used 100 tokens; stopped, as max_agent_tokens = 100 says",
			[]string{"agent-1: the sub-agents of this turn have used"}},
		{"a refused task", nil, func(h *harness) {
			h.plug("guard", plugin.HandlePoint(hookpoints.PreMessage, func(_ context.Context, p hookpoints.PreMessagePayload) (
				hookpoints.PreMessageAnswer, error) {
				return hookpoints.PreMessageAnswer{Block: p.Nested, Message: "no secrets"}, nil
			}))
		}, "the prompt was refused: no secrets", []string{"agent-1: the prompt was refused"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := withAgents(t, slices.Concat([]reply{spawns(`{"task":"look"}`)}, test.inside, []reply{says("done")})...)
			if test.setup != nil {
				test.setup(h)
			}
			if got := h.prompt("go"); got != "done" {
				t.Errorf("answer %q", got)
			}
			sent := h.sent()
			same(t, "told", sent[len(sent)-1],
				"user:go assistant: tool:Error: sub-agent agent-1 gave no complete result: "+test.told)
			h.noticed(test.notices...)
		})
	}
}

// TestTheRecipesAroundASubAgentHold: it runs no command that they do not allow.
func TestTheRecipesAroundASubAgentHold(t *testing.T) {
	h := withAgents(t, spawns(`{"task":"look","agent":"r"}`),
		calls("echo", `{"command":"rm x"}`, "echo", `{"command":"ls"}`), says("seen"), says("done"))
	h.Recipe = &Recipe{Name: "outer", Commands: []string{"git *"}}
	h.Subagents.Recipe = func(context.Context, string, map[string]string) (Recipe, error) {
		return Recipe{Name: "r", Prompt: "R", Commands: []string{"ls"}}, nil
	}
	h.prompt("go")
	same(t, "told", h.sent()[2], `user:look assistant: `+
		`tool:Error: the recipe "r" does not allow the command "rm x"; it allows: ls`+"\n"+
		`the recipe "outer" does not allow the command "rm x"; it allows: git * `+
		`tool:Error: the recipe "outer" does not allow the command "ls"; it allows: git *`)
}

// byPrompt is a model that answers by the last message of the user, for requests at the same
// time.
type byPrompt func(ctx context.Context, prompt string, answered int) (llm.Reply, error)

func (m byPrompt) Stream(ctx context.Context, body json.RawMessage, _ func(string)) (llm.Reply, error) {
	var r request
	if err := json.Unmarshal(body, &r); err != nil {
		return llm.Reply{}, err
	}
	prompt, answered := "", 0
	for _, one := range r.Messages {
		switch one.Role {
		case "user":
			prompt, answered = one.Content, 0
		case "tool":
			answered++
		}
	}
	return m(ctx, prompt, answered)
}

// TestSubAgentsOfOneResponseWorkAtTheSameTime, with ids and results in the order of the calls.
func TestSubAgentsOfOneResponseWorkAtTheSameTime(t *testing.T) {
	var meet sync.WaitGroup
	meet.Add(3)
	h := withAgents(t, says(""))
	h.Output = Output{Notice: func(string) {}, Detail: func(string) {}, Event: func(Event) {},
		Waiting: func(string) func() { return func() {} }}
	h.Model = byPrompt(func(_ context.Context, prompt string, answered int) (llm.Reply, error) {
		switch {
		case prompt == "go" && answered == 0:
			return spawns(`{"task":"a"}`, `{"task":"b"}`, `{"task":"c"}`)(nil, request{}, func(string) {})
		case prompt == "go":
			return llm.Reply{Text: "done"}, nil
		case answered == 0:
			meet.Done()
			meet.Wait() // all three are asked before one of them is answered
			call := llm.ToolCall{ID: "c1", Name: "echo", Arguments: fmt.Sprintf(`{"x":%q}`, prompt)}
			return llm.Reply{ToolCalls: []llm.ToolCall{call}}, nil
		}
		return llm.Reply{Text: "result " + prompt}, nil
	})
	after := observe(h, hookpoints.PostSpawnAgent)
	h.prompt("go")
	ids := map[string]string{}
	for _, p := range *after {
		ids[p.Input] = p.AgentID + " " + p.ToolCallID
	}
	same(t, "ids", ids, map[string]string{"a": "agent-1 c1", "b": "agent-2 c2", "c": "agent-3 c3"})
	results := slices.DeleteFunc(h.window(), func(line string) bool { return !strings.HasPrefix(line, "result") })
	same(t, "results", results, []string{"result spawn_agent result a", "result spawn_agent result b",
		"result spawn_agent result c"})
}

// TestCtrlCEndsSubAgents and the turn.
func TestCtrlCEndsSubAgents(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	h := withAgents(t, spawns(`{"task":"a"}`), func(ctx context.Context, _ request, _ func(string)) (llm.Reply, error) {
		cancel()
		<-ctx.Done()
		return llm.Reply{}, ctx.Err()
	})
	if _, err := h.Prompt(ctx, "go"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	same(t, "window", h.window()[2:], []string{`call spawn_agent {"task":"a"}`})
}

// TestATaskOutsideOfATurn is refused.
func TestATaskOutsideOfATurn(t *testing.T) {
	result, err := RunAgent(t.Context(), AgentTask{Input: "x"})
	if err != nil || result.Text != "Error: a sub-agent needs a model and hooks: only a call in a turn starts one" {
		t.Errorf("%+v, %v", result, err)
	}
}
