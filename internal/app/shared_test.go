package app_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/guards"
	"github.com/chibi-host/chibi/internal/storage"
	"github.com/chibi-host/chibi/store"
	"github.com/chibi-host/chibi/store/storetest"
)

// shared is a store in memory that machines share, each with a home of its own.
type shared struct {
	memory *storetest.Memory
	// open, if not nil, is asked in the place of the memory.
	open func() (*store.Engine, error)
	// wrap, if not nil, stands between the programs and the engine.
	wrap           func(*store.Engine)
	opened, closed atomic.Int32
}

func newShared() *shared { return &shared{memory: storetest.NewMemory()} }

// drivers are those of a program with an engine for memory://.
func (m *shared) drivers() store.Drivers {
	return store.Drivers{"memory": {Open: func(_ context.Context, o store.Options) (*store.Engine, error) {
		m.opened.Add(1)
		if m.open != nil {
			return m.open()
		}
		o.Lease = 3 * time.Second
		e := m.memory.Engine(o)
		shut := e.Close
		e.Close = func() error { m.closed.Add(1); return shut() }
		if m.wrap != nil {
			m.wrap(e)
		}
		return e, nil
	}}}
}

const secretURL = "memory://me:secretword@host/team"

// options are those of a run on a machine with this home.
func (m *shared) options(dir, name string) app.Options {
	url := secretURL
	return app.Options{
		Home: dir, Context: name, Transient: true, Model: app.ModelOptions{Demo: true}, Version: "v1",
		Store:   app.StoreOptions{Sharing: storage.Share(m.drivers()), URL: &url},
		Plugins: app.PluginOptions{Stderr: io.Discard},
	}
}

// ask asks a prompt in a run of its own.
func (m *shared) ask(opts app.Options, prompt string) error {
	ctx := context.Background()
	s, err := app.Open(ctx, opts)
	if err != nil {
		return err
	}
	defer s.Close()
	err = s.Run(ctx, func() error { return s.Ask(ctx, prompt) })
	app.Cleanup(ctx, s)
	return err
}

