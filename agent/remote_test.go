package agent

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
)

// remote adds the tool "run" of the MCP server "box", and a gate that knows what shells do.
func (h *harness) remote(category tools.Category) {
	h.t.Helper()
	spec := tools.Spec{Name: "mcp__box__run", Kind: tools.MCP, Category: category, Subject: "line",
		Parameters: json.RawMessage(`{}`), Remote: &tools.Remote{Server: "box", Tool: "run", ReadOnly: true}}
	run := func(tools.Call) tools.Result {
		h.note("run it")
		return tools.Result{Text: "done"}
	}
	if err := h.Tools.Add(goTool{spec, run}); err != nil {
		h.t.Fatal(err)
	}
	h.Gate = &permissions.Gate{Policy: policy{}, Dir: "/p", AccessOf: permissions.AccessOf}
}

// remoteResult is what the model is told about the call of that tool.
func (h *harness) remoteResult() string {
	for _, line := range h.window() {
		if text, ok := strings.CutPrefix(line, "result mcp__box__run "); ok {
			return text
		}
	}
	return ""
}

// TestWhatPreMCPCallIsTold: which tool of which server, by its own names.
func TestWhatPreMCPCallIsTold(t *testing.T) {
	h := newHarness(t, calls("mcp__box__run", `{"line":"ls"}`), says("done"))
	h.remote(tools.CategoryMCP)
	seen := observe(h, hookpoints.PreMCPCall)
	h.prompt("go")
	same(t, "pre_mcp_call", *seen, []hookpoints.PreMCPCallPayload{{ToolName: "mcp__box__run", Server: "box", Tool: "run",
		ReadOnly: true, FinalCall: hookpoints.FinalCall{Arguments: json.RawMessage(`{"line":"ls"}`), ToolCallID: "c1"},
		Cwd: "/p", InContext: hookpoints.InContext{ContextName: "work"}}})
}

// TestAPluginsToolSaysByItsNameWhichServerItBelongsTo.
func TestAPluginsToolSaysByItsNameWhichServerItBelongsTo(t *testing.T) {
	h := newHarness(t, calls("mcp__far__look_up", `{}`), says("done"))
	spec := tools.Spec{Name: "mcp__far__look_up", Category: tools.CategoryMCP}
	if err := h.Tools.Add(goTool{spec, func(tools.Call) tools.Result { return tools.Result{} }}); err != nil {
		t.Fatal(err)
	}
	h.Gate = &permissions.Gate{Policy: policy{}}
	seen := observe(h, hookpoints.PreMCPCall)
	h.prompt("go")
	if len(*seen) != 1 || (*seen)[0].Server != "far" || (*seen)[0].Tool != "look_up" {
		t.Errorf("%+v", *seen)
	}
}

// TestAShellServerIsAShellAndAServer: both permission points are asked, in this order, and the
// stricter answer counts, whichever it is from.
func TestAShellServerIsAShellAndAServer(t *testing.T) {
	const no = `Permission denied: plugin "guard" denies it`
	for _, test := range []struct {
		shell, mcp hookpoints.Decision
		want       string
	}{
		{"", "", "done"}, {"allow", "", "done"}, {"deny", "", no}, {"", "deny", no}, {"deny", "allow", no},
		{"allow", "deny", no},
		{"allow", "ask", "Permission denied: a person must allow it, and there is no terminal to ask at; "},
	} {
		t.Run(string(test.shell+" "+test.mcp), func(t *testing.T) {
			h := newHarness(t, calls("mcp__box__run", `{"line":"git push"}`), says("done"))
			h.remote(tools.CategoryShell)
			var asked []string
			answer := func(d hookpoints.Decision, command string) hookpoints.PermissionAnswer {
				asked = append(asked, command)
				return hookpoints.PermissionAnswer{Decision: d}
			}
			handlers := plugin.HandlePoint(hookpoints.PreShellExec,
				func(_ context.Context, p hookpoints.PreShellExecPayload) (hookpoints.PermissionAnswer, error) {
					return answer(test.shell, p.Command), nil
				})
			for name, handler := range plugin.HandlePoint(hookpoints.PreMCPCall,
				func(_ context.Context, p hookpoints.PreMCPCallPayload) (hookpoints.PermissionAnswer, error) {
					return answer(test.mcp, p.Server), nil
				}) {
				handlers[name] = handler
			}
			h.plug("guard", handlers)
			h.prompt("go")
			same(t, "asked", asked, []string{"git push", "box"})
			if got := h.remoteResult(); !strings.HasPrefix(got, test.want) {
				t.Errorf("the model was told %q, want %q", got, test.want)
			}
		})
	}
}

// TestAFilterByTheCategoryMCPIsAboutAllToolsOfServers, also those that are of another one.
func TestAFilterByTheCategoryMCPIsAboutAllToolsOfServers(t *testing.T) {
	for _, excluded := range []tools.Category{tools.CategoryMCP, tools.CategoryShell} {
		h := newHarness(t)
		h.remote(tools.CategoryShell)
		h.Settings.ExcludeCategories = []tools.Category{excluded}
		want := "tools.exclude_categories of the configuration names " + string(excluded)
		if got := Unoffered(h.Agent)["mcp__box__run"]; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestAChangedDefinitionIsSaidWhereNobodyCanBeAsked: to the model, to the person and in the
// trace, also in a nested turn, which has the same gate.
func TestAChangedDefinitionIsSaidWhereNobodyCanBeAsked(t *testing.T) {
	const said = `tool "run" of MCP server box differs from its approved definition: its description changed; only ` +
		`you can approve that: chibi mcp approve box run`
	h := newHarness(t, says("hello"), calls("mcp__box__run", `{"line":"rule allow"}`), says("summary"))
	h.remote(tools.CategoryShell)
	h.Gate.Approvals = changedTools{}
	h.Gate.TrustAll = true
	h.plug("p", answerAt(hookpoints.PreStop, hookpoints.PreStopAnswer{Recipe: "compact"}))
	h.plug("helper", answerAt(hookpoints.PreMCPCall, hookpoints.PermissionAnswer{Decision: hookpoints.DecisionAllow}))
	h.prompt("go")
	if sent := h.sent()[2]; !strings.HasSuffix(sent, "tool:Permission denied: "+said+" (a changed definition)") {
		t.Errorf("the model was told %q", sent)
	}
	if got := strings.Join(h.notices, "\n"); !strings.Contains(got, "tool mcp__box__run was refused: "+said) {
		t.Errorf("notices: %s", got)
	}
	for _, e := range h.events {
		if e.Kind == EventPermission && (e.Permission.By != "a changed definition" || e.Permission.Reason != said) {
			t.Errorf("traced: %+v", e.Permission)
		}
	}
}

// changedTools says that all tools have changed.
type changedTools struct{}

func (changedTools) Changed(*tools.Remote) (*permissions.Change, error) {
	return &permissions.Change{Parts: []string{"description"}}, nil
}

func (changedTools) Approve(*tools.Remote) error { return nil }
