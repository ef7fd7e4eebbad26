package contexts_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/store"
	"github.com/chibi-host/chibi/store/storetest"
)

// recorded notes the calls of an engine, and fails some.
type recorded struct {
	mu    sync.Mutex
	calls []string
	fails func(call string) bool // nil: none
	taken func()                 // is called when a lease was taken, before the caller knows
}

func (r *recorded) around(call string, do func() error) error {
	r.mu.Lock()
	r.calls = append(r.calls, call)
	fails, taken := r.fails, r.taken
	r.mu.Unlock()
	if fails != nil && fails(call) {
		return store.ErrUnavailable
	}
	err := do()
	if call == "Leases.Take" && taken != nil {
		taken()
	}
	return err
}

// since returns the calls since it was called last.
func (r *recorded) since() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	calls := r.calls
	r.calls = nil
	return calls
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// aheadHome is a context in a store of which calls are recorded, and the same in another process.
func aheadHome(t *testing.T) (r *recorded, here, there *contexts.Context) {
	t.Helper()
	r = &recorded{}
	memory := storetest.NewMemory()
	open := func(e *store.Engine) *contexts.Context {
		c, err := contexts.OpenShared(e, t.TempDir()).Context("work")
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	here, there = open(storetest.Around(memory.Engine(store.Options{}), r.around)), open(memory.Engine(store.Options{}))
	if err := there.Append(contexts.UserMessage("ada", "work", "first")); err != nil {
		t.Fatal(err)
	}
	return r, here, there
}

// state is what a turn reads, as text.
func state(t *testing.T, c *contexts.Context) string {
	t.Helper()
	ctx := t.Context()
	mail, err := c.Mail(ctx)
	must(t, err)
	window, err := c.Window(ctx)
	must(t, err)
	var said []string
	for _, e := range window[1:] { // the first one says that the context was created
		said = append(said, e.Content)
	}
	for _, m := range mail {
		said = append(said, m.Content)
	}
	for _, read := range []func(context.Context) (string, error){c.Todos, c.Reflection} {
		text, err := read(ctx)
		must(t, err)
		said = append(said, text)
	}
	return strings.Join(said, ",")
}

// TestWhatIsReadAheadIsReadUnderTheLock: what another process has stored just before the lock was its to
// lose counts, and what is sent before the mail is asked for.
func TestWhatIsReadAheadIsReadUnderTheLock(t *testing.T) {
	r, here, there := aheadHome(t)
	r.taken = func() {
		must(t, there.Append(contexts.UserMessage("ada", "work", "second")))
		must(t, there.SetTodos("todo"))
		must(t, there.SetReflection("thought"))
		must(t, there.Send("work", "ada", "mail"))
	}
	here.ReadAhead(contexts.Ahead{Mail: true, Reflection: true})
	_, unlock, err := here.Lock(t.Context())
	must(t, err)
	r.since()
	if got := state(t, here); got != "first,second,mail,todo,thought" {
		t.Error(got)
	}
	for _, call := range r.since() {
		if !strings.HasPrefix(call, "Log.") { // these look which mail was delivered already
			t.Errorf("it was read ahead, and %s again", call)
		}
	}
	must(t, there.SetReflection("second thought"))
	must(t, there.Send("work", "ada", "more"))
	if got := state(t, here); got != "first,second,mail,more,todo,second thought" {
		t.Errorf("the second time: %s", got)
	}
	unlock()
}

// TestMailThatAPluginSendsComesWithThePrompt: unless it was said that none runs before the mail is read,
// that is read when it is asked for, with the reflection.
func TestMailThatAPluginSendsComesWithThePrompt(t *testing.T) {
	r, here, there := aheadHome(t)
	here.ReadAhead(contexts.Ahead{Reflection: true})
	_, unlock, err := here.Lock(t.Context())
	must(t, err)
	defer unlock()
	must(t, there.SetReflection("thought"))
	must(t, there.Send("work", "ada", "mail"))
	r.since()
	if got := state(t, here); got != "first,mail,,thought" {
		t.Error(got)
	}
	calls := slices.DeleteFunc(r.since(), func(call string) bool { return strings.HasPrefix(call, "Log.") })
	if slices.Sort(calls); !slices.Equal(calls, []string{"Docs.Get", "Docs.List"}) {
		t.Errorf("%q", calls)
	}
}

// TestWhatTheHandleItselfChangesWasNotReadAhead.
func TestWhatTheHandleItselfChangesWasNotReadAhead(t *testing.T) {
	_, here, _ := aheadHome(t)
	here.ReadAhead(contexts.Ahead{Mail: true, Reflection: true})
	_, unlock, err := here.Lock(t.Context())
	must(t, err)
	defer unlock()
	must(t, here.SetTodos("todo"))
	must(t, here.SetReflection("thought"))
	must(t, here.Send("work", "ada", "mail"))
	must(t, here.Append(contexts.UserMessage("ada", "work", "second")))
	if got := state(t, here); got != "first,second,mail,todo,thought" {
		t.Error(got)
	}
}

// TestWhatCannotBeReadAheadIsReadLater: the lock is there all the same, and the error is that of whoever
// needs it.
func TestWhatCannotBeReadAheadIsReadLater(t *testing.T) {
	r, here, there := aheadHome(t)
	must(t, there.SetTodos("todo"))
	must(t, there.Send("work", "ada", "mail"))
	r.fails = func(call string) bool { return call == "Docs.List" || call == "Log.Read" }
	here.ReadAhead(contexts.Ahead{Mail: true, Reflection: true})
	_, unlock, err := here.Lock(t.Context())
	must(t, err)
	defer unlock()
	if _, err := here.Todos(t.Context()); err == nil {
		t.Error("todos: no error")
	}
	if _, err := here.Mail(t.Context()); err == nil {
		t.Error("mail: no error")
	}
	r.mu.Lock()
	r.fails = nil
	r.mu.Unlock()
	if got := state(t, here); got != "first,mail,todo," {
		t.Error(got)
	}
}

// TestAUseIsRecordedWhenTheLockIsGivenBack, or whoever uses the context does not fail for it.
func TestAUseIsRecordedWhenTheLockIsGivenBack(t *testing.T) {
	for _, isRefused := range []bool{false, true} {
		r, here, _ := aheadHome(t)
		r.fails = func(call string) bool { return isRefused && call == "Docs.Put" }
		_, unlock, err := here.Lock(t.Context())
		must(t, err)
		must(t, here.Touch())
		if calls := r.since(); slices.Contains(calls, "Docs.Put") {
			t.Errorf("before the lock was given back: %q", calls)
		}
		unlock()
		calls := r.since()
		if slices.Sort(calls); !slices.Equal(calls, []string{"Docs.Put", "Lease.Release"}) {
			t.Errorf("when the lock was given back: %q", calls)
		}
	}
}
