package contexttest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/store"
	"github.com/chibi-host/chibi/store/storetest"
)

// Shared returns an Open with which [Run] tests a store that many machines share: each test has an
// empty store, and each time its home is opened is another machine's connection.
func Shared(open storetest.Open) Open {
	return func(t *testing.T, o Options) func() *contexts.Store {
		connect, home := open(t, store.Options{}), t.TempDir()
		return func() *contexts.Store {
			e := closing(t, connect())
			if o.Now != nil { // it is the time on the machine and in the store
				e.Now = o.Now
				e.Time = func(context.Context) (time.Time, error) { return o.Now(), nil }
			}
			s := contexts.OpenShared(e, home)
			s.Limits, s.Report = o.Limits, o.Report
			return s
		}
	}
}

// RunShared runs the rules of stores that many machines share, besides the rules of [Run].
func RunShared(t *testing.T, open storetest.Open) {
	s := sharedSuite{open}
	for _, group := range [][]rule{sharedRules{s}.rules(), sharedLockRules{s}.rules(), damageRules{s}.rules(),
		unsentRules{s}.rules()} {
		for _, r := range group {
			t.Run(r.says, r.holds)
		}
	}
}

// sharedSuite makes stores and machines for the rules of each group, which embed it.
type sharedSuite struct{ open storetest.Open }

// machine is a machine's connection with its home.
type machine struct {
	*contexts.Store
	engine *store.Engine
	home   string
	said   *[]string
}

// steadyLease is how long leases of machines last that a busy machine need not renew in time.
const steadyLease = 30 * time.Second

// machines returns a function that adds a machine to an empty store.
func (s sharedSuite) machines(t *testing.T) func() machine {
	return s.machinesFor(t, steadyLease)
}

// machinesFor is like machines, for leases that last for the given time.
func (s sharedSuite) machinesFor(t *testing.T, lease time.Duration) func() machine {
	connect := s.open(t, store.Options{Lease: lease})
	return func() machine { return newMachine(t, connect(), t.TempDir()) }
}

// closing closes an engine when the test is over.
func closing(t *testing.T, e *store.Engine) *store.Engine {
	t.Cleanup(func() { e.Close() })
	return e
}

func newMachine(t *testing.T, e *store.Engine, home string) machine {
	t.Helper()
	m := machine{contexts.OpenShared(closing(t, e), home), e, home, new([]string)}
	m.Program = "1.2.3"
	m.Report = func(text string) { *m.said = append(*m.said, text) }
	return m
}

// in opens a context.
func (m machine) in(t *testing.T, name string) *contexts.Context {
	t.Helper()
	return in(t, m.Store, name)
}

// hasSaid checks that a report has a text.
func (m machine) hasSaid(t *testing.T, want string) {
	t.Helper()
	if !strings.Contains(strings.Join(*m.said, "\n"), want) {
		t.Errorf("said %q, want %q", *m.said, want)
	}
}

// sharedRules are the rules of names, entries, texts and mail of many machines.
type sharedRules struct{ sharedSuite }

func (s sharedRules) rules() []rule {
	return []rule{
		{"a conversation that was begun on one machine is continued on another", s.continued},
		{"which context is current is each machine's own", func(t *testing.T) {
			add := s.machines(t)
			a, b := add(), add()
			_, err := a.Switch("work")
			must(t, err)
			state, err := b.State(t.Context())
			must(t, err)
			equal(t, "state", contexts.State{Current: contexts.DefaultName}, state)
		}},
		{"names that differ only in case are one name", s.folded},
		{"a context has an id that stays when it is renamed and is never used again", s.ids},
		{"entries say which host, user and version wrote them", func(t *testing.T) {
			c := s.machines(t)().in(t, "work")
			say(t, c, "one")
			must(t, c.Archive())
			for _, e := range history(t, c, contexts.Query{}) {
				if by := e.Metadata.By; by == nil || by.Host == "" || by.Version != "1.2.3" {
					t.Errorf("%s was written by %+v", e.Type, by)
				}
			}
		}},
		{"an entry of 5 MiB is kept", func(t *testing.T) {
			add := s.machines(t)
			text := strings.Repeat("large ", 5<<20/6)
			say(t, add().in(t, "work"), "small", text, "small")
			equal(t, "window", true, window(t, add().in(t, "work")) == "small "+text+" small")
			equal(t, "entries", 4, len(history(t, add().in(t, "work"), contexts.Query{})))
		}},
		{"a message that is too large for a document is delivered once", s.largeMail},
		{"a machine that watches hears of mail from another one", func(t *testing.T) {
			add := s.machines(t)
			a, b := add(), add()
			arrived, err := a.WatchMail(t.Context(), "work")
			must(t, err)
			must(t, b.in(t, "other").Send("work", "other", "hi"))
			<-arrived
			equal(t, "waiting", "hi", waiting(t, a.in(t, "work")))
		}},
		{"of many messages each is handled once, by whichever of several readers", s.handledOnce},
		{"clocks that are an hour apart delay and repeat nothing", s.clocks},
		{"ages count by the store's clock, and a machine whose clock is off removes nothing", s.wrongAges},
	}
}

