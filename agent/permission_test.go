package agent

import (
	"context"
	"encoding/json"
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
)

// policy decides by what is written in the arguments: "rule deny", "default ask" and so on.
type policy struct{}

func (policy) Judge(c permissions.Call) (j permissions.Judgement) {
	for _, d := range []permissions.Decision{permissions.Allow, permissions.Ask, permissions.Deny} {
		if strings.Contains(string(c.Arguments), "rule "+string(d)) {
			j = permissions.Judgement{Decision: d, By: "the rule"}
		}
	}
	return j
}

func (policy) Default(c permissions.Call) permissions.Judgement {
	if strings.Contains(string(c.Arguments), "default ask") {
		return permissions.Judgement{Decision: permissions.Ask, By: "the default"}
	}
	return permissions.Judgement{Decision: permissions.Allow, By: "the default"}
}

func (policy) RuleFor(c permissions.Call) string { return c.Tool.Name + "(it)" }

// person answers every question so.
type person struct {
	answer permissions.Answer
	err    error
}

func (p person) Ask(context.Context, permissions.Question) (permissions.Answer, error) {
	return p.answer, p.err
}

// plannedTool is a tool whose plans say that they access this.
type plannedTool struct {
	goTool
	access tools.Access
	err    error
	closed *int
}

func (t plannedTool) Plan(_ context.Context, call tools.Call) (tools.Plan, error) {
	return plannedCall{t, call}, t.err
}

type plannedCall struct {
	tool plannedTool
	call tools.Call
}

func (p plannedCall) Access() tools.Access                          { return p.tool.access }
func (p plannedCall) Run(ctx context.Context) (tools.Result, error) { return p.tool.Call(ctx, p.call) }
func (p plannedCall) Close()                                        { *p.tool.closed++ }

// plan adds a tool of a category that plans its calls, and returns how often its plans were
// closed.
func (h *harness) plan(category tools.Category, access tools.Access, err error) *int {
	h.t.Helper()
	closed := new(int)
	name := string(category) + "_it"
	run := func(call tools.Call) tools.Result {
		h.note("run %s", name)
		return tools.Result{Text: "done"}
	}
	spec := tools.Spec{Name: name, Parameters: json.RawMessage(`{}`), Category: category}
	if err := h.Tools.Add(plannedTool{goTool{spec, run}, access, err, closed}); err != nil {
		h.t.Fatal(err)
	}
	return closed
}

// deciding is a plugin that decides so at every permission point.
func deciding(d hookpoints.Decision) plugin.Handlers {
	handlers, answer := plugin.Handlers{}, hookpoints.PermissionAnswer{Decision: d, Reason: "they say so"}
	for point, handler := range answerAt(hookpoints.PreShellExec, answer) {
		handlers[point] = handler
	}
	return handlers
}

