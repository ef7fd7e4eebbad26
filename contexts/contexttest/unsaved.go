package contexttest

import (
	"testing"

	"github.com/chibi-host/chibi/contexts"
)

// unsavedRules are the rules of a store that keeps nothing of what a run does.
type unsavedRules struct{ suite }

func (s unsavedRules) rules() []rule {
	return []rule{
		{"a store that keeps nothing has what was there, and what its process changes", s.seesItsOwn},
		{"what a store that keeps nothing changes is in no other", s.keepsNothing},
	}
}

// worked returns a home with a context that has everything.
func (s unsavedRules) worked(t *testing.T) *contexts.Store {
	h := s.home(t)
	c := in(t, h, "work")
	say(t, c, "one", "two")
	must(t, c.Compact("so far", nil))
	say(t, c, "three")
	must(t, c.SetTodos("to do"))
	must(t, c.SetGoals("a goal"))
	must(t, c.SetReflection("me"))
	must(t, in(t, h, "boss").Send("work", "boss", "hello"))
	return h
}

// heldBy describes everything that a context has.
func heldBy(t *testing.T, h *contexts.Store, name string) []any {
	t.Helper()
	c := in(t, h, name)
	mail, err := c.Mail(t.Context())
	must(t, err)
	session, err := c.Session(t.Context())
	must(t, err)
	info, err := h.Info(t.Context(), name)
	must(t, err)
	return []any{transcript(t, c), window(t, c), read(t, c.Summary), read(t, c.Todos), read(t, c.Goals),
		read(t, c.Reflection), mail, session, info}
}

func (s unsavedRules) seesItsOwn(t *testing.T) {
	h := s.worked(t)
	_, unlock, err := in(t, h, "work").Lock(t.Context())
	must(t, err)
	defer unlock() // it keeps nobody out who keeps nothing
	u := h.Unsaved()
	c := in(t, u, "work")
	_, unlockOwn, err := c.Lock(t.Context())
	must(t, err)
	defer unlockOwn()
	before, err := c.Session(t.Context())
	must(t, err)
	say(t, c, "four")
	must(t, c.SetTodos(""))
	must(t, c.SetReflection("myself"))
	after, err := c.Session(t.Context())
	must(t, err)
	equal(t, "session", before, after)
	mail, err := c.Mail(t.Context())
	must(t, err)
	equal(t, "mail", 0, len(mail))
	for _, c := range []*contexts.Context{c, in(t, u, "work")} {
		equal(t, "held", []string{"three four", "so far", "", "a goal", "myself"},
			[]string{window(t, c), read(t, c.Summary), read(t, c.Todos), read(t, c.Goals), read(t, c.Reflection)})
	}
	must(t, c.Archive())
	equal(t, "archived", []string{"", ""}, []string{window(t, c), read(t, c.Summary)})
	say(t, in(t, u, "new"), "hi")
	equal(t, "new", "hi", window(t, in(t, u, "new")))
}

func (s unsavedRules) keepsNothing(t *testing.T) {
	h := s.worked(t)
	u := h.Unsaved()
	describe := func() []any {
		names, err := h.Names(t.Context())
		must(t, err)
		state, err := h.State(t.Context())
		must(t, err)
		return append(heldBy(t, h, "work"), names, state)
	}
	before := describe()
	c := in(t, u, "work")
	say(t, c, "four")
	must(t, c.Compact("shorter", nil))
	must(t, c.SetTodos("other"))
	must(t, c.SetReflection("myself"))
	must(t, c.SetSystemPrompt("be kind"))
	must(t, u.Touch("work"))
	must(t, c.RemoveMail())
	if err := c.Send("boss", "work", "done"); err == nil {
		t.Error("a message was sent")
	}
	_, err := u.Switch("other")
	must(t, err)
	name, err := u.New(t.Context(), "job")
	must(t, err)
	say(t, in(t, u, name), "five")
	must(t, c.Rename("away"))
	_, err = in(t, u, "boss").Delete()
	must(t, err)
	equal(t, "the home", before, describe())
}
