package contexts

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chibi-host/chibi/internal/disk/disktest"
)

// crashHome is a context on a disk whose power goes at operation cut. Locks are
// real files, as the kernel's are.
func crashHome(t *testing.T, home string, fs *disktest.FS) *Context {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(home, "contexts", "work", "transcript"), 0o700); err != nil {
		t.Fatal(err)
	}
	store := &Store{home: home, fs: fs}
	c, err := store.Context("work")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// script appends messages one after another, replaces the conversation in the
// middle, and returns what was acknowledged.
func script(c *Context) (acknowledged []string, err error) {
	for i := range 6 {
		text := fmt.Sprint("message ", i)
		if i == 3 {
			if err := c.Replace([]Entry{UserMessage("user", "work", "replaced")}); err != nil {
				return acknowledged, err
			}
			acknowledged = append(acknowledged, "replaced")
		}
		if err := c.Append(UserMessage("user", "work", text)); err != nil {
			return acknowledged, err
		}
		acknowledged = append(acknowledged, text)
	}
	return acknowledged, nil
}

// transcriptTexts are the messages of the transcript, in order.
func transcriptTexts(t *testing.T, c *Context) []string {
	t.Helper()
	whole := *c
	if err := whole.store.fs.Remove(c.windowFile()); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	window, err := whole.Window()
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, e := range window {
		if e.Type == TypeMessage {
			texts = append(texts, e.Content)
		}
	}
	return texts
}

// TestWhatWasAcknowledgedSurvives cuts the power at every operation of the
// script, and inside every write.
func TestWhatWasAcknowledgedSurvives(t *testing.T) {
	for _, torn := range []bool{false, true} {
		for cut := 0; ; cut++ {
			home := t.TempDir()
			fs := disktest.New(home, cut)
			acknowledged, err := script(crashHome(t, home, fs))
			if err == nil {
				if cut < 20 {
					t.Fatalf("the script took only %d operations", cut)
				}
				break // it was not interrupted any more
			}
			after := crashHome(t, home, fs.AfterCrash(torn))
			checkSurvivors(t, fmt.Sprintf("cut %d, torn %v", cut, torn), after, acknowledged)
			if t.Failed() {
				return
			}
		}
	}
}

// checkSurvivors holds that the window begins with what was acknowledged since
// the last replacement, that at most the entry in flight follows, and that the
// conversation goes on.
func checkSurvivors(t *testing.T, when string, c *Context, acknowledged []string) {
	t.Helper()
	window, err := c.Window()
	if err != nil {
		t.Fatalf("%s: %v", when, err)
	}
	var got []string
	for _, e := range window {
		if e.Type == TypeMessage {
			got = append(got, e.Content)
		}
	}
	want := acknowledged
	if i := slices.Index(acknowledged, "replaced"); i >= 0 {
		want = acknowledged[i:]
	}
	inFlight := len(got) > 0 && got[0] == "replaced" && !slices.Contains(acknowledged, "replaced")
	if !inFlight && (len(got) < len(want) || len(got) > len(want)+1 || !slices.Equal(got[:len(want)], want)) {
		t.Errorf("%s: the window holds %q, acknowledged were %q", when, got, want)
	}
	if err := c.Append(UserMessage("user", "work", "after the crash")); err != nil {
		t.Errorf("%s: appending afterwards: %v", when, err)
	}
	if texts := transcriptTexts(t, c); texts[len(texts)-1] != "after the crash" || len(texts) != len(got)+1 {
		t.Errorf("%s: afterwards the transcript holds %q, the window held %q", when, texts, got)
	}
}

// TestAKilledProcessLosesNothing kills a process that appends as fast as it
// can, several times over, and looks for everything that it acknowledged.
func TestAKilledProcessLosesNothing(t *testing.T) {
	if home := os.Getenv("CHIBI_TEST_APPEND"); home != "" {
		appendForEver(home)
		return
	}
	home := t.TempDir()
	var acknowledged []string
	for range 5 {
		cmd := exec.Command(os.Args[0], "-test.run=TestAKilledProcessLosesNothing")
		cmd.Env = append(os.Environ(), "CHIBI_TEST_APPEND="+home, fmt.Sprint("CHIBI_TEST_FIRST=", len(acknowledged)))
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
			if n == 20 {
				cmd.Process.Kill()
			}
		}
		cmd.Wait()
	}
	store, err := Open(home)
	if err != nil {
		t.Fatal(err)
	}
	c, err := store.Context("work")
	if err != nil {
		t.Fatal(err)
	}
	window, err := c.Window()
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	for _, e := range window {
		have[e.ID] = true
	}
	for _, id := range acknowledged {
		if !have[id] {
			t.Errorf("entry %s was acknowledged and is gone; %d of %d entries are there", id, len(window), len(acknowledged))
		}
	}
}

// appendForEver appends and prints the id of what was acknowledged.
func appendForEver(home string) {
	store, err := Open(home)
	if err != nil {
		return
	}
	c, err := store.Context("work")
	for i := 0; err == nil; i++ {
		e := UserMessage("user", "work", fmt.Sprint("message ", i))
		if err = c.Append(e); err == nil {
			fmt.Println(e.ID)
		}
	}
}
