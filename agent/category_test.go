package agent

import (
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/tools"
)

// TestHooksKnowWhatAToolDoes by the category and the subject of its description.
func TestHooksKnowWhatAToolDoes(t *testing.T) {
	h := newHarness(t, calls("run", `{"line":"ls"}`), says("done"))
	spec := tools.Spec{Name: "run", Category: tools.CategoryShell, Subject: "line"}
	if err := h.Tools.Add(goTool{spec, func(tools.Call) tools.Result { return tools.Result{Text: "ok"} }}); err != nil {
		t.Fatal(err)
	}
	before, after := observe(h, hookpoints.PreTool), observe(h, hookpoints.PreToolOutput)
	h.prompt("go")
	if len(*before) != 1 || (*before)[0].Category != "shell" || (*before)[0].Subject != "line" {
		t.Errorf("pre_tool: %+v", *before)
	}
	if len(*after) != 1 || (*after)[0].Category != "shell" || (*after)[0].Subject != "line" {
		t.Errorf("pre_tool_output: %+v", *after)
	}
}

// TestARecipesCommandsHoldForTheSubjectOfAShell, whatever its name is.
func TestARecipesCommandsHoldForTheSubjectOfAShell(t *testing.T) {
	shell := tools.Spec{Name: "run", Category: tools.CategoryShell, Subject: "line"}
	recipe := &Recipe{Name: "r", Commands: []string{"git *"}}
	for arguments, want := range map[string]string{
		`{"line":"git log"}`:                         "",
		`{"line":"rm x"}`:                            `the recipe "r" does not allow the command "rm x"; it allows: git *`,
		`{"command":"git log","line":"rm x"}`:        `the recipe "r" does not allow the command "rm x"; it allows: git *`,
		`{"command":"rm x","line":"git log"}`:        `the recipe "r" does not allow the command "rm x"; it allows: git *`,
		`{"line":["git","log"]}`:                     `the recipe "r" allows only commands that are one string`,
		`{"line":"git log","LINE":"rm x","other":1}`: `the recipe "r" allows only commands that are one string`,
		`{"other":"rm x"}`:                           "",
	} {
		got := ""
		if err := recipe.checkCommand(shell, []byte(arguments)); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", arguments, got, want)
		}
	}
}
