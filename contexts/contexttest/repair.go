package contexttest

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/store"
	"github.com/chibi-host/chibi/store/storetest"
)

// RunRepaired runs the rules of damaged entries that are set aside in a store that many machines share.
func RunRepaired(t *testing.T, open storetest.OpenDamaged) {
	s := repairRules{open}
	for _, r := range []rule{
		{"a damaged record is an error until it is set aside with its bytes; then the conversation goes on", s.record},
		{"a record that holds no entries is set aside, and not said again", s.entries},
		{"a damaged record is set aside once, whatever call of the store fails", s.interrupted},
		{"a context that is in use is not repaired", s.inUse},
		{"messages that are damaged, waiting or failed, are set aside", s.messages},
		{"what was set aside goes with its context", s.deleted},
	} {
		t.Run(r.says, r.holds)
	}
}

type repairRules struct{ open storetest.OpenDamaged }

// work has a conversation in which a record may get damaged.
func (s repairRules) work(t *testing.T) (add func() machine, damage func(text string)) {
	connect, plant := s.open(t)
	add = func() machine { return newMachine(t, connect(), t.TempDir()) }
	m := add()
	say(t, m.in(t, "work"), "one")
	id, err := m.ID(t.Context(), "work")
	must(t, err)
	return add, func(text string) { plant(id, text) }
}

// check reads everything.
func (m machine) check(t *testing.T, repair bool) (asides []contexts.Aside, damage []string, err error) {
	how := contexts.Checking{Damaged: func(text string) { damage = append(damage, text) }}
	if repair {
		how.SetAside = func(a contexts.Aside) { asides = append(asides, a) }
	}
	_, err = contexts.Check(t.Context(), m.Store, how)
	return asides, damage, err
}

// repairs sets aside what is damaged: something that had these bytes, and nothing the next time.
func (m machine) repairs(t *testing.T, want string) {
	t.Helper()
	asides, damage, err := m.check(t, true)
	if err != nil || len(asides) != 1 || len(damage) > 0 {
		t.Fatalf("set aside %+v, damaged %q, %v", asides, damage, err)
	}
	if data, err := os.ReadFile(asides[0].Path); err != nil || !bytes.Contains(data, []byte(want)) {
		t.Errorf("%s: %q, %v", asides[0].Path, data, err)
	}
	asides, damage, err = m.check(t, true)
	if err != nil || len(asides)+len(damage) > 0 {
		t.Errorf("again: set aside %+v, damaged %q, %v", asides, damage, err)
	}
}

// names checks that a check names one damaged thing, with a text, and changes nothing.
func (m machine) names(t *testing.T, want string) {
	t.Helper()
	for range 2 {
		_, damage, err := m.check(t, false)
		if err != nil || len(damage) != 1 || !strings.Contains(damage[0], want) {
			t.Errorf("damaged: %q, %v; want one with %q", damage, err, want)
		}
	}
}

// has checks what the window and the history of the context work have.
func (m machine) has(t *testing.T, wantWindow, wantHistory string) {
	t.Helper()
	c := m.in(t, "work")
	equal(t, "window", wantWindow, window(t, c))
	var list []string
	for _, e := range history(t, c, contexts.Query{}) {
		switch e.Type {
		case contexts.TypeMessage:
			list = append(list, e.Content)
		case contexts.TypeSetAside:
			list = append(list, "ASIDE")
			if !strings.Contains(e.Content, "Its bytes are in ") || e.Timestamp == 0 {
				t.Errorf("the note: %+v", e)
			}
		}
	}
	equal(t, "history", wantHistory, strings.Join(list, " "))
	isMessage := func(e contexts.Entry) bool { return e.Type == contexts.TypeMessage }
	equal(t, "last of the history", wantWindow, Contents(history(t, c, contexts.Query{Last: 2, Keep: isMessage})))
}

