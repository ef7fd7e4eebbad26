package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
)

var errDisk = errors.New("the disk is full")

// faulty is a context with one method that fails from its nth call on.
type faulty struct {
	Context
	method string
	nth    int
	calls  int
}

func (f *faulty) check(method string) error {
	if method != f.method {
		return nil
	}
	if f.calls++; f.calls < f.nth {
		return nil
	}
	return errDisk
}

// or is a result, unless the method fails.
func or[T any](err error, read func() (T, error)) (none T, _ error) {
	if err != nil {
		return none, err
	}
	return read()
}

// unless does something, unless the method fails.
func unless(err error, write func() error) error {
	if err != nil {
		return err
	}
	return write()
}

func (f *faulty) Append(entries ...contexts.Entry) error {
	return unless(f.check("Append"), func() error { return f.Context.Append(entries...) })
}
func (f *faulty) Window(ctx context.Context) ([]contexts.Entry, error) {
	return or(f.check("Window"), func() ([]contexts.Entry, error) { return f.Context.Window(ctx) })
}
func (f *faulty) Unanswered(ctx context.Context) ([]contexts.Entry, error) {
	return or(f.check("Unanswered"), func() ([]contexts.Entry, error) { return f.Context.Unanswered(ctx) })
}
func (f *faulty) Archive() error { return unless(f.check("Archive"), f.Context.Archive) }
func (f *faulty) Compact(summary string, keep []contexts.Entry) error {
	return unless(f.check("Compact"), func() error { return f.Context.Compact(summary, keep) })
}
func (f *faulty) Replace(entries []contexts.Entry) error {
	return unless(f.check("Replace"), func() error { return f.Context.Replace(entries) })
}
func (f *faulty) Todos(ctx context.Context) (string, error) {
	return or(f.check("Todos"), func() (string, error) { return f.Context.Todos(ctx) })
}
func (f *faulty) SystemPrompt(ctx context.Context) (string, error) {
	return or(f.check("SystemPrompt"), func() (string, error) { return f.Context.SystemPrompt(ctx) })
}
func (f *faulty) NoteSystemPrompt(combined string) error {
	return unless(f.check("NoteSystemPrompt"), func() error { return f.Context.NoteSystemPrompt(combined) })
}
func (f *faulty) Summary(ctx context.Context) (string, error) {
	return or(f.check("Summary"), func() (string, error) { return f.Context.Summary(ctx) })
}
func (f *faulty) Mail(ctx context.Context) ([]contexts.Mail, error) {
	return or(f.check("Mail"), func() ([]contexts.Mail, error) { return f.Context.Mail(ctx) })
}
func (f *faulty) RemoveMail() error { return unless(f.check("RemoveMail"), f.Context.RemoveMail) }
func (f *faulty) Send(to, from, text string) error {
	return unless(f.check("Send"), func() error { return f.Context.Send(to, from, text) })
}

// TestWhatTheStoreReportsEndsTheTurn, and nothing happens after it: no tool runs whose
// call is not stored, no request is sent whose prompt is not.
func TestWhatTheStoreReportsEndsTheTurn(t *testing.T) {
	replace := hookpoints.PostTurnAnswer{Messages: []hookpoints.ChatMessage{{Role: "user", Content: "sum"}}}
	for _, test := range []struct {
		method string
		nth    int
		setup  func(*harness)
		last   string // of the log
	}{
		{"Summary", 1, nil, ""},
		{"Mail", 1, nil, "pre_message"},
		{"Append", 1, nil, "pre_message"},
		{"Window", 1, nil, "store user hi"},
		{"SystemPrompt", 1, nil, "store user hi"},
		{"Todos", 1, nil, "store user hi"},
		{"NoteSystemPrompt", 1, nil, "post_system_prompt"},
		{"Append", 2, nil, "request"},          // the call
		{"Append", 3, nil, "post_tool_output"}, // its result
		{"Append", 4, nil, "show "},            // the answer
		{"RemoveMail", 1, func(h *harness) { h.context("other").Send("work", "other", "news") }, "pre_stop"},
		{"Append", 5, func(h *harness) {
			h.plug("p", answerAt(hookpoints.PreStop, hookpoints.PreStopAnswer{FollowUpMessages: []string{"more"}}))
		}, "pre_stop"},
		{"Replace", 1, func(h *harness) { h.plug("p", answerAt(hookpoints.PostTurn, replace)) }, "pre_compact"},
		{"Summary", 2, nil, "store user hi"},
		{"Summary", 3, func(h *harness) { h.plug("p", answerAt(hookpoints.PostTurn, replace)) }, "post_tool"},
		{"Summary", 4, func(h *harness) { h.plug("p", answerAt(hookpoints.PostTurn, replace)) }, "pre_compact"},
	} {
		t.Run(fmt.Sprint(test.method, " ", test.nth), func(t *testing.T) {
			h := newHarness(t, calls("echo", "{}"), says("hello"))
			if test.setup != nil {
				test.setup(h)
			}
			h.Context = &faulty{Context: h.Context, method: test.method, nth: test.nth}
			_, err := h.Prompt(t.Context(), "hi")
			last, log := "", h.untilFailed()
			if len(log) > 0 {
				last, _, _ = strings.Cut(log[len(log)-1], "--- INBOX")
			}
			if !errors.Is(err, errDisk) || last != test.last {
				t.Errorf("%v; the last that happened is %q, want %q", err, last, test.last)
			}
		})
	}
}

