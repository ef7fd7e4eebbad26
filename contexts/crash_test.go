package contexts

import (
	"bufio"
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

// onDisk returns the path of a file of a context.
func onDisk(s *Files, name, file string) string {
	return filepath.Join(s.Layout().Directory(name), file)
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
	fs.Remove(onDisk(s, "work", "context.jsonl"))
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