func (s repairRules) record(t *testing.T) {
	add, damage := s.work(t)
	a, b := add(), add()
	damage("precious")
	say(t, a.in(t, "work"), "two")
	for what, read := range map[string]func(*contexts.Context) error{
		"window":  func(c *contexts.Context) error { _, err := c.Window(t.Context()); return err },
		"history": func(c *contexts.Context) error { return c.History(t.Context(), contexts.Query{}, nothing) },
	} {
		err := read(b.in(t, "work"))
		if err == nil || !strings.Contains(err.Error(), "is damaged") || !strings.Contains(err.Error(), "check --repair") {
			t.Errorf("%s: %v", what, err)
		}
	}
	b.names(t, "is damaged")
	a.repairs(t, "precious")
	for _, m := range []machine{a, b, add()} {
		m.has(t, "one two", "one ASIDE two")
	}
	c := b.in(t, "work")
	_, unlock, err := c.Lock(t.Context())
	must(t, err)
	say(t, c, "three")
	equal(t, "window", "one two three", window(t, c))
	unlock()
	to := contexts.NewMemory()
	must(t, contexts.Copy(t.Context(), b.Store, to, contexts.CopyOptions{}))
	equal(t, "copy", "one two three", window(t, in(t, to, "work")))
}

func nothing(contexts.Entry) bool { return true }

func (s repairRules) entries(t *testing.T) {
	add, _ := s.work(t)
	m := add()
	id, err := m.ID(t.Context(), "work")
	must(t, err)
	tail, err := m.engine.Log.Tail(t.Context(), id)
	must(t, err)
	_, err = m.engine.Log.Append(t.Context(), id, tail, store.Record{ID: "bad", Data: []byte("precious\n")})
	must(t, err)
	say(t, m.in(t, "work"), "two")
	m.names(t, "not an entry")
	m.repairs(t, "precious")
	*m.said = nil
	m.has(t, "one two", "one ASIDE two")
	equal(t, "said", 0, len(*m.said))
}

func (s repairRules) interrupted(t *testing.T) {
	for call := int64(1); ; call++ {
		add, damage := s.work(t)
		damage("precious")
		m := add()
		say(t, m.in(t, "work"), "two")
		var calls atomic.Int64
		failing := storetest.Around(m.engine, func(_ string, do func() error) error {
			if calls.Add(1) == call {
				return errors.Join(do(), store.ErrUnavailable)
			}
			return do()
		})
		m.Store = contexts.OpenShared(failing, m.home)
		asides, _, err := m.check(t, true)
		if calls.Load() < call {
			must(t, err)
			return
		}
		_, unlock, locking := add().in(t, "work").WaitLock(t.Context())
		must(t, locking)
		unlock()
		again, left, err := m.check(t, true)
		if err != nil || len(left) > 0 || len(asides)+len(again) > 1 { // none if the store noted it and did not say so
			t.Errorf("call %d: set aside %+v, then %+v, damaged %q, %v", call, asides, again, left, err)
		}
		add().has(t, "one two", "one ASIDE two")
	}
}

func (s repairRules) inUse(t *testing.T) {
	add, damage := s.work(t)
	damage("precious")
	a, b := add(), add()
	_, unlock, err := a.in(t, "work").Lock(t.Context())
	must(t, err)
	asides, left, err := b.check(t, true)
	if err != nil || len(asides) > 0 || len(left) != 2 || !strings.Contains(left[1], "in use") {
		t.Errorf("set aside %+v, damaged %q, %v", asides, left, err)
	}
	unlock()
	b.repairs(t, "precious")
}

func (s repairRules) messages(t *testing.T) {
	add, _ := s.work(t)
	m := add()
	id, err := m.ID(t.Context(), "work")
	must(t, err)
	must(t, m.in(t, "other").Send("work", "other", "hi"))
	for key, text := range map[string]string{"mail." + id + ".bad": "precious", "failed." + id: "precious\n"} {
		_, err = m.engine.Docs.Put(t.Context(), key, []byte(text), 0)
		must(t, err)
		m.names(t, "not a message")
		m.repairs(t, "precious")
	}
	equal(t, "waiting", "hi", waiting(t, m.in(t, "work")))
}

func (s repairRules) deleted(t *testing.T) {
	add, damage := s.work(t)
	damage("precious")
	m := add()
	m.repairs(t, "precious")
	c := m.in(t, "work")
	_, unlock, err := c.Lock(t.Context())
	must(t, err)
	_, err = c.Delete()
	must(t, err)
	unlock()
	must(t, m.engine.Docs.List(t.Context(), "aside.", func(d store.Doc) bool {
		t.Errorf("%s is left", d.Key)
		return true
	}))
	if _, err := os.Stat(m.home + "/contexts/work"); !os.IsNotExist(err) {
		t.Errorf("the bytes: %v", err)
	}
}
