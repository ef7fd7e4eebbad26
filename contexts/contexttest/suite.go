// Package contexttest is the conformance suite of stores: [Run] tests what package
// contexts promises about a home, wherever it is kept. Files and memory pass it;
// pass the constructor of another implementation to test it. Each test is a rule
// of docs/operating/STORAGE.md. [Story] and [Contents] help to write further tests. The package is
// for tests only.
package contexttest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/contexts"
	"github.com/google/go-cmp/cmp"
)

// Options are the options with which the homes of a test are opened.
type Options struct {
	// Limits bound notes and messages.
	Limits contexts.Limits
	// Report receives the reports of a store.
	Report func(text string)
	// Now is the clock.
	Now func() time.Time
}

// Open makes an empty home. Each call of again opens it again, as another process
// would.
type Open func(t *testing.T, o Options) (again func() *contexts.Store)

// Run runs the suite.
func Run(t *testing.T, open Open) {
	s := suite{open}
	for _, group := range []struct {
		name  string
		tests []rule
	}{
		{"conversation", conversationRules{s}.rules()}, {"anchors", anchorRules{s}.rules()},
		{"session", sessionRules{s}.rules()},
		{"history", historyRules{s}.rules()}, {"texts", textRules{s}.rules()}, {"mail", mailRules{s}.rules()},
		{"failed mail", failedMailRules{s}.rules()},
		{"registry", registryRules{s}.rules()}, {"lifecycle", lifecycleRules{s}.rules()}, {"locks", lockRules{s}.rules()},
		{"many at once", concurrencyRules{s}.rules()}, {"nothing saved", unsavedRules{s}.rules()},
	} {
		t.Run(group.name, func(t *testing.T) {
			for _, r := range group.tests {
				t.Run(r.says, r.holds)
			}
		})
	}
}

// rule is one rule that a store keeps.
type rule struct {
	says  string
	holds func(t *testing.T)
}

// suite opens homes for the rules of each group, which embed it.
type suite struct{ open Open }

// start returns the time of the clock of tests, which stands still unless a test
// moves it.
func start() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// home returns an empty home.
func (s suite) home(t *testing.T) *contexts.Store { return s.open(t, at(start()))() }

// at returns options with a clock that stands still.
func at(now time.Time) Options { return Options{Now: func() time.Time { return now }} }

// work returns the context "work" of an empty home.
func (s suite) work(t *testing.T) *contexts.Context { return in(t, s.home(t), "work") }

// in opens a context.
func in(t *testing.T, h *contexts.Store, name string) *contexts.Context {
	t.Helper()
	c, err := h.Context(name)
	must(t, err)
	return c
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func equal(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmp.FilterPath(isOfManyMachines, cmp.Ignore())); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// isOfManyMachines finds what only stores have that many machines share: who wrote an
// entry, and when a lock ends.
func isOfManyMachines(p cmp.Path) bool {
	field := p.Last().String()
	return field == ".By" || field == ".Expires"
}

// say appends messages of a user.
func say(t *testing.T, c *contexts.Context, texts ...string) {
	t.Helper()
	for _, text := range texts {
		must(t, c.Append(contexts.UserMessage("ann", c.Name(), text)))
	}
}

// message returns an entry of a time, in seconds since 1970.
func message(text string, at int64) contexts.Entry {
	e := contexts.UserMessage("ann", "work", text)
	e.Timestamp = at
	return e
}

// window returns the contents of the messages in the window, separated by spaces.
func window(t *testing.T, c *contexts.Context) string {
	t.Helper()
	entries, err := c.Window(t.Context())
	must(t, err)
	return Contents(contexts.Messages(entries))
}

// Contents returns the contents of entries, separated by spaces.
func Contents(entries []contexts.Entry) string {
	var list []string
	for _, e := range entries {
		list = append(list, e.Content)
	}
	return strings.Join(list, " ")
}

// history returns the entries that a query selects.
func history(t *testing.T, c *contexts.Context, q contexts.Query) (list []contexts.Entry) {
	t.Helper()
	must(t, c.History(t.Context(), q, func(e contexts.Entry) bool { list = append(list, e); return true }))
	return list
}

// transcript returns the types and contents of all entries.
func transcript(t *testing.T, c *contexts.Context) (list []string) {
	t.Helper()
	for _, e := range history(t, c, contexts.Query{}) {
		list = append(list, fmt.Sprint(e.Type, " ", e.Content))
	}
	return list
}

// read reads a text.
func read(t *testing.T, text func(context.Context) (string, error)) string {
	t.Helper()
	got, err := text(t.Context())
	must(t, err)
	return got
}

// waiting returns the contents of the waiting mail, separated by spaces.
func waiting(t *testing.T, c *contexts.Context) string {
	t.Helper()
	mail, err := c.Mail(t.Context())
	must(t, err)
	var list []string
	for _, m := range mail {
		list = append(list, m.Content)
	}
	return strings.Join(list, " ")
}
