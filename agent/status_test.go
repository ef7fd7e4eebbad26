package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
)

// audit keeps what hooks are told of a call.
func (h *harness) audit(seen *[]string) {
	handlers := plugin.HandlePoint(hookpoints.PreToolOutput,
		func(_ context.Context, p hookpoints.PreToolOutputPayload) (hookpoints.PreToolOutputAnswer, error) {
			*seen = append(*seen, fmt.Sprintf("pre_tool_output %s %d %q by %q after %q", p.Status, p.ExitCode, p.Output,
				p.BlockedBy, p.Preface))
			return hookpoints.PreToolOutputAnswer{}, nil
		})
	keep := func(point hookpoints.Name) plugin.HandlerFunc {
		return func(_ context.Context, ev plugin.Event) (plugin.Answer, error) {
			var p hookpoints.PostToolPayload
			err := json.Unmarshal(ev.Payload, &p)
			*seen = append(*seen, fmt.Sprintf("%s %s by %q", point, p.Status, p.BlockedBy))
			return plugin.Answer{}, err
		}
	}
	for _, point := range []hookpoints.Name{hookpoints.PostToolOutput.Name, hookpoints.PostTool.Name} {
		handlers[point] = keep(point)
	}
	h.plug("keeper", handlers)
}

func TestHooksAreToldWhetherACallRan(t *testing.T) {
	none := hookpoints.PreToolAnswer{}
	failed := tools.Result{Failed: true, Failure: "Error: exit status 3 (why)", Text: "part\n", Exit: 3}
	for _, test := range []struct {
		name, tool, args string
		result           tools.Result
		verdict          hookpoints.PreToolAnswer
		status, by       string
		output, after    string
		exit             int
	}{
		{"it succeeds", "run", `{}`, tools.Result{Text: "done"}, none, "ran", "", "done", "", 0},
		{"it fails", "run", `{}`, failed, none, "failed", "", "Error: exit status 3 (why)\nstdout before that:\npart\n",
			"Error: exit status 3 (why)\nstdout before that:\n", 3},
		{"it fails and writes nothing", "run", `{}`, tools.Result{Failed: true, Failure: "Error: exit status 3 (why)",
			Text: "\n", Exit: 3}, none, "failed", "",
			"Error: exit status 3 (why)", "Error: exit status 3 (why)", 3},
		{"a plugin blocks it", "run", `{}`, tools.Result{},
			hookpoints.PreToolAnswer{Block: true, Message: "no sudo"}, "blocked", "guard",
			"no sudo\n(blocked by plugin \"guard\")", "", 1},
		{"a plugin blocks it and names itself", "run", `{}`, tools.Result{},
			hookpoints.PreToolAnswer{Block: true, Message: `plugin "guard": no sudo`},
			"blocked", "guard", `plugin "guard": no sudo`, "", 1},
		{"a plugin blocks it and says nothing", "run", `{}`, tools.Result{},
			hookpoints.PreToolAnswer{Block: true}, "blocked", "guard",
			`blocked by plugin "guard"`, "", 1},
		{"a filter leaves it out", "left_out", `{}`, tools.Result{}, none, "denied", "",
			`Error: tool "left_out" is not available here`, "Error: ", 1},
		{"there is no such tool", "walk", `{}`, tools.Result{}, none, "denied", "",
			`Error: there is no tool "walk"`, "Error: ", 1},
		{"its arguments make no sense", "run", `{"n":"x"}`, tools.Result{}, none, "denied", "",
			`Error: tool "run" did not run: argument "n": must be an integer, is a string`, "Error: ", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newHarness(t)
			run := tools.Spec{Name: "run", Parameters: json.RawMessage(`{"properties":{"n":{"type":"integer"}}}`)}
			if err := h.Tools.Add(goTool{run, func(tools.Call) tools.Result { return test.result }}); err != nil {
				t.Fatal(err)
			}
			h.tool("left_out", func(tools.Call) tools.Result { return test.result })
			h.Settings.Exclude = []string{"left_out"}
			var seen []string
			h.plug("guard", answerAt(hookpoints.PreTool, test.verdict))
			h.audit(&seen)
			shown, failure, err := h.CallTool(t.Context(), test.tool, json.RawMessage(test.args))
			if err != nil || shown != test.output || (failure != "") != (test.status != "ran") ||
				strings.ContainsAny(failure, "\n") || strings.HasPrefix(failure, "Error: ") {
				t.Errorf("the model is told %q, the person %q, %v", shown, failure, err)
			}
			want := []string{
				fmt.Sprintf("pre_tool_output %s %d %q by %q after %q", test.status, test.exit, test.output, test.by, test.after),
				fmt.Sprintf("post_tool_output %s by %q", test.status, test.by),
				fmt.Sprintf("post_tool %s by %q", test.status, test.by),
			}
			same(t, "hooks", seen, want)
		})
	}
}
