package dialect_test

import (
	"encoding/json"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin/dialect"
	"github.com/chibi-host/chibi/plugin/toolnames"
	"github.com/chibi-host/chibi/tools"
)

// invented is an agent that does not exist: what it takes to add one.
func invented() dialect.Dialect {
	return dialect.Dialect{
		Name: "invented", Title: "Invented",
		Tools: toolnames.Table{{Category: tools.CategoryShell, Ours: "shell_exec", All: true, Name: "terminal",
			Subject: toolnames.Arg("command", "line")}},
		Words:     dialect.Words{{Value: dialect.PermissionMode, Ours: "trusted", Theirs: "free"}},
		PlainText: dialect.TextShown,
		Exits: []dialect.Exit{{Status: "0", JSON: "decides", Then: "ok"}, {Status: "9", JSON: "ignored", Then: "deny"},
			{Status: "other", JSON: "ignored", Then: "failed"}},
		Environment: []dialect.Variable{{Name: "INVENTED_DIR", Value: dialect.Cwd}},
		Events: []dialect.Event{{
			Name: "tool/before", Kind: dialect.BeforeTool, Matches: dialect.ToolName,
			Fields: []dialect.Field{{Name: "what", Value: dialect.EventName}, {Name: "mode", Value: dialect.PermissionMode},
				{Name: "call.tool", Value: dialect.ToolName, Form: dialect.AsTool},
				{Name: "call.with", Value: dialect.ToolInput, Form: dialect.AsInputText}},
			Rows: []dialect.Row{{Path: "verdict", Is: `"no"`, Set: dialect.SetDecision, To: "deny"},
				{Path: "because", Set: dialect.SetReason}, {Path: "with", Set: dialect.SetInputPatch}},
		}},
	}
}

func TestAnAgentIsAddedByATable(t *testing.T) {
	d := invented()
	e, _ := d.Event("tool/before")
	const payload = `{"what":"tool/before","mode":"free","call":{"tool":"terminal","with":"{\"line\":\"ls\"}"}}`
	here := dialect.Moment{Values: map[dialect.Value]json.RawMessage{
		dialect.PermissionMode: json.RawMessage(`"trusted"`), dialect.ToolName: json.RawMessage(`"shell_exec"`),
		dialect.ToolCategory: json.RawMessage(`"shell"`), dialect.ToolSubject: json.RawMessage(`"command"`),
		dialect.ToolInput: json.RawMessage(`{"command":"ls"}`), dialect.Cwd: json.RawMessage(`"/p"`),
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
	eff := d.Effect(e, dialect.Outcome{Stdout: []byte(`{"verdict":"no","because":"I say so"}`)})
	if eff.Decision != hookpoints.DecisionDeny || eff.Reason != "I say so" {
		t.Errorf("it says %+v", eff)
	}
	eff = d.Effect(e, dialect.Outcome{Exit: 9, Stderr: "so"})
	if eff.Decision != hookpoints.DecisionDeny || eff.Reason != "so" {
		t.Errorf("its status says %+v", eff)
	}

	there, err := d.Moment(e, []byte(payload))
	if err != nil || there.Text(dialect.ToolName) != "shell_exec" || there.Text(dialect.PermissionMode) != "trusted" ||
		string(there.Values[dialect.ToolInput]) != `{"command":"ls"}` {
		t.Errorf("the agent says %s, %v", there.Values, err)
	}
	out := d.Output(e, there, dialect.Effect{Decision: hookpoints.DecisionAsk, Reason: "sure?", Context: "text"})
	if string(out.Stdout) != `{"verdict":"no","because":"a plugin wants the person to be asked, and Invented cannot ask `+
		`at tool/before: sure?"}` || len(out.Lost) != 1 {
		t.Errorf("it is told %s, %q", out.Stdout, out.Lost)
	}
	changed := d.Theirs(there, json.RawMessage(`{"command":"pwd"}`))
	if out = d.Output(e, there, dialect.Effect{Input: changed}); string(out.Stdout) != `{"with":{"line":"pwd"}}` {
		t.Errorf("it is told %s, %q", out.Stdout, out.Lost)
	}
}
