package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/tools"
)

// meeting is where calls wait for each other: they only go on when all are there.
type meeting struct {
	expected sync.WaitGroup
	missed   time.Duration // after which a call gives up
}

func meetingOf(n int) *meeting {
	m := &meeting{missed: time.Minute}
	m.expected.Add(n)
	return m
}

// arrive waits for the others.
func (m *meeting) arrive() string {
	m.expected.Done()
	all := make(chan struct{})
	go func() {
		m.expected.Wait()
		close(all)
	}()
	select {
	case <-all:
		return "met"
	case <-time.After(m.missed):
		return "alone"
	}
}

// together adds a tool whose calls can run at the same time as others.
func (h *harness) together(name string, run func(tools.Call) tools.Result) {
	h.t.Helper()
	logged := func(call tools.Call) tools.Result {
		h.note("run %s %s", name, call.Arguments)
		return run(call)
	}
	spec := tools.Spec{Name: name, Parameters: json.RawMessage(`{}`), Parallel: true}
	if err := h.Tools.Add(goTool{spec, logged}); err != nil {
		h.t.Fatal(err)
	}
}

// TestCallsRunAtTheSameTime: three calls only end when all three have begun; their hooks,
// results and entries come in the order of the calls.
func TestCallsRunAtTheSameTime(t *testing.T) {
	h := newHarness(t, calls("look", `{"n":1}`, "look", `{"n":2}`, "look", `{"n":3}`), says("hello"))
	m := meetingOf(3)
	h.together("look", func(call tools.Call) tools.Result {
		return tools.Result{Text: m.arrive() + string(call.Arguments)}
	})
	h.prompt("hi")
	var ordered []string
	for _, line := range h.log {
		if !strings.HasPrefix(line, "run ") { // these have no order
			ordered = append(ordered, line)
		}
	}
	begun := append(begins("hi"), asks...)
	for n := 1; n <= 3; n++ {
		begun = append(begun, fmt.Sprintf(`store call look {"n":%d}`, n))
	}
	begun = append(begun, "post_turn", "pre_tool", "pre_tool", "pre_tool")
	for n := 1; n <= 3; n++ {
		begun = append(begun, "pre_tool_output", "post_tool_output", fmt.Sprintf(`store result look met{"n":%d}`, n),
			"post_tool")
	}
	same(t, "log", ordered[:len(begun)], begun)
}

// TestOtherCallsAreBarriers: a call that does not say that it can run beside others runs
// alone, after those before it and before those behind it.
func TestOtherCallsAreBarriers(t *testing.T) {
	h := newHarness(t, calls("look", "{}", "look", `{"n":2}`, "echo", `{}`, "look", `{"n":3}`), says("hello"))
	m := meetingOf(2)
	h.together("look", func(call tools.Call) tools.Result {
		if string(call.Arguments) == `{"n":3}` {
			return tools.Result{Text: "after"}
		}
		return tools.Result{Text: m.arrive()}
	})
	h.prompt("hi")
	log := strings.Join(h.log, "\n")
	for _, order := range [][2]string{
		{"store result look met", "run echo"}, {"store result echo {}", `run look {"n":3}`},
	} {
		if strings.Index(log, order[0]) > strings.Index(log, order[1]) {
			t.Errorf("%q comes before %q:\n%s", order[1], order[0], log)
		}
	}
}

// TestAtMostEightCallsRunAtTheSameTime.
func TestAtMostEightCallsRunAtTheSameTime(t *testing.T) {
	var wanted []string
	for n := range 20 {
		wanted = append(wanted, "look", fmt.Sprintf(`{"n":%d}`, n))
	}
	h := newHarness(t, calls(wanted...), says("hello"))
	var mu sync.Mutex
	now, most := 0, 0
	count := func(by int) {
		mu.Lock()
		defer mu.Unlock()
		now += by
		most = max(most, now)
	}
	m := meetingOf(maxTogether)
	h.together("look", func(call tools.Call) tools.Result {
		count(1)
		defer count(-1)
		var args struct{ N int }
		if json.Unmarshal(call.Arguments, &args) == nil && args.N < maxTogether {
			m.arrive()
		}
		return tools.Result{Text: string(call.Arguments)}
	})
	h.prompt("hi")
	if most != maxTogether {
		t.Errorf("%d at the same time, want %d", most, maxTogether)
	}
	if got := strings.Count(strings.Join(h.window(), "\n"), "result look"); got != 20 {
		t.Errorf("%d results", got)
	}
}

