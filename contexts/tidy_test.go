package contexts

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/disk/disktest"
)

func TestDeletingOnAFullDiskFreesTheRoom(t *testing.T) {
	home := t.TempDir()
	fs := disktest.NewFailing(home, -1, syscall.ENOSPC)
	s := crashStore(t, home, fs)
	c, err := s.Context("work")
	if err == nil {
		err = c.Append(UserMessage("user", "work", "hello"))
	}
	if err == nil {
		_, err = s.Switch("work")
	}
	if err != nil {
		t.Fatal(err)
	}
	fs.Fail()
	if _, err := c.Delete(); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("Delete = %v; state.json could not be written", err)
	}
	entries, err := fs.ReadDir(filepath.Join(home, "contexts"))
	if err != nil || len(entries) != 0 {
		t.Errorf("the room is not free: %v, %v", entries, err)
	}
	fs.Free()
	if err := s.Touch("other"); err != nil {
		t.Error(err)
	}
}

func TestADeletionThatWasKilledIsNamedAndFinishedLater(t *testing.T) {
	home := t.TempDir()
	s := homeOf(t, home, map[string]string{"contexts/.deleted-old-1/context.jsonl": "a secret\n"})
	left, err := s.Trash()
	if err != nil || len(left) != 1 {
		t.Errorf("Trash = %v, %v", left, err)
	}
	if err := s.Housekeep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(home, "contexts", ".*")); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

