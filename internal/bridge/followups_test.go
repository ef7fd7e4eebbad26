package bridge_test

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// Stops that come at the same time are counted one by one: the agent goes on five times.
func TestStopsAtTheSameTimeAreCounted(t *testing.T) {
	again := script("again", `"pre_stop"`, `echo '{"follow_up_messages":["again"]}'`)
	dir := home(t, "", map[string]string{"again": again})
	var all sync.WaitGroup
	var goesOn atomic.Int64
	for range 9 {
		all.Go(func() {
			out := event(dir, "Stop").Answer(context.Background(), strings.NewReader(`{"session_id":"s1"}`))
			if bytes.Contains(out.Stdout, []byte(`"reason":"again"`)) {
				goesOn.Add(1)
			}
		})
	}
	all.Wait()
	if n := goesOn.Load(); n != 5 {
		t.Errorf("it goes on %d times, want 5", n)
	}
}
