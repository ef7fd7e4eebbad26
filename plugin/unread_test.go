package plugin_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/google/go-cmp/cmp"
)

// TestAnAnswerToAPayloadThatWasNotRead is a failure: it cannot be about the payload. A block
// counts all the same, a plugin that has failed keeps its own reason, and observers need not read.
func TestAnAnswerToAPayloadThatWasNotRead(t *testing.T) {
	const (
		begins = `plugin "p" at pre_message: `
		unread = "it read nothing of a payload of 44 B, which only standard input can carry; "
	)
	for _, test := range []struct {
		name    string
		body    string
		err     error
		failure plugin.Failure
		want    string   // the answer at pre_message
		notices []string // there and at post_tool
		results []string
	}{
		{name: "a rewrite", body: `{"prompt":"other"}`, want: `{}`, notices: []string{begins + unread + "went on without it"},
			results: []string{"p: failed", "p: no opinion"}},
		{name: "no answer, where a failure blocks", failure: plugin.Block,
			want: `{"block":true,"message":"plugin \"p\" failed, and its failure blocks: it read nothing of a payload ` +
				`of 44 B, which only standard input can carry"}`,
			notices: []string{begins + unread + "blocked, as its on_failure asks for"},
			results: []string{"p: failed", "p: no opinion"}},
		{name: "a block", body: `{"block":true,"message":"no"}`, want: `{"block":true,"message":"no"}`,
			results: []string{"p: blocked", "p: no opinion"}},
		{name: "a failure", err: errors.New("exit status 3"), want: `{}`,
			notices: []string{begins + "exit status 3; went on without it",
				`plugin "p" at post_tool: exit status 3; went on without it`},
			results: []string{"p: failed", "p: failed"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var l log
			h := l.host(plugin.Plugin{Name: "p", Hooks: []hookpoints.Name{preMessage, postTool},
				OnFailure: test.failure, Handler: plugin.HandlerFunc(
					func(_ context.Context, ev plugin.Event) (plugin.Answer, error) {
						answer := plugin.Answer{Unread: true}
						if ev.Point != postTool {
							answer.Body = json.RawMessage(test.body)
						}
						return answer, test.err
					})})
			if got := asJSON(t, fire(t, h, hookpoints.PreMessage, hookpoints.PreMessagePayload{})); got != test.want {
				t.Errorf("the answer is %s, want %s", got, test.want)
			}
			fire(t, h, hookpoints.PostTool, hookpoints.PostToolPayload{})
			if diff := cmp.Diff(test.notices, l.notices); diff != "" {
				t.Errorf("notices (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.results, l.results()); diff != "" {
				t.Errorf("results (-want +got):\n%s", diff)
			}
		})
	}
}
