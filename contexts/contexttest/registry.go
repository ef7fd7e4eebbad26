package contexttest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chibi-host/chibi/contexts"
)

// registryRules are the rules of the list of contexts and of the current one.
type registryRules struct{ suite }

func (s registryRules) rules() []rule {
	return []rule{
		{"switching makes a context the current one, and the one before it the previous one", s.switching},
		{"a list has every context by name, and the current one", s.lists},
		{"a part of the contexts is listed: the first by name, or those that were used last", s.listsAPart},
		{"contexts that were made without being registered are registered with the next change", func(t *testing.T) {
			h := s.home(t)
			say(t, in(t, h, "passing"), "hello")
			must(t, h.Touch(contexts.DefaultName))
			info, err := h.Info(t.Context(), "passing")
			must(t, err)
			if !info.Created.Equal(start()) || !info.LastActivity.IsZero() {
				t.Errorf("info = %+v", info)
			}
		}},
		{"a name that no context can have is rejected wherever it enters", s.badNames},
		{"what is done daily is done once a day", s.daily},
		{"housekeeping registers contexts and changes nothing else", func(t *testing.T) {
			h := s.home(t)
			say(t, in(t, h, "work"), "one")
			must(t, h.Housekeep(t.Context()))
			must(t, h.Housekeep(t.Context()))
			info, err := h.Info(t.Context(), "work")
			must(t, err)
			if !info.Created.Equal(start()) {
				t.Errorf("info = %+v", info)
			}
			equal(t, "window", "one", window(t, in(t, h, "work")))
		}},
		{"a new name is the time, with a prefix, and a number if needed", s.newNames},
		{"each of many that make a context at once has its own", s.newAtOnce},
	}
}

func (s registryRules) switching(t *testing.T) {
	h := s.open(t, at(start()))
	state, err := h().State(t.Context())
	must(t, err)
	equal(t, "state of a new home", contexts.State{Current: contexts.DefaultName}, state)
	for _, step := range []struct {
		to   string
		want contexts.State
	}{
		{"a", contexts.State{Current: "a", Previous: contexts.DefaultName}},
		{"b", contexts.State{Current: "b", Previous: "a"}},
		{"b", contexts.State{Current: "b", Previous: "a"}},
		{"a", contexts.State{Current: "a", Previous: "b"}},
	} {
		before, err := h().State(t.Context())
		must(t, err)
		from, err := h().Switch(step.to)
		must(t, err)
		state, err := h().State(t.Context())
		must(t, err)
		equal(t, "from", before.Current, from)
		equal(t, "state", step.want, state)
	}
}

func (s registryRules) daily(t *testing.T) {
	now := start()
	h := s.open(t, Options{Now: func() time.Time { return now }})
	say(t, in(t, h(), "work"), "one")
	for _, step := range []struct {
		after time.Duration
		want  bool
	}{{0, true}, {time.Hour, false}, {22 * time.Hour, false}, {time.Hour, true}, {0, false}} {
		now = now.Add(step.after)
		isDue, after, err := h().Daily(t.Context())
		must(t, err)
		equal(t, now.String(), step.want, isDue)
		equal(t, "after", "", after)
	}
	must(t, h().Tidied(t.Context(), "12"))
	for _, step := range []struct {
		after string
		isDue bool
		later time.Duration
	}{{"", false, time.Hour}, {"12", true, 23 * time.Hour}, {"", false, 0}, {"12", true, 25 * time.Hour}} {
		now = now.Add(step.later)
		isDue, after, err := h().Daily(t.Context())
		must(t, err)
		equal(t, now.String(), step.isDue, isDue)
		equal(t, "after", step.after, after)
	}
}

