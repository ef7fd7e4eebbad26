package permissions

import "testing"

func TestStrictest(t *testing.T) {
	deny, ask := Judgement{Decision: Deny, By: "d"}, Judgement{Decision: Ask, By: "q"}
	allow, none := Judgement{Decision: Allow, By: "a"}, Judgement{}
	for _, test := range []struct {
		list []Judgement
		by   string
	}{
		{nil, ""}, {[]Judgement{none}, ""}, {[]Judgement{none, allow}, "a"}, {[]Judgement{allow, ask}, "q"},
		{[]Judgement{ask, allow}, "q"}, {[]Judgement{deny, allow, ask}, "d"}, {[]Judgement{allow, ask, deny}, "d"},
		{[]Judgement{allow, {Decision: Allow, By: "later"}}, "a"},
	} {
		if got := Strictest(test.list...); got.By != test.by {
			t.Errorf("%v: got %q, want %q", test.list, got.By, test.by)
		}
	}
}

func TestStrictestKeepsProtection(t *testing.T) {
	protected := Judgement{Decision: Ask, By: "protected", Protected: true}
	for _, list := range [][]Judgement{
		{protected, {Decision: Deny, By: "d"}}, {{Decision: Deny, By: "d"}, protected}, {{Decision: Allow}, protected},
	} {
		if !Strictest(list...).Protected {
			t.Errorf("%v: lost the protection", list)
		}
	}
}

func TestRefusal(t *testing.T) {
	for _, test := range []struct {
		j    Judgement
		want string
	}{
		{Judgement{By: `the rule "shell_exec(rm *)" of config.toml`}, `the rule "shell_exec(rm *)" of config.toml denies it`},
		{Judgement{By: `plugin "guard"`, Reason: "push it yourself"}, `push it yourself (plugin "guard")`},
		{Judgement{By: `plugin "guard"`, Reason: `plugin "guard" failed`}, `plugin "guard" failed`},
		{Judgement{By: ThePerson}, "the person said no"},
		{Judgement{By: ThePerson, Reason: "use rg"}, "the person said no: use rg"},
	} {
		if got := test.j.Refusal(); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}
