package contexts

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/childtest"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/disk/disktest"
	"github.com/google/go-cmp/cmp"
)

// crashStore is a store on a disk that fails when the test wants. Locks are real
// files, as the kernel's are. Partitions are small, so that the script makes
// some.
func crashStore(t *testing.T, home string, fs disk.FS) *Files {
	t.Helper()
	for _, name := range []string{"work", "other", "renamed", "default"} {
		if err := os.MkdirAll(filepath.Join(home, "contexts", name, "transcript"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	tick := int64(1000)
	s := newFiles(home, fs, func() time.Time {
		tick++
		return time.Unix(tick/4, 0) // several things happen within a second
	})
	s.Storage.MaxEntries = 3
	return s
}

// onDisk is how files keep a context.
func onDisk(c Context) *fileTranscript { return c.(*handle).conversation.transcript.(*fileTranscript) }

// world is what a store holds, as a person would see it.
type world struct {
	History, Window []string
	Summary         string
	Waiting, Mailed []string // messages in the inbox, and in the conversation
	Unanswered      []string // what retry would send again
	Current         string
	Other           bool // the context "other" exists
}

// observe reads everything. The conversation is in "work", or in "renamed".
func observe(t *testing.T, s *Files) (w world) {
	t.Helper()
	must := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	name := "work"
	if s.Exists(t.Context(), "renamed") {
		name = "renamed"
	}
	c, err := s.Context(name)
	must(err)
	window, err := c.Window(t.Context())
	must(err)
	for _, e := range Messages(window) {
		w.Window = append(w.Window, e.Content)
	}
	must(c.History(t.Context(), Query{Keep: func(e Entry) bool { return e.Type == TypeMessage }}, func(e Entry) bool {
		w.History = append(w.History, e.Content)
		if e.Metadata != nil {
			w.Mailed = append(w.Mailed, e.Metadata.Delivered...)
		}
		return true
	}))
	w.Summary, err = c.Summary(t.Context())
	must(err)
	mail, err := c.Mail(t.Context())
	must(err)
	for _, m := range mail {
		w.Waiting = append(w.Waiting, m.Content)
	}
	open, err := c.Unanswered(t.Context())
	must(err)
	for _, e := range open {
		w.Unanswered = append(w.Unanswered, e.PromptText())
	}
	state, err := s.State(t.Context())
	must(err)
	w.Current, w.Other = state.Current, s.Exists(t.Context(), "other")
	return w
}

// operation is one step of the script: what it does to a store, and to what a
// person sees.
type operation struct {
	name string
	do   func(s *Files, c Context) error
	then func(w *world)
}

func say(text string) operation {
	return operation{"append " + text, func(_ *Files, c Context) error {
		return c.Append(UserMessage("user", "work", text))
	}, func(w *world) {
		w.History, w.Window = append(w.History, text), append(w.Window, text)
	}}
}

// askingWith stores a prompt with the mail that waits.
func askingWith(c Context, mail []Mail, text string) error {
	return c.Append(UserMessage("user", "work", "mail: "+text).Delivering(mail).Asking(text, ""))
}

// script uses everything that a store can do.
func script() []operation {
	var ids []string
	return []operation{
		say("one"), say("two"), say("three"), say("four"),
		{"switch", func(s *Files, _ Context) error { _, err := s.Switch("work"); return err },
			func(w *world) { w.Current = "work" }},
		{"replace", func(_ *Files, c Context) error {
			return c.Replace([]Entry{UserMessage("user", "work", "replaced")})
		}, func(w *world) { w.Window = []string{"replaced"} }},
		say("five"),
		{"send", func(_ *Files, c Context) error { return c.Send("work", "other", "hi") },
			func(w *world) { w.Waiting = []string{"hi"} }},
		{"deliver", func(_ *Files, c Context) error {
			mail, err := c.Mail(context.Background())
			if err != nil || len(mail) != 1 {
				return fmt.Errorf("mail %v, %w", mail, err)
			}
			ids = []string{mail[0].ID}
			return c.Append(UserMessage("user", "work", "with mail").Delivering(mail))
		}, func(w *world) {
			w.History, w.Window = append(w.History, "with mail"), append(w.Window, "with mail")
			w.Waiting, w.Mailed = nil, ids
		}},
		{"empty the inbox", func(_ *Files, c Context) error { return c.RemoveMail() }, func(*world) {}},
		{"send again", func(_ *Files, c Context) error { return c.Send("work", "other", "ho") },
			func(w *world) { w.Waiting = []string{"ho"} }},
		{"ask with mail", func(_ *Files, c Context) error {
			mail, err := c.Mail(context.Background())
			if err != nil || len(mail) != 1 {
				return fmt.Errorf("mail %v, %w", mail, err)
			}
			ids = append(ids, mail[0].ID)
			return askingWith(c, mail, "asked")
		}, func(w *world) {
			w.History, w.Window = append(w.History, "mail: asked"), append(w.Window, "mail: asked")
			w.Mailed, w.Unanswered = ids[:2], []string{"asked"}
		}},
		{"empty the inbox before there is an answer",
			func(_ *Files, c Context) error {
				return c.RemoveMail()
			}, func(*world) {}},
		{"ask again", func(_ *Files, c Context) error {
			mail, err := c.Mail(context.Background())
			if err != nil || len(mail) != 1 || mail[0].ID != ids[1] {
				return fmt.Errorf("mail %v, %w", mail, err)
			}
			return askingWith(c, mail, "retried")
		}, func(w *world) {
			w.History, w.Window = append(w.History, "mail: retried"), append(w.Window, "mail: retried")
			w.Mailed, w.Unanswered = []string{ids[0], ids[1], ids[1]}, []string{"retried"}
		}},
		{"answer", func(_ *Files, c Context) error { return c.Append(AssistantMessage("work", "answer")) }, func(w *world) {
			w.History, w.Window, w.Waiting, w.Unanswered = append(w.History, "answer"), append(w.Window, "answer"), nil, nil
		}},
		{"empty the inbox after the answer", func(_ *Files, c Context) error { return c.RemoveMail() }, func(*world) {}},
		say("five and a half"),
		{"compact", func(_ *Files, c Context) error {
			window, err := c.Window(context.Background())
			if err != nil {
				return err
			}
			return c.Compact("a summary", window[len(window)-1:])
		}, func(w *world) { w.Window, w.Summary = []string{"five and a half"}, "a summary" }},
		{"supersede", func(_ *Files, c Context) error {
			return c.Supersede([]Entry{UserMessage("user", "work", "a newer summary")})
		}, func(w *world) { w.Window, w.Summary = []string{"a newer summary"}, "" }},
		say("six"), say("seven"), say("eight"),
		{"new system prompt", func(_ *Files, c Context) error {
			if err := c.SetSystemPrompt("Be brief."); err != nil {
				return err
			}
			return c.NoteSystemPrompt("Be brief.")
		}, func(*world) {}},
		{"archive", func(_ *Files, c Context) error { return c.Archive() },
			func(w *world) { w.Window, w.Summary = nil, "" }},
		say("nine"),
		{"make another", func(s *Files, _ Context) error {
			other, err := s.Context("other")
			if err != nil {
				return err
			}
			return other.Append(UserMessage("user", "other", "hello"))
		}, func(w *world) { w.Other = true }},
		{"delete the other", func(s *Files, _ Context) error {
			other, err := s.Context("other")
			if err == nil {
				_, err = other.Delete()
			}
			return err
		}, func(w *world) { w.Other = false }},
		{"rename", func(_ *Files, c Context) error { return c.Rename("renamed") }, func(w *world) { w.Current = "renamed" }},
		say("ten"), say("eleven"), say("twelve"),
	}
}

// clone copies a world so that the next step does not change it.
func (w world) clone() world {
	for _, list := range []*[]string{&w.History, &w.Window, &w.Waiting, &w.Mailed, &w.Unanswered} {
		*list = slices.Clone(*list)
	}
	return w
}

// play runs the script until something fails. It returns the world that was
// acknowledged, and the one that the failed operation would have made.
func play(s *Files) (acknowledged, next world, failed string, err error) {
	acknowledged = world{Current: DefaultName}
	c, err := s.Context("work")
	for _, op := range script() {
		if err != nil {
			break
		}
		err = op.do(s, c)
		next, failed = acknowledged.clone(), op.name
		op.then(&next)
		if err == nil {
			acknowledged = next.clone()
		}
	}
	return acknowledged, next, failed, err
}

// TestWhatWasAcknowledgedSurvives cuts the power at every operation of the
// disk, and inside every write: all that was acknowledged is there, in order
// and once; of the operation that was cut off there is all or nothing; and the
// conversation goes on.
func TestWhatWasAcknowledgedSurvives(t *testing.T) {
	for _, unsynced := range []disktest.Unsynced{disktest.Lost, disktest.Torn, disktest.Holes} {
		for cut := 0; ; cut++ {
			home := t.TempDir()
			fs := disktest.New(home, cut)
			acknowledged, next, failed, err := play(crashStore(t, home, fs))
			if err == nil && !fs.Failed() {
				if cut < 150 {
					t.Fatalf("the script took only %d operations", cut)
				}
				break // the power stayed
			}
			after := crashStore(t, home, fs.AfterCrash(unsynced))
			when := fmt.Sprintf("power cut at disk operation %d (%s), unsynced bytes %s", cut, failed, unsynced)
			survived(t, when, after, failed, acknowledged, next)
			if t.Failed() {
				return
			}
		}
	}
}

// survived compares what is there with what may be there, and goes on with the
// conversation.
func survived(t *testing.T, when string, s *Files, failed string, acknowledged, next world) {
	t.Helper()
	got := observe(t, s)
	possible := []world{acknowledged, next}
	if failed == "rename" { // the folder has its new name, state.json not yet
		possible = append(possible, acknowledged)
		if s.Exists(t.Context(), "renamed") {
			got.Current = "renamed"
		}
	}
	if !slices.ContainsFunc(possible, func(w world) bool { return cmp.Equal(w, got, sameEmpty()) }) {
		t.Errorf("%s:\nagainst what was acknowledged (-want +got):\n%s\nagainst the next step (-want +got):\n%s",
			when, cmp.Diff(acknowledged, got, sameEmpty()), cmp.Diff(next, got, sameEmpty()))
		return
	}
	name := "work"
	if s.Exists(t.Context(), "renamed") {
		name = "renamed"
	}
	c, err := s.Context(name)
	if err == nil {
		err = c.Append(UserMessage("user", name, "afterwards"))
	}
	again := observe(t, s)
	again.Current = got.Current
	got.History, got.Window = append(got.History, "afterwards"), append(got.Window, "afterwards")
	if len(got.Unanswered) > 0 { // it belongs to the prompt before it
		got.Unanswered = append(got.Unanswered, "afterwards")
	}
	if diff := cmp.Diff(got, again, sameEmpty()); diff != "" || err != nil {
		t.Errorf("%s: going on: %v (-want +got):\n%s", when, err, diff)
	}
}

// sameEmpty makes nil and empty lists equal.
func sameEmpty() cmp.Option {
	return cmp.FilterValues(func(a, b []string) bool { return len(a) == 0 && len(b) == 0 }, cmp.Ignore())
}

// TestAFullDiskDamagesNothing fills the disk at every operation: what needs
// room fails and says so, all that was acknowledged is there, and when there is
// room again everything goes on.
func TestAFullDiskDamagesNothing(t *testing.T) {
	for cut := 0; ; cut++ {
		home := t.TempDir()
		fs := disktest.NewFailing(home, cut, syscall.ENOSPC)
		store := crashStore(t, home, fs)
		acknowledged, next, failed, err := play(store)
		if !fs.Failed() {
			break
		}
		if err != nil && !strings.Contains(err.Error(), "no space left") {
			t.Errorf("disk full at operation %d: the error of %s is %v", cut, failed, err)
		}
		if err == nil {
			acknowledged = next // only what can wait has failed
		}
		fs.Free()
		survived(t, fmt.Sprintf("disk full at operation %d (%s)", cut, failed), store, failed, acknowledged, next)
		if t.Failed() {
			return
		}
	}
}

// TestAReadOnlyHomeCanBeRead takes a home whose window is behind.
func TestAReadOnlyHomeCanBeRead(t *testing.T) {
	home := t.TempDir()
	fs := disktest.NewFailing(home, -1, syscall.EROFS)
	s := crashStore(t, home, fs)
	c, err := s.Context("work")
	if err == nil {
		err = c.Append(UserMessage("user", "work", "hello"))
	}
	if err != nil {
		t.Fatal(err)
	}
	fs.Remove(onDisk(c).file.path())
	fs.Fail()
	if window, err := c.Window(t.Context()); err != nil || len(window) != 2 {
		t.Errorf("window = %v, %v", window, err)
	}
	count := 0
	if err := c.History(t.Context(), Query{}, func(Entry) bool { count++; return true }); err != nil || count != 2 {
		t.Errorf("%d entries of history, %v", count, err)
	}
	err = c.Append(UserMessage("user", "work", "more"))
	if err == nil || !strings.Contains(err.Error(), `storing in context "work": read-only file system`) {
		t.Errorf("appending: %v", err)
	}
}

// TestAKilledProcessLosesNothing kills a process that appends as fast as it
// can, several times over, and looks for everything that it acknowledged.
func TestAKilledProcessLosesNothing(t *testing.T) {
	childtest.Do(t, "CHIBI_TEST_APPEND", appendForEver)
	home := t.TempDir()
	var acknowledged []string
	for range 8 {
		self := childtest.Command(t)
		cmd := exec.Command(self[0], self[1:]...)
		cmd.Env = childtest.Environ(t, "CHIBI_TEST_APPEND", home)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for n := 0; lines.Scan(); n++ {
			acknowledged = append(acknowledged, lines.Text())
			if n == 25 {
				cmd.Process.Kill()
			}
		}
		cmd.Wait()
	}
	have := historyIDs(t, home)
	last := -1
	for _, id := range acknowledged {
		at := slices.Index(have, id)
		if at <= last {
			t.Fatalf("entry %s was acknowledged and is at %d after %d; %d of %d entries are there", id, at, last,
				len(have), len(acknowledged))
		}
		last = at
	}
}

// historyIDs are the ids of all entries of the context "work".
func historyIDs(t *testing.T, home string) (ids []string) {
	t.Helper()
	store, err := Open(home)
	if err != nil {
		t.Fatal(err)
	}
	c, err := store.Context("work")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.History(t.Context(), Query{}, func(e Entry) bool { ids = append(ids, e.ID); return true }); err != nil {
		t.Fatal(err)
	}
	return ids
}

// appendForEver appends, archives now and then, and prints the id of what was
// acknowledged.
func appendForEver(home string) {
	store, err := Open(home)
	if err != nil {
		return
	}
	store.Storage.MaxEntries = 7
	c, err := store.Context("work")
	for i := 0; err == nil; i++ {
		e := UserMessage("user", "work", fmt.Sprint("message ", i))
		if err = c.Append(e); err == nil {
			fmt.Println(e.ID)
		}
		if err == nil && i%10 == 9 {
			err = c.Compact("so far", nil)
		}
	}
}

// TestManyProcessesAtOnce lets eight processes append to one context: no entry
// is lost, no line torn, each one's entries are in order.
func TestManyProcessesAtOnce(t *testing.T) {
	childtest.Do(t, "CHIBI_TEST_MANY", appendSome)
	home := t.TempDir()
	outputs := make(chan string)
	for range 8 {
		self := childtest.Command(t)
		cmd := exec.Command(self[0], self[1:]...)
		cmd.Env = childtest.Environ(t, "CHIBI_TEST_MANY", home)
		go func() {
			out, _ := cmd.Output()
			outputs <- string(out)
		}()
	}
	var all [][]string
	for range 8 {
		all = append(all, strings.Fields(<-outputs))
	}
	have := historyIDs(t, home)
	if len(have) != 1+8*20 { // the context is created once
		t.Errorf("%d entries, want %d", len(have), 1+8*20)
	}
	for _, ids := range all {
		last := -1
		for _, id := range ids {
			at := slices.Index(have, id)
			if at <= last {
				t.Errorf("entry %s is at %d, after %d", id, at, last)
			}
			last = at
		}
		if len(ids) != 20 {
			t.Errorf("a process acknowledged %d entries", len(ids))
		}
	}
}

func appendSome(home string) {
	store, err := Open(home)
	if err != nil {
		return
	}
	store.Storage.MaxEntries = 11
	c, err := store.Context("work")
	for i := 0; i < 20 && err == nil; i++ {
		e := UserMessage("user", "work", fmt.Sprint("message ", i))
		if err = c.Append(e); err == nil {
			fmt.Println(e.ID)
		}
	}
}
