package permissions

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/tools"
)

// fixed is a policy that always says the same.
type fixed struct {
	judge, byDefault Judgement
	rule             string
}

func (f fixed) Judge(Call) Judgement   { return f.judge }
func (f fixed) Default(Call) Judgement { return f.byDefault }
func (f fixed) RuleFor(Call) string    { return f.rule }

// answers is a person who gives these answers in turn.
type answers []Answer

func (a *answers) Ask(context.Context, Question) (Answer, error) {
	if len(*a) == 0 {
		return Answer{}, errors.New("asked too often")
	}
	next := (*a)[0]
	*a = (*a)[1:]
	return next, nil
}

func says(j Judgement) Hooks {
	return Hooks{Judge: func(context.Context) (Judgement, error) { return j, nil }}
}

func TestGateCombinesWhoeverDecides(t *testing.T) {
	allow, ask := Judgement{Decision: Allow, By: "a"}, Judgement{Decision: Ask, By: "q"}
	deny := Judgement{Decision: Deny, By: "d"}
	for _, test := range []struct {
		name                    string
		rules, hooks, byDefault Judgement
		want                    Decision
		by                      string
		asked                   bool
	}{
		{"a rule's denial beats a hook's permission", deny, allow, allow, Deny, "d", false},
		{"a hook's denial beats a rule's permission", allow, deny, allow, Deny, "d", false},
		{"a hook's question beats a rule's permission", allow, ask, allow, Allow, "the person", true},
		{"a rule's question beats a hook's permission", ask, allow, allow, Allow, "the person", true},
		{"a hook's permission beats the default", Judgement{}, allow, ask, Allow, "a", false},
		{"the default decides what nobody decides", Judgement{}, Judgement{}, allow, Allow, "a", false},
		{"the default asks", Judgement{}, Judgement{}, ask, Allow, "the person", true},
	} {
		person := &answers{{Allow: true, Scope: Once}}
		g := Gate{Policy: fixed{judge: test.rules, byDefault: test.byDefault}, Person: person}
		got, err := g.Decide(t.Context(), Call{}, says(test.hooks))
		if err != nil || got.Decision != test.want || got.By != test.by || (len(*person) == 0) != test.asked {
			t.Errorf("%s: %+v %v, asked: %v", test.name, got, err, len(*person) == 0)
		}
	}
}

func TestGateAsksNoHookAboutWhatARuleDenies(t *testing.T) {
	g := Gate{Policy: fixed{judge: Judgement{Decision: Deny, By: "d"}}}
	got, err := g.Decide(t.Context(), Call{}, Hooks{Judge: func(context.Context) (Judgement, error) {
		return Judgement{}, errors.New("a hook was asked")
	}})
	if err != nil || got.Decision != Deny {
		t.Errorf("%+v %v", got, err)
	}
}

func TestGateRemembersAPermissionForTheRun(t *testing.T) {
	var kept []string
	for scope, times := range map[Scope]int{Once: 2, ThisRun: 1, Always: 1} {
		person := &answers{{Allow: true, Scope: scope}, {Allow: true, Scope: scope}}
		g := Gate{Policy: fixed{byDefault: Judgement{Decision: Ask}, rule: "shell_exec(ls)"}, Person: person,
			Keep: func(rule string) error { kept = append(kept, rule); return nil }}
		for range 2 {
			if got, err := g.Decide(t.Context(), Call{}, says(Judgement{})); err != nil || got.Decision != Allow {
				t.Errorf("%s: %+v %v", scope, got, err)
			}
		}
		if asked := 2 - len(*person); asked != times {
			t.Errorf("%s: asked %d times, want %d", scope, asked, times)
		}
	}
	if strings.Join(kept, ",") != "shell_exec(ls)" {
		t.Errorf("kept %v", kept)
	}
}

