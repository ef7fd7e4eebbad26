//go:build unix

package coding_test

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// lifeline is a FIFO that a command and its children hold open, so that its end says that
// the last of them is gone.
type lifeline struct {
	t    *testing.T
	hold string // begins a command that holds it, as descriptor 9
	file *os.File
}

func newLifeline(t *testing.T) lifeline {
	t.Helper()
	path := filepath.Join(t.TempDir(), "life")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	reader, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	t.Cleanup(func() { reader.Close() })
	return lifeline{t, "exec 9>'" + path + "'; ", reader}
}

// mustBegin waits for a line.
func (l lifeline) mustBegin() {
	l.file.SetReadDeadline(time.Now().Add(soon))
	for {
		if _, err := bufio.NewReader(l.file).ReadString('\n'); err != io.EOF {
			return
		}
		time.Sleep(time.Millisecond) // nobody has opened it yet
	}
}

// mustEnd waits for the end.
func (l lifeline) mustEnd() {
	l.t.Helper()
	l.file.SetReadDeadline(time.Now().Add(soon))
	if _, err := io.ReadAll(l.file); err != nil {
		l.t.Errorf("a process is still there: %v", err)
	}
}
