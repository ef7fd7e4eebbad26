package contexts

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"

	"github.com/chibi-host/chibi/internal/childtest"
)

// TestACopyThatIsKilledIsRepeated kills processes that copy one after another, each a little
// later than the one before.
func TestACopyThatIsKilledIsRepeated(t *testing.T) {
	childtest.Do(t, "CHIBI_TEST_COPY", copyAndTell)
	home := t.TempDir()
	from, err := Open(home)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 6 {
		c, err := from.Context(fmt.Sprint("context-", n))
		var list []Entry
		for i := range 400 {
			list = append(list, UserMessage("ann", c.Name(), fmt.Sprintf("%d %01000d", i, i)))
		}
		if err == nil {
			err = c.Append(list...)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	target := t.TempDir()
	for told := 1; ; told++ {
		self := childtest.Command(t)
		cmd := exec.Command(self[0], self[1:]...)
		cmd.Env = append(childtest.Environ(t, "CHIBI_TEST_COPY", home), "CHIBI_TEST_TARGET="+target)
		if ended := killedAfter(t, cmd, told); ended {
			break
		}
	}
	to, err := Open(target)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 6 {
		name := fmt.Sprint("context-", n)
		if want, got := idsIn(t, from, name), idsIn(t, to, name); len(want) != 401 || !slices.Equal(want, got) {
			t.Errorf("%s: %d entries of %d", name, len(got), len(want))
		}
	}
}

// killedAfter kills a process when it has printed so many bytes; ended is true if it ended
// before.
func killedAfter(t *testing.T, cmd *exec.Cmd, told int) (ended bool) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	text := make([]byte, 1)
	for range told {
		if _, err := out.Read(text); err != nil {
			if err := cmd.Wait(); err != nil {
				t.Fatalf("the copy failed: %v", err)
			}
			return true
		}
	}
	cmd.Process.Signal(syscall.SIGKILL)
	cmd.Wait()
	return false
}

// copyAndTell copies, and prints a byte for each piece.
func copyAndTell(home string) {
	from, err := Open(home)
	if err != nil {
		panic(err)
	}
	to, err := Open(os.Getenv("CHIBI_TEST_TARGET"))
	if err == nil {
		err = Copy(context.Background(), from.Store, to.Store, CopyOptions{Progress: func(Copied) { fmt.Print(".") }})
	}
	if err != nil {
		panic(err)
	}
}

func idsIn(t *testing.T, s *Files, name string) (ids []string) {
	t.Helper()
	err := contextOf(t, s, name).History(t.Context(), Query{}, func(e Entry) bool { ids = append(ids, e.ID); return true })
	if err != nil {
		t.Fatal(err)
	}
	return ids
}