// TestAPermissionForTheRunIsOneOfWhatWasAsked: a plugin sees more than the rule that the person
// allows, such as the content of the file. So its question is answered by an answer to a plugin.
func TestAPermissionForTheRunIsOneOfWhatWasAsked(t *testing.T) {
	nobody, plugin := Judgement{}, Judgement{Decision: Ask, By: `plugin "p"`, Plugin: "p", Insistent: true}
	for _, test := range []struct {
		name  string
		calls []Judgement
		asked int
	}{
		{"the default, then a plugin", []Judgement{nobody, nobody, plugin, plugin, nobody}, 2},
		{"a plugin, then the default", []Judgement{plugin, nobody, plugin}, 1},
	} {
		person := &answers{{Allow: true, Scope: ThisRun}, {Allow: true, Scope: ThisRun}, {}}
		g := Gate{Policy: fixed{byDefault: Judgement{Decision: Ask}, rule: "write_file(/a)"}, Person: person}
		for _, hook := range test.calls {
			if got, err := g.Decide(t.Context(), Call{}, says(hook)); err != nil || got.Decision != Allow {
				t.Errorf("%s: %+v %v", test.name, got, err)
			}
		}
		if asked := 3 - len(*person); asked != test.asked {
			t.Errorf("%s: asked %d times, want %d", test.name, asked, test.asked)
		}
	}
}

func TestOnlyThePersonOpensAProtectedFile(t *testing.T) {
	protected := Judgement{By: "the protection of .git", Reason: ".git is protected", Protected: true}
	for _, hook := range []Judgement{{}, {Decision: Allow, By: "plugin"}, {Decision: Ask, By: "plugin"}} {
		policy := fixed{judge: protected, byDefault: Judgement{Decision: Allow}, rule: "write_file(*)"}
		g := Gate{Policy: policy, TrustAll: true}
		got, err := g.Decide(t.Context(), Call{}, says(hook))
		if err != nil || got.Decision != Deny || !strings.Contains(got.Reason, "only a person at a terminal") {
			t.Errorf("nobody there, %+v: %+v %v", hook, got, err)
		}
		g.Person = &answers{{Allow: true, Scope: Always}, {Reason: "no"}}
		if got, err = g.Decide(t.Context(), Call{}, says(hook)); err != nil || got.Decision != Allow {
			t.Errorf("the person says yes: %+v %v", got, err)
		}
		if got, err = g.Decide(t.Context(), Call{}, says(hook)); err != nil || got.Decision != Deny {
			t.Errorf("a yes about a protected file holds once: %+v %v", got, err)
		}
	}
}

// TestTrustDoesNotAnswerWhatARuleMayDeny: what is only known when it runs is not allowed by
// --trust-tools where it may be what a rule denies.
func TestTrustDoesNotAnswerWhatARuleMayDeny(t *testing.T) {
	for _, test := range []struct {
		deny, ask []string
		line      string
		want      Decision
		reason    string
	}{
		{[]string{"shell(git push*)"}, nil, "$G push", Deny, `whether it runs what the rule denies is only known when "$G ` +
			`push" runs: only a person at a terminal can allow it, and there is none`},
		{[]string{"shell(git push*)"}, nil, `eval "$X"`, Deny, "only a person at a terminal can allow it"},
		{[]string{"shell(git push*)"}, nil, "echo 'a", Deny, "the command cannot be examined: reached EOF without closing"},
		{[]string{"shell(git push*)"}, nil, "make", Allow, ""},
		{nil, []string{"shell(git push*)"}, "$G push", Allow, ""},
		{nil, nil, `eval "$X"`, Allow, ""},
	} {
		g := Gate{Policy: rulesOf(t, test.deny, test.ask, nil), TrustAll: true}
		got, err := g.Decide(t.Context(), shellCall(test.line, "/project"), says(Judgement{}))
		if err != nil || got.Decision != test.want || !strings.Contains(got.Reason, test.reason) {
			t.Errorf("%s: %+v %v", test.line, got, err)
		}
	}
}

func TestWithoutATerminalTheLineSaysWhatWouldAllow(t *testing.T) {
	g := Gate{Policy: fixed{byDefault: Judgement{Decision: Ask, By: "the default for shell"}, rule: "shell_exec(make)"}}
	got, err := g.Decide(t.Context(), Call{}, says(Judgement{}))
	want := `a person must allow it, and there is no terminal to ask at; --allow 'shell_exec(make)' allows it for one ` +
		`run, [permissions] allow in config.toml always`
	if err != nil || got.Decision != Deny || got.Reason != want {
		t.Errorf("%+v %v", got, err)
	}
	g.TrustAll = true
	if got, err = g.Decide(t.Context(), Call{}, says(Judgement{})); err != nil || got.By != "--trust-tools" {
		t.Errorf("%+v %v", got, err)
	}
}

