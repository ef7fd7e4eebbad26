package cache

import (
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
)

// spilled returns a file with a text, which was written in pieces of so many bytes.
func spilled(t *testing.T, c Files, text string, piece int) *spill {
	t.Helper()
	f, err := c.SpillFile()
	if err != nil {
		t.Fatal(err)
	}
	for rest := text; rest != "" && err == nil; {
		n := min(piece, len(rest))
		_, err = io.WriteString(f, rest[:n])
		rest = rest[n:]
	}
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	return f.(*spill)
}

// TestWhatIsWrittenIsMeasuredAsWhatIsRead compares both, at the sizes of blocks and of
// the places of an index.
func TestWhatIsWrittenIsMeasuredAsWhatIsRead(t *testing.T) {
	long := strings.Repeat("a line of 25 characters.\n", 5*blockSize/25)
	for name, text := range map[string]string{
		"empty": "", "one line": "x", "lines": "a\nb\n", "a block": long[:blockSize], "more than a block": long[:blockSize+1],
		"more than all blocks": long,
		"1024 lines":           strings.Repeat("\n", 1024), "1025 lines": strings.Repeat("\n", 1024) + "x",
		"characters": strings.Repeat("é€𝄞", blockSize), "not UTF-8": long + "\xff", "zeros": "a\x00b", "cut": "€"[:2],
	} {
		for _, piece := range []int{1 << 30, 64 << 10, 1 + rand.IntN(100_000)} {
			c := Open(t.TempDir())
			s := spilled(t, c, text, piece)
			known := writtenTo(s)
			if known.info == nil && text != "" {
				t.Errorf("%s: it is not known", name)
			}
			f, err := os.Open(s.Name())
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			want, err := scanFile(f)
			if got, knownErr := known.of(f); errors.Join(err, knownErr) != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s in pieces of %d: %+v, want %+v; %v, %v", name, piece, got, want, err, knownErr)
			}
		}
	}
}

// TestAFileThatChangedIsRead: what is known of a file is used for the same bytes only.
func TestAFileThatChangedIsRead(t *testing.T) {
	const text, other = "line 1\nline 2\n", "line 1 line 2\n"
	for name, change := range map[string]func(path string) error{
		"in place":  func(path string) error { return os.WriteFile(path, []byte(other), 0o600) },
		"longer":    func(path string) error { return os.WriteFile(path, []byte(text+text), 0o600) },
		"cut":       func(path string) error { return os.Truncate(path, 3) },
		"emptied":   func(path string) error { return os.Truncate(path, 0) },
		"replaced":  func(path string) error { return disk.Replace(disk.OS{}, path, []byte(other), 0o600) },
		"unchanged": func(path string) error { return os.WriteFile(path, []byte(text), 0o600) },
		"with its time set back": func(path string) error {
			info, err := os.Stat(path)
			if err != nil || runtime.GOOS != "linux" {
				return err
			}
			return errors.Join(os.WriteFile(path, []byte(other), 0o600), os.Chtimes(path, time.Time{}, info.ModTime()))
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := Open(t.TempDir())
			s := spilled(t, c, text, 5)
			if err := change(s.Name()); err != nil {
				t.Fatal(err)
			}
			if writtenTo(s).info != nil && (name != "with its time set back" || runtime.GOOS == "linux") {
				t.Error("it counts as known")
			}
			e, err := c.PutFile("tool", nil, s)
			if err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(e.Path)
			if err != nil {
				t.Fatal(err)
			}
			same, err := c.PutText("tool", nil, string(data))
			if err != nil || e.SHA256 != same.SHA256 || e.Lines != same.Lines || e.Chars != same.Chars || e.Bytes != same.Bytes {
				t.Errorf("%+v, want %+v, %v", e, same, err)
			}
		})
	}
}

// TestAFileThatIsReplacedWhileItIsSavedIsRead: between looking and moving.
func TestAFileThatIsReplacedWhileItIsSavedIsRead(t *testing.T) {
	c := Open(t.TempDir())
	s := spilled(t, c, "one", 5)
	known := writtenTo(s)
	if err := disk.Replace(disk.OS{}, s.Name(), []byte("two"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(s.Name(), time.Time{}, known.info.ModTime()); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(s.Name())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want, err := scanFile(f)
	if got, knownErr := known.of(f); got.sum != want.sum || errors.Join(err, knownErr) != nil {
		t.Errorf("%+v, want %+v; %v, %v", got, want, err, knownErr)
	}
}

// TestAFileThatCouldNotBeWrittenIsNotKnown: what counts is what is on the disk.
func TestAFileThatCouldNotBeWrittenIsNotKnown(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path) // for reading
	if err != nil {
		t.Fatal(err)
	}
	s := &spill{file: f}
	if n, err := s.Write([]byte("text")); n != 0 || err == nil {
		t.Errorf("wrote %d bytes, %v", n, err)
	}
	s.Close()
	if writtenTo(s).info != nil {
		t.Error("it is known")
	}
}
