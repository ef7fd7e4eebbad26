package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/cache/cachetest"
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

// machine runs commands as one machine of several that use a store in memory.
type machine struct {
	*testing.T
	home   string
	url    string // of the configured store, "files" for none
	memory *storetest.Memory
	yes    bool
	opened store.Options
	status store.Status // what the engine says besides
}

func newMachine(t *testing.T, m *storetest.Memory) *machine {
	return &machine{T: t, home: t.TempDir(), url: "memory://host/team", memory: m}
}

// drivers returns the engine.
func (m *machine) drivers() store.Drivers {
	return store.Drivers{"memory": {
		Open: func(ctx context.Context, o store.Options) (*store.Engine, error) {
			m.opened = o
			if strings.HasSuffix(o.URL, "/nothing") {
				return nil, fmt.Errorf("no home %q: %w", "nothing", store.ErrNotFound)
			}
			e := m.memory.Engine(o)
			if _, err := store.CheckFormat(ctx, e.Docs, o); err != nil {
				return nil, err
			}
			inner := e.Status
			e.Status = func(ctx context.Context) (store.Status, error) {
				s, err := inner(ctx)
				s.Servers, s.Warnings = m.status.Servers, m.status.Warnings
				return s, err
			}
			return e, nil
		},
		Init: func(ctx context.Context, o store.InitOptions) ([]string, error) {
			said, err := store.RaiseFormat(ctx, m.memory.Engine(o.Options).Docs, o.Options)
			if said == "" {
				return nil, err
			}
			return []string{said, fmt.Sprintf("outputs end after %s", o.OutputAge)}, err
		},
	}}
}

// run runs a command, and returns what it prints on standard output and on standard error.
func (m *machine) run(args ...string) (out, said string, err error) {
	m.Helper()
	files := [2]*os.File{}
	for i := range files {
		if files[i], err = os.Create(filepath.Join(m.TempDir(), fmt.Sprint(i))); err != nil {
			m.Fatal(err)
		}
		defer files[i].Close()
	}
	s := screen.New(files[0], files[1])
	env := &command.Env{Stdin: os.Stdin, Out: &output.Printer{Screen: s}, ReportUnused: func() {},
		Yes: func() bool { return m.yes },
		Request: func(app.Purpose) (app.Options, error) {
			o := app.Options{Home: m.home, Version: "1.2.3",
				Store: app.StoreOptions{Sharing: storage.Share(m.drivers()), URL: &m.url}}
			return o, nil
		}}
	program := &cli.App{Name: "chibi", Commands: Commands(env), Writer: io.Discard, ErrWriter: io.Discard,
		ExitErrHandler: func(*cli.Context, error) {}}
	err = program.RunContext(m.Context(), append([]string{"chibi", "store"}, args...))
	s.Close()
	var texts [2]string
	for i, f := range files {
		text, failed := os.ReadFile(f.Name())
		if failed != nil {
			m.Fatal(failed)
		}
		texts[i] = string(text)
	}
	return texts[0], texts[1], err
}

// says runs a command that succeeds, and holds what it prints against these texts.
func (m *machine) says(command string, want ...string) {
	m.Helper()
	out, said, err := m.run(strings.Fields(command)...)
	if err != nil {
		m.Fatalf("%s: %v", command, err)
	}
	for _, text := range want {
		if !strings.Contains(out+said, text) {
			m.Errorf("%s does not say %q but:\n%s%s", command, text, out, said)
		}
	}
}

// fails runs a command that fails with this error.
func (m *machine) fails(command, want string) {
	m.Helper()
	_, _, err := m.run(strings.Fields(command)...)
	if err == nil || !strings.Contains(err.Error(), want) {
		m.Errorf("%s: %v, want %q", command, err, want)
	}
}

// contents opens the contexts of the machine's store.
func (m *machine) contents() *storage.Contents {
	m.Helper()
	p, err := app.StorePlaceAt(app.Options{Home: m.home,
		Store: app.StoreOptions{Sharing: storage.Share(m.drivers()), URL: &m.url}}, "")
	var c *storage.Contents
	if err == nil {
		c, err = p.Contents(m.Context())
	}
	if err != nil {
		m.Fatal(err)
	}
	m.Cleanup(func() { c.Close() })
	return c
}

