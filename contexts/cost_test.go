package contexts

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
)

// countingFS counts what takes time: waiting for the disk, and listing directories.
type countingFS struct {
	disk.OS
	syncs, lists *atomic.Int32
}

type countingFile struct {
	disk.File
	syncs *atomic.Int32
}

func (c countingFS) OpenFile(name string, flag int, perm fs.FileMode) (disk.File, error) {
	f, err := c.OS.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return countingFile{f, c.syncs}, nil
}

func (c countingFS) SyncDir(name string) error {
	c.syncs.Add(1)
	return c.OS.SyncDir(name)
}

func (c countingFS) ReadDir(name string) ([]fs.DirEntry, error) {
	c.lists.Add(1)
	return c.OS.ReadDir(name)
}

func (f countingFile) Sync() error {
	f.syncs.Add(1)
	return f.File.Sync()
}

// TestATurnWaitsForTheDiskOncePerEntry takes the steps of a turn with one tool call: its
// prompt, the call, its result and the answer are each made durable, and nothing else; and
// no step looks at other contexts.
func TestATurnWaitsForTheDiskOncePerEntry(t *testing.T) {
	home := t.TempDir()
	counted := countingFS{syncs: new(atomic.Int32), lists: new(atomic.Int32)}
	now := time.Now()
	s := newFiles(home, counted, func() time.Time { return now })
	for i := range 20 {
		if _, err := s.Switch(fmt.Sprintf("context-%d", i)); err != nil {
			t.Fatal(err)
		}
	}
	turn := func() error {
		c, err := s.Context("context-7")
		if err == nil {
			_, err = s.Switch("context-7")
		}
		if err == nil {
			_, err = s.State(t.Context())
		}
		if err == nil {
			_, err = s.Expire(t.Context(), "context-7")
		}
		for i := range 4 {
			if err == nil {
				_, err = c.Window(t.Context())
			}
			if err == nil {
				err = c.Append(UserMessage("user", "context-7", fmt.Sprint(i)))
			}
		}
		if err == nil {
			err = s.Touch("context-7")
		}
		return err
	}
	for range 2 { // the first one makes the context
		counted.syncs.Store(0)
		counted.lists.Store(0)
		now = now.Add(time.Hour)
		if err := turn(); err != nil {
			t.Fatal(err)
		}
	}
	if syncs, lists := counted.syncs.Load(), counted.lists.Load(); syncs != 4 || lists != 0 {
		t.Errorf("%d waits for the disk, %d listed directories; want 4 and 0", syncs, lists)
	}
	info, err := s.Info(t.Context(), "context-7")
	if err != nil || info.LastActivity.Unix() != now.Unix() {
		t.Errorf("Info = %+v, %v; used at %s", info, err, now)
	}
}

// TestAWindowWithALineThatIsNoEntryIsRebuilt damages lines of the window as a power failure
// may: they were not made durable one by one.
func TestAWindowWithALineThatIsNoEntryIsRebuilt(t *testing.T) {
	for name, line := range map[string]string{"zeros": "\x00\x00\x00", "half a line": `"content":"b"}`, "no object": "7"} {
		t.Run(name, func(t *testing.T) {
			s := homeOf(t, t.TempDir(), nil)
			var said []string
			s.Report = func(text string) { said = append(said, text) }
			c := contextOf(t, s, "work")
			for _, text := range []string{"a", "b", "c"} {
				if err := c.Append(UserMessage("user", "work", text)); err != nil {
					t.Fatal(err)
				}
			}
			path := onDisk(s, "work", "context.jsonl")
			whole, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(string(whole), "\n")
			lines[2] = line
			if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
				t.Fatal(err)
			}
			if window, err := c.Window(t.Context()); err != nil || len(Messages(window)) != 3 {
				t.Errorf("a window of %d messages, %v", len(Messages(window)), err)
			}
			if after, err := os.ReadFile(path); err != nil || string(after) != string(whole) {
				t.Errorf("the file is %q, %v; want %q", after, err, whole)
			}
			const want = "context.jsonl:3: not an entry"
			if len(said) != 1 || !strings.Contains(said[0], want) {
				t.Errorf("said %q", said)
			}
		})
	}
}

// TestAStateOfAnotherLayoutIsReadAndChanged has files that a plugin or the original wrote.
func TestAStateOfAnotherLayoutIsReadAndChanged(t *testing.T) {
	for name, text := range map[string]string{
		"one line": `{"previous_context":"old","current_context":"work","contexts":[` +
			`{"name":"work","created_at":5,"last_activity_at":1600000000,"destroy_after_seconds_inactive":0,"destroy_at":0}]}`,
		"not listed": "{\n  \"contexts\": [],\n  \"current_context\": \"work\",\n  \"previous_context\": \"old\"\n}\n",
		"never used": `{"current_context":"work","previous_context":"old","contexts":[{"name":"work"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			s := homeOf(t, home, map[string]string{"state.json": text, "contexts/work/todos.md": "x"})
			for range 2 { // the second time, chibi has written it
				if state, err := s.State(t.Context()); err != nil || state != (State{Current: "work", Previous: "old"}) {
					t.Errorf("State = %+v, %v", state, err)
				}
				if err := s.Touch("work"); err != nil {
					t.Error(err)
				}
				if info, err := s.Info(t.Context(), "work"); err != nil || time.Since(info.LastActivity) > time.Hour {
					t.Errorf("Info = %+v, %v", info, err)
				}
			}
			if kept, _ := filepath.Glob(filepath.Join(home, "state.json.*-*")); len(kept) != 0 {
				t.Errorf("kept aside: %v", kept)
			}
		})
	}
}
