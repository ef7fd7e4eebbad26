package plugin_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/google/go-cmp/cmp"
)

// asBlock makes a plugin's failure block.
func asBlock(p plugin.Plugin) plugin.Plugin {
	p.OnFailure = plugin.Block
	return p
}

// TestAnAnswerThatMeansNoInOtherWords: it is said, and of a plugin whose failure
// blocks it blocks.
func TestAnAnswerThatMeansNoInOtherWords(t *testing.T) {
	const fields = `it has "arguments", "block", "decision", "reason", "halt", "message", "context", "system_message"`
	const here = `; ` + fields + `; to block, answer {"block": true, "message": "why"}`
	for _, test := range []struct{ name, answer, said string }{
		{"a decision that is none", `{"decision":"no","reason":"no"}`, `its answer has a field with an unknown value: ` +
			`"decision": "no" is not a decision; want "deny", "ask" or "allow"`},
		{"its newer form", `{"hookSpecificOutput":{"permissionDecision":"deny"}}`,
			`pre_tool has no field "hookSpecificOutput", which is how answers for Claude Code are written` + here},
		{"the end of its turn", `{"continue":false}`,
			`pre_tool has no field "continue", which is how answers for Claude Code are written` + here},
		{"Cursor's form", `{"permission":"deny"}`, `pre_tool has no field "permission", which is how answers for Cursor ` +
			`are written` + here},
		{"Kodelet's form", `{"blocked":true}`, `pre_tool has no field "blocked", which is how answers for Kodelet ` +
			`are written` + here},
		{"a typing mistake", `{"blok":true,"message":"no"}`, `pre_tool has no field "blok" (did you mean "block"?)`},
		{"other letters", `{"Block":true}`, `pre_tool has no field "Block" (did you mean "block"?)`},
		{"beside a block that is none", `{"block":false,"deny":true}`,
			`pre_tool has no field "deny"; ` + fields},
		{"a value of another type", `{"block":"true"}`,
			`its answer has a field of the wrong type: block: must be a boolean, is a string`},
		{"no object", `"block"`, `its answer is not a JSON object`},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := &log{}
			h := l.host(says("p", test.answer, preTool))
			if verdict := fire(t, h, hookpoints.PreTool, call); verdict.Block {
				t.Error("an answer without a block blocked")
			}
			want := []string{`plugin "p" at pre_tool: ` + test.said + "; ignored"}
			if diff := cmp.Diff(want, l.notices); diff != "" {
				t.Errorf("notices (-want +got):\n%s", diff)
			}

			verdict := fire(t, (&log{}).host(asBlock(says("p", test.answer, preTool))), hookpoints.PreTool, call)
			if !verdict.Block || !strings.Contains(verdict.Message, test.said) {
				t.Errorf("where failure blocks the verdict is %+v, want a block that says %s", verdict, test.said)
			}
			verdict = fire(t, (&log{}).host(guards(asBlock(says("p", test.answer, preTool)))), hookpoints.PreTool, call)
			if !verdict.Block {
				t.Error("as a guard whose failure blocks it did not block")
			}
		})
	}
}

// TestARewriteThatGuardsCannotReadIsRefused: jq reads 256 levels, and a guard that
// cannot read has no opinion.
func TestARewriteThatGuardsCannotReadIsRefused(t *testing.T) {
	nested := func(n int) string {
		return `{"arguments":` + strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) + "}"
	}
	const said = `its "arguments" cannot be used: it nests too deep: more than 200 objects and arrays in each other`
	l := &log{}
	if verdict := fire(t, l.host(says("p", nested(201), preTool)), hookpoints.PreTool, call); verdict.Arguments != nil {
		t.Error("arguments that nest too deep were taken")
	}
	if diff := cmp.Diff([]string{`plugin "p" at pre_tool: ` + said + "; ignored"}, l.notices); diff != "" {
		t.Errorf("notices (-want +got):\n%s", diff)
	}
	if verdict := fire(t, (&log{}).host(asBlock(says("p", nested(201), preTool))), hookpoints.PreTool,
		call); !verdict.Block || !strings.Contains(verdict.Message, said) {
		t.Errorf("where failure blocks the verdict is %+v, want a block that says why", verdict)
	}
	if verdict := fire(t, (&log{}).host(says("p", nested(200), preTool)), hookpoints.PreTool,
		call); verdict.Arguments == nil {
		t.Error("arguments of 200 levels were refused")
	}
	patch := strings.Replace(nested(201), "arguments", "request_body", 1)
	if answer := fire(t, (&log{}).host(says("p", patch, hookpoints.PreAPIRequest.Name)), hookpoints.PreAPIRequest,
		hookpoints.PreAPIRequestPayload{RequestBody: []byte(`{}`)}); answer.RequestBody != nil {
		t.Error("a patch that nests too deep was taken")
	}
}

