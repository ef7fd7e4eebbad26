package agent

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/tools"
)

// TestARepeatedCallEndsTheTurn: the model is told of it from the second repetition, the
// person each time, and the fifth one ends the turn.
func TestARepeatedCallEndsTheTurn(t *testing.T) {
	h := newHarness(t, calls("echo", "{}"))
	outputs := observe(h, hookpoints.PostToolOutput)
	if answer := h.prompt("hi"); answer != "" {
		t.Errorf("answer %q", answer)
	}
	var got, noticed []string
	for _, p := range *outputs {
		got = append(got, p.FinalOutput)
	}
	told := func(n int) string {
		return fmt.Sprintf("{}\n[This call has been repeated %d times with the same arguments and the same result. Do "+
			"something else, or answer.]", n)
	}
	same(t, "results", got, []string{"{}", "{}", told(2), told(3), told(4), told(5)})
	for n := 2; n <= 5; n++ {
		noticed = append(noticed, fmt.Sprintf("the model repeated the call of echo %d times with the same arguments and the "+
			"same result", n))
	}
	noticed[3] += "; the turn ends"
	same(t, "notices", h.notices, noticed)
	if window := h.window(); !strings.HasSuffix(window[len(window)-1], "5 times with the same arguments and the same "+
		"result. Do something else, or answer.]") {
		t.Errorf("the last result is stored as %q", window[len(window)-1])
	}
}

// TestWhatIsNoRepetition: another tool, other arguments or another result in between.
func TestWhatIsNoRepetition(t *testing.T) {
	n := 0
	for name, replies := range map[string][]reply{
		"other arguments": {calls("echo", "{}", "echo", "{}", "echo", `{"n":1}`, "echo", "{}", "echo", "{}"), says("done")},
		"another tool":    {calls("echo", "{}", "echo", "{}", "count", "{}", "echo", "{}", "echo", "{}"), says("done")},
		"another result":  {calls("count", "{}", "count", "{}", "count", "{}", "count", "{}"), says("done")},
	} {
		h := newHarness(t, replies...)
		h.tool("count", func(tools.Call) tools.Result {
			n++
			return tools.Result{Text: fmt.Sprint(n)}
		})
		if h.prompt("hi"); len(h.notices) > 0 {
			t.Errorf("%s: %q", name, h.notices)
		}
	}
}

// TestCachedResultsAreNotCompared: each has an id of its own.
func TestCachedResultsAreNotCompared(t *testing.T) {
	h := newHarness(t, calls("count", "{}", "count", "{}", "count", "{}"), says("done"))
	h.Settings.CacheThreshold = 3
	n := 1000
	h.tool("count", func(tools.Call) tools.Result {
		n++
		return tools.Result{Text: fmt.Sprint(n)}
	})
	h.prompt("hi")
	h.noticed("the model repeated the call of count 2 times with the same arguments")
}

// TestCallsBehindTheLastRepetitionAreAnswered, because each call needs a result.
func TestCallsBehindTheLastRepetitionAreAnswered(t *testing.T) {
	var wanted []string
	for range 7 {
		wanted = append(wanted, "echo", "{}")
	}
	h := newHarness(t, calls(append(wanted, "look", "{}")...))
	h.tool("look", func(tools.Call) tools.Result { return tools.Result{Text: "ran"} })
	h.prompt("hi")
	if len(h.model.requests) != 1 || strings.Contains(strings.Join(h.log, "\n"), "run look") {
		t.Errorf("%d requests; %q", len(h.model.requests), h.log)
	}
	window := h.window()
	same(t, "last results", window[len(window)-2:], []string{
		"result echo Error: not run: the turn ended before: a call was repeated too often",
		"result look Error: not run: the turn ended before: a call was repeated too often",
	})
}
