package agents_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/agents/hooks"
	"github.com/chibi-host/chibi/internal/agents/settings"
)

func TestCopilotsProgressIsNoPartOfAnAnswer(t *testing.T) {
	copilot, _ := agents.ByName("copilot")
	event, _ := copilot.Event("preToolUse")
	eff := copilot.Effect(event, engine.Outcome{Stdout: []byte(`{"type":"progress","message":"1 of 2"}` + "\n" +
		`{"permissionDecision":"deny","permissionDecisionReason":"no"}` + "\n" + `{"type":"progress"}` + "\n")})
	if eff.Decision != hookpoints.DecisionDeny || eff.Reason != "no" || eff.Failed != "" {
		t.Errorf("it is %+v", eff)
	}
}

// TestAnEventOfTwoKindsFiresAtBoth holds that Cursor's stop also tells how a turn failed.
func TestAnEventOfTwoKindsFiresAtBoth(t *testing.T) {
	cursor, _ := agents.ByName("cursor")
	plugin, err := hooks.NewPlugin(&cursor,
		settings.Handler{Event: "stop", Kind: engine.CommandHandler, Command: "true"},
		hooks.Options{Name: "cursor:stop:1"})
	if err != nil || len(plugin.Hooks) != 2 || plugin.Hooks[0] != hookpoints.PreStop.Name ||
		plugin.Hooks[1] != hookpoints.OnTurnFailed.Name {
		t.Errorf("it fires at %v, %v", plugin.Hooks, err)
	}
}

func TestWhatAgentsTakeOfAnAnswer(t *testing.T) {
	for name, test := range map[string]struct {
		agent, event string
		effect       engine.Effect
		want, lost   string
	}{
		"codex: a rewrite approves": {"codex", "PreToolUse", engine.Effect{Input: json.RawMessage(`{"command":"pwd"}`)},
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow",` +
				`"updatedInput":{"command":"pwd"}}}`, "the new arguments also approve the call"},
		"codex: an approval alone": {"codex", "PreToolUse", engine.Effect{Decision: hookpoints.DecisionAllow}, ``, ""},
		"codex: a question": {"codex", "PreToolUse", engine.Effect{Decision: hookpoints.DecisionAsk, Reason: "sure?"},
			`{"hookSpecificOutput":{"permissionDecisionReason":"a plugin wants to ask the person, and Codex CLI cannot ` +
				`ask at PreToolUse: sure?","hookEventName":"PreToolUse","permissionDecision":"deny"}}`, ""},
		"codex: a new result": {"codex", "PostToolUse", engine.Effect{Output: new("new")},
			`{"decision":"block","reason":"new"}`, ""},
		"copilot: a rewrite": {"copilot", "preToolUse", engine.Effect{Input: json.RawMessage(`{"command":"pwd"}`)},
			`{"modifiedArgs":{"command":"pwd"}}`, ""},
		"copilot: a new result": {"copilot", "postToolUse", engine.Effect{Output: new("new"), Context: "more"},
			`{"modifiedResult":{"resultType":"success","textResultForLlm":"new"},"additionalContext":"more"}`, ""},
		"copilot: a prompt": {"copilot", "userPromptSubmitted", engine.Effect{Prompt: new("new"), Context: "more"},
			`{"modifiedPrompt":"new","additionalContext":"more"}`, ""},
		"crush: a rewrite": {"crush", "PreToolUse",
			engine.Effect{Input: json.RawMessage(`{"command":"pwd"}`), Context: "more"},
			`{"updated_input":{"command":"pwd"},"context":"more"}`, ""},
		"crush: an end": {"crush", "PreToolUse", engine.Effect{Halt: true, HaltReason: "stop"},
			`{"halt":true,"reason":"stop","decision":"deny"}`, ""},
		"cursor: a denial": {"cursor", "preToolUse", engine.Effect{Decision: hookpoints.DecisionDeny, Reason: "no"},
			`{"permission":"deny","agent_message":"no"}`, ""},
		"cursor: a question": {"cursor", "beforeShellExecution",
			engine.Effect{Decision: hookpoints.DecisionAsk, Reason: "sure?", SystemMessage: "look"},
			`{"permission":"ask","agent_message":"sure?","user_message":"look"}`, ""},
		"cursor: it goes on": {"cursor", "stop", engine.Effect{Decision: hookpoints.DecisionDeny, Reason: "go on"},
			`{"followup_message":"go on"}`, ""},
		"cursor: a refused prompt": {"cursor", "beforeSubmitPrompt",
			engine.Effect{Decision: hookpoints.DecisionDeny, Reason: "no"}, `{"continue":false,"user_message":"no"}`, ""},
		"gemini: a rewrite": {"gemini", "BeforeTool", engine.Effect{Input: json.RawMessage(`{"command":"pwd"}`)},
			`{"hookSpecificOutput":{"tool_input":{"command":"pwd"}}}`, ""},
		"gemini: a question": {"gemini", "BeforeTool", engine.Effect{Decision: hookpoints.DecisionAsk, Reason: "sure?"},
			`{"decision":"deny","reason":"a plugin wants to ask the person, and Gemini CLI cannot ask at ` +
				`BeforeTool: sure?"}`,
			""},
		"gemini: a new result": {"gemini", "AfterTool", engine.Effect{Output: new("new")},
			`{"decision":"deny","reason":"new"}`, "the model sees the new result as an error"},
		"gemini: a request": {"gemini", "BeforeModel", engine.Effect{Request: json.RawMessage(`{"temperature":1}`)},
			`{"hookSpecificOutput":{"llm_request":{"config":{"temperature":1}}}}`, ""},
		"gemini: no tools": {"gemini", "BeforeToolSelection", engine.Effect{Include: []string{}},
			`{"hookSpecificOutput":{"toolConfig":{"mode":"NONE"}}}`, ""},
		"gemini: one tool": {"gemini", "BeforeToolSelection", engine.Effect{Include: []string{"glob"}},
			`{"hookSpecificOutput":{"toolConfig":{"mode":"ANY","allowedFunctionNames":["glob"]}}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			d, _ := agents.ByName(test.agent)
			event, _ := d.Event(test.event)
			out := d.Output(event, engine.Moment{Kind: event.Kind}, test.effect)
			if string(out.Stdout) != test.want || strings.Join(out.Lost, "; ") != test.lost || out.Exit != 0 {
				t.Errorf("%s\nwant %s\n%q", out.Stdout, test.want, out.Lost)
			}
		})
	}
}
