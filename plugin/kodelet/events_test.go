package kodelet_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/google/go-cmp/cmp"
)

// received runs a hook that keeps its payload and returns that.
func received[P, A any](t *testing.T, event string, point hookpoints.Point[P, A], payload P) string {
	t.Helper()
	path := t.TempDir() + "/payload"
	p := one(t, hook(event, "cat > "+path))
	if _, err := plugin.Fire(t.Context(), &plugin.Host{Plugins: []plugin.Plugin{p}}, point, payload); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return regexp.MustCompile(`"timestamp":"\d{4}-\d\d-\d\dT[^"]*Z"`).ReplaceAllString(string(data), `"timestamp":"T"`)
}

var conversation = []hookpoints.ChatMessage{
	{Role: "user", Content: "list <it>"},
	{Role: "assistant", Content: "I look.", ToolCalls: []hookpoints.ChatToolCall{{ID: "c1", Name: "bash",
		Arguments: `{"command":"ls"}`}}},
	{Role: "tool", ToolCallID: "c1", Content: "a b"},
	{Role: "assistant", Content: "There are two."},
}

var used = hookpoints.Usage{InputTokens: 80000, OutputTokens: 8000, CurrentContextWindow: 88000,
	MaxContextWindow: 128000}

// TestPayloads holds the fields of every event, in Kodelet's order.
func TestPayloads(t *testing.T) {
	const (
		base   = `"conv_id":"work","cwd":"/project","invoked_by":"main"`
		tokens = `"usage":{"input_tokens":80000,"output_tokens":8000,"current_context_window":88000,` +
			`"max_context_window":128000}`
	)
	bash := hookpoints.PreToolOutputPayload{
		ToolName: "bash", Arguments: json.RawMessage(`{"command":"ls"}`), Output: "a & b", ToolCallID: "c1", DurationMS: 2,
	}
	failed := hookpoints.PreToolOutputPayload{ToolName: "dice", Arguments: json.RawMessage(`{}`),
		Output: "Error: no", ExitCode: 3,
		InRecipe: hookpoints.InRecipe{Nesting: hookpoints.Nesting{Nested: true}, Recipe: "compact"}}
	stopped := hookpoints.PreToolOutputPayload{
		ToolName: "bash", Arguments: json.RawMessage(`{"command":"ls"}`), ToolCallID: "c1", ExitCode: 1,
		Outcome: hookpoints.Outcome{Status: hookpoints.StatusBlocked, BlockedBy: "guard"},
		Output:  "no sudo\n(blocked by plugin \"guard\")",
	}
	for name, test := range map[string]struct{ got, want string }{
		"before_tool_call": {
			received(t, "before_tool_call", hookpoints.PreTool,
				hookpoints.PreToolPayload{ToolName: "bash", Arguments: json.RawMessage(`{"command":"ls -la"}`), ToolCallID: "c1"}),
			`{"event":"before_tool_call",` + base + `,"tool_name":"bash","tool_input":{"command":"ls -la"},"tool_user_id":"c1"}`,
		},
		"before_tool_call in a recipe": {
			received(t, "before_tool_call", hookpoints.PreTool,
				hookpoints.PreToolPayload{ToolName: "bash", Arguments: json.RawMessage(`{}`),
					InRecipe: hookpoints.InRecipe{Recipe: "github/pr"}}),
			`{"event":"before_tool_call",` + base + `,"recipe_name":"github/pr","tool_name":"bash","tool_input":{},` +
				`"tool_user_id":""}`,
		},
		"after_tool_call": {
			received(t, "after_tool_call", hookpoints.PreToolOutput, bash),
			`{"event":"after_tool_call",` + base + `,"tool_name":"bash","tool_input":{"command":"ls"},` +
				`"tool_output":{"toolName":"bash","success":true,"metadataType":"bash","metadata":{"command":"ls","exitCode":0,` +
				`"output":"a & b","executionTime":2000000,"workingDir":"/project"},"timestamp":"T"},"tool_user_id":"c1"}`,
		},
		"after_tool_call of a failure, in a callback": {
			received(t, "after_tool_call", hookpoints.PreToolOutput, failed),
			`{"event":"after_tool_call","conv_id":"work","cwd":"/project","invoked_by":"subagent","recipe_name":"compact",` +
				`"tool_name":"dice","tool_input":{},"tool_output":{"toolName":"dice","success":false,"error":"Error: no",` +
				`"metadataType":"custom_tool","metadata":{"exitCode":3,"output":"Error: no","executionTime":0},"timestamp":"T"},` +
				`"tool_user_id":""}`,
		},
		"after_tool_call of a blocked call": {
			received(t, "after_tool_call", hookpoints.PreToolOutput, stopped),
			`{"event":"after_tool_call",` + base + `,"tool_name":"bash","tool_input":{"command":"ls"},` +
				`"tool_output":{"toolName":"bash","success":false,"error":"blocked by hook: no sudo","metadataType":"blocked",` +
				`"metadata":{"tool_name":"bash","reason":"no sudo"},"timestamp":"T"},"tool_user_id":"c1"}`,
		},
		"user_message_send": {
			received(t, "user_message_send", hookpoints.PreMessage, hookpoints.PreMessagePayload{Prompt: "hello <you>"}),
			`{"event":"user_message_send",` + base + `,"message":"hello <you>"}`,
		},
		"turn_end": {
			received(t, "turn_end", hookpoints.PostTurn, hookpoints.PostTurnPayload{Response: "text", TurnNumber: 2,
				ToolsUsed: []string{"a"}}),
			`{"event":"turn_end",` + base + `,"response":"text","turn_number":2}`,
		},
		"turn_end without text": {received(t, "turn_end", hookpoints.PostTurn,
			hookpoints.PostTurnPayload{TurnNumber: 2, ToolsUsed: []string{"a"}}), ""},
		"after_turn": {
			received(t, "after_turn", hookpoints.PostTurn, hookpoints.PostTurnPayload{TurnNumber: 5,
				ToolsUsed: []string{"a"}, Usage: used}),
			`{"event":"after_turn",` + base + `,"turn_number":5,"tools_used":true,` + tokens +
				`,"invoked_recipe":"","auto_compact_enabled":true,"auto_compact_threshold":0.8}`,
		},
		"agent_stop": {
			received(t, "agent_stop", hookpoints.PreStop, hookpoints.PreStopPayload{Messages: conversation, Usage: used,
				FollowUps: 1, InRecipe: hookpoints.InRecipe{Recipe: "compact"}}),
			`{"event":"agent_stop",` + base + `,"recipe_name":"compact","messages":[{"role":"user","content":"list <it>"},` +
				`{"role":"assistant","content":"I look.\nUsing tool: bash with input: {\"command\":\"ls\"}"},{"role":"assistant",` +
				`"content":"Tool result:\na b"},{"role":"assistant","content":"There are two."}],` + tokens +
				`,"invoked_recipe":"compact","auto_compact_enabled":true,"auto_compact_threshold":0.8,"follow_ups":1}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if test.want != "" {
				test.want += "\n"
			}
			if diff := cmp.Diff(test.want, test.got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// answered runs a hook that prints a result and returns what comes of it, and
// what the person is told.
func answered[P, A any](t *testing.T, event, result string, point hookpoints.Point[P, A],
	payload P) (string, []string) {
	t.Helper()
	p := one(t, hook(event, "cat <<'RESULT'\n"+result+"\nRESULT"))
	var notices []string
	h := &plugin.Host{Plugins: []plugin.Plugin{p}, Notify: func(n plugin.Notice) { notices = append(notices, n.Text) }}
	answer, err := plugin.Fire(t.Context(), h, point, payload)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	return string(data), notices
}

// TestResults holds every result that the documents name, and what becomes of
// those that have no effect.
func TestResults(t *testing.T) {
	call := hookpoints.PreToolPayload{ToolName: "bash", Arguments: json.RawMessage(`{"command":"ls","dir":"/"}`)}
	output := hookpoints.PreToolOutputPayload{ToolName: "bash",
		Arguments: json.RawMessage(`{"command":"ls"}`), Output: "secret x"}
	failed := hookpoints.PreToolOutputPayload{ToolName: "bash", Arguments: json.RawMessage(`{}`),
		Output: "Error: secret", ExitCode: 1}
	stopped := hookpoints.PreToolOutputPayload{
		ToolName: "bash", Arguments: json.RawMessage(`{}`),
		Outcome: hookpoints.Outcome{Status: hookpoints.StatusBlocked, BlockedBy: "g"}, ExitCode: 1,
		Output: "secret\n(blocked by plugin \"g\")",
	}
	large := hookpoints.PreToolOutputPayload{ToolName: "bash", Arguments: json.RawMessage(`{}`),
		Output: "begin", Extent: hookpoints.Extent{Truncated: true}}
	for _, test := range []struct {
		name, event, result, want string
		payload                   any
		notices                   []string
	}{
		{"blocked", "before_tool_call", `{"blocked":true,"reason":"no sudo"}`,
			`{"block":true,"message":"no sudo"}`, call, nil},
		{"behind a byte order mark", "before_tool_call", "\ufeff{\"blocked\":true,\"reason\":\"no sudo\"}",
			`{"block":true,"message":"no sudo"}`, call, nil},
		{"input that is no object", "before_tool_call", `{"input":true}`, `{}`, call,
			[]string{`its answer has a field of the wrong type: arguments: must be an object, is a boolean; ignored`}},
		{"blocked without a reason", "before_tool_call", `{"blocked":true}`,
			`{"block":true,"message":"blocked by plugin \"0:h\""}`, call, nil},
		{"not blocked", "before_tool_call", `{"blocked":false}`, `{}`, call, nil},
		{"nothing", "before_tool_call", ``, `{}`, call, nil},
		{"other cases", "before_tool_call", `{"Blocked":true,"REASON":"no"}`, `{"block":true,"message":"no"}`, call, nil},
		{"the last of two cases", "before_tool_call", `{"blocked":false,"Blocked":true,"reason":"no"}`,
			`{"block":true,"message":"no"}`, call, nil},
		{"null says nothing", "before_tool_call", `{"blocked":true,"BLOCKED":null,"reason":"no"}`,
			`{"block":true,"message":"no"}`, call, nil},
		{"unknown fields", "before_tool_call", `{"blocked":false,"colour":"red"}`, `{}`, call,
			[]string{`before_tool_call has no field "colour"; it has "blocked", "reason", "input"; ignored`}},
		{"chibi's own form", "before_tool_call", `{"block":true}`, `{}`, call,
			[]string{`before_tool_call has no field "block" (did you mean "blocked"?); ignored`}},
		{"unknown fields beside a block", "before_tool_call", `{"blocked":true,"reason":"no","colour":"red"}`,
			`{"block":true,"message":"no"}`, call, nil},
		{"unknown fields that say nothing", "before_tool_call", `{"block":false,"colour":null}`, `{}`, call, nil},
		{"input", "before_tool_call", `{"input":{"command":"ls -l"}}`, `{"arguments":{"command":"ls -l"}}`, call, nil},
		{"input is null", "before_tool_call", `{"input":null}`, `{}`, call, nil},
		{"the same input", "before_tool_call", `{"input":{"dir":"/","command":"ls"}}`, `{}`, call, nil},
		{"another event's field", "before_tool_call", `{"output":{"x":1}}`, `{}`, call,
			[]string{`before_tool_call has no "output"; ignored`}},
		{"another event's field of any type", "before_tool_call",
			`{"blocked":true,"reason":"no","result":false,"messages":7}`, `{"block":true,"message":"no"}`, call, nil},
		{"a log line before it", "before_tool_call", "checking\n{\"blocked\":true}", `{}`, call,
			[]string{"its result is not JSON: it begins with \"checking\\n{\\\"blocked\\\":true}\"; ignored"}},
		{"a list", "before_tool_call", `[]`, `{}`, call, []string{"its result is not a JSON object; ignored"}},
		{"a wrong type", "before_tool_call", `{"blocked":"yes"}`, `{}`, call,
			[]string{`its result has a field of the wrong type: blocked: must be a boolean, is a string; ignored`}},

		{"a message is blocked", "user_message_send", `{"blocked":true,"reason":"too rude"}`,
			`{"block":true,"message":"too rude"}`, hookpoints.PreMessagePayload{Prompt: "x"}, nil},
		{"a message is let through", "user_message_send", `{"blocked":false}`, `{}`,
			hookpoints.PreMessagePayload{Prompt: "x"}, nil},
		{"a message cannot be changed", "user_message_send", `{"input":{"message":"y"}}`, `{}`,
			hookpoints.PreMessagePayload{Prompt: "x"}, []string{`user_message_send has no "input"; ignored`}},

		{"output", "after_tool_call", `{"output":{"toolName":"bash","success":true,"metadataType":"bash",` +
			`"metadata":{"output":"*** x"}}}`, `{"output":"*** x"}`, output, nil},
		{"output is null", "after_tool_call", `{"output":null}`, `{}`, output, nil},
		{"the same output", "after_tool_call", `{"output":{"toolName":"bash","success":true,"metadata":{"output":"secret ` +
			`x"},"timestamp":"2024-01-15T10:30:00Z"}}`, `{}`, output, nil},
		{"an error instead", "after_tool_call", `{"output":{"success":true,"error":"withheld"}}`,
			`{"output":"withheld"}`, output, nil},
		{"another error", "after_tool_call", `{"output":{"success":false,"error":"Error: ***","metadata":{"output":"Error: ` +
			`secret"}}}`, `{"output":"Error: ***"}`, failed, nil},
		{"other changes", "after_tool_call", `{"output":{"success":false,"metadata":{"exitCode":7,"output":"secret x"}}}`,
			`{}`, output,
			[]string{"it changed output.success, output.metadata.exitCode, which has no effect here: the model sees " +
				"metadata.output, or error"}},
		{"the text is taken out", "after_tool_call", `{"output":{"toolName":"bash","success":true,"metadata":{},` +
			`"timestamp":"2024-01-15T10:30:00Z"}}`, `{"output":""}`, output, nil},
		{"a text as output", "after_tool_call", `{"output":"***"}`, `{}`, output,
			[]string{`its "output" is not an object like tool_output; ignored`}},
		{"the same reason", "after_tool_call", `{"output":{"error":"blocked by hook: secret",` +
			`"metadata":{"reason":"secret"}}}`, `{}`, stopped, nil},
		{"another reason", "after_tool_call", `{"output":{"error":"blocked by hook: secret","metadata":{"reason":"***"}}}`,
			`{"output":"***"}`, stopped, nil},
		{"another error of a blocked call", "after_tool_call", `{"output":{"error":"blocked by hook: ***"}}`,
			`{"output":"***"}`, stopped, nil},
		{"the beginning of a large output", "after_tool_call", `{"output":{"metadata":{"output":"***"}}}`,
			`{"output":"***"}`, large,
			[]string{"the hook saw only the beginning of the output; what it returned replaces the whole output"}},

		{"turn_end has no results", "turn_end", `{"blocked":true}`, `{}`, hookpoints.PostTurnPayload{Response: "x"},
			[]string{`turn_end has no "blocked"; ignored`}},

		{"after_turn mutates", "after_turn", `{"result":"mutate","messages":[{"role":"user","content":"sum"}]}`,
			`{"messages":[{"role":"user","content":"sum"}]}`, hookpoints.PostTurnPayload{}, nil},
		{"after_turn calls back", "after_turn", `{"result":"callback","callback":"compact","callback_args":{"goal":"x"}}`,
			`{"recipe":"compact","recipe_args":{"goal":"x"}}`, hookpoints.PostTurnPayload{}, nil},
		{"after_turn does nothing", "after_turn", `{}`, `{}`, hookpoints.PostTurnPayload{}, nil},
		{"after_turn has no follow-ups", "after_turn", `{"follow_up_messages":["x"]}`, `{}`, hookpoints.PostTurnPayload{},
			[]string{`after_turn has no "follow_up_messages"; ignored`}},

		{"follow-ups", "agent_stop", `{"follow_up_messages":["a","b"]}`, `{"follow_up_messages":["a","b"]}`,
			hookpoints.PreStopPayload{}, nil},
		{"follow-ups with continue", "agent_stop", `{"result":"continue","follow_up_messages":["a"]}`,
			`{"follow_up_messages":["a"]}`, hookpoints.PreStopPayload{}, nil},
		{"agent_stop mutates", "agent_stop", `{"result":"mutate","messages":[{"role":"user","content":"sum"}]}`,
			`{"messages":[{"role":"user","content":"sum"}]}`, hookpoints.PreStopPayload{}, nil},
		{"agent_stop calls back", "agent_stop", `{"result":"callback","callback":"compact"}`, `{"recipe":"compact"}`,
			hookpoints.PreStopPayload{}, nil},
		{"mutate without messages", "agent_stop", `{"result":"mutate","messages":[]}`, `{}`, hookpoints.PreStopPayload{},
			[]string{`"mutate" lacks "messages"; ignored`}},
		{"callback without a name", "agent_stop", `{"result":"callback"}`, `{}`, hookpoints.PreStopPayload{},
			[]string{`"callback" does not name a recipe; ignored`}},
		{"messages with continue", "agent_stop", `{"result":"continue","messages":[{"role":"user","content":"x"}]}`,
			`{}`, hookpoints.PreStopPayload{},
			[]string{`"messages" has an effect only with "result": "mutate"; ignored`}},
		{"callback without a result", "agent_stop", `{"callback":"compact"}`, `{}`, hookpoints.PreStopPayload{},
			[]string{`"callback" has an effect only with "result": "callback"; ignored`}},
		{"an unknown result", "agent_stop", `{"result":"restart"}`, `{}`, hookpoints.PreStopPayload{},
			[]string{`unknown result "restart"; want "continue", "mutate" or "callback"`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, notices := answeredAt(t, test.event, test.result, test.payload)
			if got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			if diff := cmp.Diff(test.notices, notices); diff != "" {
				t.Errorf("notices (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAnUnknownFieldBlocksWhereThatIsAskedFor: with on_failure = "block". It may
// have been a block in other words.
func TestAnUnknownFieldBlocksWhereThatIsAskedFor(t *testing.T) {
	for result, want := range map[string]bool{`{"block":true}`: true, `{"decision":"deny"}`: true,
		`{"result":"blocked"}`: true, `{"Blocked":false}`: false, `{"reason":"x"}`: false} {
		p := one(t, hook("before_tool_call", "echo '"+result+"'"))
		p.OnFailure = plugin.Block
		call := hookpoints.PreToolPayload{Arguments: json.RawMessage("{}")}
		verdict, err := plugin.Fire(t.Context(), &plugin.Host{Plugins: []plugin.Plugin{p}}, hookpoints.PreTool, call)
		if err != nil || verdict.Block != want {
			t.Errorf("%s: verdict %+v, %v; want block %v", result, verdict, err, want)
		}
	}
}

// answeredAt is answered for the point that the payload is of.
func answeredAt(t *testing.T, event, result string, payload any) (string, []string) {
	t.Helper()
	switch p := payload.(type) {
	case hookpoints.PreToolPayload:
		return answered(t, event, result, hookpoints.PreTool, p)
	case hookpoints.PreToolOutputPayload:
		return answered(t, event, result, hookpoints.PreToolOutput, p)
	case hookpoints.PreMessagePayload:
		return answered(t, event, result, hookpoints.PreMessage, p)
	case hookpoints.PostTurnPayload:
		return answered(t, event, result, hookpoints.PostTurn, p)
	case hookpoints.PreStopPayload:
		return answered(t, event, result, hookpoints.PreStop, p)
	}
	t.Fatalf("a payload of type %T", payload)
	return "", nil
}

// TestOutputsChain: the second hook sees what the first one made of the output,
// and one that says nothing loses nothing.
func TestOutputsChain(t *testing.T) {
	edit := func(from, to string) string {
		return fmt.Sprintf(`sed 's/.*"tool_output":\(.*\),"tool_user_id".*/{"output":\1}/; s/%s/%s/'`, from, to)
	}
	dir := t.TempDir()
	write(t, dir+"/1", hook("after_tool_call", edit("alpha", "A")), 0o755)
	write(t, dir+"/2", hook("after_tool_call", "exit 0"), 0o755)
	write(t, dir+"/3", hook("after_tool_call", edit("beta", "B")), 0o755)
	h := &plugin.Host{Plugins: load(t, options(dir)).Plugins}
	answer, err := plugin.Fire(t.Context(), h, hookpoints.PreToolOutput,
		hookpoints.PreToolOutputPayload{Arguments: json.RawMessage("{}"), Output: "alpha beta"})
	if err != nil || answer.Output == nil || *answer.Output != "A B" {
		t.Errorf("answer %+v, %v", answer, err)
	}
}
