package cli

import (
	"context"
	"testing"
	"time"
)

// TestCtrlCEndsOneAnswerAtATime: what was pressed for an answer that has ended, or is about to
// end, does not end the run.
func TestCtrlCEndsOneAnswerAtATime(t *testing.T) {
	for _, tt := range []struct {
		name    string
		since   time.Duration // the end of the latest answer
		answers bool
		handled bool // the run does not end
	}{
		{"during an answer", time.Hour, true, true},
		{"just after it", -time.Hour, false, true},
		{"later", time.Hour, false, false},
	} {
		i := &interrupts{ended: time.Now().Add(-tt.since)}
		ctx, done := context.Background(), func() {}
		if tt.answers {
			ctx, done = i.begin(ctx)
		}
		if got := i.endTurn(); got != tt.handled || (ctx.Err() != nil) != tt.answers {
			t.Errorf("%s: handled %v, %v", tt.name, got, ctx.Err())
		}
		before := i.ended
		if done(); tt.answers && !i.ended.After(before) {
			t.Errorf("%s: the answer ended before it was done", tt.name)
		}
	}
}
