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

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/trace"
	"github.com/tidwall/gjson"
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
// makes it go on: neither prompt is a person's, and the first is not a prompt at all.
func TestWhatQwenCodeCallsAPromptIsNotAlwaysAPersons(t *testing.T) {
	again := script("again", `"pre_stop", "pre_message"`, `[ $CHIBI_HOOK = pre_stop ] || {
  cat >>"$CHIBI_HOME/prompts"; exit; }
echo '{"follow_up_messages":["again"]}'`)
	dir := home(t, "", map[string]string{"again": again})
	e := event(dir, "")
	e.Agent, _ = agents.ByName("qwen")
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
	if got := promptsIn(t, dir, "qwen", "s1"); got != "asked: Do it.|Do more. traced: Do it.|Do more." {
		t.Error(got)
	}
}

// promptsIn returns the prompts that plugins got and wrote to a file of the home, and the prompts of the trace.
func promptsIn(t *testing.T, home, agent, session string) string {
	t.Helper()
	var asked, traced []string
	lines, _ := os.ReadFile(filepath.Join(home, "prompts"))
	for line := range strings.Lines(string(lines)) {
		asked = append(asked, gjson.Get(line, "prompt").Str)
	}
	turns, bad, err := trace.ReadFile(filepath.Join(home, "bridge", agent, session, app.BridgeTrace))
	if err != nil || bad != 0 {
		t.Fatalf("%d bad lines, %v", bad, err)
	}
	for _, turn := range turns {
		traced = append(traced, turn.Prompt())
	}
	return "asked: " + strings.Join(asked, "|") + " traced: " + strings.Join(traced, "|")
}

// Of two prompts at once with the text by which Gemini CLI goes on, one is its own.
func TestOnePromptIsTheOneByWhichTheAgentGoesOn(t *testing.T) {
	again := script("again", `"pre_stop", "pre_message"`, `[ $CHIBI_HOOK = pre_stop ] || {
  cat >>"$CHIBI_HOME/prompts"; exit; }
echo '{"follow_up_messages":["again"]}'`)
	dir := home(t, "", map[string]string{"again": again})
	tell(t, dir, "gemini", "BeforeAgent", `{"session_id":"s1","prompt":"a"}`)
	tell(t, dir, "gemini", "AfterAgent", `{"session_id":"s1","prompt":"a"}`)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { tell(t, dir, "gemini", "BeforeAgent", `{"session_id":"s1","prompt":"again"}`) })
	}
	all.Wait()
	if prompts, _ := os.ReadFile(filepath.Join(dir, "prompts")); bytes.Count(prompts, []byte(`"again"`)) != 3 {
		t.Errorf("plugins got %s, want the prompt a and 3 of 4", prompts)
	}
}

// A prompt is the agent's own only if chibi knows that. It is a person's if Qwen Code never says which prompt the
// person submitted, and if the same text comes in a different session, from a different agent, again, or after the
// turn has ended.
func TestInDoubtAPromptIsAPersons(t *testing.T) {
	again := script("again", `"pre_stop", "pre_message"`, `[ $CHIBI_HOOK = pre_stop ] || {
  cat >>"$CHIBI_HOME/prompts"; exit; }
[ -e "$CHIBI_HOME/quiet" ] || echo '{"follow_up_messages":["again"]}'`)
	type step struct{ event, members string }
	prompt := func(event, text string) step { return step{event, `,"prompt":"` + text + `"`} }
	stop, quiet, other := step{"stop", ""}, step{"quiet", ""}, step{"other session", ""}
	for name, test := range map[string]struct {
		agent, stop string
		steps       []step
		want        string
	}{
		"Gemini CLI goes on": {"gemini", "AfterAgent", []step{prompt("BeforeAgent", "a"), stop,
			prompt("BeforeAgent", "again")}, "a"},
		"the person then says the same": {"gemini", "AfterAgent", []step{prompt("BeforeAgent", "a"), stop,
			prompt("BeforeAgent", "again"), prompt("BeforeAgent", "again")}, "a|again"},
		"another hook adds to it": {"gemini", "AfterAgent", []step{prompt("BeforeAgent", "a"), stop,
			prompt("BeforeAgent", "again and more"), prompt("BeforeAgent", "again")}, "a|again and more|again"},
		"the turn has ended": {"gemini", "AfterAgent", []step{prompt("BeforeAgent", "a"), stop, quiet, stop,
			prompt("BeforeAgent", "again")}, "a|again"},
		"the stop of another session": {"gemini", "AfterAgent", []step{prompt("BeforeAgent", "a"), other, stop, other,
			prompt("BeforeAgent", "again")}, "a|again"},
		"an agent that does not ask again": {"claude", "Stop", []step{prompt("UserPromptSubmit", "a"), stop,
			prompt("UserPromptSubmit", "again")}, "a|again"},
		"Qwen Code never says what was submitted": {"qwen", "Stop", []step{prompt("UserPromptSubmit", "a"), stop,
			prompt("UserPromptSubmit", "again")}, "a|again"},
		"Qwen Code says it in another session": {"qwen", "Stop", []step{other,
			{"UserPromptSubmit", `,"prompt":"b","submitted_prompt":"b"`}, other, prompt("UserPromptSubmit", "a")}, "b|a"},
		"Qwen Code in a sub-agent": {"qwen", "Stop", []step{{"UserPromptSubmit", `,"prompt":"b","submitted_prompt":"b"`},
			{"UserPromptSubmit", `,"agent_id":"x","prompt":"task"`}}, "b|task"},
	} {
		dir, session := home(t, "", map[string]string{"again": again}), "s1"
		e := event(dir, "")
		e.Agent, _ = agents.ByName(test.agent)
		for _, s := range test.steps {
			switch e.Name = s.event; s {
			case stop:
				e.Name = test.stop
			case quiet:
				if err := os.WriteFile(filepath.Join(dir, "quiet"), nil, 0o600); err != nil {
					t.Fatal(err)
				}
				continue
			case other:
				session = map[string]string{"s1": "s2", "s2": "s1"}[session]
				continue
			}
			e.Answer(t.Context(), strings.NewReader(`{"session_id":"`+session+`"`+s.members+`}`))
		}
		if got := promptsIn(t, dir, test.agent, "s1"); !strings.HasPrefix(got, "asked: "+test.want+" traced") {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
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
		e.Agent, _ = agents.ByName("cursor")
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
