// Package plugintest is the conformance suite of plugin protocols: [Run] runs real
// processes through a real host and checks the promises of plugin.Host. A new protocol
// uses it by adding a constructor. It is for tests only.
package plugintest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
)

// Protocol is what the suite needs to know about a protocol.
type Protocol struct {
	// New makes a plugin that subscribes to the point before a tool runs. Its process is a
	// script for sh with this body, bounded by timeout.
	New func(t *testing.T, name, body string, timeout time.Duration) plugin.Plugin
	// Block is the answer that refuses the call with a message, and Rewrite
	// the one that gives it other arguments (raw JSON).
	Block   func(message string) string
	Rewrite func(arguments string) string
	// FailureBlocks says that a failure blocks where the point has no other rule.
	FailureBlocks bool
	// Gather, Observe and Claim are points of these modes that the protocol knows; nil
	// where it knows none.
	Gather, Observe, Claim *Point
}

// Point is a point besides the one before a tool runs.
type Point struct {
	Info hookpoints.Info
	// Payload is a payload of the point, as JSON.
	Payload string
	// New makes a plugin that subscribes to the point, as Protocol.New does.
	New func(t *testing.T, name, body string) plugin.Plugin
	// Answer is an answer with a text, which takes effect where answers do.
	Answer func(text string) string
}

// Run runs the suite.
func Run(t *testing.T, p Protocol) {
	s := suite{p}
	t.Run("answers", s.answers)
	t.Run("composition", s.composition)
	t.Run("failures", s.failures)
	t.Run("a payload of 10 MB that nobody reads", s.unreadPayload)
	t.Run("calling off", s.callingOff)
	for mode, point := range map[string]*Point{"gather": s.Gather, "observe": s.Observe, "claim": s.Claim} {
		if point != nil {
			t.Run(mode, point.run)
		}
	}
}

type suite struct{ Protocol }

// long is a time limit that no healthy process reaches.
const long = time.Minute

// say is a script that prints an answer.
func say(answer string) string {
	return "cat <<'ANSWER'\n" + answer + "\nANSWER"
}

func (s suite) plugins(t *testing.T, bodies ...string) *plugin.Host {
	t.Helper()
	h := &plugin.Host{}
	for i, body := range bodies {
		h.Plugins = append(h.Plugins, s.New(t, string(rune('a'+i)), body, long))
	}
	return h
}

// fire asks the host about a call with these arguments.
func fire(t *testing.T, h *plugin.Host, arguments string) hookpoints.PreToolAnswer {
	t.Helper()
	call := hookpoints.PreToolPayload{ToolName: "shell", Arguments: json.RawMessage(arguments)}
	verdict, err := plugin.Fire(t.Context(), h, hookpoints.PreTool, call)
	if err != nil {
		t.Fatal(err)
	}
	return verdict
}

func (s suite) answers(t *testing.T) {
	large := `{"text":"` + strings.Repeat("x", 2<<20) + `"}`
	for _, test := range []struct{ name, body, arguments, message string }{
		{name: "silence", body: ""},
		{name: "an empty object", body: "echo '{}'"},
		{name: "a rewrite", body: say(s.Rewrite(`{"dir":"/tmp"}`)), arguments: `{"dir":"/tmp"}`},
		{name: "a rewrite that changes nothing", body: say(s.Rewrite(`{"dir":"/"}`))},
		{name: "2 MB on one line", body: say(s.Rewrite(large)), arguments: large},
		{name: "a block", body: say(s.Block("no")), message: "no"},
		{name: "a background child that holds the pipe", body: "sleep 600 &\n" + say(s.Block("no")), message: "no"},
	} {
		t.Run(test.name, func(t *testing.T) {
			verdict := fire(t, s.plugins(t, test.body), `{"dir":"/"}`)
			if string(verdict.Arguments) != test.arguments || verdict.Message != test.message ||
				verdict.Block != (test.message != "") {
				t.Errorf("verdict = %.200v", verdict)
			}
		})
	}
}

func (s suite) composition(t *testing.T) {
	appendDir := `dir=$(sed -n 's/.*"dir":"\([^"]*\)".*/\1/p')` + "\n" +
		strings.ReplaceAll(say(s.Rewrite(`{"dir":"DIR"}`)), "<<'ANSWER'", "<<ANSWER")
	verdict := fire(t, s.plugins(t, strings.ReplaceAll(appendDir, "DIR", "${dir}1"),
		strings.ReplaceAll(appendDir, "DIR", "${dir}2")), `{"dir":"/"}`)
	if string(verdict.Arguments) != `{"dir":"/12"}` {
		t.Errorf("rewrites do not chain: %s", verdict.Arguments)
	}
	var results []plugin.Result
	h := s.plugins(t, say(s.Block("first")), say(s.Block("second")))
	h.Trace = func(r plugin.Record) { results = append(results, r.Result) }
	if verdict := fire(t, h, `{}`); verdict.Message != "first" ||
		!slices.Equal(results, []plugin.Result{plugin.Blocked, plugin.Skipped}) {
		t.Errorf("verdict %+v, results %q", verdict, results)
	}
}

func (s suite) failures(t *testing.T) {
	for _, test := range []struct {
		name, body string
		timeout    time.Duration
	}{
		{"an exit status", "exit 3", long},
		{"a signal", "kill -KILL $$", long},
		{"no end", "exec sleep 600", 200 * time.Millisecond},
		{"SIGTERM is ignored", "trap '' TERM\nwhile :; do sleep 600; done", 200 * time.Millisecond},
		{"1 GB", "exec head -c 1073741824 /dev/zero", long},
	} {
		t.Run(test.name, func(t *testing.T) {
			var notices []string
			h := &plugin.Host{
				Plugins: []plugin.Plugin{s.New(t, "a", test.body, test.timeout)},
				Notify:  func(n plugin.Notice) { notices = append(notices, n.String()) },
			}
			if verdict := fire(t, h, `{}`); verdict.Block != s.FailureBlocks {
				t.Errorf("verdict = %+v", verdict)
			}
			// Where its start alone takes the time, a resident is asked again, and a record says so.
			notices = slices.DeleteFunc(notices, func(n string) bool { return strings.Contains(n, "asked again") })
			if len(notices) != 1 || !strings.Contains(notices[0], fmt.Sprintf("plugin %q at ", h.Plugins[0].Name)) {
				t.Errorf("notices = %q, want one that names the plugin", notices)
			}
			h.Plugins[0].OnFailure = plugin.Block
			if verdict := fire(t, h, `{}`); !verdict.Block {
				t.Error("a failure that is to block did not")
			}
		})
	}
}

func (s suite) unreadPayload(t *testing.T) {
	verdict := fire(t, s.plugins(t, say(s.Block("no"))), `{"text":"`+strings.Repeat("x", 10<<20)+`"}`)
	if verdict.Message != "no" {
		t.Errorf("verdict = %.200v", verdict)
	}
}

func (s suite) callingOff(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	h := s.plugins(t, "sleep 600")
	h.Waiting = func(hookpoints.Name, string) func() {
		cancel()
		return func() {}
	}
	if _, err := plugin.Fire(ctx, h, hookpoints.PreTool,
		hookpoints.PreToolPayload{Arguments: json.RawMessage("{}")}); !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v", err)
	}
}