// TestWhoDecidesAboutACall: rules, plugins, defaults and the person, the strictest first.
func TestWhoDecidesAboutACall(t *testing.T) {
	yes := person{answer: permissions.Answer{Allow: true, Scope: permissions.Once}}
	no := person{answer: permissions.Answer{Reason: "not today"}}
	allowed, asked := func(by string) *PermissionEvent {
		return &PermissionEvent{ID: "c1", Tool: "shell_it", Category: "shell", Decision: "allow", By: by}
	}, func(e *PermissionEvent, by, reason string, scope permissions.Scope) *PermissionEvent {
		e.Asked = &AskedEvent{By: by, Reason: reason, Scope: scope}
		if by == `plugin "guard"` {
			e.Asked.Plugin = "guard"
		}
		return e
	}
	deniedBy := func(by, reason string) *PermissionEvent {
		return &PermissionEvent{ID: "c1", Tool: "shell_it", Category: "shell", Decision: "deny", By: by, Reason: reason}
	}
	ofPlugin := func(e *PermissionEvent) *PermissionEvent {
		e.Plugin = "guard"
		return e
	}
	for _, test := range []struct {
		name, command string
		hook          hookpoints.Decision
		person        permissions.Person
		want          *PermissionEvent
		result        string
	}{
		{"the default", "ls", "", nil, allowed("the default"), "done"},
		{"a rule", "rule allow, default ask", "", nil, allowed("the rule"), "done"},
		{"a rule denies", "rule deny", "allow", nil, deniedBy("the rule", ""), "Permission denied: the rule denies it"},
		{"a plugin denies what a rule allows", "rule allow", "deny", yes, ofPlugin(deniedBy(`plugin "guard"`, "they say so")),
			`Permission denied: they say so (plugin "guard")`},
		{"a plugin allows what would be asked", "default ask", "allow", nil, &PermissionEvent{ID: "c1", Tool: "shell_it",
			Category: "shell", Decision: "allow", By: `plugin "guard"`, Plugin: "guard", Reason: "they say so"}, "done"},
		{"the person says yes", "default ask", "", yes, asked(allowed("the person"), "the default", "", permissions.Once),
			"done"},
		{"the person says no to a plugin's question", "ls", "ask", no,
			asked(deniedBy("the person", "not today"), `plugin "guard"`, "they say so", ""),
			"Permission denied: the person said no: not today"},
		{"nobody is there", "default ask", "", nil, deniedBy("the default", `a person must allow it, and there is no `+
			`terminal to ask at; --allow 'shell_it(it)' allows it for one run, [permissions] allow in config.toml always`),
			`Permission denied: a person must allow it, and there is no terminal to ask at; --allow 'shell_it(it)' allows it ` +
				`for one run, [permissions] allow in config.toml always (the default)`},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newHarness(t, calls("shell_it", `{"command":"`+test.command+`"}`), says("hello"))
			closed := h.plan(tools.CategoryShell, tools.Access{Command: test.command}, nil)
			h.Gate = &permissions.Gate{Policy: policy{}, Person: test.person}
			h.plug("guard", deciding(test.hook))
			posts := observe(h, hookpoints.PostTool)
			h.prompt("hi")
			var decided []*PermissionEvent
			for _, e := range h.events {
				if e.Kind == EventPermission {
					if e.Permission.Asked != nil {
						e.Permission.Asked.DurationMS = 0
					}
					decided = append(decided, e.Permission)
				}
			}
			same(t, "permissions", decided, []*PermissionEvent{test.want})
			status := hookpoints.StatusRan
			if test.want.Decision == permissions.Deny {
				status = hookpoints.StatusDenied
			}
			if post := (*posts)[0]; post.Result != test.result || post.Status != status {
				t.Errorf("post_tool got %q, %q; want %q, %q", post.Result, post.Status, test.result, status)
			}
			if *closed != 1 {
				t.Errorf("the plan was closed %d times", *closed)
			}
		})
	}
}

// TestAnAskOfAPluginIsForThePerson: neither a rule nor trust answers it, at the point of a
// category as at pre_tool; a plugin at pre_permission may.
func TestAnAskOfAPluginIsForThePerson(t *testing.T) {
	asks := map[string]plugin.Handlers{
		"pre_tool":       answerAt(hookpoints.PreTool, hookpoints.PreToolAnswer{Decision: "ask"}),
		"pre_shell_exec": answerAt(hookpoints.PreShellExec, hookpoints.PermissionAnswer{Decision: "ask"}),
	}
	yes := person{answer: permissions.Answer{Allow: true, Scope: permissions.Once}}
	for point, ask := range asks {
		for _, test := range []struct {
			name    string
			gate    *permissions.Gate
			instead hookpoints.Decision
			result  string
		}{
			{"nobody is there", &permissions.Gate{}, "", "Permission denied: a person must allow it"},
			{"trust", &permissions.Gate{TrustAll: true}, "", "Permission denied: a person must allow it"},
			{"the person", &permissions.Gate{TrustAll: true, Person: yes}, "", "done"},
			{"a plugin in their place", &permissions.Gate{}, "allow", "done"},
		} {
			h := newHarness(t, calls("shell_it", `{"command":"rule allow"}`), says("hello"))
			h.plan(tools.CategoryShell, tools.Access{Command: "rule allow"}, nil)
			h.Gate = test.gate
			h.Gate.Policy = policy{}
			h.plug("asks", ask)
			h.plug("instead", answerAt(hookpoints.PrePermission, decisions(test.instead)[0]))
			h.prompt("hi")
			if got := h.model.requests[1].Messages[2].Content; !strings.HasPrefix(got, test.result) {
				t.Errorf("asked at %s, %s: result %q, want %q", point, test.name, got, test.result)
			}
		}
	}
}

