package plugin_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/chibi-host/chibi/merge"
)

// listed are n things, made by a format with a number.
func listed(format string, n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// TestLargeAnswersTakeEffectLikeAnyOther: each of these took quadratic time and
// memory, so that it did not end here.
func TestLargeAnswersTakeEffectLikeAnyOther(t *testing.T) {
	t.Run("100,000 changed keys of a request", func(t *testing.T) {
		l := &log{}
		keys := `{"request_body":{` + listed(`"k%d":1`, 100_000) + `}}`
		others := `{"request_body":{` + listed(`"k%d":2`, 100_000) + `}}`
		answer := fire(t, l.host(says("a", keys, hookpoints.PreAPIRequest.Name),
			says("b", others, hookpoints.PreAPIRequest.Name)),
			hookpoints.PreAPIRequest, hookpoints.PreAPIRequestPayload{RequestBody: json.RawMessage(`{"model":"m"}`)})
		if got := merge.At(answer.RequestBody, "/k99999"); string(got) != "2" {
			t.Errorf("the last key is %s", got)
		}
		if changed := l.records[0].Changed; len(changed) != 1 || changed[0] != "/request_body" {
			t.Errorf("the record names %d places, the first %q", len(changed), changed[0])
		}
		if lost := l.records[0].Lost; len(lost) != 1 || lost[0].Path != "/request_body" {
			t.Errorf("%d losses are told", len(lost))
		}
	})
	t.Run("300,000 names of tools", func(t *testing.T) {
		l := &log{}
		names := `{"include":[` + listed(`"t%d"`, 300_000) + `]}`
		answer := fire(t, l.host(says("a", names, preAPITools), says("b", names, preAPITools)), hookpoints.PreAPITools,
			hookpoints.PreAPIToolsPayload{Tools: []hookpoints.ListedTool{{Name: "t7"}}})
		if n := len(answer.Include); n != 300_000 {
			t.Errorf("%d names are included", n)
		}
		if n := len(l.records[0].Notes); n > 20 {
			t.Errorf("%d remarks", n)
		}
	})
	t.Run("100,000 follow-ups", func(t *testing.T) {
		texts := `{"follow_up_messages":[` + listed(`"m%d"`, 100_000) + `]}`
		answer := fire(t, (&log{}).host(says("a", texts, hookpoints.PreStop.Name), says("b", texts, hookpoints.PreStop.Name)),
			hookpoints.PreStop, hookpoints.PreStopPayload{})
		if n := len(answer.FollowUpMessages); n != 200_000 {
			t.Errorf("%d messages follow", n)
		}
	})
}

// FuzzVerdict fires a chain with two answers: whatever plugins print, the payload
// stays JSON and the same answers make the same verdict.
func FuzzVerdict(f *testing.F) {
	f.Add([]byte(`{"arguments":{"a":1}}`), []byte(`{"block":true}`))
	f.Add([]byte(`{"arguments":{"a":{"b":1},"a":null}}`), []byte(`{"arguments":[]}`))
	f.Add([]byte(`{"decision":"deny"}`), []byte(`[`))
	f.Add([]byte(`{"denied":true,"reason":1}`), []byte("\ufeff{\"block\":true,\"arguments\":true}"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		fuzztest.Memory(t)
		var verdicts []string
		for range 2 {
			l := &log{}
			h := l.host(says("a", string(a), preTool), asBlock(says("b", string(b), preTool)),
				guards(says("c", string(b), preTool)))
			verdict := fire(t, h, hookpoints.PreTool, call)
			if verdict.Arguments != nil && !json.Valid(verdict.Arguments) {
				t.Errorf("the arguments became %q", verdict.Arguments)
			}
			verdicts = append(verdicts, fmt.Sprint(verdict.Block, verdict.Message, string(verdict.Arguments)))
		}
		if verdicts[0] != verdicts[1] {
			t.Errorf("two verdicts: %q", verdicts)
		}
	})
}
