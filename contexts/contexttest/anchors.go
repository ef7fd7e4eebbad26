package contexttest

import (
	"testing"

	"github.com/chibi-host/chibi/contexts"
)

// anchorRules are the rules of what starts a new window.
type anchorRules struct{ suite }

func (s anchorRules) rules() []rule {
	return []rule{
		{"archiving empties the window and removes the summary", func(t *testing.T) {
			s.begins(t, (*contexts.Context).Archive, "", "")
		}},
		{"compacting keeps the given entries and sets the summary", func(t *testing.T) {
			s.begins(t, func(c *contexts.Context) error {
				entries, err := c.Window(t.Context())
				must(t, err)
				return c.Compact("new", entries[len(entries)-1:])
			}, "three", "new")
		}},
		{"replacing sets the window and leaves the summary", func(t *testing.T) {
			s.begins(t, func(c *contexts.Context) error { return c.Replace(Story("u:other a:words")) }, "other words", "old")
		}},
		{"superseding sets the window and removes the summary", func(t *testing.T) {
			s.begins(t, func(c *contexts.Context) error { return c.Supersede(Story("u:other")) }, "other", "")
		}},
		{"an empty summary changes nothing", func(t *testing.T) {
			c := s.work(t)
			say(t, c, "one")
			if err := c.Compact(" \n", nil); err == nil {
				t.Error("an empty summary was accepted")
			}
			equal(t, "window", "one", window(t, c))
		}},
		{"an empty context can be archived", func(t *testing.T) {
			c := s.work(t)
			must(t, c.Archive())
			equal(t, "window", "", window(t, c))
		}},
	}
}

// begins compacts a conversation, continues it, and does something that starts a
// new window: what is no longer in the window stays in the transcript, and the
// conversation continues.
func (s anchorRules) begins(t *testing.T, anchor func(*contexts.Context) error, wantWindow, wantSummary string) {
	h := s.open(t, at(start()))
	c := in(t, h(), "work")
	say(t, c, "one")
	must(t, c.Compact("old", nil))
	say(t, c, "two", "three")
	equal(t, "summary before", "old", read(t, c.Summary))
	must(t, anchor(c))
	for _, c := range []*contexts.Context{c, in(t, h(), "work")} {
		equal(t, "window", wantWindow, window(t, c))
		equal(t, "summary", wantSummary, read(t, c.Summary))
	}
	entries, err := c.Window(t.Context())
	must(t, err)
	if entries[0].Metadata == nil || len(entries[0].Metadata.Replacement) > 0 {
		t.Errorf("the window does not begin with the anchor in the form for windows: %+v", entries[0])
	}
	say(t, c, "four")
	if wantWindow != "" {
		wantWindow += " "
	}
	equal(t, "window afterwards", wantWindow+"four", window(t, in(t, h(), "work")))
	equal(t, "transcript", "one two three four", Contents(contexts.Messages(history(t, c, contexts.Query{}))))
}