func TestAnUnknownFieldIsSaidOnceARun(t *testing.T) {
	l := &log{}
	h := l.host(says("p", `{"permission":"deny"}`, preTool), says("q", `{"permission":"deny"}`, preTool))
	for range 3 {
		fire(t, h, hookpoints.PreTool, call)
	}
	if len(l.notices) != 2 {
		t.Errorf("notices: %q, want one for each plugin", l.notices)
	}
}

func TestABlockWithUnknownFieldsBlocks(t *testing.T) {
	l := &log{}
	verdict := fire(t, l.host(says("p", `{"block":true,"decision":"block","reason":"r","permission":"deny"}`, preTool)),
		hookpoints.PreTool, call)
	if !verdict.Block || len(l.notices) != 0 {
		t.Errorf("verdict %+v, notices %q", verdict, l.notices)
	}
}

func TestKnownFieldsBesideAnUnknownOneTakeEffect(t *testing.T) {
	l := &log{}
	verdict := fire(t, l.host(says("p", `{"arguments":{"command":"pwd"},"ok":true}`, preTool)), hookpoints.PreTool, call)
	if string(verdict.Arguments) != `{"command":"pwd"}` || len(l.notices) != 1 {
		t.Errorf("verdict %+v, notices %q", verdict, l.notices)
	}
}

// TestSayingNoBlockIsNoOpinion: it is the most natural way to say "allow".
func TestSayingNoBlockIsNoOpinion(t *testing.T) {
	for _, answer := range []string{`{"block":false}`, `{"denied":false}`, `{"block": false, "message": "fine"}`,
		`{"block":false,"message":""}`, `{"block":null}`} {
		for _, info := range hookpoints.All() {
			for _, p := range []plugin.Plugin{says("p", answer, info.Name), guards(says("p", answer, info.Name)),
				asBlock(says("p", answer, info.Name))} {
				l := &log{}
				payload := []byte(`{}`)
				if _, err := plugin.FireJSON(t.Context(), l.host(p), info, payload); err != nil {
					t.Fatal(err)
				}
				isPlain := !strings.Contains(answer, "message") && !strings.Contains(answer, "null")
				if isPlain || info.CanBlock() {
					if len(l.notices) != 0 || len(l.records[0].Notes) != 0 || l.records[0].Result != plugin.NoOpinion {
						t.Errorf("%s at %s: %s, notices %q, notes %q", answer, info.Name, l.records[0].Result,
							l.notices, l.records[0].Notes)
					}
				}
			}
		}
	}
}

// TestNoticesAboutUnknownFieldsAreBounded: of one plugin at one point, so that it silences no other.
func TestNoticesAboutUnknownFieldsAreBounded(t *testing.T) {
	answers := 0
	flood := function("flood", func(context.Context, plugin.Event) (plugin.Answer, error) {
		answers++
		return plugin.Answer{Body: fmt.Appendf(nil, `{"field%d":1}`, answers)}, nil
	}, preTool)
	l := &log{}
	host := l.host(flood)
	for range 50 {
		fire(t, host, hookpoints.PreTool, call)
	}
	const end = "; ignored; chibi says nothing more about its answers here"
	if n := len(l.notices); n != 20 || !strings.HasSuffix(l.notices[19], end) || strings.HasSuffix(l.notices[18], end) {
		t.Errorf("%d notices, the last %q", n, l.notices[n-1])
	}
	host.Plugins[0] = says("other", `{"field":1}`, preTool)
	for range 2 {
		fire(t, host, hookpoints.PreTool, call)
	}
	if n := len(l.notices); n != 21 {
		t.Errorf("%d notices of another plugin; want 1", n-20)
	}
}