// TestWhatPermissionPointsAreTold: each fires with what the plan says, after pre_tool and
// before the tool.
func TestWhatPermissionPointsAreTold(t *testing.T) {
	content := "new"
	for _, test := range []struct {
		category tools.Category
		access   tools.Access
		point    hookpoints.Name
		want     string
	}{
		{tools.CategoryRead, tools.Access{Path: "/p/a", Real: "/p/a"}, "pre_file_read",
			`{"tool_name":"read_it","path":"/p/a","arguments":{"n":1},"tool_call_id":"c1","cwd":"/p","context_name":"work"}`},
		{tools.CategorySearch, tools.Access{Path: "/p/a", Real: "/q"}, "pre_file_read", `{"tool_name":"search_it",` +
			`"path":"/q","named_path":"/p/a","arguments":{"n":1},"tool_call_id":"c1","cwd":"/p","context_name":"work"}`},
		{tools.CategoryWrite, tools.Access{Path: "/p/a", Real: "/p/a", Content: &content, Exists: true, Diff: "+new"},
			"pre_file_write", `{"tool_name":"write_it","path":"/p/a","content":"new","exists":true,"diff":"+new",` +
				`"arguments":{"n":1},"tool_call_id":"c1","cwd":"/p","context_name":"work"}`},
		{tools.CategoryEdit, tools.Access{Path: "/p/a", Operation: "delete_lines"}, "pre_file_write",
			`{"tool_name":"edit_it","path":"/p/a","content":null,"operation":"delete_lines","exists":false,"diff":"",` +
				`"arguments":{"n":1},"tool_call_id":"c1","cwd":"/p","context_name":"work"}`},
		{tools.CategoryShell, tools.Access{Command: "a; b", Dir: "/p/d"}, "pre_shell_exec", `{"tool_name":"shell_it",` +
			`"command":"a; b","commands":["a","b"],"arguments":{"n":1},"tool_call_id":"c1","cwd":"/p/d",` +
			`"context_name":"work"}`},
		{tools.CategoryShell, tools.Access{Command: "("}, "pre_shell_exec", `{"tool_name":"shell_it","command":"(",` +
			`"commands":null,"arguments":{"n":1},"tool_call_id":"c1","cwd":"/p","context_name":"work"}`},
		{tools.CategoryFetch, tools.Access{URL: "http://127.1/"}, "pre_fetch_url", `{"tool_name":"fetch_it",` +
			`"url":"http://127.1/","host":"127.0.0.1","address_class":"loopback","safety":"sensitive",` +
			`"reason":"127.0.0.1 is not a public address (loopback)",` +
			`"arguments":{"n":1},"tool_call_id":"c1","cwd":"/p","context_name":"work"}`},
		{tools.CategoryFetch, tools.Access{URL: "http://example.org/x"}, "pre_fetch_url", `{"tool_name":"fetch_it",` +
			`"url":"http://example.org/x","host":"example.org","address_class":"","safety":"public",` +
			`"arguments":{"n":1},"tool_call_id":"c1","cwd":"/p","context_name":"work"}`},
		{tools.CategoryFetch, tools.Access{}, "pre_fetch_url", `{"tool_name":"fetch_it","url":"","host":"",` +
			`"address_class":"","safety":"no_url","summary":"{\"n\":1}","arguments":{"n":1},"tool_call_id":"c1",` +
			`"cwd":"/p","context_name":"work"}`},
		{tools.CategoryMCP, tools.Access{}, "pre_mcp_call", `{"tool_name":"mcp_it","server":"","tool":"mcp_it",` +
			`"arguments":{"n":1},"tool_call_id":"c1","cwd":"/p","context_name":"work"}`},
		{tools.CategoryAgent, tools.Access{}, "", ""},
	} {
		t.Run(string(test.category), func(t *testing.T) {
			name := string(test.category) + "_it"
			h := newHarness(t, calls(name, `{"n":1}`), says("hello"))
			h.plan(test.category, test.access, nil)
			h.Gate = &permissions.Gate{Policy: policy{}, Dir: "/p",
				Commands: func(line string) ([]string, bool) { return strings.Split(line, "; "), line != "(" }}
			var got string
			keep := plugin.HandlerFunc(func(_ context.Context, ev plugin.Event) (plugin.Answer, error) {
				got = string(ev.Payload)
				return plugin.Answer{}, nil
			})
			if test.point != "" {
				h.plug("keep", plugin.Handlers{test.point: keep})
			}
			h.prompt("hi")
			if got != test.want {
				t.Errorf("payload\n%s\nwant\n%s", got, test.want)
			}
			before, _, _ := strings.Cut(strings.Join(h.log, " "), "run "+name)
			want := strings.TrimSpace("pre_tool " + string(test.point))
			if !strings.HasSuffix(strings.TrimSpace(before), want) {
				t.Errorf("before it ran: %s; want %s last", before, want)
			}
		})
	}
}

