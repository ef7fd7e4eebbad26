package contexttest

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/store"
	"github.com/chibi-host/chibi/store/storetest"
)

// damageRules are the rules of what others have written into the store.
type damageRules struct{ sharedSuite }

func (s damageRules) rules() []rule {
	return []rule{
		{"a record that is damaged is reported and left out", s.records},
		{"a message that is damaged is reported and stays", func(t *testing.T) {
			m := s.machines(t)()
			must(t, m.in(t, "other").Send("work", "other", "hi"))
			id, err := m.ID(t.Context(), "work")
			must(t, err)
			_, err = m.engine.Docs.Put(t.Context(), "mail."+id+".bad", []byte("{"), 0)
			must(t, err)
			equal(t, "waiting", "hi", waiting(t, m.in(t, "work")))
			m.hasSaid(t, "not a message")
		}},
		{"a name with a forged id is an error, and harms no other context", s.forged},
		{"a renaming that was interrupted is finished by whoever meets it", s.moving},
		{"a deletion that was interrupted is finished by housekeeping", s.trash},
	}
}

func (s damageRules) records(t *testing.T) {
	m := s.machines(t)()
	say(t, m.in(t, "work"), "one")
	id, err := m.ID(t.Context(), "work")
	must(t, err)
	tail, err := m.engine.Log.Tail(t.Context(), id)
	must(t, err)
	bad := []string{"no JSON\n", "", "{}\n", "[1]\n\n", `{"taken_by":7}` + "\n", strings.Repeat("[", 100000)}
	for i, data := range bad {
		tail, err = m.engine.Log.Append(t.Context(), id, tail, store.Record{ID: string(rune('a' + i)), Data: []byte(data)})
		must(t, err)
	}
	c := m.in(t, "work")
	say(t, c, "two")
	equal(t, "window", "one two", window(t, c))
	equal(t, "transcript", 3, len(transcript(t, c)))
	m.hasSaid(t, `context "work", record `)
	m.hasSaid(t, "line 1: not an entry, left out")
}

func (s damageRules) forged(t *testing.T) {
	m := s.machines(t)()
	say(t, m.in(t, "good"), "one")
	for name, doc := range map[string]string{
		"forged": `{"id":">","name":"forged"}`, "short": `{"id":"abc","name":"short"}`, "broken": `{`,
		"other": `{"id":"0123456789abcdef0123456789abcdef","name":"good"}`,
		"moved": `{"id":"0123456789abcdef0123456789abcdef","name":"moved","moving":"../x"}`,
	} {
		_, err := m.engine.Docs.Put(t.Context(), "name."+name, []byte(doc), 0)
		must(t, err)
		c := m.in(t, name)
		_, deleting := c.Delete()
		for what, err := range map[string]error{"appending": c.Append(Story("u:x")...), "deleting": deleting} {
			if err == nil || !strings.Contains(err.Error(), "name."+name) {
				t.Errorf("%s in %s: %v", what, name, err)
			}
		}
	}
	names, err := m.Names(t.Context())
	must(t, err)
	equal(t, "names", []string{"good"}, names)
	m.hasSaid(t, "is damaged")
	must(t, m.Housekeep(t.Context()))
	equal(t, "window", "one", window(t, m.in(t, "good")))
}

// change changes members of a document.
func (m machine) change(t *testing.T, key string, members map[string]any) {
	t.Helper()
	d, err := m.engine.Docs.Get(t.Context(), key)
	must(t, err)
	all := map[string]any{}
	must(t, strictjson.Decode(d.Data, &all))
	for name, value := range members {
		all[name] = value
	}
	data, err := json.Marshal(all)
	must(t, err)
	_, err = m.engine.Docs.Put(t.Context(), key, data, d.Rev)
	must(t, err)
}

func (s damageRules) moving(t *testing.T) {
	for how, meet := range map[string]func(m machine) error{
		"reading the old name": func(m machine) error { _, err := m.ID(t.Context(), "old"); return err },
		"listing":              func(m machine) error { _, err := m.Names(t.Context()); return err },
		"housekeeping":         func(m machine) error { return m.Housekeep(t.Context()) },
	} {
		add := s.machines(t)
		a, b := add(), add()
		say(t, a.in(t, "old"), "one")
		a.change(t, "name.old", map[string]any{"moving": "new"})
		if err := meet(b); err != nil {
			t.Errorf("%s: %v", how, err)
		}
		names, err := b.Names(t.Context())
		must(t, err)
		equal(t, "names", []string{"new"}, names)
		equal(t, "window", "one", window(t, b.in(t, "new")))
		say(t, b.in(t, "taken"), "two")
		a.change(t, "name.new", map[string]any{"moving": "taken"})
		equal(t, "of a name that is taken", "one", window(t, b.in(t, "new")))
	}
}

func (s damageRules) trash(t *testing.T) {
	add := s.machines(t)
	a, b := add(), add()
	say(t, a.in(t, "work"), "one")
	id, err := a.ID(t.Context(), "work")
	must(t, err)
	note := []byte(`{"name":"work","at":1}`)
	_, err = a.engine.Docs.Put(t.Context(), "trash."+id, note, 0)
	must(t, err)
	must(t, a.in(t, "work").Rename("kept")) // it was not deleted after all
	must(t, b.Housekeep(t.Context()))
	equal(t, "window", "one", window(t, b.in(t, "kept")))
	_, err = a.engine.Docs.Put(t.Context(), "trash."+id, note, 0)
	must(t, err)
	d, err := a.engine.Docs.Get(t.Context(), "name.kept")
	must(t, err)
	_, err = a.engine.Docs.Put(t.Context(), "name.kept", nil, d.Rev)
	must(t, err)
	must(t, b.Housekeep(t.Context()))
	tail, err := b.engine.Log.Tail(t.Context(), id)
	must(t, err)
	equal(t, "log", store.Tail{}, tail)
	if _, err := b.engine.Docs.Get(t.Context(), "trash."+id); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the note: %v", err)
	}
}

