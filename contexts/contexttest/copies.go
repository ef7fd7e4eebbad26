package contexttest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/contexts"
)

// Copies tests that a home of files is copied to a store and back as [contexts.Copy] says.
// open makes an empty store; each call of again opens it again, as another process would.
func Copies(t *testing.T, open func(t *testing.T) (again func() *contexts.Store)) {
	s := copySuite{open}
	for _, r := range []rule{
		{"a folder that is copied to the store and to another folder is the same", s.backAndForth},
		{"a copy that is repeated copies what is new, to both sides", s.repeated},
		{"a copy that was interrupted is repeated", s.interrupted},
		{"a context that was continued in the target is refused by name, and the others are copied", s.diverged},
		{"a context that is in use in the target is refused by name", s.inUse},
		{"a dry run says how much would be copied and changes nothing", s.dryRun},
		{"settings that the target must not have are left out by name", s.settings},
		{"mail that was delivered since is not in the copy's inbox", s.delivered},
		{"the conversation goes on in the copy", s.goesOn},
	} {
		t.Run(r.says, r.holds)
	}
}

// copySuite opens stores for the rules of copies.
type copySuite struct {
	open func(t *testing.T) func() *contexts.Store
}

// folder opens an empty home of files, whose transcripts have several partitions.
func folder(t *testing.T) *contexts.Store {
	t.Helper()
	files, err := contexts.Open(t.TempDir())
	must(t, err)
	files.Storage.MaxEntries = 300
	return files.Store
}

// filled returns a home of files with contexts of all kinds, one of which has five times so many entries.
func filled(t *testing.T, fifth int) *contexts.Store {
	t.Helper()
	h := folder(t)
	long := in(t, h, "long")
	for n := range 5 {
		var list []contexts.Entry
		for i := range fifth {
			list = append(list, contexts.UserMessage("ann", "long", fmt.Sprintf("message %d <%d> 日本", n, i)))
		}
		must(t, long.Append(list...))
	}
	work := in(t, h, "Work-1")
	say(t, work, "one", "two")
	must(t, work.Append(contexts.ToolCall("Work-1", "echo", "id-1", `{"a":1}`),
		contexts.ToolResult("Work-1", "echo", "id-1", "1")))
	entries, err := work.Window(t.Context())
	must(t, err)
	must(t, work.Compact("what was said", entries[1:2]))
	say(t, work, strings.Repeat("large ", 50_000))
	must(t, work.SetSystemPrompt("You are terse"))
	must(t, work.NoteSystemPrompt("You are terse, and more"))
	must(t, work.Replace(Story("u:instead a:yes")))
	say(t, work, "three")
	must(t, work.SetTodos("to do"))
	must(t, work.SetGoals("a goal"))
	must(t, work.SetReflection("I am"))
	must(t, work.ChangeLocalConfig(func(string) (string, error) { return "model = \"m\"\n", nil }))
	must(t, in(t, h, "new").Send("Work-1", "new", "first"))
	must(t, in(t, h, "new").Send("Work-1", "somebody", "second"))
	hour := time.Hour
	must(t, h.SetDestroyRule("Work-1", nil, &hour))
	must(t, h.Touch("Work-1"))
	cleared := in(t, h, "cleared")
	say(t, cleared, "gone")
	must(t, cleared.Archive())
	_, err = h.Switch("empty")
	must(t, err)
	return h
}

// content is what a person sees of a context.
type content struct {
	Entries, Window                             []contexts.Entry
	Summary, Todos, Goals, Prompt, Local, Noted string
	Mail                                        []contexts.Mail
	Created, LastActivity                       time.Time
}

// contents returns what a person sees of a home.
func contents(t *testing.T, h *contexts.Store) map[string]content {
	t.Helper()
	names, err := h.Names(t.Context())
	must(t, err)
	found := map[string]content{}
	for _, name := range names {
		c := in(t, h, name)
		window, err := c.Window(t.Context())
		must(t, err)
		mail, err := c.Mail(t.Context())
		must(t, err)
		info, err := h.Info(t.Context(), name)
		must(t, err)
		found[name] = content{Entries: history(t, c, contexts.Query{}), Window: window, Summary: read(t, c.Summary),
			Todos: read(t, c.Todos), Goals: read(t, c.Goals), Prompt: read(t, c.SystemPrompt),
			Local: read(t, c.LocalConfig), Mail: mail,
			Created: info.Created.UTC(), LastActivity: info.LastActivity.UTC()}
	}
	found["prompts/reflection"] = content{Noted: read(t, in(t, h, "any").Reflection)}
	return found
}