func (s registryRules) lists(t *testing.T) {
	now := start()
	open := s.open(t, Options{Now: func() time.Time { return now }})
	h := open()
	_, err := h.Switch("used")
	must(t, err)
	say(t, in(t, h, "talked"), "hello")
	must(t, in(t, h, "talked").Send("mailed", "talked", "hi"))
	now = now.Add(time.Hour)
	must(t, h.Touch("used"))
	_, unlock, err := in(t, h, "talked").Lock(t.Context())
	must(t, err)
	defer unlock()
	names, err := h.Names(t.Context())
	must(t, err)
	equal(t, "names", []string{"mailed", "talked", "used"}, names)
	list, err := open().List(t.Context()) // by a program that has used none of them
	must(t, err)
	for i, want := range []contexts.Info{{Name: "mailed", Mail: true}, {Name: "talked", Locked: true},
		{Name: "used", Current: true, LastActivity: now, Created: start()}} {
		info, err := h.Info(t.Context(), want.Name)
		must(t, err)
		if want.Created.IsZero() { // when others were made is known since something was noted
			list[i].Created, info.Created = time.Time{}, time.Time{}
		}
		for _, got := range []contexts.Info{list[i], info} {
			if !got.Created.Equal(want.Created) || !got.LastActivity.Equal(want.LastActivity) {
				t.Errorf("made %s, used %s", got.Created, got.LastActivity)
			}
			if got.Locked != (got.Holder.PID != 0) {
				t.Errorf("locked is %v, by %v", got.Locked, got.Holder)
			}
			got.Created, got.LastActivity, got.Holder = want.Created, want.LastActivity, contexts.Holder{}
			equal(t, "info", want, got)
		}
	}
}

func (s registryRules) listsAPart(t *testing.T) {
	now := start()
	h := s.open(t, Options{Now: func() time.Time { return now }})()
	for _, name := range []string{"d", "b", "e", "a", "c"} {
		now = now.Add(time.Hour)
		_, err := h.Switch(name)
		must(t, err)
	}
	_, unlock, err := in(t, h, "a").Lock(t.Context())
	must(t, err)
	defer unlock()
	must(t, in(t, h, "a").Send("b", "a", "hi"))
	for _, test := range []struct {
		sel  contexts.Selection
		want string
	}{
		{contexts.Selection{}, "a locked, b mail, c current, d, e"},
		{contexts.Selection{Limit: 2}, "a locked, b mail"},
		{contexts.Selection{Limit: 5}, "a locked, b mail, c current, d, e"},
		{contexts.Selection{Limit: 9}, "a locked, b mail, c current, d, e"},
		{contexts.Selection{Limit: 2, Newest: true}, "a locked, c current"},
		{contexts.Selection{Newest: true}, "a locked, b mail, c current, d, e"},
	} {
		list, err := h.Select(t.Context(), test.sel)
		must(t, err)
		var got []string
		for _, info := range list {
			text := info.Name
			for word, is := range map[string]bool{" locked": info.Locked, " mail": info.Mail, " current": info.Current} {
				if is {
					text += word
				}
			}
			got = append(got, text)
		}
		equal(t, fmt.Sprintf("%+v", test.sel), test.want, strings.Join(got, ", "))
	}
}

func (s registryRules) badNames(t *testing.T) {
	h := s.home(t)
	c := in(t, h, "work")
	for _, name := range []string{"", "-", "..", "a/b", "a b", "é", ".deleted-x",
		strings.Repeat("x", contexts.MaxName+1)} {
		_, opening := h.Context(name)
		_, switching := h.Switch(name)
		now := start()
		for what, err := range map[string]error{"Context": opening, "Switch": switching, "Rename": c.Rename(name),
			"Send": c.Send(name, "work", "hi"), "SetDestroyRule": h.SetDestroyRule(name, &now, nil)} {
			if err == nil {
				t.Errorf("%s(%q) was taken", what, name)
			}
		}
		if h.Exists(t.Context(), name) {
			t.Errorf("a context %q exists", name)
		}
	}
	names, err := h.Names(t.Context())
	must(t, err)
	equal(t, "names", 0, len(names))
}