func (m *machine) say(c *storage.Contents, name, text string) *contexts.Context {
	m.Helper()
	context, err := c.Context(name)
	if err == nil {
		err = context.Append(contexts.UserMessage("ann", name, text))
	}
	if err != nil {
		m.Fatal(err)
	}
	return context
}

func TestInitSaysWhatItMade(t *testing.T) {
	m := newMachine(t, storetest.NewMemory())
	m.says("init", "the store memory://host/team is there, as it should be")
	d, err := m.memory.Engine(store.Options{}).Docs.Get(t.Context(), store.FormatKey)
	if err == nil {
		_, err = m.memory.Engine(store.Options{}).Docs.Put(t.Context(), store.FormatKey, nil, d.Rev)
	}
	if err != nil {
		t.Fatal(err)
	}
	m.says("init", "made the format number: 1\n", "outputs end after ")
	m.fails("init --replicas 0", "--replicas is at least 1")
	m.fails("init --max-output-bytes -1", "--max-output-bytes at least 0")
	m.url = "files"
	m.fails("init", "contexts are files in "+m.home+", and need no store")
	m.url = "other://host/team"
	m.fails("init", `there is no engine for "other"; there are: memory`)
}

func TestAStoreOfAnotherFormatIsRefusedByEveryCommand(t *testing.T) {
	m := newMachine(t, storetest.NewMemory())
	newer := store.Options{Program: "chibi 9.9", Formats: store.Formats{Oldest: 1, Newest: 2}}
	if _, err := store.RaiseFormat(t.Context(), m.memory.Engine(newer).Docs, newer); err != nil {
		t.Fatal(err)
	}
	const want = "store \"memory://host/team\": the store has format 2 (written by chibi 9.9), and this program knows " +
		"formats up to 1; use a newer chibi"
	for _, command := range []string{"init", "status", "check", "gc", "unlock work", "copy memory://host/team copy"} {
		m.fails(command, want)
	}
	var format *store.FormatError
	if _, _, err := m.run("status"); !errors.As(err, &format) {
		t.Errorf("the error is %v", err)
	}
}

func TestStatusDescribesTheStore(t *testing.T) {
	m := newMachine(t, storetest.NewMemory())
	m.status = store.Status{Warnings: []string{"the disk is small"}, Servers: []store.Server{
		{Name: "n1", Role: "leader", Current: true}, {Name: "n2", Role: "follower", Lag: 2}, {Name: "n3", Role: "follower"},
		{Name: "n4", Role: "follower", Lag: 3, Silent: 25 * time.Second}}}
	m.say(m.contents(), "work", "hello")
	m.url = "memory://ann:secret@host/team"
	m.says("status --monitor http://127.0.0.1:8222", "memory://ann:***@host/team", "engine", "format      1", "round trip",
		"the store announces mail at once", "n1, leader, current", "n2, follower, behind by 2 operations", "n3, follower, "+
			"not current",
		"n4, follower, silent for 25 s",
		"log: 1 record", "warning  the disk is small")
	if m.opened.Monitor != "http://127.0.0.1:8222" || m.opened.Program != "chibi 1.2.3" {
		t.Errorf("it was opened with %+v", m.opened)
	}
	m.says("status --json", `"place": "memory://ann:***@host/team"`, `"warnings": [`, `"lag": 2`, `"format": 1`)
	m.url = "memory://host/nothing"
	m.fails("status", "chibi store init makes it")
}

func TestCopyGoesToAStoreAndBack(t *testing.T) {
	m := newMachine(t, storetest.NewMemory())
	m.url = "files"
	files := m.contents()
	m.say(files, "work", "hello")
	shared := m.say(files, "other", "hi")
	cachetest.Put(t, files.Cache("work"), "tool", "an output")
	foreign := func(string) (string, error) { return "base_url = \"http://x\"\n", nil }
	if err := shared.ChangeLocalConfig(foreign); err != nil {
		t.Fatal(err)
	}
	out, said, err := m.run("copy", "files", "memory://host/team")
	if err == nil || err.Error() != `1 of 2 contexts were not copied completely: "other"` {
		t.Errorf("the error is %v", err)
	}
	want := `context "other" is copied without its local.toml: local.toml of context other:1`
	if !strings.Contains(said, want) || !strings.Contains(said, "base_url") {
		t.Errorf("it says %q", said)
	}
	if !strings.Contains(out, `copied context "work": 2 entries, 1 output`) {
		t.Errorf("it prints %q", out)
	}
	if list, err := files.Cache("work").List(t.Context()); len(list) != 1 || err != nil {
		t.Errorf("the outputs in files are %v, %v", list, err)
	}
	m.url = "memory://host/team"
	back := filepath.Join(t.TempDir(), "back")
	m.says("copy --dry-run memory://host/team "+back, `would copy context "work": 2 entries, 1 output`)
	m.says("copy memory://host/team "+back, `copied context "other": 2 entries`,
		"copied of 2 contexts 2: 4 entries, 1 output")
	m.says("copy memory://host/team "+back, "copied of 2 contexts: nothing is new")
	m.fails("copy memory://host/team memory://host/team", "memory://host/team is named twice")
	m.fails("copy memory://host/team memory://host/nothing", "chibi store init makes it")
	m.says("check", "read 2 contexts, 4 entries, 0 messages, 1 output")
}