// copied copies, and returns how much of each context was copied.
func copied(t *testing.T, from, to *contexts.Store, o contexts.CopyOptions) (map[string]contexts.Copied, error) {
	t.Helper()
	done := map[string]contexts.Copied{}
	interrupt := o.Progress
	o.Progress = func(c contexts.Copied) {
		if c.Done {
			done[c.Name] = c
		}
		if interrupt != nil {
			interrupt(c)
		}
	}
	err := contexts.Copy(t.Context(), from, to, o)
	return done, err
}

// mustCopy copies everything.
func mustCopy(t *testing.T, from, to *contexts.Store) map[string]contexts.Copied {
	t.Helper()
	done, err := copied(t, from, to, contexts.CopyOptions{})
	must(t, err)
	return done
}

func (s copySuite) backAndForth(t *testing.T) {
	from, between, to := filled(t, 70), s.open(t), folder(t)
	done := mustCopy(t, from, between())
	entries := history(t, in(t, from, "Work-1"), contexts.Query{})
	if c := done["Work-1"]; c.Mail != 2 || c.Entries != len(entries) || c.Of != 4 {
		t.Errorf("copied %+v", c)
	}
	want := contents(t, from)
	mustCopy(t, between(), to)
	equal(t, "the other folder", want, contents(t, to))
	there := contents(t, between())
	for name, c := range want { // the summary is kept with the anchor there
		equal(t, name+" in the store", withoutAnchors(c), withoutAnchors(there[name]))
	}
	if _, err := to.Switch("Work-1"); err != nil {
		t.Error(err)
	}
}

// withoutAnchors leaves out entries whose metadata has the summary.
func withoutAnchors(c content) content {
	for _, list := range []*[]contexts.Entry{&c.Entries, &c.Window} {
		var rest []contexts.Entry
		for _, e := range *list {
			if e.Type != contexts.TypeCompaction {
				rest = append(rest, e)
			}
		}
		*list = rest
	}
	return c
}

func (s copySuite) repeated(t *testing.T) {
	from, between := filled(t, 70), s.open(t)
	mustCopy(t, from, between())
	for name, c := range mustCopy(t, from, between()) {
		if c.Entries+c.Mail+c.Outputs != 0 {
			t.Errorf("%s was copied twice: %+v", name, c)
		}
	}
	say(t, in(t, from, "Work-1"), "four")
	must(t, in(t, from, "Work-1").Archive())
	must(t, in(t, from, "Work-1").SetTodos(""))
	say(t, in(t, from, "later"), "hello")
	done := mustCopy(t, from, between())
	equal(t, "new entries", [2]int{2, 2}, [2]int{done["Work-1"].Entries, done["later"].Entries})
	say(t, in(t, between(), "later"), "from the store")
	equal(t, "new entries, back", 1, mustCopy(t, between(), from)["later"].Entries)
	equal(t, "both", contents(t, from)["later"], contents(t, between())["later"])
	equal(t, "todos", "", read(t, in(t, between(), "Work-1").Todos))
}

func (s copySuite) interrupted(t *testing.T) {
	from, between, to := filled(t, contexts.DefaultMaxEntries/4), s.open(t), folder(t) // more than one piece
	for stop := 1; ; stop++ {
		ctx, cancel := context.WithCancel(t.Context())
		seen := 0
		err := contexts.Copy(ctx, from, between(), contexts.CopyOptions{Progress: func(contexts.Copied) {
			if seen++; seen == stop {
				cancel()
			}
		}})
		cancel()
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if stop > 100 {
			t.Fatal("it does not come to an end")
		}
	}
	mustCopy(t, between(), to)
	equal(t, "the other folder", contents(t, from), contents(t, to))
}

func (s copySuite) diverged(t *testing.T) {
	from, between := folder(t), s.open(t)
	for _, name := range []string{"a", "b", "c", "d"} {
		say(t, in(t, from, name), "one")
	}
	mustCopy(t, from, between())
	for _, name := range []string{"a", "b", "c", "d"} {
		say(t, in(t, from, name), "two")
	}
	say(t, in(t, between(), "b"), "another")
	must(t, in(t, between(), "b").SetTodos("its own"))
	for range 3 {
		say(t, in(t, between(), "c"), "more")
	}
	before := contents(t, between())
	_, err := copied(t, from, between(), contexts.CopyOptions{})
	var failed *contexts.CopyError
	var diverged *contexts.DivergedError
	if !errors.As(err, &failed) || !errors.As(err, &diverged) ||
		err.Error() != `2 of 4 contexts were not copied completely: "b", "c"` {
		t.Fatalf("the error is %v", err)
	}
	if text := failed.Failed[0].Err.Error(); !strings.HasPrefix(text, `context "b" has other entries in the target`) {
		t.Errorf("it says %q", text)
	}
	after := contents(t, between())
	equal(t, "a", "one two", Contents(contexts.Messages(after["a"].Entries)))
	equal(t, "b", before["b"], after["b"])
	equal(t, "c", before["c"], after["c"])
	equal(t, "d", "one two", Contents(contexts.Messages(after["d"].Entries)))
}