func (s sharedRules) continued(t *testing.T) {
	add := s.machines(t)
	a, b := add(), add()
	say(t, a.in(t, "work"), "one")
	must(t, a.in(t, "work").Compact("so far", nil))
	must(t, a.in(t, "work").SetTodos("buy milk"))
	must(t, a.in(t, "work").SetReflection("be brief"))
	c := b.in(t, "work")
	say(t, c, "two")
	must(t, c.Replace(Story("u:three")))
	equal(t, "window", "three", window(t, a.in(t, "work")))
	equal(t, "texts", "so far, buy milk, be brief", read(t, a.in(t, "work").Summary)+", "+
		read(t, c.Todos)+", "+read(t, c.Reflection))
	equal(t, "session", session(t, a.in(t, "work")), session(t, c))
	atOnce(t, func(n int) error {
		m := []machine{a, b}[n%2]
		c, err := m.Context("work")
		for i := 0; i < 10 && err == nil; i++ {
			err = c.Append(contexts.UserMessage("ann", "work", fmt.Sprint(n, "-", i)))
		}
		return err
	})
	equal(t, "messages", 1+writers*10, len(strings.Fields(window(t, c))))
}

func (s sharedRules) folded(t *testing.T) {
	add := s.machines(t)
	a, b := add(), add()
	say(t, a.in(t, "Work"), "one")
	c := b.in(t, "work")
	_, reading := c.Window(t.Context())
	_, switching := b.Switch("WORK")
	_, locking, err := c.Lock(t.Context())
	for what, err := range map[string]error{
		"reading": reading, "appending": c.Append(Story("u:x")...), "switching": switching, "locking": err,
		"sending": b.in(t, "other").Send("work", "other", "hi"), "notes": c.SetTodos("x"),
	} {
		if err == nil || !strings.Contains(err.Error(), `"Work"`) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if locking != nil {
		t.Error("it is locked")
	}
	if err := b.in(t, "other").Rename("wORK"); !errors.Is(err, contexts.ErrExists) {
		t.Errorf("renaming: %v", err)
	}
	if !b.Exists(t.Context(), "work") {
		t.Error("nobody knows the name")
	}
	equal(t, "window", "one", window(t, b.in(t, "Work")))
}

func (s sharedRules) ids(t *testing.T) {
	m := s.machines(t)()
	id := func(name string) string {
		id, err := m.ID(t.Context(), name)
		must(t, err)
		return id
	}
	equal(t, "of no context", "", id("work"))
	c := m.in(t, "work")
	say(t, c, "one")
	first := id("work")
	if len(first) != 32 || strings.Trim(first, "0123456789abcdef") != "" {
		t.Errorf("the id is %q", first)
	}
	must(t, c.Rename("play"))
	equal(t, "renamed", first, id("play"))
	_, err := c.Delete()
	must(t, err)
	say(t, m.in(t, "play"), "two")
	if id("play") == first {
		t.Error("another context has the id")
	}
}

func (s sharedRules) largeMail(t *testing.T) {
	add := s.machines(t)
	a, b := add(), add()
	a.Limits.Message, b.Limits.Inbox = 8<<20, 16<<20
	text := strings.Repeat("x", 5<<20)
	must(t, a.in(t, "other").Send("work", "other", text))
	must(t, a.in(t, "other").Send("work", "other", "small"))
	c := b.in(t, "work")
	equal(t, "mail", true, waiting(t, c) == text+" small")
	must(t, c.Append(asking(t, c, "read"), contexts.AssistantMessage("work", "done")))
	must(t, c.RemoveMail())
	if a.HasMail(t.Context(), "work") {
		t.Error("the inbox is not empty")
	}
	must(t, a.in(t, "other").Send("work", "other", text))
	_, err := c.Delete() // with what is large
	must(t, err)
	equal(t, "said", 0, len(*b.said))
}

// handledOnce has readers on machines of their own that each take some messages at a time.
func (s sharedRules) handledOnce(t *testing.T) {
	const messages = 1000
	add := s.machines(t)
	sender := add()
	for i := range messages {
		must(t, sender.in(t, "sender").Send("work", "sender", fmt.Sprint(i)))
	}
	var readers [writers]machine
	for n := range readers {
		readers[n] = add()
		readers[n].Limits.Inbox = 400 // some forty messages
		readers[n].Report = nil
	}
	atOnce(t, func(n int) error {
		for {
			if more, err := handleSome(readers[n]); err != nil || !more {
				return err
			}
		}
	})
	handled := map[string]int{}
	for _, e := range history(t, sender.in(t, "work"), contexts.Query{}) {
		if e.Metadata != nil {
			for _, id := range e.Metadata.Delivered {
				handled[id]++
			}
		}
	}
	equal(t, "messages", messages, len(handled))
	for id, n := range handled {
		if n != 1 {
			t.Errorf("message %s was handled %d times", id, n)
		}
	}
}

// handleSome answers a prompt with some messages.
func handleSome(m machine) (more bool, err error) {
	c, err := m.Context("work")
	if err != nil {
		return false, err
	}
	_, unlock, err := c.WaitLock(context.Background())
	if err != nil {
		return false, err
	}
	defer unlock()
	mail, err := c.Mail(context.Background())
	if err != nil || len(mail) == 0 {
		return false, err
	}
	if err := c.Append(contexts.UserMessage("ann", "work", "read").Delivering(mail).Asking("read", "")); err != nil {
		return true, err
	}
	if err := c.Append(contexts.AssistantMessage("work", "done")); err != nil {
		return true, err
	}
	return true, c.RemoveMail()
}

// clocks has machines whose clocks are an hour ahead and behind.
func (s sharedRules) clocks(t *testing.T) {
	off := s.clocksOff(t)
	ahead, behind := off(time.Hour), off(-time.Hour)
	now := time.Now()
	for _, way := range []struct{ from, to machine }{{ahead, behind}, {behind, ahead}} {
		c := way.to.in(t, "work")
		must(t, way.from.in(t, "other").Send("work", "other", "hi"))
		held, unlock, err := c.Lock(t.Context())
		must(t, err)
		equal(t, "waiting", "hi", waiting(t, c))
		must(t, c.Append(asking(t, c, "read"), contexts.AssistantMessage("work", "done")))
		equal(t, "waiting", "", waiting(t, way.from.in(t, "work")))
		must(t, c.RemoveMail())
		must(t, way.to.Touch("work"))
		if held.Err() != nil {
			t.Errorf("the lock was lost: %v", context.Cause(held))
		}
		unlock()
	}
	late := message("late", now.Add(time.Hour).Unix())
	must(t, ahead.in(t, "work").Append(late))
	q := contexts.Query{Since: now.Add(30 * time.Minute), Keep: isMessage}
	equal(t, "since", "late", Contents(history(t, behind.in(t, "work"), q)))
}

// clocksOff returns a function that adds a machine whose clock is off to an empty store.
func (s sharedSuite) clocksOff(t *testing.T) func(off time.Duration) machine {
	connect := s.open(t, store.Options{Lease: steadyLease})
	return func(off time.Duration) machine {
		e := connect()
		e.Now = func() time.Time { return time.Now().Add(off) }
		return newMachine(t, e, t.TempDir())
	}
}

// wrongAges has machines whose clocks are off, which remove nothing, and one whose clock is right,
// which removes what is old by the store's clock, whatever the others have written.
func (s sharedRules) wrongAges(t *testing.T) {
	off := s.clocksOff(t)
	right, ahead, behind := off(0), off(time.Hour), off(-time.Hour)
	idle := 30 * time.Minute
	for _, name := range []string{"used", "entered"} {
		say(t, right.in(t, name), "one")
		must(t, right.SetDestroyRule(name, nil, &idle))
	}
	for _, m := range []machine{ahead, behind} {
		for what, remove := range map[string]func() error{
			"expire": func() error {
				_, err := m.Expire(t.Context(), "")
				return err
			},
			"daily": func() error {
				_, _, err := m.Daily(t.Context())
				return err
			},
		} {
			var wrong *store.ClockError
			if err := remove(); !errors.As(err, &wrong) {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
	_, err := behind.Switch("entered")
	must(t, err)
	later := func(d time.Duration, want ...string) {
		t.Helper()
		right.engine.Now = func() time.Time { return time.Now().Add(d) }
		right.engine.Time = func(context.Context) (time.Time, error) { return right.engine.Now(), nil }
		removed, err := right.Expire(t.Context(), "")
		must(t, err)
		var names []string
		for _, e := range removed {
			names = append(names, e.Name)
		}
		equal(t, "expired", want, names)
	}
	later(10 * time.Minute)
	later(50*time.Minute, "entered", "used")
}
