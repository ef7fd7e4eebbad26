package engine_test

import (
	"encoding/json"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/plugin/toolnames"
	"github.com/chibi-host/chibi/tools"
)

// invented is an agent that does not exist: what it takes to add one.
func invented() engine.Dialect {
	return engine.Dialect{
		Name: "invented", Title: "Invented",
		Tools: toolnames.Table{{Category: tools.CategoryShell, Ours: "shell_exec", All: true, Name: "terminal",
			Subject: toolnames.Arg("command", "line")}},
		Words:     engine.Words{{Value: engine.PermissionMode, Ours: "trusted", Theirs: "free"}},
		PlainText: engine.TextShown,
		Exits: []engine.Exit{{Status: "0", JSON: "decides", Then: "ok"}, {Status: "9", JSON: "ignored", Then: "deny"},
			{Status: "other", JSON: "ignored", Then: "failed"}},
		Environment: []engine.Variable{{Name: "INVENTED_DIR", Value: engine.Cwd}},
		Events: []engine.Event{{
			Name: "tool/before", Kind: engine.BeforeTool, Matches: engine.ToolName,
			Fields: []engine.Field{{Name: "what", Value: engine.EventName}, {Name: "mode", Value: engine.PermissionMode},
				{Name: "call.tool", Value: engine.ToolName, Form: engine.AsTool},
				{Name: "call.with", Value: engine.ToolInput, Form: engine.AsInputText}},
			Rows: []engine.Row{{Path: "verdict", Is: `"no"`, Set: engine.SetDecision, To: "deny"},
				{Path: "because", Set: engine.SetReason}, {Path: "with", Set: engine.SetInputPatch}},
		}},
	}
}

func TestAnAgentIsAddedByATable(t *testing.T) {
	d := invented()
	e, _ := d.Event("tool/before")
	const payload = `{"what":"tool/before","mode":"free","call":{"tool":"terminal","with":"{\"line\":\"ls\"}"}}`
	here := engine.Moment{Values: map[engine.Value]json.RawMessage{
		engine.PermissionMode: json.RawMessage(`"trusted"`), engine.ToolName: json.RawMessage(`"shell_exec"`),
		engine.ToolCategory: json.RawMessage(`"shell"`), engine.ToolSubject: json.RawMessage(`"command"`),
		engine.ToolInput: json.RawMessage(`{"command":"ls"}`), engine.Cwd: json.RawMessage(`"/p"`),
	}}
	if written, err := d.Payload(e, here); err != nil || string(written) != payload {
		t.Errorf("a hook gets %s, %v", written, err)
	}
	if list := d.Variables(e, here); len(list) != 1 || list[0] != "INVENTED_DIR=/p" {
		t.Errorf("it gets %q", list)
	}
	if matches, err := d.Matches(e, "^term"); err != nil || !matches(d.Matched(e, here)) {
		t.Errorf("the matcher: %v", err)
	}
	eff := d.Effect(e, engine.Outcome{Stdout: []byte(`{"verdict":"no","because":"I say so"}`)})
	if eff.Decision != hookpoints.DecisionDeny || eff.Reason != "I say so" {
		t.Errorf("it says %+v", eff)
	}
	eff = d.Effect(e, engine.Outcome{Exit: 9, Stderr: "so"})
	if eff.Decision != hookpoints.DecisionDeny || eff.Reason != "so" {
		t.Errorf("its status says %+v", eff)
	}

	there, err := d.Moment(e, []byte(payload))
	if err != nil || there.Text(engine.ToolName) != "shell_exec" || there.Text(engine.PermissionMode) != "trusted" ||
		string(there.Values[engine.ToolInput]) != `{"command":"ls"}` {
		t.Errorf("the agent says %s, %v", there.Values, err)
	}
	out := d.Output(e, there, engine.Effect{Decision: hookpoints.DecisionAsk, Reason: "sure?", Context: "text"})
	if string(out.Stdout) != `{"verdict":"no","because":"a plugin wants to ask the person, and Invented cannot ask `+
		`at tool/before: sure?"}` || len(out.Lost) != 1 {
		t.Errorf("the agent gets %s, %q", out.Stdout, out.Lost)
	}
	changed := d.Theirs(there, json.RawMessage(`{"command":"pwd"}`))
	if out = d.Output(e, there, engine.Effect{Input: changed}); string(out.Stdout) != `{"with":{"line":"pwd"}}` {
		t.Errorf("the agent gets %s, %q", out.Stdout, out.Lost)
	}
}