// unsentRules are the rules of what a store does not take in time.
type unsentRules struct{ sharedSuite }

func (s unsentRules) rules() []rule {
	return []rule{
		{"what the store does not take is kept, and stored by the next run", func(t *testing.T) {
			s.unsent(t, func(machine) {}, "one answer next", false)
		}},
		{"what the store does not take is stored behind marks", func(t *testing.T) {
			s.unsent(t, func(m machine) {
				_, unlock, err := m.in(t, "work").Lock(t.Context())
				must(t, err)
				_, err = m.Unlock(t.Context(), "work")
				must(t, err)
				unlock()
			}, "one answer next", false)
		}},
		{"what the store does not take is not sent once another machine has the context", s.takenMeanwhile},
		{"what the store does not take stays on the machine if the context has gone on", func(t *testing.T) {
			s.unsent(t, func(m machine) { say(t, m.in(t, "work"), "other") }, "one other next", true)
		}},
	}
}

// takenMeanwhile has a machine whose store answers again when it is too late.
func (s unsentRules) takenMeanwhile(t *testing.T) {
	connect := s.open(t, store.Options{Lease: steadyLease})
	var down atomic.Bool
	m := newMachine(t, refusing(connect(), &down), t.TempDir())
	c := m.in(t, "work")
	_, unlock, err := c.Lock(t.Context())
	must(t, err)
	defer unlock()
	say(t, c, "one")
	down.Store(true)
	for _, text := range []string{"two", "three"} {
		var unsent *contexts.UnsentError
		if err := c.Append(contexts.AssistantMessage("work", text)); !errors.As(err, &unsent) {
			t.Fatalf("appending: %v", err)
		}
	}
	down.Store(false)
	taker := newMachine(t, connect(), t.TempDir())
	_, err = taker.Unlock(t.Context(), "work")
	must(t, err)
	var taken *contexts.TakenError
	if err := c.Append(contexts.AssistantMessage("work", "four")); !errors.As(err, &taken) {
		t.Errorf("appending late: %v", err)
	}
	equal(t, "window", "one", window(t, taker.in(t, "work")))
}

// refusing returns an engine that appends nothing while it is down.
func refusing(e *store.Engine, down *atomic.Bool) *store.Engine {
	return storetest.Around(e, func(call string, do func() error) error {
		if down.Load() && call == "Log.Append" {
			return store.ErrUnavailable
		}
		return do()
	})
}

// unsent has a machine whose store does not take an answer; meanwhile happens before its
// next run.
func (s unsentRules) unsent(t *testing.T, meanwhile func(machine), wantWindow string, stays bool) {
	connect, home := s.open(t, store.Options{Lease: steadyLease}), t.TempDir()
	var down atomic.Bool
	m := newMachine(t, refusing(connect(), &down), home)
	c := m.in(t, "work")
	_, unlock, err := c.Lock(t.Context())
	must(t, err)
	say(t, c, "one")
	down.Store(true)
	err = c.Append(contexts.AssistantMessage("work", "answer"))
	var unsent *contexts.UnsentError
	isKept := errors.As(err, &unsent) && filepath.Dir(unsent.Path) == filepath.Join(home, "unsent")
	if !isKept || !errors.Is(err, store.ErrUnavailable) {
		t.Fatalf("appending: %v", err)
	}
	if info, err := os.Stat(unsent.Path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		t.Errorf("the file: %v, %v", info, err)
	}
	m.hasSaid(t, unsent.Path)
	unlock()
	down.Store(false)
	meanwhile(newMachine(t, connect(), t.TempDir()))
	next := newMachine(t, connect(), home)
	c = next.in(t, "work")
	_, unlock, err = c.Lock(t.Context())
	must(t, err)
	say(t, c, "next")
	unlock()
	equal(t, "window", wantWindow, window(t, c))
	_, err = os.Stat(unsent.Path)
	equal(t, "the file stays", stays, err == nil)
	kept := contexts.HostOf(home).Unsent()
	if !stays {
		equal(t, "what is kept", 0, len(kept))
		return
	}
	next.hasSaid(t, unsent.Path)
	if len(kept) != 1 || kept[0].Context != "work" || kept[0].Err != nil || len(kept[0].Entries) != 1 ||
		kept[0].Entries[0].Content != "answer" {
		t.Errorf("what is kept: %+v", kept)
	}
	saidAt := func(at time.Time) bool {
		m := newMachine(t, connect(), home)
		m.Now = func() time.Time { return at }
		_, unlock, err := m.in(t, "work").Lock(t.Context())
		must(t, err)
		unlock()
		return strings.Contains(strings.Join(*m.said, "\n"), unsent.Path)
	}
	now := time.Now()
	equal(t, "the notice comes again an hour later", false, saidAt(now.Add(time.Hour)))
	equal(t, "the notice comes again a day later", true, saidAt(now.Add(25*time.Hour)))
	equal(t, "the notice comes twice that day", false, saidAt(now.Add(26*time.Hour)))
}
