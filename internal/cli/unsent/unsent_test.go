package unsent

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/cli/output"
	"github.com/chibi-host/chibi/internal/storage"
	"github.com/chibi-host/chibi/internal/term/screen"
	"github.com/chibi-host/chibi/store"
	"github.com/chibi-host/chibi/store/storetest"
	"github.com/urfave/cli/v2"
)

// machine is a machine whose store appends nothing while it is down.
type machine struct {
	*testing.T
	home   string
	memory *storetest.Memory
	down   atomic.Bool
}

func (m *machine) engine(o store.Options) *store.Engine {
	return storetest.Around(m.memory.Engine(o), func(call string, do func() error) error {
		if m.down.Load() && call == "Log.Append" {
			return store.ErrUnavailable
		}
		return do()
	})
}

// conversation opens a context, as a run does that answers a prompt.
func (m *machine) conversation(home, name string) *contexts.Context {
	m.Helper()
	c, err := contexts.OpenShared(m.engine(store.Options{}), home).Context(name)
	m.must(err)
	return c
}

func (m *machine) must(err error) {
	m.Helper()
	if err != nil {
		m.Fatal(err)
	}
}

// keep has an answer that could not be stored, in a context that goes on on another machine or does not.
func (m *machine) keep(name, answer string, goesOn bool) {
	m.Helper()
	c := m.conversation(m.home, name)
	_, unlock, err := c.Lock(m.Context())
	m.must(err)
	m.must(c.Append(contexts.UserMessage("ann", name, "one").Asking("one", "")))
	m.down.Store(true)
	if err := c.Append(contexts.AssistantMessage(name, answer)); err == nil {
		m.Fatal("the answer was stored")
	}
	m.down.Store(false)
	unlock()
	if goesOn {
		other := m.conversation(m.TempDir(), name)
		m.must(other.Append(contexts.UserMessage("bob", name, "two").Asking("two", "")))
		m.must(other.Append(contexts.AssistantMessage(name, "second")))
	}
}

// run runs a command, and returns what it prints.
func (m *machine) run(args ...string) (text string, err error) {
	m.Helper()
	path := filepath.Join(m.TempDir(), "out")
	out, err := os.Create(path)
	m.must(err)
	defer out.Close()
	s := screen.New(out, out)
	url := "memory://host/team"
	request := func(app.Purpose) (app.Options, error) {
		drivers := store.Drivers{"memory": {Open: func(_ context.Context, o store.Options) (*store.Engine, error) {
			return m.engine(o), nil
		}}}
		return app.Options{Home: m.home, Transient: true, Context: "other", Version: "v1",
			Model: app.ModelOptions{Demo: true}, Plugins: app.PluginOptions{Stderr: io.Discard},
			Store: app.StoreOptions{Sharing: storage.Share(drivers), URL: &url}}, nil
	}
	env := &command.Env{Stdin: os.Stdin, Out: &output.Printer{Screen: s}, ReportUnused: func() {}, Request: request,
		Yes: func() bool { return false }}
	program := &cli.App{Name: "chibi", Commands: Commands(env), Writer: io.Discard, ErrWriter: io.Discard,
		ExitErrHandler: func(*cli.Context, error) {}}
	err = program.RunContext(m.Context(), append([]string{"chibi", "unsent"}, args...))
	s.Close()
	said, failed := os.ReadFile(path)
	m.must(failed)
	return string(said), err
}

func (m *machine) says(want string, args ...string) {
	m.Helper()
	if text, err := m.run(args...); err != nil || !strings.Contains(text, want) {
		m.Errorf("%q: %v, %q; want %q", args, err, text, want)
	}
}

func (m *machine) fails(want string, args ...string) {
	m.Helper()
	if _, err := m.run(args...); err == nil || !strings.Contains(err.Error(), want) {
		m.Errorf("%q: %v; want %q", args, err, want)
	}
}

// window is what the context says now.
func (m *machine) window(name string) (text string) {
	m.Helper()
	entries, err := m.conversation(m.home, name).Window(m.Context())
	m.must(err)
	for _, e := range entries {
		text += e.Content + "\n"
	}
	return text
}

func newMachine(t *testing.T) *machine {
	return &machine{T: t, home: t.TempDir(), memory: storetest.NewMemory()}
}

func TestWhatCouldNotBeStoredIsListedShownAddedAndRemoved(t *testing.T) {
	m := newMachine(t)
	m.says("everything is stored")
	m.keep("work", "the answer", true)
	id := contexts.HostOf(m.home).Unsent()[0].Name
	m.says("work     the answer")
	m.says(`"context": "work"`, "list", "--json")
	m.says("the answer", "show", id[:6])
	m.fails(`has the id "nothing"; chibi unsent lists their ids`, "show", "nothing")
	m.fails("--to NAME adds it to another context", "add", "--to", "nowhere", id)
	m.says("Added to context 'work' as a note", "add", id[:6])
	const before = "Context created\none\ntwo\nsecond\n[Note: the store did not take"
	if text := m.window("work"); !strings.HasPrefix(text, before) ||
		!strings.HasSuffix(text, "the answer\n") {
		t.Errorf("the context has %q", text)
	}
	m.says("everything is stored", "list")
	m.keep("work", "another answer", true)
	id = contexts.HostOf(m.home).Unsent()[0].Name
	m.says("Removed", "remove", "--yes", id)
	m.says("everything is stored", "list")
}

func TestWhatFitsIsStoredInItsPlace(t *testing.T) {
	m := newMachine(t)
	m.keep("work", "the answer", false)
	m.says("Stored in context 'work', which had not gone on", "add", contexts.HostOf(m.home).Unsent()[0].Name)
	if text := m.window("work"); text != "Context created\none\nthe answer\n" {
		t.Errorf("the context has %q", text)
	}
}

func TestADamagedFileIsListedAndNotAdded(t *testing.T) {
	m := newMachine(t)
	m.keep("work", "the answer", true)
	u := contexts.HostOf(m.home).Unsent()[0]
	m.must(os.WriteFile(u.Path, []byte("{"), 0o600))
	m.says("its file is damaged", "list")
	m.fails("cannot be added", "add", u.Name)
	m.says("Removed", "remove", "--yes", u.Name)
}
