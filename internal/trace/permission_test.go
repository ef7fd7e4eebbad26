package trace_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/internal/trace"
	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/plugin"
	"github.com/google/go-cmp/cmp"
)

// permit writes who decided about a call, and that it was over then.
func permit(w *trace.Writer, p agent.PermissionEvent) {
	p.Category = "shell"
	w.Step(agent.Event{Kind: agent.EventPermission, Permission: &p})
}

// called writes that a call is over.
func called(w *trace.Writer, id, tool, why string) {
	w.Step(agent.Event{Kind: agent.EventCall, Call: &agent.CallEvent{ID: id, Tool: tool, Ran: why == "", Why: why}})
}

// permitted is a turn with a permission of every kind.
func permitted(w *trace.Writer) {
	const shell, at = "shell_exec", "pre_shell_exec"
	payload := func(id string) string { return `{"tool_name":"shell_exec","command":"x","tool_call_id":"` + id + `"}` }
	asked := func(by, plugin, reason string, scope permissions.Scope) *agent.AskedEvent {
		return &agent.AskedEvent{By: by, Plugin: plugin, Reason: reason, Scope: scope, DurationMS: 1200}
	}
	prompt(w, "go")
	permit(w, agent.PermissionEvent{ID: "c1", Tool: "read_file", Decision: "allow", By: "the default for read"})
	called(w, "c1", "read_file", "")
	record(w, 1, at, "guard", payload("c2"), `{"denied":true,"reason":"push it yourself"}`, plugin.Blocked,
		func(r *plugin.Record) { r.Blocks, r.Why = true, "push it yourself" })
	permit(w, agent.PermissionEvent{ID: "c2", Tool: shell, Decision: "deny", By: `plugin "guard"`, Plugin: "guard",
		Reason: "push it yourself"})
	called(w, "c2", shell, `Permission denied: push it yourself (plugin "guard")`)
	record(w, 2, at, "guard", payload("c3"), `{"decision":"ask","reason":"look"}`, plugin.Changed)
	permit(w, agent.PermissionEvent{ID: "c3", Tool: shell, Decision: "allow", By: "the person",
		Asked: asked(`plugin "guard"`, "guard", "look", permissions.ThisRun)})
	called(w, "c3", shell, "")
	record(w, 3, at, "helper", payload("c4"), `{"decision":"allow"}`, plugin.Changed)
	permit(w, agent.PermissionEvent{ID: "c4", Tool: shell, Decision: "deny", By: "the person", Reason: "not today",
		Asked: asked(`the rule "shell_exec(rm *)" of config.toml`, "", "", "")})
	called(w, "c4", shell, "Permission denied: the person said no: not today")
	record(w, 4, at, "helper", payload("c5"), `{"decision":"allow"}`, plugin.Changed)
	permit(w, agent.PermissionEvent{ID: "c5", Tool: shell, Decision: "allow", By: `plugin "helper"`, Plugin: "helper"})
	called(w, "c5", shell, "")
	remote := func(id string) string { return `{"tool_name":"mcp__box__run","tool_call_id":"` + id + `"}` }
	record(w, 5, at, "helper", remote("c7"), `{"decision":"allow"}`, plugin.Changed)
	record(w, 6, "pre_mcp_call", "servers", remote("c7"), `{"decision":"ask"}`, plugin.Changed)
	permit(w, agent.PermissionEvent{ID: "c7", Tool: "mcp__box__run", Decision: "deny", By: "the person",
		Asked: asked(`plugin "servers"`, "servers", "", "")})
	called(w, "c7", "mcp__box__run", "Permission denied: the person said no")
	permit(w, agent.PermissionEvent{ID: "c6", Tool: "fetch_url", Decision: "allow", By: "--trust-tools"})
	permit(w, agent.PermissionEvent{ID: "c6", Tool: "fetch_url", To: "http://127.0.0.1/", Decision: "deny",
		By: "the url policy", Reason: "it is loopback"})
	called(w, "c6", "fetch_url", "")
}

