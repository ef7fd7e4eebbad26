package agent

import (
	"strings"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/tools"
)

// TestPluginsAnswerInThePlaceOfThePerson, where the person would be asked, also without one.
func TestPluginsAnswerInThePlaceOfThePerson(t *testing.T) {
	no := person{answer: permissions.Answer{Reason: "not today"}}
	const unasked = "Permission denied: a person must allow it, and there is no terminal to ask at"
	for _, test := range []struct {
		name, command string
		answers       []hookpoints.PrePermissionAnswer
		person        permissions.Person
		trust         bool
		asked         int // how often plugins were asked
		result        string
	}{
		{"allowed without a person", "default ask", decisions("allow"), nil, false, 1, "done"},
		{"allowed in their place", "default ask", decisions("allow"), no, false, 1, "done"},
		{"denied", "default ask", decisions("deny"), nil, false, 1, `Permission denied: because (plugin "0")`},
		{"the strictest counts", "default ask", decisions("allow", "deny"), nil, false, 1,
			`Permission denied: because (plugin "1")`},
		{"a question stays one", "default ask", decisions("allow", "ask"), no, false, 1,
			"Permission denied: the person said no: not today"},
		{"no opinion", "default ask", decisions(""), nil, false, 1, unasked},
		{"what is allowed is not asked", "ls", decisions("deny"), no, false, 0, "done"},
		{"what is trusted is not asked", "default ask", decisions("deny"), no, true, 0, "done"},
		{"what a rule denies is not asked", "rule deny", decisions("allow"), no, false, 0,
			"Permission denied: the rule denies it"},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newHarness(t, calls("shell_it", `{"command":"`+test.command+`"}`), says("hello"))
			h.plan(tools.CategoryShell, tools.Access{Command: test.command}, nil)
			h.Gate = &permissions.Gate{Policy: policy{}, Person: test.person, TrustAll: test.trust, Dir: "/here"}
			for i, answer := range test.answers {
				h.plug(string(rune('0'+i)), answerAt(hookpoints.PrePermission, answer))
			}
			seen := observe(h, hookpoints.PrePermission)
			h.prompt("hi")
			got := h.model.requests[1].Messages[2].Content
			if !strings.HasPrefix(got, test.result) ||
				len(*seen) != test.asked {
				t.Errorf("result %q, want %q; asked %d times", got, test.result, len(*seen))
			}
			for _, payload := range *seen {
				same(t, "payload", payload, hookpoints.PrePermissionPayload{ToolName: "shell_it",
					FinalCall: hookpoints.FinalCall{Arguments: []byte(`{"command":"default ask"}`), ToolCallID: "c1"},
					Category:  "shell",
					AskedBy:   "the default", Rule: "shell_it(it)", Cwd: "/here",
					InContext: hookpoints.InContext{ContextName: "work"}})
			}
		})
	}
}

// decisions are answers at pre_permission.
func decisions(list ...hookpoints.Decision) (answers []hookpoints.PrePermissionAnswer) {
	for _, d := range list {
		answers = append(answers, hookpoints.PrePermissionAnswer{Decision: d, Reason: "because"})
	}
	return answers
}

// TestWhatOnlyThePersonDecides is not asked at pre_permission: protected files.
func TestWhatOnlyThePersonDecides(t *testing.T) {
	h := newHarness(t, calls("shell_it", `{}`), says("hello"))
	h.plan(tools.CategoryShell, tools.Access{}, nil)
	h.Gate = &permissions.Gate{Policy: protecting{}}
	h.plug("p", answerAt(hookpoints.PrePermission, hookpoints.PrePermissionAnswer{Decision: "allow"}))
	h.prompt("hi")
	want := "Permission denied: it is protected: only a person at a terminal can allow it"
	if got := h.model.requests[1].Messages[2].Content; !strings.HasPrefix(got, want) {
		t.Errorf("result %q", got)
	}
}

// protecting is a policy to which every call is one of a protected file.
type protecting struct{ policy }

func (protecting) Judge(permissions.Call) permissions.Judgement {
	return permissions.Judgement{Decision: permissions.Ask, By: "the protection", Reason: "it is protected",
		Protected: true}
}
