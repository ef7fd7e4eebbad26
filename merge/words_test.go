package merge_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/merge"
)

// canRefuse are the points at which something can be refused.
const canRefuse = "pre_message pre_tool pre_tool_output pre_file_read pre_file_write pre_shell_exec pre_fetch_url " +
	"pre_mcp_call pre_permission pre_compact pre_rolling_compact pre_spawn_agent"

// TestOneWordForNo: where something can be refused every word for no refuses, with either word
// for the reason, and the answer has the words that the point teaches. Elsewhere, also at
// pre_stop, none does.
func TestOneWordForNo(t *testing.T) {
	for _, info := range hookpoints.All() {
		want := ""
		switch {
		case hookpoints.AsksPermission(info.Name):
			want = `{"denied":true,"reason":"no"}`
		case slices.Contains(strings.Fields(canRefuse), string(info.Name)):
			want = `{"block":true,"message":"no"}`
		}
		for _, no := range []string{`"block":true`, `"denied":true`, `"decision":"deny"`, `"decision":"block"`} {
			for _, why := range []string{`"message":"no"`, `"reason":"no"`} {
				for _, isGuard := range []bool{false, info.Mode == hookpoints.Chain} {
					said := merge.Reply{From: "p", Guard: isGuard, Body: []byte("{" + no + "," + why + "}")}
					got, _ := merge.Fold(info, []byte(`{}`), []merge.Reply{said})
					if string(got.Answer) != want || (got.BlockedBy == "p") != (want != "") {
						t.Errorf("%s: %s: answer %s, blocked by %q; want %s", info.Name, said.Body, got.Answer, got.BlockedBy, want)
					}
					if effect := got.Effects[0]; want != "" && (effect.Outcome != merge.Blocked || effect.Why != "no") {
						t.Errorf("%s: %s: %+v", info.Name, said.Body, effect)
					}
				}
			}
		}
	}
}

// TestARefusalBeatsTheRestOfItsAnswer, except for what takes effect beside it.
func TestARefusalBeatsTheRestOfItsAnswer(t *testing.T) {
	for _, test := range []struct {
		point        hookpoints.Name
		said, answer string
	}{
		{"pre_tool", `{"denied":true,"arguments":{"n":1}}`, `{"block":true,"message":"blocked by plugin \"p\""}`},
		{"pre_tool", `{"block":true,"decision":"allow","reason":"r"}`, `{"block":true,"message":"r"}`},
		{"pre_tool", `{"block":false,"denied":false,"decision":"deny"}`,
			`{"block":true,"message":"blocked by plugin \"p\""}`},
		{"pre_tool", `{"denied":true,"message":"m","reason":"r"}`, `{"block":true,"message":"m"}`},
		{"pre_tool", `{"denied":true,"message":null,"reason":"r"}`, `{"block":true,"message":"r"}`},
		{"pre_shell_exec", `{"denied":true,"message":"m","reason":"r"}`, `{"denied":true,"reason":"r"}`},
		{"pre_shell_exec", `{"block":true,"decision":"allow"}`, `{"denied":true}`},
		{"pre_shell_exec", `{"block":true,"denied":false,"decision":"ask","message":"m"}`, `{"denied":true,"reason":"m"}`},
		{"pre_permission", `{"block":true,"decision":"allow","reason":"r"}`, `{"denied":true,"reason":"r"}`},
		{"pre_permission", `{"denied":true,"reason":"r","halt":true,"message":"m"}`,
			`{"halt":true,"message":"m"}`}, // which refuses too, and ends the turn
		{"pre_message", `{"decision":"deny","reason":"r","prompt":"other","context":"c","system_message":"s"}`,
			`{"block":true,"message":"r","context":"c","system_message":"s"}`},
		{"pre_tool_output", `{"denied":true,"reason":"r","output":"o","halt":true}`,
			`{"block":true,"message":"r","halt":true}`},
		{"pre_spawn_agent", `{"denied":true,"reason":"r","response":"mine","input":"i"}`, `{"block":true,"message":"r"}`},
		{"pre_compact", `{"decision":"deny"}`, `{"block":true,"message":"blocked by plugin \"p\""}`},
	} {
		info, _ := hookpoints.Find(test.point)
		const payload = `{"arguments":{"n":0},"prompt":"p","output":"x","input":"x"}`
		got, final := merge.Fold(info, []byte(payload), []merge.Reply{{From: "p", Body: []byte(test.said)}})
		if !merge.Equal(got.Answer, []byte(test.answer)) || string(final) != payload {
			t.Errorf("%s: %s: answer %s, want %s; payload %s", test.point, test.said, got.Answer, test.answer, final)
		}
		if !merge.Blocks(info, []byte(test.said)) {
			t.Errorf("%s: %s does not block", test.point, test.said)
		}
	}
}

// TestNotSayingNoIsNoOpinion, and no permission: at pre_permission too.
func TestNotSayingNoIsNoOpinion(t *testing.T) {
	for _, name := range strings.Fields(canRefuse) {
		info, _ := hookpoints.Find(hookpoints.Name(name))
		for _, said := range []string{`{"block":false}`, `{"denied":false}`, `{"block":null,"denied":null,"decision":null}`,
			`{"block":false,"denied":false,"message":"fine","reason":"fine"}`} {
			for _, isGuard := range []bool{false, info.Mode == hookpoints.Chain} {
				got, _ := merge.Fold(info, []byte(`{}`), []merge.Reply{{From: "p", Guard: isGuard, Body: []byte(said)}})
				if effect := got.Effects[0]; got.Answer != nil || effect.Outcome != merge.NoEffect || effect.Notes != nil {
					t.Errorf("%s: %s: answer %s, %+v", name, said, got.Answer, effect)
				}
			}
		}
	}
}