func TestCheckNamesWhatIsDamagedInAStore(t *testing.T) {
	m := newMachine(t, storetest.NewMemory())
	c := m.contents()
	m.say(c, "work", "hello")
	id, err := c.ID(t.Context(), "work")
	if err != nil {
		t.Fatal(err)
	}
	e := m.memory.Engine(store.Options{})
	tail, err := e.Log.Tail(t.Context(), id)
	if err == nil {
		_, err = e.Log.Append(t.Context(), id, tail, store.Record{ID: "forged", Data: []byte(`{"id": 1}`)})
	}
	stray := strings.Repeat("0a", 16)
	for key, data := range map[string]string{"name.other": `{"id": ">", "name": "other"}`, "mail." + id + ".m1": "{",
		"text." + stray + ".todos": "x"} {
		if err == nil {
			_, err = e.Docs.Put(t.Context(), key, []byte(data), 0)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	out, _, err := m.run("check")
	if !errors.Is(err, errDamaged) {
		t.Errorf("the error is %v", err)
	}
	for _, want := range []string{
		`damaged  context "work", record `, `damaged  document "name.other" of the store is damaged: ">" is not the id`,
		`damaged  context "work", message `, `damaged  document "text.` + stray + `.todos" belongs to no context`,
		"read 1 context, 2 entries"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in:\n%s", want, out)
		}
	}
}

func TestGCSaysWhatItRemoved(t *testing.T) {
	m := newMachine(t, storetest.NewMemory())
	c := m.contents()
	m.say(c, "old", "hello")
	past := time.Unix(1000, 0)
	if err := c.SetDestroyRule("old", &past, nil); err != nil {
		t.Fatal(err)
	}
	m.memory.Advance(-48 * time.Hour)
	e := m.memory.Engine(store.Options{})
	if _, err := e.Blobs.Put(t.Context(), strings.Repeat("0a", 16)+"-left_1_2", strings.NewReader("12345")); err != nil {
		t.Fatal(err)
	}
	m.memory.Advance(48 * time.Hour)
	lease, err := e.Leases.Take(t.Context(), "gc", []byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	m.fails("gc", `another machine cleans it up now: lease "gc": the lease is held by somebody else until `)
	if err := lease.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	m.says("gc", `destroyed context "old": destroy_at was 1970-01-01`, "removed the leftovers of 1 cached output, 5 B")
	m.says("gc", "there is nothing to remove")
}

func TestUnlockNamesTheHolderAndAsks(t *testing.T) {
	m := newMachine(t, storetest.NewMemory())
	other := newMachine(t, m.memory)
	work := other.say(other.contents(), "work", "hello")
	m.says("unlock work", `nobody uses context "work"`)
	held, unlock, err := work.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if _, err := work.Window(t.Context()); err != nil { // as every turn does
		t.Fatal(err)
	}
	who := fmt.Sprintf(`context "work", which is in use by process %d of `, os.Getpid())
	m.fails("unlock work", who)
	m.fails("unlock work", "there is no terminal to ask on; --yes answers yes")
	if held.Err() != nil {
		t.Error("it was unlocked without an answer")
	}
	m.says("unlock --yes work", fmt.Sprintf(`context "work" is free; it was in use by process %d of `, os.Getpid()))
	err = work.Append(contexts.UserMessage("ann", "work", "too late"))
	var taken *contexts.TakenError
	if !errors.As(err, &taken) {
		t.Errorf("who had it stores: %v", err)
	}
	m.fails("unlock nothing", `there is no context "nothing"`)
	m.fails("unlock a/b", `context name "a/b" is not usable`)
}
