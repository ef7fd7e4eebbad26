package contexttest

import (
	"testing"

	"github.com/chibi-host/chibi/contexts"
	"github.com/google/uuid"
)

// sessionRules are the rules of which conversation a context has.
type sessionRules struct{ suite }

func (s sessionRules) rules() []rule {
	return []rule{
		{"a new context learns what its conversation will be", s.begins},
		{"a conversation goes on when its window is replaced, and when its context is renamed", s.goesOn},
		{"archiving begins another conversation", s.archived},
		{"contexts have different conversations, also one that was deleted and its successor", s.different},
	}
}

func (s sessionRules) begins(t *testing.T) {
	h := s.open(t, at(start()))
	c := in(t, h(), "work")
	before := session(t, c)
	if !before.Empty || before.Cleared || uuid.Validate(before.ID) != nil {
		t.Errorf("before the first entry: %+v", before)
	}
	if h().Exists(t.Context(), "work") {
		t.Error("asking created the context")
	}
	say(t, c, "one")
	before.Empty = false
	equal(t, "after the first entry", before, session(t, c))
	equal(t, "opened again", before, session(t, in(t, h(), "work")))
}

func (s sessionRules) goesOn(t *testing.T) {
	h := s.open(t, at(start()))
	c := in(t, h(), "work")
	say(t, c, "one", "two")
	want := session(t, c)
	for _, step := range []func() error{
		func() error { return c.Compact("summary", nil) }, func() error { return c.Compact("again", nil) },
		func() error { return c.Replace(Story("u:other a:words")) }, func() error { return c.Supersede(nil) },
		func() error { return c.Rename("play") },
	} {
		must(t, step())
		equal(t, "conversation", want, session(t, c))
		equal(t, "opened again", want, session(t, in(t, h(), c.Name())))
	}
	say(t, c, "three")
	equal(t, "conversation", want, session(t, c))
}

func (s sessionRules) archived(t *testing.T) {
	c := s.work(t)
	say(t, c, "one")
	seen := map[string]bool{session(t, c).ID: true}
	for range 2 {
		must(t, c.Archive())
		cleared := session(t, c)
		if seen[cleared.ID] || !cleared.Cleared || !cleared.Empty {
			t.Errorf("archived: %+v, after %v", cleared, seen)
		}
		say(t, c, "two")
		cleared.Empty = false
		equal(t, "after the first entry", cleared, session(t, c))
		must(t, c.Compact("summary", nil))
		equal(t, "compacted", cleared.ID, session(t, c).ID)
		seen[cleared.ID] = true
	}
}

func (s sessionRules) different(t *testing.T) {
	h := s.home(t)
	work, play := in(t, h, "work"), in(t, h, "play")
	say(t, work, "one")
	say(t, play, "one")
	old := session(t, work).ID
	if old == session(t, play).ID {
		t.Errorf("both are %s", old)
	}
	if _, err := work.Delete(); err != nil {
		t.Fatal(err)
	}
	say(t, work, "one")
	if session(t, work).ID == old {
		t.Errorf("the new one is %s too", old)
	}
}

func session(t *testing.T, c *contexts.Context) contexts.Session {
	t.Helper()
	got, err := c.Session(t.Context())
	must(t, err)
	return got
}