func TestTemporaryFilesAreNamedAndRemovedWhenTheyAreADayOld(t *testing.T) {
	home := t.TempDir()
	names := []string{
		".config.toml.tmp-1f", "plugins/.half.tmp-2e/half", "prompts/.reflection.md.tmp-3",
		"contexts/work/.todos.md.tmp-4", "contexts/work/transcript/.manifest.json.tmp-5", "contexts/work/tool_cache/.spool-6",
	}
	files := map[string]string{"contexts/work/todos.md": "stays", ".hidden": "stays"}
	for _, name := range names {
		files[name] = "half"
		files[strings.Replace(name, "-", "-new", 1)] = "in progress"
	}
	s := homeOf(t, home, files)
	if temps, err := s.Temps(t.Context()); err != nil || len(temps) != 2*len(names) {
		t.Errorf("Temps = %q, %v", temps, err)
	}
	dayOld := time.Now().Add(-25 * time.Hour)
	for _, name := range append(names, "plugins/.half.tmp-2e") {
		if err := os.Chtimes(filepath.Join(home, name), dayOld, dayOld); err != nil {
			t.Fatal(err)
		}
	}
	s.Tidy("work")
	for name := range files {
		_, err := os.Stat(filepath.Join(home, name))
		isOld := files[name] == "half"
		if isOld != os.IsNotExist(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAStateOfAnotherShapeIsKeptAside(t *testing.T) {
	for name, text := range map[string]string{
		"a list": `[]`, "null": `null`, "a number for the contexts": `{"contexts":5}`, "no JSON": `{"contexts":`,
		"a number for the name": `{"current_context":5}`, "a name that is none": `{"current_context":"../.."}`,
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			s := homeOf(t, home, map[string]string{"state.json": text, "contexts/work/todos.md": "x"})
			if state, err := s.State(t.Context()); err != nil || state.Current != DefaultName {
				t.Errorf("State = %+v, %v", state, err)
			}
			if err := s.Touch("work"); err != nil {
				t.Fatal(err)
			}
			kept, _ := filepath.Glob(filepath.Join(home, "state.json.damaged-*"))
			if len(kept) != 1 {
				t.Fatalf("kept aside: %v", kept)
			}
			if got, _ := os.ReadFile(kept[0]); string(got) != text {
				t.Errorf("kept %q, want %q", got, text)
			}
			if info, err := s.Info(t.Context(), "work"); err != nil || info.LastActivity.IsZero() {
				t.Errorf("Info = %+v, %v", info, err)
			}
		})
	}
}

// TestAPromptIsNotRefusedBecauseSomebodyLooks lists contexts, which looks whether
// they are in use, while another locks one again and again.
func TestAPromptIsNotRefusedBecauseSomebodyLooks(t *testing.T) {
	s := homeOf(t, t.TempDir(), map[string]string{"contexts/work/todos.md": "x"})
	stop := make(chan struct{})
	var lookers sync.WaitGroup
	for range 4 {
		lookers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					if _, err := s.List(t.Context()); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	for range 300 {
		c, err := s.Context("work")
		if err != nil {
			t.Fatal(err)
		}
		_, unlock, err := c.Lock(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		unlock()
	}
	close(stop)
	lookers.Wait()
}

// vanishing is a disk on which a directory is removed right after it was found.
type vanishing struct {
	disk.OS
	folder string
	left   *int
}

func (v vanishing) Stat(name string) (os.FileInfo, error) {
	info, err := v.OS.Stat(name)
	if err == nil && name == v.folder && *v.left > 0 {
		*v.left--
		os.RemoveAll(name)
	}
	return info, err
}

func TestAContextThatIsRenamedBetweenFindingAndLockingIsMadeAgain(t *testing.T) {
	home := t.TempDir()
	s := homeOf(t, home, map[string]string{"contexts/work/todos.md": "x"})
	times := 3
	s = newFiles(home, vanishing{folder: s.Layout().Directory("work"), left: &times}, time.Now)
	c, err := s.Context("work")
	if err != nil {
		t.Fatal(err)
	}
	_, unlock, err := c.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	unlock()
}

func TestARenameNeverTakesTheDirectoryThatAPromptHasJustMade(t *testing.T) {
	home := t.TempDir()
	s := homeOf(t, home, map[string]string{"contexts/work/todos.md": "x"})
	if err := os.Mkdir(s.Layout().Directory("new"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := disk.MoveNew(disk.OS{}, s.Layout().Directory("work"), s.Layout().Directory("new")); !os.IsExist(err) {
		t.Errorf("MoveNew = %v", err)
	}
	if _, err := os.Stat(filepath.Join(s.Layout().Directory("work"), "todos.md")); err != nil {
		t.Error(err)
	}
}

// TestWhatATurnCostsDoesNotGrowWithTheNumberOfContexts counts the operations on
// the disk of all that a turn does with the home.
func TestWhatATurnCostsDoesNotGrowWithTheNumberOfContexts(t *testing.T) {
	cost := func(count int) int {
		home := t.TempDir()
		fs := disktest.New(home, -1)
		s := crashStore(t, home, fs)
		for i := range count {
			if err := disk.MkdirAll(fs, s.Layout().Directory(fmt.Sprintf("c%d", i)), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		c, err := s.Context("work")
		must := func(err error) {
			if err != nil {
				t.Helper()
				t.Fatal(err)
			}
		}
		must(err)
		must(c.Append(UserMessage("user", "work", "one")))
		must(s.Touch("work"))
		before := fs.Ops()
		s.Tidy("work")
		_, err = s.Expire(t.Context(), "work")
		must(err)
		must(c.Append(UserMessage("user", "work", "two")))
		must(s.Touch("work"))
		_, err = s.Names(t.Context())
		must(err)
		return fs.Ops() - before
	}
	if few, many := cost(3), cost(500); few != many {
		t.Errorf("%d operations with 3 contexts, %d with 500", few, many)
	}
}

func TestWorkOnEveryContextIsDoneOnceADay(t *testing.T) {
	s := homeOf(t, t.TempDir(), nil)
	now := time.Unix(1_000_000_000, 0)
	s.Now = func() time.Time { return now }
	for _, step := range []struct {
		later time.Duration
		want  bool
	}{{0, true}, {time.Hour, false}, {22 * time.Hour, false}, {2 * time.Hour, true}, {time.Hour, false},
		{-48 * time.Hour, true}} {
		now = now.Add(step.later)
		if got, _, err := s.Daily(t.Context()); got != step.want || err != nil {
			t.Errorf("at %s: %v, %v; want %v", now, got, err, step.want)
		}
	}
}

// homeOf is a store in a directory with some files.
func homeOf(t *testing.T, home string, files map[string]string) *Files {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Open(home)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