func (s registryRules) newNames(t *testing.T) {
	h := s.home(t)
	base := start().Format("20060102_150405")
	for _, test := range []struct{ prefix, want string }{
		{"", base}, {"", base + "_2"}, {"", base + "_3"}, {"job", "job_" + base}, {"job", "job_" + base + "_2"},
	} {
		free, err := h.NewName(t.Context(), test.prefix)
		must(t, err)
		name, err := h.New(t.Context(), test.prefix)
		must(t, err)
		equal(t, "names", []string{test.want, test.want}, []string{free, name})
		equal(t, "exists", true, h.Exists(t.Context(), name))
	}
	for _, prefix := range []string{"a/b", "../x", strings.Repeat("x", contexts.MaxName)} {
		_, naming := h.NewName(t.Context(), prefix)
		if _, err := h.New(t.Context(), prefix); err == nil || naming == nil {
			t.Errorf("a prefix that no name can have was taken: %q", prefix)
		}
	}
}

func (s registryRules) newAtOnce(t *testing.T) {
	again := s.open(t, at(start()))
	var mu sync.Mutex
	got := map[string]bool{}
	var all sync.WaitGroup
	for range 4 {
		h := again()
		for range 5 {
			all.Go(func() {
				name, err := h.New(t.Context(), "job")
				mu.Lock()
				defer mu.Unlock()
				if err != nil || got[name] {
					t.Errorf("%q, %v", name, err)
				}
				got[name] = true
			})
		}
	}
	all.Wait()
}

// lifecycleRules are the rules of renaming, deleting and expiring.
type lifecycleRules struct{ suite }

func (s lifecycleRules) rules() []rule {
	return []rule{
		{"renaming keeps everything that belongs to a context", s.renaming},
		{"a name that is taken is rejected, and nothing is changed", s.takenName},
		{"deleting removes a context with everything in it", s.deleting},
		{"the current context is the previous one, or the default one, when it is deleted", s.deletingCurrent},
		{"expired contexts are removed, except those in use", s.expiring},
		{"a context that was never the current one expires too", s.expiringUnnamed},
		{"a setting of 0 removes a time", func(t *testing.T) {
			h := s.home(t)
			say(t, in(t, h, "work"), "hello")
			past, never, none := start().Add(-time.Hour), time.Unix(0, 0), time.Duration(0)
			must(t, h.SetDestroyRule("work", &past, nil))
			must(t, h.SetDestroyRule("work", &never, &none))
			removed, err := h.Expire(t.Context(), "")
			must(t, err)
			equal(t, "removed", 0, len(removed))
		}},
	}
}

func (s lifecycleRules) renaming(t *testing.T) {
	h := s.open(t, at(start()))
	_, err := h().Switch("old")
	must(t, err)
	c := in(t, h(), "old")
	say(t, c, "one")
	must(t, c.Compact("summary", nil))
	must(t, c.SetTodos("buy milk"))
	must(t, in(t, h(), "other").Send("old", "other", "hi"))
	_, unlock, err := c.Lock(t.Context())
	must(t, err)
	must(t, c.Rename("new"))
	equal(t, "name", "new", c.Name())
	var locked *contexts.LockedError
	if _, _, err := in(t, h(), "new").Lock(t.Context()); !errors.As(err, &locked) {
		t.Errorf("the lock did not stay: %v", err)
	}
	say(t, c, "two")
	unlock()
	moved := in(t, h(), "new")
	equal(t, "window", "two", window(t, moved))
	equal(t, "texts", "summary buy milk", read(t, moved.Summary)+" "+read(t, moved.Todos))
	equal(t, "mail", "hi", waiting(t, moved))
	state, err := h().State(t.Context())
	must(t, err)
	equal(t, "current", "new", state.Current)
	info, err := h().Info(t.Context(), "new")
	must(t, err)
	if !info.Created.Equal(start()) || h().Exists(t.Context(), "old") {
		t.Errorf("info = %+v, or the old name is still there", info)
	}
}