// TestWhatACallLeadsToIsJudged: plugins are asked again, with the target.
func TestWhatACallLeadsToIsJudged(t *testing.T) {
	h := newHarness(t, calls("fetch_it", `{"n":1}`), says("hello"))
	h.Gate = &permissions.Gate{Policy: policy{}}
	var judged []permissions.Judgement
	tool := goTool{spec: tools.Spec{Name: "fetch_it", Parameters: json.RawMessage(`{}`), Category: tools.CategoryFetch}}
	follow := func(ctx context.Context) tools.Result {
		j, err := Follow(ctx, tools.Access{URL: "http://127.0.0.1/key"})
		if err != nil {
			t.Error(err)
		}
		judged = append(judged, j)
		return tools.Result{Text: "done"}
	}
	if err := h.Tools.Add(followingTool{tool, follow}); err != nil {
		t.Fatal(err)
	}
	h.plug("guard", plugin.HandlePoint(hookpoints.PreFetchURL,
		func(_ context.Context, p hookpoints.PreFetchURLPayload) (answer hookpoints.PermissionAnswer, err error) {
			answer.Denied = p.AddressClass == "loopback" && p.ToolCallID == "c1"
			return answer, nil
		}))
	h.prompt("hi")
	want := permissions.Judgement{Decision: permissions.Deny, By: `plugin "guard"`, Plugin: "guard"}
	same(t, "judged", judged, []permissions.Judgement{want})
	var to []string
	for _, e := range h.events {
		if e.Kind == EventPermission {
			to = append(to, string(e.Permission.Decision)+" "+e.Permission.To)
		}
	}
	same(t, "reported", to, []string{"allow ", "deny http://127.0.0.1/key"})
	j, err := Follow(t.Context(), tools.Access{URL: "http://127.0.0.1/"})
	if err != nil || j.Decision != permissions.Undecided {
		t.Errorf("where nobody judges: %+v, %v", j, err)
	}
}

// TestANameIsLookedUpForPluginsThatWantToKnow: a guard sees the address, and without one
// nobody is told that the name is of interest.
func TestANameIsLookedUpForPluginsThatWantToKnow(t *testing.T) {
	for _, heard := range []bool{true, false} {
		h := newHarness(t, calls("fetch_it", `{"n":"default ask"}`), says("hello"))
		h.Gate = &permissions.Gate{Policy: policy{}}
		looked := false
		h.plan(tools.CategoryFetch, tools.Access{URL: "http://a.example/", Resolve: func(context.Context) []netip.Addr {
			looked = true
			return []netip.Addr{netip.MustParseAddr("10.0.0.1")}
		}}, nil)
		var got hookpoints.PreFetchURLPayload
		if heard {
			h.plug("guard", plugin.HandlePoint(hookpoints.PreFetchURL,
				func(_ context.Context, p hookpoints.PreFetchURLPayload) (answer hookpoints.PermissionAnswer, err error) {
					got = p
					return answer, nil
				}))
		} else {
			h.Host.Plugins = nil
		}
		h.prompt("hi")
		if looked != heard || heard && (got.AddressClass != "private_network" || got.Safety != hookpoints.SafetySensitive) {
			t.Errorf("with a plugin: %v; looked up: %v; %+v", heard, looked, got)
		}
	}
}

// followingTool is a tool that needs its context.
type followingTool struct {
	goTool
	follow func(context.Context) tools.Result
}

func (t followingTool) Call(ctx context.Context, _ tools.Call) (tools.Result, error) {
	return t.follow(ctx), nil
}

// TestWhatAPluginsToolWouldDoIsTakenFromItsArguments, because it makes no plan.
func TestWhatAPluginsToolWouldDoIsTakenFromItsArguments(t *testing.T) {
	h := newHarness(t, calls("save", `{"file":"a","content":"new"}`), says("hello"))
	spec := tools.Spec{Name: "save", Parameters: json.RawMessage(`{}`), Category: tools.CategoryWrite, Subject: "file"}
	err := h.Tools.Add(goTool{spec, func(tools.Call) tools.Result { return tools.Result{Text: "saved"} }})
	if err != nil {
		t.Fatal(err)
	}
	h.Gate = &permissions.Gate{Policy: policy{}, Dir: "/p", AccessOf: permissions.AccessOf}
	seen := observe(h, hookpoints.PreFileWrite)
	h.prompt("hi")
	if p := (*seen)[0]; p.Path != "/p/a" || p.Content == nil || *p.Content != "new" || p.Cwd != "/p" || p.Exists {
		t.Errorf("payload %+v", p)
	}
}