// TestWhatTheStoreReportsOutsideTurns.
func TestWhatTheStoreReportsOutsideTurns(t *testing.T) {
	for _, test := range []struct {
		method string
		nth    int
		do     func(*harness) error
		last   string
	}{
		{"Unanswered", 1, func(h *harness) error { _, err := h.Retry(h.t.Context()); return err }, "pre_stop"},
		{"Window", 1, func(h *harness) error { return h.Clear(h.t.Context()) }, "pre_stop"},
		{"Summary", 1, func(h *harness) error { return h.Clear(h.t.Context()) }, "pre_stop"},
		{"Archive", 1, func(h *harness) error { return h.Clear(h.t.Context()) }, "pre_clear"},
		{"Send", 1, func(h *harness) error { _, err := h.Post(h.t.Context(), "", "a", "x"); return err },
			"pre_send_message"},
		{"Window", 1, compactIt, "pre_stop"},
		{"Todos", 1, compactIt, "pre_compact"},
		{"Compact", 1, compactIt, "request"},
		{"Window", 3, compactIt, "pre_stop"},
		{"Window", 4, compactIt, "request"},
	} {
		t.Run(fmt.Sprint(test.method, " ", test.nth, " ", test.last), func(t *testing.T) {
			h := newHarness(t, says("hello"))
			h.prompt("one")
			h.prompt("two")
			h.Context = &faulty{Context: h.Context, method: test.method, nth: test.nth}
			if err := test.do(h); !errors.Is(err, errDisk) || h.log[len(h.log)-1] != test.last {
				t.Errorf("%v; the last that happened is %q, want %q", err, h.log[len(h.log)-1], test.last)
			}
		})
	}
}

func compactIt(h *harness) error {
	_, err := h.Compact(h.t.Context())
	return err
}

// TestRollingCompactionThatCannotBeStored is said, and the prompt is answered with the
// window as it is.
func TestRollingCompactionThatCannotBeStored(t *testing.T) {
	h := crowded(t, says("[]"), says("summary"), says("done"))
	h.Context = &faulty{Context: h.Context, method: "Compact", nth: 1}
	h.prompt("question 6")
	h.noticed(`context "work" could not be compacted and continues as it is: the disk is full`)
	if sent := h.model.requests[2].sent(); !strings.HasPrefix(sent, "user:question 0 ") {
		t.Errorf("sent %q", sent)
	}
}

// TestAnEntryIsShownWhenItIsStored: what could not be stored is not shown as if it was.
func TestAnEntryIsShownWhenItIsStored(t *testing.T) {
	h := newHarness(t, calls("echo", "{}"), says("hello"))
	h.Context = &faulty{Context: h.Context, method: "Append", nth: 3}
	h.Prompt(t.Context(), "hi")
	if slices.ContainsFunc(h.log, func(line string) bool { return strings.HasPrefix(line, "store result") }) {
		t.Errorf("%q", h.log)
	}
}
