package permissions

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/tools"
)

// approvals is a list of one tool.
type approvals struct {
	change     *Change
	err, unset error
	approved   int
}

func (a *approvals) Changed(*tools.Remote) (*Change, error) { return a.change, a.err }

func (a *approvals) Approve(*tools.Remote) error {
	if a.unset == nil {
		a.change, a.approved = nil, a.approved+1
	}
	return a.unset
}

// readCall is a call of a tool of an MCP server.
func readCall(tool string) Call {
	return Call{Tool: tools.Spec{Name: "mcp__files__read", Category: tools.CategoryMCP, Remote: &tools.Remote{
		Server: "files", Tool: tool, Definition: func() json.RawMessage { return []byte("{}") }}}}
}

// TestNothingButThePersonAllowsAToolThatChanged: no rule, hook, default, earlier answer or flag.
func TestNothingButThePersonAllowsAToolThatChanged(t *testing.T) {
	allow := Judgement{Decision: Allow, By: "somebody"}
	ask := Judgement{Decision: Ask, By: "somebody", Reason: "look twice"}
	none := Judgement{}
	const changed = `tool "read" of MCP server files differs from its approved definition: its description, ` +
		`read only changed`
	for _, test := range []struct {
		name                    string
		rules, hooks, byDefault Judgement
		want                    string
	}{
		{"a rule allows it", allow, none, ask, changed}, {"a hook allows it", none, allow, ask, changed},
		{"it is allowed by default", none, none, allow, changed},
		{"it would be asked", none, none, ask, changed + "; look twice"},
	} {
		change := &Change{Parts: []string{"description", "read only"}, Diff: "-a\n+b\n"}
		known := &approvals{change: change}
		g := Gate{Policy: fixed{judge: test.rules, byDefault: test.byDefault, rule: "mcp__files__read"}, TrustAll: true,
			Approvals: known, granted: map[string]bool{"mcp__files__read": true}}
		got, err := g.Decide(t.Context(), readCall("read"), says(test.hooks))
		want := test.want + "; only you can approve that: chibi mcp approve files read"
		if err != nil || got.Decision != Deny || !got.Unasked || got.Refusal() != want+" (a changed definition)" {
			t.Errorf("%s, nobody there: %+v, %v; want %s", test.name, got, err, want)
		}
		g.Person = &answers{{}, {Allow: true, Scope: Always}}
		if got, err = g.Decide(t.Context(), readCall("read"), says(test.hooks)); err != nil || got.Decision != Deny ||
			known.approved != 0 {
			t.Errorf("%s, the person says no: %+v, %v, approved %d times", test.name, got, err, known.approved)
		}
		got, err = g.Decide(t.Context(), readCall("read"), says(test.hooks))
		if err != nil || got.Decision != Allow || got.Asked == nil || got.Asked.Why.Changed != change || known.approved != 1 {
			t.Errorf("%s, the person says yes: %+v, %v, approved %d times", test.name, got, err, known.approved)
		}
		got, err = g.Decide(t.Context(), readCall("read"), says(test.hooks))
		if err != nil || got.Decision != Allow || got.Asked != nil {
			t.Errorf("%s, it was approved: %+v, %v", test.name, got, err)
		}
	}
}

func TestADenialBeatsTheQuestionAboutAChange(t *testing.T) {
	known := &approvals{change: &Change{Parts: []string{"description"}}}
	g := Gate{Policy: fixed{judge: Judgement{Decision: Deny, By: "the rule"}}, Approvals: known, Person: &answers{}}
	if got, err := g.Decide(t.Context(), readCall("read"), says(Judgement{})); err != nil || got.By != "the rule" {
		t.Errorf("%+v, %v", got, err)
	}
	g.Policy = fixed{judge: Judgement{Decision: Allow}}
	got, err := g.Decide(t.Context(), readCall("read"), says(Judgement{Decision: Deny, By: "the hook"}))
	if err != nil || got.By != "the hook" || known.approved != 0 {
		t.Errorf("%+v, %v, approved %d times", got, err, known.approved)
	}
}

// TestACallThatIsAllowedApprovesTheTool, whoever allows it; one that is refused does not.
func TestACallThatIsAllowedApprovesTheTool(t *testing.T) {
	for decision, want := range map[Decision]int{Allow: 1, Ask: 0, Deny: 0} {
		known := &approvals{}
		g := Gate{Policy: fixed{judge: Judgement{Decision: decision, By: "the rule"}}, Approvals: known}
		if _, err := g.Decide(t.Context(), readCall("read"), says(Judgement{})); err != nil || known.approved != want {
			t.Errorf("%s: %v, approved %d times", decision, err, known.approved)
		}
		if _, err := g.Decide(t.Context(), shellCall("ls", "/"), says(Judgement{})); err != nil || known.approved != want {
			t.Errorf("%s: a tool of no server was approved: %v", decision, err)
		}
	}
}

func TestApprovalsThatFail(t *testing.T) {
	broken := errors.New("the disk is broken")
	g := Gate{Policy: fixed{judge: Judgement{Decision: Allow}}, Approvals: &approvals{err: broken}, TrustAll: true}
	got, err := g.Decide(t.Context(), readCall("read"), says(Judgement{}))
	want := `chibi cannot find out whether tool "read" of MCP server files has changed: the disk is broken`
	if err != nil || got.Decision != Deny || got.Reason != want {
		t.Errorf("they cannot be read: %+v, %v", got, err)
	}
	g.Approvals = &approvals{unset: broken}
	if got, err = g.Decide(t.Context(), readCall("read"), says(Judgement{})); err != nil || got.Decision != Allow ||
		!errors.Is(got.Unapproved, broken) {
		t.Errorf("they cannot be written: %+v, %v", got, err)
	}
}

// TestANameThatNoShellShouldSeeIsNotInTheCommand that approves.
func TestANameThatNoShellShouldSeeIsNotInTheCommand(t *testing.T) {
	for _, name := range []string{"a b", "$(x)", "\x1b[2J", "a\nb", strings.Repeat("a", 300)} {
		g := Gate{Policy: fixed{}, Approvals: &approvals{change: &Change{Parts: []string{"description"}}}}
		got, err := g.Decide(t.Context(), readCall(name), says(Judgement{}))
		if err != nil || !strings.HasSuffix(got.Reason, "chibi mcp approve files") ||
			strings.ContainsAny(got.Reason, "\x1b\n") || len(got.Reason) > 300 {
			t.Errorf("%.20q: %+v, %v", name, got, err)
		}
	}
}