func (s copySuite) inUse(t *testing.T) {
	from, between := folder(t), s.open(t)
	say(t, in(t, from, "a"), "one")
	say(t, in(t, from, "b"), "one")
	_, unlock, err := in(t, between(), "a").Lock(t.Context())
	must(t, err)
	_, free, err := in(t, from, "b").Lock(t.Context()) // the source may be in use
	must(t, err)
	defer free()
	done, err := copied(t, from, between(), contexts.CopyOptions{})
	var locked *contexts.LockedError
	if !errors.As(err, &locked) || locked.Context != "a" || done["b"].Entries != 2 {
		t.Errorf("copied %v, %v", done, err)
	}
	unlock()
	equal(t, "entries", 2, mustCopy(t, from, between())["a"].Entries)
}

func (s copySuite) dryRun(t *testing.T) {
	from, between := filled(t, 70), s.open(t)
	dry, err := copied(t, from, between(), contexts.CopyOptions{DryRun: true})
	must(t, err)
	names, err := between().Names(t.Context())
	must(t, err)
	equal(t, "names", 0, len(names))
	equal(t, "what is said", mustCopy(t, from, between()), dry)
	dry, err = copied(t, from, between(), contexts.CopyOptions{DryRun: true})
	must(t, err)
	equal(t, "the entries after it", contexts.Copied{Name: "long", Number: 4, Of: 4, Done: true}, dry["long"])
}

func (s copySuite) settings(t *testing.T) {
	from, between := folder(t), s.open(t)
	for name, text := range map[string]string{"a": "model = \"m\"", "b": "base_url = \"http://x\""} {
		say(t, in(t, from, name), "one")
		must(t, in(t, from, name).ChangeLocalConfig(func(string) (string, error) { return text, nil }))
	}
	o := contexts.CopyOptions{LocalConfig: func(_, text string) error {
		if strings.HasPrefix(text, "base_url") {
			return errors.New("base_url may not be there")
		}
		return nil
	}}
	for _, o.DryRun = range []bool{true, false} {
		done, err := copied(t, from, between(), o)
		if err == nil || done["a"].Err != nil || fmt.Sprint(done["b"].Err) !=
			`context "b" is copied without its local.toml: base_url may not be there` {
			t.Errorf("%v, %v", done, err)
		}
	}
	equal(t, "a", `model = "m"`, read(t, in(t, between(), "a").LocalConfig))
	equal(t, "b", "", read(t, in(t, between(), "b").LocalConfig))
	equal(t, "its entries", 2, len(history(t, in(t, between(), "b"), contexts.Query{})))
}

func (s copySuite) delivered(t *testing.T) {
	from, between := folder(t), s.open(t)
	work := in(t, from, "work")
	must(t, work.Send("work", "ann", "first"))
	must(t, work.Send("work", "ann", "second"))
	mustCopy(t, from, between())
	equal(t, "waiting", "first second", waiting(t, in(t, between(), "work")))
	mail, err := work.Mail(t.Context())
	must(t, err)
	must(t, work.Append(contexts.UserMessage("ann", "work", "here is mail").Delivering(mail[:1])))
	must(t, work.RemoveMail())
	must(t, work.Send("work", "ann", "third"))
	mustCopy(t, from, between())
	equal(t, "waiting", "second third", waiting(t, in(t, between(), "work")))
}

func (s copySuite) goesOn(t *testing.T) {
	from, between := filled(t, 70), s.open(t)
	before := contents(t, from)["Work-1"]
	mustCopy(t, from, between())
	work := in(t, between(), "Work-1")
	must(t, work.NoteSystemPrompt("You are terse, and more"))
	say(t, work, "four")
	equal(t, "entries", len(before.Entries)+1, len(history(t, work, contexts.Query{})))
	equal(t, "summary", "what was said", read(t, work.Summary))
	session, err := work.Session(t.Context())
	must(t, err)
	equal(t, "session", contexts.SessionOf(before.Window), session)
	info, err := between().Info(t.Context(), "Work-1")
	must(t, err)
	if info.LastActivity.IsZero() || info.Locked {
		t.Errorf("info = %+v", info)
	}
}
