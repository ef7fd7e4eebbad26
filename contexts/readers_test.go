package contexts

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/jsonl"
)

// TestReadersTakeNoLocks holds all locks of a context while it is read.
func TestReadersTakeNoLocks(t *testing.T) {
	s := homeOf(t, t.TempDir(), nil)
	s.Storage.MaxEntries = 2
	c := contextOf(t, s, "work")
	for i := range 5 {
		if err := c.Append(UserMessage("user", "work", fmt.Sprint("message ", i))); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{".lock", ".inbox.lock", "transcript/.transcript.lock", "../../state.json.lock"} {
		unlock, err := disk.Lock(onDisk(s, "work", name))
		if err != nil {
			t.Fatal(err)
		}
		defer unlock()
	}
	reader := contextOf(t, s, "work")
	if window, err := reader.Window(t.Context()); len(window) != 6 || err != nil {
		t.Errorf("a window of %d entries, %v", len(window), err)
	}
	count := 0
	if err := reader.History(t.Context(), Query{}, func(Entry) bool { count++; return true }); count != 6 || err != nil {
		t.Errorf("a history of %d entries, %v", count, err)
	}
	if list, err := s.List(t.Context()); err != nil || len(list) != 2 {
		t.Errorf("List = %+v, %v", list, err)
	}
	if info, err := s.Info(t.Context(), "work"); err != nil || !info.Locked {
		t.Errorf("Info = %+v, %v", info, err)
	}
	if _, inUse := s.Holder(t.Context(), "work"); !inUse {
		t.Error("nobody uses it")
	}
	// The window is behind: whoever uses the context makes it anew.
	disk.Remove(disk.OS{}, onDisk(s, "work", "context.jsonl"))
	if window, err := reader.Window(t.Context()); len(window) != 6 || err != nil {
		t.Errorf("behind: a window of %d entries, %v", len(window), err)
	}
}

// TestReadersSeeEachEntryOnceWhileOthersWrite reads a transcript whose active part
// becomes a partition all the time.
func TestReadersSeeEachEntryOnceWhileOthersWrite(t *testing.T) {
	s := homeOf(t, t.TempDir(), nil)
	s.Storage.MaxEntries = 2
	const total = 120
	stored := make(chan int, total)
	go func() {
		defer close(stored)
		c, err := s.Context("work")
		for i := range total {
			if err == nil {
				err = c.Append(UserMessage("user", "work", fmt.Sprint(i)))
			}
			stored <- i
		}
		if err != nil {
			t.Error(err)
		}
	}()
	for last := range stored {
		c := contextOf(t, s, "work")
		for name, read := range map[string]func() ([]string, error){
			"history": func() (list []string, err error) {
				err = c.History(t.Context(), Query{}, func(e Entry) bool { list = append(list, e.Content); return true })
				return list, err
			},
			"history from the end": func() (list []string, err error) {
				err = c.History(t.Context(), Query{Last: 2 * total},
					func(e Entry) bool { list = append(list, e.Content); return true })
				return list, err
			},
			"window": func() (list []string, err error) {
				window, err := c.Window(t.Context())
				for _, e := range window {
					list = append(list, e.Content)
				}
				return list, err
			},
		} {
			list, err := read()
			if err != nil || len(list) <= last+1 || list[0] != "Context created" {
				t.Fatalf("%s: %d entries after %d were stored, %v", name, len(list), last+1, err)
			}
			for i, content := range list[1:] {
				if content != fmt.Sprint(i) {
					t.Fatalf("%s: entry %d is %q in %q", name, i, content, list)
				}
			}
		}
	}
}

func TestALineThatIsTooLongIsSaidAndLeftOut(t *testing.T) {
	long := strings.Repeat("x", jsonl.MaxRecord+1)
	s := homeOf(t, t.TempDir(), nil)
	var said []string
	s.Report = func(text string) { said = append(said, text) }
	c := contextOf(t, s, "work")
	if err := c.Append(UserMessage("user", "work", "one")); err != nil {
		t.Fatal(err)
	}
	if err := c.Append(UserMessage("user", "work", long)); err == nil ||
		!strings.Contains(err.Error(), "at most 16777216 can be kept") {
		t.Errorf("Append = %v", err)
	}
	if err := disk.Append(disk.OS{}, onDisk(s, "work", "transcript/active.jsonl"), []byte(long+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := c.Append(UserMessage("user", "work", "two")); err != nil {
		t.Fatal(err)
	}
	disk.Remove(disk.OS{}, onDisk(s, "work", "context.jsonl"))
	window, err := c.Window(t.Context())
	if err != nil || len(window) != 3 || window[2].Content != "two" {
		t.Errorf("a window of %d entries, %v", len(window), err)
	}
	count := 0
	if err := c.History(t.Context(), Query{}, func(Entry) bool { count++; return true }); err != nil || count != 3 {
		t.Errorf("a history of %d entries, %v", count, err)
	}
	const leftOut = "active.jsonl:3: not an entry, left out of the conversation: not JSON"
	if len(said) == 0 || !strings.Contains(said[0], leftOut) {
		t.Errorf("said %q", said)
	}
}

func contextOf(t *testing.T, s *Files, name string) *Context {
	t.Helper()
	c, err := s.Context(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