// TestWhatARefusalNamesWorks: with the rule or the flag that it names, the call is allowed.
// Nothing that it could name answers what a plugin asks.
func TestWhatARefusalNamesWorks(t *testing.T) {
	byPlugin := Judgement{Decision: Ask, By: `plugin "p"`, Plugin: "p", Insistent: true}
	for _, test := range []struct {
		name  string
		ask   []string
		hook  Judgement
		line  string
		named string
	}{
		{"the default asks", nil, Judgement{}, "make", "--allow 'shell_exec(make)' allows it"},
		{"the default asks about what no rule allows", nil, Judgement{}, "make && make install", "--trust-tools allows it"},
		{"a rule asks", []string{"shell(make)"}, Judgement{}, "make", "--trust-tools allows it"},
		{"a plugin asks", nil, byPlugin, "make", "only you or a plugin at pre_permission"},
		{"a rule and a plugin ask", []string{"shell(make)"}, byPlugin, "make", "only you or a plugin at pre_permission"},
	} {
		refused := func(allow []string, trust bool) Outcome {
			g := Gate{Policy: rulesOf(t, nil, test.ask, allow), TrustAll: trust}
			got, err := g.Decide(t.Context(), shellCall(test.line, "/project"), says(test.hook))
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		got := refused(nil, false)
		namesRule, namesFlag := strings.Contains(got.Reason, "--allow"), strings.Contains(got.Reason, "--trust-tools")
		if got.Decision != Deny || !strings.Contains(got.Reason, test.named) {
			t.Errorf("%s: %+v, want %q", test.name, got, test.named)
		}
		if works := refused([]string{"shell_exec(make)"}, false).Decision == Allow; works != namesRule {
			t.Errorf("%s: that --allow works is %v, it is named: %v", test.name, works, namesRule)
		}
		if works := refused(nil, true).Decision == Allow; works != (namesRule || namesFlag) {
			t.Errorf("%s: that --trust-tools works is %v, it is named: %v", test.name, works, namesFlag)
		}
	}
}

// absent is a person who cannot be asked.
type absent struct{}

func (absent) Ask(context.Context, Question) (Answer, error) {
	return Answer{}, Nobody("the window is closed")
}

func TestTheLineSaysWhyNobodyCanBeAsked(t *testing.T) {
	g := Gate{Person: absent{}, Policy: fixed{byDefault: Judgement{Decision: Ask}, rule: "shell_exec(make)"}}
	got, err := g.Decide(t.Context(), Call{}, says(Judgement{}))
	want := `a person must allow it, and the window is closed; --allow 'shell_exec(make)' allows it for one run, ` +
		`[permissions] allow in config.toml always`
	if err != nil || got.Decision != Deny || !got.Unasked || got.Reason != want {
		t.Errorf("%+v %v", got, err)
	}
}

func TestAnOutcomeSaysWhatThePersonAnswered(t *testing.T) {
	why := Judgement{Decision: Ask, By: "the default for shell"}
	g := Gate{Policy: fixed{byDefault: why, rule: "shell_exec(ls)"}, Person: &answers{{Allow: true, Scope: Always}, {}},
		Keep: func(string) error { return errors.New("the disk is full") }}
	o, err := g.Decide(t.Context(), Call{}, says(Judgement{}))
	if err != nil || o.Decision != Allow || o.Asked == nil || o.Asked.Why != why || o.Asked.Answer.Scope != Always {
		t.Errorf("%+v %v", o, err)
	}
	if o.Unkept == nil {
		t.Error("that the rule could not be stored is lost")
	}
	if o, err = g.Decide(t.Context(), Call{}, says(Judgement{})); err != nil || o.Decision != Allow || o.Asked != nil {
		t.Errorf("the rule holds for the run although it could not be stored: %+v %v", o, err)
	}
}

func TestWhichCallsNeedAJudgement(t *testing.T) {
	shell := Call{Tool: tools.Spec{Category: tools.CategoryShell}}
	for _, test := range []struct {
		name string
		gate *Gate
		call Call
		want bool
	}{
		{"without a gate", nil, shell, false},
		{"a tool of a category", &Gate{Policy: fixed{}}, shell, true},
		{"a tool without one", &Gate{Policy: fixed{}}, Call{}, false},
		{"a tool without one that a rule names", &Gate{Policy: fixed{judge: Judgement{Decision: Allow}}}, Call{}, true},
		{"a protected one", &Gate{Policy: fixed{judge: Judgement{Protected: true}}}, Call{}, true},
	} {
		if got := test.gate.Concerns(test.call); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}
