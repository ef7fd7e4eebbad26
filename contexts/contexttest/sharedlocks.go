package contexttest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/contexts"
)

// sharedLockRules are the rules of locks that are leases.
type sharedLockRules struct{ sharedSuite }

func (s sharedLockRules) rules() []rule {
	return []rule{
		{"a second machine learns who has the lock, and when that would end", s.secondIsTold},
		{"a machine whose context was taken over stores nothing more there", s.takenOver},
		{"a machine whose lease ended goes on if nobody took its context", s.goesOn},
		{"a machine that is cut off when its lease ends goes on when it has the store again", s.goesOnLater},
		{"a machine whose lease ended stores nothing more if somebody had its context meanwhile", s.hadMeanwhile},
		{"a machine that has lost its context leaves the mail there that another one gives again", s.leavesMail},
		{"whoever is unlocked stores nothing more, and what others store is kept", s.unlocked},
		{"whoever is unlocked before it read anything stores nothing", s.unlockedAtOnce},
		{"entries without the lock do not end a turn", func(t *testing.T) {
			add := s.machines(t)
			c := add().in(t, "work")
			_, unlock, err := c.Lock(t.Context())
			must(t, err)
			say(t, c, "one")
			say(t, add().in(t, "work"), "between")
			say(t, c, "two")
			unlock()
			equal(t, "window", "one between two", window(t, c))
		}},
		{"a list says which contexts other machines use, and which have mail", func(t *testing.T) {
			add := s.machines(t)
			a := add()
			_, unlock, err := a.in(t, "Used").Lock(t.Context())
			must(t, err)
			defer unlock()
			must(t, a.in(t, "Used").Send("mailed", "Used", "hi"))
			list, err := add().List(t.Context())
			must(t, err)
			var got []string
			for _, info := range list {
				got = append(got, fmt.Sprintf("%s locked %v mail %v", info.Name, info.Locked, info.Mail))
			}
			want := []string{"default locked false mail false", "mailed locked false mail true", "Used locked true mail false"}
			equal(t, "list", want, got)
		}},
		{"a mark is not an entry", func(t *testing.T) {
			add := s.machines(t)
			a, b := add(), add()
			c := a.in(t, "work")
			_, unlock, err := c.Lock(t.Context())
			must(t, err)
			_, err = b.Unlock(t.Context(), "work") // before the first entry
			must(t, err)
			unlock()
			say(t, b.in(t, "work"), "one")
			equal(t, "transcript", []string{"context_created Context created", "message one"}, transcript(t, b.in(t, "work")))
			equal(t, "window", "one", window(t, a.in(t, "work")))
		}},
		{"a context that was deleted while somebody waited for it is made again", s.deletedMeanwhile},
		{"a context that was deleted right before somebody locked it is made again", s.deletedBefore},
	}
}

func (s sharedLockRules) secondIsTold(t *testing.T) {
	add := s.machines(t)
	a, b := add(), add()
	_, unlock, err := a.in(t, "work").Lock(t.Context())
	must(t, err)
	defer unlock()
	_, _, err = b.in(t, "work").Lock(t.Context())
	var locked *contexts.LockedError
	if !errors.As(err, &locked) {
		t.Fatalf("locking: %v", err)
	}
	left := time.Until(locked.Expires)
	if locked.Holder.PID != os.Getpid() || locked.Holder.Host == "" || left <= 0 || left > steadyLease+time.Minute {
		t.Errorf("held by %+v, for %s", locked.Holder, left)
	}
	if !strings.Contains(err.Error(), `context "work" is in use by process`) {
		t.Error(err)
	}
	info, err := b.Info(t.Context(), "work")
	must(t, err)
	if !info.Locked {
		t.Error("it is not listed as locked")
	}
}