// setLocal writes the local.toml of a context as any program that may write the store can.
func (m *shared) setLocal(t *testing.T, name, text string) {
	t.Helper()
	e := m.memory.Engine(store.Options{})
	defer e.Close()
	c, err := contexts.OpenShared(e, t.TempDir()).Context(name)
	if err == nil {
		err = c.Append(contexts.UserMessage("ada", name, "begin"))
	}
	if err == nil {
		err = c.ChangeLocalConfig(func(string) (string, error) { return text, nil })
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestAConversationGoesOnOnAnotherMachine(t *testing.T) {
	here, there, m := home(t), t.TempDir(), newShared()
	if err := m.ask(m.options(here, "work"), "first"); err != nil {
		t.Fatal(err)
	}
	if err := m.ask(m.options(there, "work"), "second"); err != nil {
		t.Fatal(err)
	}
	s, err := app.Open(t.Context(), m.options(t.TempDir(), "work"))
	if err != nil {
		t.Fatal(err)
	}
	window, err := s.Context.Window(t.Context())
	if err != nil || len(contexts.Messages(window)) != 4 {
		t.Errorf("the window has %d messages, error %v", len(contexts.Messages(window)), err)
	}
	other, err := s.For(t.Context(), "other")
	if err != nil {
		t.Fatal(err)
	}
	other.Close()
	if s.Store.Exists(t.Context(), "other") {
		t.Error("looking at a context has made it")
	}
	if moved, err := s.Move(t.Context(), "third"); err != nil {
		t.Error(err)
	} else {
		s = moved
	}
	s.Close()
	if opened, closed := m.opened.Load(), m.closed.Load(); opened != 3 || closed != 3 {
		t.Errorf("three runs have opened %d connections and closed %d", opened, closed)
	}
	for _, dir := range []string{here, there} {
		if _, err := os.Stat(filepath.Join(dir, "state.json")); err == nil {
			t.Error("runs with a transient context have changed which one is current")
		}
	}
}

func TestASharedLocalConfigIsForeign(t *testing.T) {
	dir, m := home(t), newShared()
	for text, want := range map[string]string{
		"base_url = \"http://evil\"\n": `local.toml of context "work":1: base_url does not count in a context that ` +
			`machines share; put it into config.toml of this machine, or use --set for one run`,
		"model = \"m\"\n[mcp.x]\ncommand = \"evil\"\n": `local.toml of context "work":2: mcp does not count in a context ` +
			`that machines share; put it into config.toml of this machine, or use --set for one run`,
		"[": `local.toml of context "work":1: `,
	} {
		m.setLocal(t, "work", text)
		err := m.ask(m.options(dir, "work"), "hello")
		var wrong app.UsageError
		if err == nil || !strings.HasPrefix(err.Error(), want) || !errors.As(err, &wrong) {
			t.Errorf("error = %v\nwant    %s", err, want)
		}
	}
	m.setLocal(t, "work", "username = \"ada\"\n")
	s, err := app.Open(t.Context(), m.options(dir, "work"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.Agent.Settings.UserName != "ada" {
		t.Errorf("the user is %q", s.Agent.Settings.UserName)
	}
	err = app.ChangeLocalConfig(t.Context(), s, func(string, []byte) ([]byte, error) {
		return []byte("api_key = \"k\"\n"), nil
	})
	var wrong app.UsageError
	if !errors.As(err, &wrong) || !strings.Contains(err.Error(), "api_key does not count") {
		t.Errorf("saving a key: %v", err)
	}
	if text, err := s.Context.LocalConfig(t.Context()); err != nil || text != "username = \"ada\"\n" {
		t.Errorf("the text is %q, error %v", text, err)
	}
}

func TestASharedContextRequiresAGuard(t *testing.T) {
	dir, m := home(t), newShared()
	m.setLocal(t, "work", "[plugins.gate]\non_failure = \"block\"\n")
	m.setLocal(t, "shouted", "[plugins.shout]\non_failure = \"block\"\n")
	m.setLocal(t, "foreign", "[plugins.\"claude:x\"]\non_failure = \"block\"\n")
	const do = "\nWithout it chibi answers no prompt and calls no tool, as on_failure = \"block\" under " +
		"[plugins.%s] of the context, which machines share, says.\nInstall it and turn it on here, or use --no-hooks " +
		"for this run."
	for _, test := range []struct{ name, config, want string }{
		{"work", "", `the guard "gate" is missing: there is no such plugin; chibi plugin list names them all` +
			fmt.Sprintf(do, "gate")},
		{"foreign", "", `the guard "claude:x" is missing: there is no such plugin; chibi plugin list names them all` +
			fmt.Sprintf(do, `"claude:x"`)},
		{"shouted", "", ""},
		{"shouted", "[plugins.shout]\nenabled = false\n", `the guard "shout" is missing: disabled by enabled = false in ` +
			`[plugins."shout"] of the configuration` +
			fmt.Sprintf(do, "shout")},
	} {
		if err := os.WriteFile(filepath.Join(dir, "config.toml"), []byte(test.config), 0o600); err != nil {
			t.Fatal(err)
		}
		err := m.ask(m.options(dir, test.name), "hello")
		var guards *guards.MissingError
		switch {
		case test.want == "" && err != nil:
			t.Error(err)
		case test.want != "" && (!errors.As(err, &guards) || err.Error() != test.want):
			t.Errorf("error = %v\nwant    %s", err, test.want)
		}
	}
	without := m.options(dir, "work")
	without.Plugins.NoHooks = true
	if err := m.ask(without, "hello"); err != nil {
		t.Errorf("without hooks: %v", err)
	}
}

func TestAStoreThatCannotBeOpenedSaysWhy(t *testing.T) {
	dir, m := home(t), newShared()
	for _, test := range []struct {
		err   error
		want  string
		usage bool
	}{
		{fmt.Errorf("connecting to %s: no answer: %w", secretURL, store.ErrUnavailable),
			`store "memory://me:***@host/team": connecting to memory://me:***@host/team: no answer: the store is not ` +
				`available; nothing was sent to the model, and nothing is lost; check the servers and the network, and try again`,
			false},
		{store.ErrNotFound, `store "memory://me:***@host/team": not found in the store; chibi store init makes it`, true},
		{fmt.Errorf("the password secretword was refused: %w", store.ErrDenied),
			`store "memory://me:***@host/team": the password *** was refused: the store does not permit it`, true},
		{&store.FormatError{Found: 9, Known: 1, By: "v9"}, `store "memory://me:***@host/team": the store has format 9 ` +
			`(written by v9), and this program knows formats up to 1; use a newer chibi`, true},
	} {
		m.open = func() (*store.Engine, error) { return nil, test.err }
		err := m.ask(m.options(dir, "work"), "hello")
		var wrong app.UsageError
		if err == nil || err.Error() != test.want || errors.As(err, &wrong) != test.usage || !errors.Is(err, test.err) {
			t.Errorf("error = %v\nwant    %s", err, test.want)
		}
	}
}

// TestARunReadsNoListOfContexts states that what a run costs does not depend on how many
// contexts a store has.
func TestARunReadsNoListOfContexts(t *testing.T) {
	dir, m := home(t), newShared()
	var lists atomic.Int32
	m.wrap = func(e *store.Engine) { e.Docs = &countingDocs{e.Docs, &lists} }
	opts := m.options(dir, "work")
	opts.Transient = false
	if err := m.ask(opts, "the first run of a day cleans up"); err != nil {
		t.Fatal(err)
	}
	if lists.Load() == 0 {
		t.Fatal("the counter counts nothing")
	}
	lists.Store(0)
	if err := m.ask(opts, "hello"); err != nil || lists.Load() != 0 {
		t.Errorf("a run has listed names %d times, error %v", lists.Load(), err)
	}
}

// countingDocs counts lists of names.
type countingDocs struct {
	store.Docs
	lists *atomic.Int32
}

func (d *countingDocs) List(ctx context.Context, prefix string, each func(store.Doc) bool) error {
	if prefix == "" || strings.HasPrefix("name.", prefix) || strings.HasPrefix(prefix, "name") {
		d.lists.Add(1)
	}
	return d.Docs.List(ctx, prefix, each)
}

// TestALeaseThatIsLostEndsTheAnswer takes the lease of a context away while the model
// answers.
func TestALeaseThatIsLostEndsTheAnswer(t *testing.T) {
	dir, m, ctx := home(t), newShared(), t.Context()
	opts := m.options(dir, "work")
	s, err := app.Open(ctx, opts)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	broken := s.WithLock(ctx, "work", func(held context.Context, s *app.Session) error {
		if _, err := s.Store.Unlock(ctx, "work"); err != nil {
			return err
		}
		select {
		case <-held.Done():
			return held.Err()
		case <-time.After(time.Minute):
			return errors.New("the lease was broken, and nothing said so")
		}
	})
	want := `context "work" is no longer reserved for this run: the run did not reach the store in time. ` +
		`The store keeps everything until then, and the next run goes on`
	if !errors.Is(broken, contexts.ErrLost) || broken.Error() != want {
		t.Errorf("error = %v\nwant    %s", broken, want)
	}
	taken := s.WithLock(ctx, "work", func(held context.Context, s *app.Session) error {
		if _, err := s.Context.Window(held); err != nil {
			return err
		}
		if _, err := s.Store.Unlock(ctx, "work"); err != nil {
			return err
		}
		return s.Context.Append(contexts.UserMessage("ada", "work", "late"))
	})
	var by *contexts.TakenError
	if !errors.As(taken, &by) || !strings.HasPrefix(by.Error(), `context "work" was taken over by `) {
		t.Errorf("error = %v; want that it was taken over", taken)
	}
	locked := s.WithLock(ctx, "work", func(context.Context, *app.Session) error { return m.ask(opts, "hello") })
	var held *contexts.LockedError
	if !errors.As(locked, &held) || held.Expires.IsZero() || held.Holder.PID != os.Getpid() {
		t.Errorf("error = %v; want who has it until when", locked)
	}
}

// TestAnAnswerThatCouldNotBeStoredIsStoredLater lets the store take the prompt and no answer.
func TestAnAnswerThatCouldNotBeStoredIsStoredLater(t *testing.T) {
	dir, m := home(t), newShared()
	var answers, notices []string
	opts := m.options(dir, "work")
	opts.Output.Text = func(delta string) { answers = append(answers, delta) }
	opts.Output.Notice = func(text string) { notices = append(notices, text) }
	m.wrap = func(e *store.Engine) { e.Log = &failingLog{Log: e.Log, after: 1} }
	err := m.ask(opts, "hello")
	var unsent *contexts.UnsentError
	if !errors.As(err, &unsent) || !errors.Is(err, store.ErrUnavailable) {
		t.Fatalf("error = %v; want where the answer is kept", err)
	}
	if _, err := os.Stat(unsent.Path); err != nil {
		t.Error(err)
	}
	if text := strings.Join(answers, ""); !strings.Contains(text, "You said: ") {
		t.Errorf("the answer was not shown: %q", text)
	}
	if text := strings.Join(notices, "\n"); strings.Contains(text, "the prompt got no answer") {
		t.Errorf("the person is told that there is no answer: %s", text)
	}
	m.wrap = nil
	if err := m.ask(opts, "again"); err != nil {
		t.Fatal(err)
	}
	s, err := app.Open(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	window, err := s.Context.Window(t.Context())
	if err != nil || len(contexts.Messages(window)) != 4 {
		t.Errorf("the window has %d messages, error %v", len(contexts.Messages(window)), err)
	}
	if _, err := os.Stat(unsent.Path); err == nil {
		t.Errorf("%s is still there", unsent.Path)
	}
}

// failingLog stops to answer after some records.
type failingLog struct {
	store.Log
	after int
}

func (l *failingLog) Append(ctx context.Context, log string, after store.Tail, r store.Record) (store.Tail, error) {
	if l.after--; l.after < 0 {
		return store.Tail{}, fmt.Errorf("log %q: %w", log, store.ErrUnavailable)
	}
	return l.Log.Append(ctx, log, after, r)
}
