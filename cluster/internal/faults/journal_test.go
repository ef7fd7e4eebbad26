//go:build unix

package faults

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// The journal has at most two files of journalSize; a finding shows the newest lines of it that name
// what it is about. So many findings are shown, and lines of each.
const (
	journalSize = 16 << 20
	maxFindings = 20
	maxLines    = 12
)

// journal says what happened, in a directory that is kept if something is found.
type journal struct {
	dir string
	out io.Writer

	mu       sync.Mutex
	file     *os.File
	size     int
	findings int
}

func newJournal(t *testing.T, out io.Writer) *journal {
	t.Helper()
	dir, err := os.MkdirTemp("", "chibi-faults-")
	if err != nil {
		t.Fatal(err)
	}
	j := &journal{dir: dir, out: out}
	t.Cleanup(func() {
		j.file.Close()
		if !t.Failed() {
			os.RemoveAll(j.dir)
		}
	})
	if j.file, err = os.Create(j.path()); err != nil {
		t.Fatal(err)
	}
	return j
}

func (j *journal) path() string { return filepath.Join(j.dir, "journal") }

// notef adds a line.
func (j *journal) notef(format string, values ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	line := time.Now().Format("15:04:05.000 ") + strings.ReplaceAll(fmt.Sprintf(format, values...), "\n", " | ") + "\n"
	if j.size += len(line); j.size > journalSize {
		j.file.Close()
		j.size = len(line)
		if os.Rename(j.path(), j.path()+".before") == nil {
			j.file, _ = os.Create(j.path())
		}
	}
	j.file.WriteString(line)
}

// sayf adds a line, and prints it.
func (j *journal) sayf(format string, values ...any) {
	j.notef(format, values...)
	fmt.Fprintf(j.out, format+"\n", values...)
}

// findf reports what must not be, about something that lines of the journal name.
func (j *journal) findf(about, format string, values ...any) {
	j.notef("FOUND "+format, values...)
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.findings++; j.findings > maxFindings {
		return
	}
	fmt.Fprintf(j.out, "FOUND "+format+"\n", values...)
	for _, line := range j.about(about) {
		fmt.Fprintln(j.out, "      "+line)
	}
}

// about returns the newest lines that name something.
func (j *journal) about(what string) (lines []string) {
	if what == "" {
		return nil
	}
	for _, path := range []string{j.path() + ".before", j.path()} {
		data, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		for scan := bufio.NewScanner(bytes.NewReader(data)); scan.Scan(); {
			if strings.Contains(scan.Text(), what) {
				lines = append(lines, scan.Text())
			}
		}
	}
	return lines[max(0, len(lines)-maxLines):]
}