func TestWhoGaveAPermissionAndWhyIsExplained(t *testing.T) {
	turn := read(t, write(t, 1<<20, permitted))[0]
	want := []string{
		`The call of shell_exec (c2) was denied by plugin "guard": push it yourself.`,
		`The call of shell_exec (c3) was allowed by the person (for this run), who was asked because of plugin "guard" ` +
			`(look).`,
		`The call of shell_exec (c4) was denied by the person, who was asked because of the rule "shell_exec(rm *)" of ` +
			`config.toml: not today.`,
		`The decision of plugin "helper" at pre_shell_exec, "allow", was not used: the rule "shell_exec(rm *)" of ` +
			`config.toml came first.`,
		`The call of shell_exec (c5) was allowed by plugin "helper".`,
		`The call of mcp__box__run (c7) was denied by the person, who was asked because of plugin "servers".`,
		`The decision of plugin "helper" at pre_shell_exec, "allow", was not used: plugin "servers" came first.`,
		`The call of fetch_url (c6) was redirected: the redirect to http://127.0.0.1/ was denied by the url policy: it is ` +
			`loopback.`,
	}
	if diff := cmp.Diff(want, turn.Explain()); diff != "" {
		t.Errorf("sentences (-want +got):\n%s", diff)
	}
	for about, want := range map[string]string{
		"read_file":      "The call of read_file (c1) was allowed by the default for read.",
		"fetch_url":      "The call of fetch_url (c6) was allowed by --trust-tools.",
		"helper":         `The call of shell_exec (c5) was allowed by plugin "helper".`,
		"guard":          `The call of shell_exec (c2) was denied by plugin "guard": push it yourself.`,
		"servers":        `The call of mcp__box__run (c7) was denied by the person, who was asked because of plugin`,
		"pre_shell_exec": `The call of shell_exec (c2) was denied by plugin "guard": push it yourself.`,
	} {
		answers, _ := turn.ExplainAbout(about)
		var said []string
		for _, a := range answers {
			said = append(said, a.Sentences...)
		}
		if !strings.Contains(strings.Join(said, "\n"), want) {
			t.Errorf("about %s: %q; want %s", about, said, want)
		}
	}
}

func TestPermissionsAreOnTheTimelineAndThePage(t *testing.T) {
	turn := read(t, write(t, 1<<20, permitted))[0]
	var timeline, page bytes.Buffer
	turn.Print(&timeline, "", 0, func(mark, text string) string { return mark + "|" + text })
	if err := trace.HTML(&page, []trace.Turn{turn}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"|allowed by the default for read", `blocked|denied by plugin "guard": push it yourself`,
		`changed|decided "ask"`,
		`1200 ms  |allowed by the person (for this run), who was asked because of plugin "guard" (look)`} {
		if !strings.Contains(timeline.String(), want) {
			t.Errorf("the timeline has no %q:\n%s", want, timeline.String())
		}
	}
	for _, want := range []string{"allowed by the default for read", "push it yourself", "who was asked because of"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page has no %q", want)
		}
	}
}

// TestAPermissionKeepsNoRemovedText: its texts can have words that a plugin removed elsewhere.
func TestAPermissionKeepsNoRemovedText(t *testing.T) {
	path := write(t, 1<<20, func(w *trace.Writer) {
		prompt(w, "use hunter2")
		w.Fired(plugin.Firing{Dispatch: 1, Point: "pre_message", Payload: []byte(`{"prompt":"use hunter2"}`),
			Final: []byte(`{"prompt":"use it"}`)})
		permit(w, agent.PermissionEvent{ID: "c1", Tool: "shell_exec", Decision: "deny", By: `"shell_exec(su hunter2)"`,
			Reason: "hunter2", To: "http://hunter2/", Asked: &agent.AskedEvent{By: "hunter2", Reason: "hunter2"}})
	})
	for _, l := range read(t, path)[0].Lines {
		if line, _ := plugin.JSON(l); strings.Contains(string(line), "hunter2") {
			t.Errorf("it is kept: %s", line)
		}
	}
}
