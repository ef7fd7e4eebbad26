package contexts_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/store"
	"github.com/chibi-host/chibi/store/storetest"
)

// TestASleeperThatHasJustTakenALease falls asleep before it has asked where the log ends. Meanwhile
// another takes the context over: what the sleeper then sees is behind the other's mark.
func TestASleeperThatHasJustTakenALease(t *testing.T) {
	memory := storetest.NewMemory()
	work := func(around func(call string, do func() error) error) *contexts.Context {
		e := storetest.Around(memory.Engine(store.Options{}), around)
		c, err := contexts.OpenShared(e, t.TempDir()).Context("work")
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	other := work(func(_ string, do func() error) error { return do() })
	taken := false
	sleeper := work(func(call string, do func() error) error {
		if !taken && strings.HasPrefix(call, "Log.Tail") {
			taken = true
			memory.Advance(time.Minute)
			_, unlock, err := other.Lock(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(unlock)
		}
		return do()
	})
	_, _, err := sleeper.Lock(t.Context())
	if _, isLocked := errors.AsType[*contexts.LockedError](err); !isLocked || !taken {
		t.Errorf("the sleeper gets %v", err)
	}
}

// TestALargeMessageWhoseContentIsMissing is reported and not handed out without it; one that
// has been handled meanwhile is not even reported.
func TestALargeMessageWhoseContentIsMissing(t *testing.T) {
	e := storetest.NewMemory().Engine(store.Options{})
	s := contexts.OpenShared(e, t.TempDir())
	var reports []string
	s.Report = func(text string) { reports = append(reports, text) }
	work, err := s.Context("work")
	if err == nil {
		err = work.Append(contexts.UserMessage("ann", "work", "one"))
	}
	id, failed := s.ID(t.Context(), "work")
	if err != nil || failed != nil {
		t.Fatal(err, failed)
	}
	key := "mail." + id + ".m1"
	rev, err := e.Docs.Put(t.Context(), key, []byte(`{"id":"m1","from":"ann","to":"work","large":true}`), 0)
	if err != nil {
		t.Fatal(err)
	}
	mail, err := work.Mail(t.Context())
	if err != nil || len(mail) != 0 || len(reports) != 1 || !strings.Contains(reports[0], "its content is not there") {
		t.Errorf("it is read as %+v, %v, and reported with %q", mail, err, reports)
	}
	if _, err := e.Docs.Put(t.Context(), key, nil, rev); err != nil {
		t.Fatal(err)
	}
	if mail, err := work.Mail(t.Context()); err != nil || len(mail) != 0 || len(reports) != 1 {
		t.Errorf("there is %+v, %v, and %q", mail, err, reports)
	}
}

// TestALargeMessageWhoseCopyWasInterrupted is copied when that is repeated: its content is there
// already.
func TestALargeMessageWhoseCopyWasInterrupted(t *testing.T) {
	large := strings.Repeat("large ", 400_000)
	from := contexts.NewMemory()
	from.Limits.Message = len(large)
	work, err := from.Context("work")
	if err == nil {
		err = work.Send("work", "ann", large)
	}
	if err != nil {
		t.Fatal(err)
	}
	appended, cut := false, false
	memory := storetest.NewMemory()
	to := contexts.OpenShared(storetest.Around(memory.Engine(store.Options{}), func(call string, do func() error) error {
		if call == "Docs.Put" && appended && !cut {
			cut = true
			return store.ErrUnavailable
		}
		appended = appended || call == "Log.Append"
		return do()
	}), t.TempDir())
	if err := contexts.Copy(t.Context(), from, to, contexts.CopyOptions{}); err == nil || !cut {
		t.Fatalf("the copy was not interrupted: %v", err)
	}
	if err := contexts.Copy(t.Context(), from, to, contexts.CopyOptions{}); err != nil {
		t.Fatal(err)
	}
	there, err := to.Context("work")
	if err != nil {
		t.Fatal(err)
	}
	if mail, err := there.Mail(t.Context()); err != nil || len(mail) != 1 || mail[0].Content != large {
		t.Errorf("there are %d messages, %v", len(mail), err)
	}
}

// TestAContextThatIsUsedWhileItExpires stays: what is due is looked at again under its lock.
func TestAContextThatIsUsedWhileItExpires(t *testing.T) {
	memory := storetest.NewMemory()
	user := contexts.OpenShared(memory.Engine(store.Options{}), t.TempDir())
	old, err := user.Context("old")
	if err == nil {
		err = old.Append(contexts.UserMessage("ann", "old", "one"))
	}
	past, later := time.Unix(1000, 0), time.Now().Add(time.Hour)
	if err == nil {
		err = user.SetDestroyRule("old", &past, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	around := func(call string, do func() error) error {
		if call == "Leases.Take" {
			if err := user.SetDestroyRule("old", &later, nil); err != nil {
				t.Error(err)
			}
		}
		return do()
	}
	cleaner := contexts.OpenShared(storetest.Around(memory.Engine(store.Options{}), around), t.TempDir())
	removed, err := cleaner.Expire(t.Context(), "")
	if err != nil || len(removed) != 0 || !user.Exists(t.Context(), "old") {
		t.Errorf("removed %+v, %v", removed, err)
	}
}

// TestATextThatTwoMachinesChangeHoldsBothChanges has another machine change it between the read
// and the put of this one, which then tries again with what it reads.
func TestATextThatTwoMachinesChangeHoldsBothChanges(t *testing.T) {
	adding := func(c *contexts.Context, line string) error {
		return c.ChangeLocalConfig(func(old string) (string, error) { return old + line, nil })
	}
	for name, isHeld := range map[string]bool{"without the lock": false, "with the lock": true} {
		t.Run(name, func(t *testing.T) {
			memory := storetest.NewMemory()
			work := func(around func(call string, do func() error) error) *contexts.Context {
				e := storetest.Around(memory.Engine(store.Options{}), around)
				c, err := contexts.OpenShared(e, t.TempDir()).Context("work")
				if err != nil {
					t.Fatal(err)
				}
				return c
			}
			other := work(func(_ string, do func() error) error { return do() })
			err := adding(other, "a = 1\n")
			puts := 0
			this := work(func(call string, do func() error) error {
				if call == "Docs.Put" {
					if puts++; puts == 1 {
						err = errors.Join(err, adding(other, "b = 2\n"))
					}
				}
				return do()
			})
			if isHeld {
				_, unlock, lockErr := this.Lock(t.Context())
				if lockErr != nil {
					t.Fatal(lockErr)
				}
				defer unlock()
			}
			if err := errors.Join(adding(this, "c = 3\n"), err); err != nil {
				t.Fatal(err)
			}
			for _, c := range []*contexts.Context{this, other} {
				if got, err := c.LocalConfig(t.Context()); got != "a = 1\nb = 2\nc = 3\n" || err != nil || puts != 2 {
					t.Errorf("after %d puts the text is %q, %v", puts, got, err)
				}
			}
		})
	}
}

// TestATextThatAnotherMachineWroteFirstIsPutAgain, and not without end.
func TestATextThatAnotherMachineWroteFirstIsPutAgain(t *testing.T) {
	for name, set := range map[string]func(*contexts.Context) error{
		"a text of the context": func(c *contexts.Context) error { return c.SetTodos("one") },
		"a text of the home":    func(c *contexts.Context) error { return c.SetReflection("one") },
	} {
		t.Run(name, func(t *testing.T) {
			conflicts := 0
			e := storetest.Around(storetest.NewMemory().Engine(store.Options{}), func(call string, do func() error) error {
				if call == "Docs.Put" && conflicts > 0 {
					conflicts--
					return store.ErrConflict
				}
				return do()
			})
			c, err := contexts.OpenShared(e, t.TempDir()).Context("work")
			if err == nil {
				err = c.Append(contexts.UserMessage("ann", "work", "one"))
			}
			if err != nil {
				t.Fatal(err)
			}
			conflicts = 1
			if err := set(c); err != nil || conflicts != 0 {
				t.Errorf("after one conflict: %v", err)
			}
			conflicts = 1000
			if err := set(c); !errors.Is(err, store.ErrConflict) || conflicts == 0 {
				t.Errorf("after conflicts again and again: %v", err)
			}
		})
	}
}