// TestAnotherSpellingOfTheSubjectDoesNotRun, since the tool may take it for the subject.
func TestAnotherSpellingOfTheSubjectDoesNotRun(t *testing.T) {
	h := newHarness(t, calls("run", `{"command":"ls","Command":"git push"}`), says("hello"))
	spec := tools.Spec{Name: "run", Parameters: json.RawMessage(`{}`), Category: tools.CategoryShell, Subject: "command"}
	err := h.Tools.Add(goTool{spec, func(tools.Call) tools.Result { return tools.Result{Text: "ran"} }})
	if err != nil {
		t.Fatal(err)
	}
	h.Gate = &permissions.Gate{Policy: policy{}, TrustAll: true, AccessOf: permissions.AccessOf}
	h.prompt("hi")
	same(t, "sent", h.sent()[1],
		`user:hi assistant: tool:Error: tool "run" did not run: the argument "Command" must be written "command"`)
}

// TestThePermissionIsForTheFinalArguments: a rewrite at pre_tool is judged, not the model's
// words.
func TestThePermissionIsForTheFinalArguments(t *testing.T) {
	h := newHarness(t, calls("shell_it", `{"command":"ls"}`), says("hello"))
	h.plan(tools.CategoryShell, tools.Access{}, nil)
	h.Gate = &permissions.Gate{Policy: policy{}}
	h.plug("rewriter", answerAt(hookpoints.PreTool, hookpoints.PreToolAnswer{
		Arguments: json.RawMessage(`{"command":"rule deny"}`)}))
	h.prompt("hi")
	same(t, "sent", h.sent()[1], "user:hi assistant: tool:Permission denied: the rule denies it")
}

// TestCallsThatAreNotJudged: those of tools that no rule names, those that are blocked or
// not valid.
func TestCallsThatAreNotJudged(t *testing.T) {
	h := newHarness(t, calls("echo", `{}`, "shell_it", `{}`, "echo", `{"a":"rule deny"}`), says("hello"))
	closed := h.plan(tools.CategoryShell, tools.Access{}, errors.New("\"command\" is missing"))
	h.Gate = &permissions.Gate{Policy: policy{}}
	h.prompt("hi")
	same(t, "sent", h.sent()[1], `user:hi assistant: tool:{} tool:Error: tool "shell_it" did not run: "command" is `+
		`missing tool:Permission denied: the rule denies it`)
	if *closed != 0 {
		t.Errorf("a plan that does not exist was closed %d times", *closed)
	}
}

// TestAnEndedQuestionEndsTheTurn: Ctrl-C at a question is no answer, and the plan is closed.
func TestAnEndedQuestionEndsTheTurn(t *testing.T) {
	h := newHarness(t, calls("shell_it", `{"command":"default ask"}`), says("hello"))
	closed := h.plan(tools.CategoryShell, tools.Access{}, nil)
	h.Gate = &permissions.Gate{Policy: policy{}, Person: person{err: context.Canceled}}
	if _, err := h.Prompt(t.Context(), "hi"); !errors.Is(err, context.Canceled) || *closed != 1 {
		t.Errorf("%v, closed %d times", err, *closed)
	}
}

// TestAPermissionHoldsInNestedTurnsAndForSingleCalls as it does in a conversation.
func TestAPermissionHoldsInNestedTurnsAndForSingleCalls(t *testing.T) {
	h := newHarness(t, says("hello"), calls("shell_it", `{"command":"rule deny"}`), says("summary"))
	h.plan(tools.CategoryShell, tools.Access{}, nil)
	h.Gate = &permissions.Gate{Policy: policy{}}
	h.plug("p", answerAt(hookpoints.PreStop, hookpoints.PreStopAnswer{Recipe: "compact"}))
	h.prompt("hi")
	if sent := h.sent()[2]; !strings.HasSuffix(sent, "tool:Permission denied: the rule denies it") {
		t.Errorf("in a nested turn: %s", sent)
	}
	seen, failure, err := h.CallTool(t.Context(), "shell_it", json.RawMessage(`{"command":"rule deny"}`))
	if err != nil || seen != "Permission denied: the rule denies it" || failure == "" {
		t.Errorf("a single call: %q, %q, %v", seen, failure, err)
	}
}
