package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
	"github.com/google/go-cmp/cmp"
)

// told is a tool that answers what it is told to.
type told struct{ result tools.Result }

func (told) Spec() tools.Spec {
	return tools.Spec{Name: "run", Parameters: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)}
}
func (t told) Call(context.Context, tools.Call) (tools.Result, error) { return t.result, nil }

// audit is a plugin that keeps what hooks are told of a call.
func audit(seen *[]string) plugin.Plugin {
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
	return plugin.Plugin{Name: "audit", Hooks: handlers.Hooks(), Handler: handlers}
}

// guard is a plugin that answers so at pre_tool.
func guard(verdict hookpoints.PreToolAnswer) plugin.Plugin {
	handlers := plugin.HandlePoint(hookpoints.PreTool,
		func(context.Context, hookpoints.PreToolPayload) (hookpoints.PreToolAnswer, error) {
			return verdict, nil
		})
	return plugin.Plugin{Name: "guard", Hooks: handlers.Hooks(), Handler: handlers}
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
			a := emptyAgent(t, told{test.result}, leftOut{})
			a.Settings.Exclude = []string{"left_out"}
			var seen []string
			a.Host = &plugin.Host{Plugins: []plugin.Plugin{guard(test.verdict), audit(&seen)}}
			shown, failure, err := a.CallTool(t.Context(), test.tool, json.RawMessage(test.args))
			if err != nil || shown != test.output || (failure != "") != (test.status != "ran") ||
				strings.ContainsAny(failure, "\n") || strings.HasPrefix(failure, "Error: ") {
				t.Errorf("the model is told %q, the person %q, %v", shown, failure, err)
			}
			want := []string{
				fmt.Sprintf("pre_tool_output %s %d %q by %q after %q", test.status, test.exit, test.output, test.by, test.after),
				fmt.Sprintf("post_tool_output %s by %q", test.status, test.by),
				fmt.Sprintf("post_tool %s by %q", test.status, test.by),
			}
			if diff := cmp.Diff(want, seen); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// leftOut is a tool that the configuration leaves out.
type leftOut struct{ told }

func (leftOut) Spec() tools.Spec { return tools.Spec{Name: "left_out"} }

// workContext is the conversation "work" in a home of its own.
func workContext(t *testing.T) contexts.Context {
	t.Helper()
	store, err := contexts.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c, err := store.Context("work")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// emptyAgent has these tools and an empty conversation.
func emptyAgent(t *testing.T, list ...tools.Tool) *Agent {
	t.Helper()
	c := workContext(t)
	set := &tools.Set{}
	for _, tool := range list {
		if err := set.Add(tool); err != nil {
			t.Fatal(err)
		}
	}
	return &Agent{Context: c, Tools: set}
}