// TestPermissionsOfCallsThatRunTogetherAreAskedFirst, in order; what is denied does not hold
// up the others.
func TestPermissionsOfCallsThatRunTogetherAreAskedFirst(t *testing.T) {
	h := newHarness(t, calls("look", `{"n":1}`, "look", `{"n":"rule deny"}`, "look", `{"n":"rule allow"}`), says("hello"))
	m := meetingOf(2)
	h.together("look", func(tools.Call) tools.Result { return tools.Result{Text: m.arrive()} })
	h.Gate = &permissions.Gate{Policy: policy{}}
	h.prompt("hi")
	var kinds []string
	for _, e := range h.events {
		switch e.Kind {
		case EventPermission:
			kinds = append(kinds, string(e.Permission.Decision)+" "+e.Permission.ID)
		case EventTool, EventCall:
			kinds = append(kinds, string(e.Kind)+" "+e.Call.ID)
		}
	}
	same(t, "events", kinds, []string{"deny c2", "allow c3", "tool c1", "tool c3", "call c1", "call c2", "call c3"})
	same(t, "sent", h.sent()[1], "user:hi assistant: tool:met tool:Permission denied: the rule denies it tool:met")
}

// TestAnInterruptedGroupLeavesNothingBehind: files of outputs that nobody gets are removed.
func TestAnInterruptedGroupLeavesNothingBehind(t *testing.T) {
	h := newHarness(t, calls("look", `{"n":1}`, "look", `{"n":2}`), says("hello"))
	ctx, cancel := context.WithCancel(t.Context())
	m := meetingOf(2)
	path := filepath.Join(t.TempDir(), "output")
	h.together("look", func(call tools.Call) tools.Result {
		defer cancel()
		if string(call.Arguments) == `{"n":1}` {
			m.arrive()
			return tools.Result{}
		}
		f, err := os.Create(path)
		if err != nil {
			t.Error(err)
		}
		m.arrive()
		return tools.Result{File: tools.NewOutputFile(f, 0)}
	})
	if _, err := h.Prompt(ctx, "hi"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file of an output is still there: %v", err)
	}
}

// TestHooksSeeCallsThatRunTogetherInOrder, each with its own call.
func TestHooksSeeCallsThatRunTogetherInOrder(t *testing.T) {
	h := newHarness(t, calls("look", `{"n":1}`, "look", `{"n":2}`), says("hello"))
	m := meetingOf(2)
	h.together("look", func(call tools.Call) tools.Result {
		m.arrive()
		return tools.Result{Text: string(call.Arguments)}
	})
	posts := observe(h, hookpoints.PostTool)
	h.prompt("hi")
	var got []string
	for _, p := range *posts {
		got = append(got, p.ToolCallID+string(p.Arguments)+p.Result)
	}
	same(t, "post_tool", got, []string{`c1{"n":1}{"n":1}`, `c2{"n":2}{"n":2}`})
}

// BenchmarkCallsTogether takes turns with eight calls that run at the same time, and turns
// with one: the ratio of their times is what waiting for seven more calls costs.
func BenchmarkCallsTogether(b *testing.B) {
	const slow = 50 * time.Millisecond
	turn := func(n int) time.Duration {
		var wanted []string
		for i := range n {
			wanted = append(wanted, "look", fmt.Sprintf(`{"n":%d}`, i))
		}
		h := newHarness(b, calls(wanted...), says("hello"))
		h.together("look", func(tools.Call) tools.Result {
			time.Sleep(slow)
			return tools.Result{Text: "seen"}
		})
		begun := time.Now()
		h.prompt("hi")
		return time.Since(begun)
	}
	var together, alone time.Duration
	for b.Loop() {
		together += turn(maxTogether)
		alone += turn(1)
	}
	b.ReportMetric(float64(together)/float64(alone), "x-slowest")
}
