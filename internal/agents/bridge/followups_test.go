package bridge_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/chibi-host/chibi/internal/agents/engine"
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

// Qwen Code asks the hooks of prompts again after each batch of calls, and when a hook of its own
// makes it go on: neither is a prompt of a person. The first is none at all.
func TestWhatQwenCodeCallsAPromptIsNotAlwaysAPersons(t *testing.T) {
	again := script("again", `"pre_stop", "pre_message"`, `[ $CHIBI_HOOK = pre_stop ] || {
  cat >>"$CHIBI_HOME/prompts"; exit; }
echo '{"follow_up_messages":["again"]}'`)
	dir := home(t, "", map[string]string{"again": again})
	e := event(dir, "")
	e.Agent, _ = engine.ByName("qwen")
	tell := func(event, members string) string {
		e.Name = event
		return string(e.Answer(context.Background(), strings.NewReader(`{"session_id":"s1"`+members+`}`)).Stdout)
	}
	tell("UserPromptSubmit", `,"prompt":"Do it.","submitted_prompt":"Do it."`)
	for n := range 6 {
		goesOn := strings.Contains(tell("Stop", ""), "again")
		if want := n < 5; goesOn != want {
			t.Errorf("stop %d: it goes on: %t, want %t", n+1, goesOn, want)
		}
		tell("UserPromptSubmit", `,"prompt":"again\nand what another hook says"`)
		tell("UserPromptSubmit", `,"prompt":""`)
	}
	tell("UserPromptSubmit", `,"prompt":"Do more.","submitted_prompt":"Do more."`)
	if out := tell("Stop", ""); !strings.Contains(out, "again") {
		t.Errorf("after a prompt of the person it does not go on: %s", out)
	}
	if prompts, _ := os.ReadFile(filepath.Join(dir, "prompts")); bytes.Contains(prompts, []byte(`"prompt":""`)) {
		t.Errorf("plugins were asked about what is no prompt: %s", prompts)
	}
}

// Cursor has one event for a turn that has ended: a person who ends it is not made to go on.
func TestATurnThatThePersonEndsDoesNotGoOn(t *testing.T) {
	again := script("again", `"pre_stop", "post_message", "on_turn_failed"`, `
echo "$CHIBI_HOOK $(cat)" >>"$CHIBI_HOME/asked"
[ $CHIBI_HOOK != pre_stop ] || echo '{"follow_up_messages":["again"]}'`)
	for status, want := range map[string]string{"completed": "post_message pre_stop", "aborted": "on_turn_failed",
		"error": "on_turn_failed"} {
		dir := home(t, "", map[string]string{"again": again})
		e := event(dir, "stop")
		e.Agent, _ = engine.ByName("cursor")
		out := e.Answer(context.Background(), strings.NewReader(`{"conversation_id":"c1","status":"`+status+`"}`))
		if goesOn := bytes.Contains(out.Stdout, []byte("again")); goesOn != (status == "completed") {
			t.Errorf("%s: %s", status, out.Stdout)
		}
		asked, _ := os.ReadFile(filepath.Join(dir, "asked"))
		var points []string
		for line := range strings.Lines(string(asked)) {
			point, _, _ := strings.Cut(line, " ")
			points = append(points, point)
		}
		if got := strings.Join(points, " "); got != want {
			t.Errorf("%s: %s are asked, want %s", status, got, want)
		}
	}
}