// takenOver has a short lease: its holder finds out that it is lost when it renews it.
func (s sharedLockRules) takenOver(t *testing.T) {
	add := s.machinesFor(t, lease)
	a, b := add(), add()
	old, taker := a.in(t, "work"), b.in(t, "work")
	held, unlock, err := old.Lock(t.Context())
	must(t, err)
	say(t, old, "one")
	_, err = b.Unlock(t.Context(), "work")
	must(t, err)
	_, unlockTaker, err := taker.Lock(t.Context())
	must(t, err)
	say(t, taker, "two")
	for range 2 { // it stays so
		err = old.Append(Story("u:late")...)
		var taken *contexts.TakenError
		if !errors.As(err, &taken) || taken.By.PID != os.Getpid() {
			t.Errorf("appending late: %v", err)
		}
	}
	const want = "was taken over by process"
	if err := old.Archive(); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("archiving late: %v", err)
	}
	<-held.Done()
	if !errors.Is(context.Cause(held), contexts.ErrLost) {
		t.Errorf("the held context ended with %v", context.Cause(held))
	}
	unlock()
	say(t, taker, "three")
	unlockTaker()
	equal(t, "window", "one two three", window(t, a.in(t, "work")))
	say(t, old, "again") // without the lock, as anybody may
	equal(t, "window", "one two three again", window(t, taker))
}

func (s sharedLockRules) unlocked(t *testing.T) {
	add := s.machines(t)
	a, b := add(), add()
	c := a.in(t, "work")
	_, unlock, err := c.Lock(t.Context())
	must(t, err)
	defer unlock()
	say(t, c, "one")
	holder, err := b.Unlock(t.Context(), "work")
	must(t, err)
	equal(t, "who had it", os.Getpid(), holder.PID)
	if _, inUse := b.Holder(t.Context(), "work"); inUse {
		t.Error("it is in use")
	}
	if err := c.Append(Story("u:late")...); err == nil {
		t.Error("it stored more")
	}
	say(t, b.in(t, "work"), "two")
	equal(t, "window", "one two", window(t, b.in(t, "work")))
}

// unlockedAtOnce has a holder that reads the log, or appends, only when another one has marked
// it, and maybe said something.
func (s sharedLockRules) unlockedAtOnce(t *testing.T) {
	add := s.machines(t)
	a, b := add(), add()
	for _, name := range []string{"new", "old"} {
		for _, isTaken := range []bool{false, true} {
			for _, reads := range []bool{false, true} {
				c, next := a.in(t, name), b.in(t, name)
				if name == "old" {
					say(t, next, "one")
				}
				before := window(t, next)
				_, unlock, err := c.Lock(t.Context())
				must(t, err)
				_, err = b.Unlock(t.Context(), name)
				must(t, err)
				if isTaken {
					_, unlockNext, err := next.Lock(t.Context())
					must(t, err)
					say(t, next, "next")
					unlockNext()
				}
				if reads {
					equal(t, "window", before, window(t, c))
				}
				err = c.Append(Story("u:late")...)
				var taken *contexts.TakenError
				if !errors.As(err, &taken) || taken.By.PID != os.Getpid() {
					t.Errorf("%s, taken %t, read %t: appending: %v", name, isTaken, reads, err)
				}
				unlock()
				if got := window(t, next); strings.Contains(got, "late") {
					t.Errorf("%s, taken %t, read %t: the window has %q", name, isTaken, reads, got)
				}
				_, err = next.Delete()
				must(t, err)
			}
		}
	}
}

func (s sharedLockRules) deletedMeanwhile(t *testing.T) {
	add := s.machines(t)
	a, b := add(), add()
	c := a.in(t, "work")
	say(t, c, "old")
	_, unlock, err := c.Lock(t.Context())
	must(t, err)
	locked := make(chan error)
	waiter := b.in(t, "work")
	go func() {
		_, unlock, err := waiter.WaitLock(t.Context())
		if err == nil {
			err = waiter.Append(contexts.UserMessage("ann", "work", "new"))
			unlock()
		}
		locked <- err
	}()
	_, err = c.Delete()
	must(t, err)
	unlock()
	must(t, <-locked)
	equal(t, "transcript", []string{"context_created Context created", "message new"}, transcript(t, a.in(t, "work")))
}

func (s sharedLockRules) deletedBefore(t *testing.T) {
	add := s.machines(t)
	a, b := add(), add()
	c, late := a.in(t, "work"), b.in(t, "work")
	say(t, c, "old")
	_, err := late.LocalConfig(t.Context()) // it knows the context
	must(t, err)
	_, unlock, err := c.Lock(t.Context())
	must(t, err)
	_, err = c.Delete()
	must(t, err)
	unlock()
	_, unlock, err = late.Lock(t.Context())
	must(t, err)
	defer unlock()
	must(t, late.Append(contexts.UserMessage("ann", "work", "new")))
	equal(t, "transcript", []string{"context_created Context created", "message new"}, transcript(t, a.in(t, "work")))
}