func (s lifecycleRules) takenName(t *testing.T) {
	h := s.home(t)
	say(t, in(t, h, "a"), "one")
	say(t, in(t, h, "b"), "two")
	c := in(t, h, "a")
	if err := c.Rename("b"); !errors.Is(err, contexts.ErrExists) {
		t.Errorf("renaming: %v", err)
	}
	equal(t, "name", "a", c.Name())
	equal(t, "windows", "one two", window(t, in(t, h, "a"))+" "+window(t, in(t, h, "b")))
}

func (s lifecycleRules) deleting(t *testing.T) {
	h := s.open(t, at(start()))
	c := in(t, h(), "work")
	say(t, c, "one")
	must(t, c.SetTodos("buy milk"))
	must(t, c.Send("work", "other", "hi"))
	_, unlock, err := c.Lock(t.Context())
	must(t, err)
	_, err = c.Delete()
	must(t, err)
	unlock()
	again := in(t, h(), "work")
	if names, err := h().Names(t.Context()); err != nil || slices.Contains(names, "work") {
		t.Errorf("names = %q, %v", names, err)
	}
	equal(t, "what is left", "", window(t, again)+waiting(t, again)+read(t, again.Todos))
	say(t, again, "anew")
	equal(t, "transcript", []string{"context_created Context created", "message anew"}, transcript(t, again))
}

func (s lifecycleRules) deletingCurrent(t *testing.T) {
	h := s.home(t)
	for _, name := range []string{"a", "b"} {
		_, err := h.Switch(name)
		must(t, err)
	}
	for _, step := range []struct{ name, current string }{{"b", "a"}, {"a", contexts.DefaultName}} {
		current, err := in(t, h, step.name).Delete()
		must(t, err)
		equal(t, "current", step.current, current)
	}
}

// expiringUnnamed has a context that no run made the current one: its entries say when it was used.
func (s lifecycleRules) expiringUnnamed(t *testing.T) {
	now := time.Now() // as the entries have it
	h := s.open(t, Options{Now: func() time.Time { return now }})()
	idle := 24 * time.Hour
	must(t, h.SetDestroyRule("once", nil, &idle))
	say(t, in(t, h, "once"), "one")
	for want, after := range []time.Duration{0, 1000 * time.Hour} {
		now = now.Add(after)
		removed, err := h.Expire(t.Context(), "")
		must(t, err)
		equal(t, "removed", want, len(removed))
	}
}

func (s lifecycleRules) expiring(t *testing.T) {
	now := start()
	h := s.open(t, Options{Now: func() time.Time { return now }})()
	past, future := start().Add(-time.Hour), start().Add(100*time.Hour)
	idle := time.Hour
	for _, name := range []string{"past", "future", "idle", "in-use", "locked", "current"} {
		_, err := h.Switch(name)
		must(t, err)
	}
	for _, name := range []string{"past", "in-use", "locked", "current"} {
		must(t, h.SetDestroyRule(name, &past, nil))
	}
	must(t, h.SetDestroyRule("future", &future, nil))
	must(t, h.SetDestroyRule("idle", nil, &idle))
	_, unlock, err := in(t, h, "locked").Lock(t.Context())
	must(t, err)
	defer unlock()
	for _, step := range []struct {
		after time.Duration
		want  []string
	}{{0, []string{"past"}}, {time.Hour, nil}, {time.Second, []string{"idle"}}, {1000 * time.Hour, []string{"future"}}} {
		now = now.Add(step.after)
		removed, err := h.Expire(t.Context(), "in-use")
		must(t, err)
		var names []string
		for _, e := range removed {
			names = append(names, e.Name)
			if e.Why == "" || h.Exists(t.Context(), e.Name) {
				t.Errorf("removed %+v", e)
			}
		}
		equal(t, "removed", step.want, names)
	}
}
