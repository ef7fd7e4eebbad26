package jsonfile_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/childtest"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/disk/disktest"
	"github.com/chibi-host/chibi/internal/jsonfile"
	"github.com/chibi-host/chibi/internal/systest"
)

// counts is what the tests keep; a negative number in it is damage.
type counts struct {
	By map[string]int `json:"by"`
}

func (c *counts) Validate() error {
	for name, n := range c.By {
		if n < 0 {
			return fmt.Errorf("%s is below zero", name)
		}
	}
	return nil
}

func add(name string) func(*counts) error {
	return func(c *counts) error {
		if c.By == nil {
			c.By = map[string]int{}
		}
		c.By[name]++
		return nil
	}
}

// addMany is what each of many processes does to one file.
func addMany(t *testing.T, path string) {
	for range 20 {
		if err := jsonfile.Update(jsonfile.File{Path: path}, add(os.Getenv("JSONFILE_TEST_NAME"))); err != nil {
			t.Fatal(err)
		}
	}
}

func TestNoChangeOfTwelveProcessesIsLost(t *testing.T) {
	childtest.Do(t, "JSONFILE_TEST_WRITER", func(path string) { addMany(t, path) })
	path := filepath.Join(t.TempDir(), "new", "counts.json")
	var writers []*exec.Cmd
	for i := range 12 {
		self := childtest.Command(t)
		w := exec.Command(self[0], self[1:]...)
		w.Env = append(childtest.Environ(t, "JSONFILE_TEST_WRITER", path), fmt.Sprintf("JSONFILE_TEST_NAME=w%d", i))
		w.Stdout, w.Stderr = os.Stderr, os.Stderr
		if err := w.Start(); err != nil {
			t.Fatal(err)
		}
		writers = append(writers, w)
	}
	for _, w := range writers {
		if err := w.Wait(); err != nil {
			t.Error(err)
		}
	}
	got, err := jsonfile.Read[counts](jsonfile.File{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 12 {
		if name := fmt.Sprintf("w%d", i); got.By[name] != 20 {
			t.Errorf("%s: %d of 20 changes are there", name, got.By[name])
		}
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) > 0 {
		t.Errorf("temporary files stay: %v", left)
	}
}

func TestADamagedFileIsKeptAsideAndMadeAnew(t *testing.T) {
	for name, damaged := range map[string]string{
		"no JSON":                     `{"by":`,
		"empty":                       ``,
		"a list for an object":        `[]`,
		"another kind of member":      `{"by":5}`,
		"null":                        "null\n",
		"more than one value":         `{"by":{}}{"by":{}}`,
		"what the type says is wrong": `{"by":{"a":-1}}`,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "counts.json")
			write(t, path, damaged)
			var said []string
			f := jsonfile.File{Path: path, Report: func(text string) { said = append(said, text) }}
			var wrong *jsonfile.DamagedError
			if got, err := jsonfile.Read[counts](f); !errors.As(err, &wrong) {
				t.Errorf("Read = %v, %v; want a DamagedError", got, err)
			}
			if err := jsonfile.Update(f, add("a")); err != nil {
				t.Fatal(err)
			}
			if got, err := jsonfile.Read[counts](f); err != nil || got.By["a"] != 1 {
				t.Errorf("after the change: %v, %v", got, err)
			}
			kept, _ := filepath.Glob(path + ".damaged-*")
			if len(kept) != 1 || read(t, kept[0]) != damaged {
				t.Errorf("kept aside: %v", kept)
			}
			if len(said) != 1 || !strings.Contains(said[0], filepath.Base(kept[0])) {
				t.Errorf("said %q", said)
			}
		})
	}
}

func TestAChangeThatFailsWritesNothing(t *testing.T) {
	for _, before := range []string{`{"by":{"a":1}}`, `damaged`} {
		path := filepath.Join(t.TempDir(), "counts.json")
		write(t, path, before)
		no := errors.New("no")
		if err := jsonfile.Update(jsonfile.File{Path: path}, func(*counts) error { return no }); !errors.Is(err, no) {
			t.Errorf("Update = %v", err)
		}
		if err := jsonfile.Rewrite(jsonfile.File{Path: path},
			func([]byte) ([]byte, error) { return nil, no }); !errors.Is(err, no) {
			t.Errorf("Rewrite = %v", err)
		}
		if got := read(t, path); got != before {
			t.Errorf("the file says %q, want %q", got, before)
		}
	}
}

func TestWhatIsTooLargeOrNoRegularFileIsRefusedByName(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large.json")
	write(t, large, `{"by":{}}`+strings.Repeat(" ", 100))
	pipe := filepath.Join(dir, "pipe.json")
	if err := systest.Mkfifo(pipe); err != nil {
		t.Fatal(err)
	}
	device := filepath.Join(dir, "device.json")
	if err := os.Symlink("/dev/zero", device); err != nil {
		t.Fatal(err)
	}
	lock := filepath.Join(dir, "lock.json")
	if err := systest.Mkfifo(lock + ".lock"); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		large: "larger than 50 bytes", pipe: "not a regular file but a named pipe", device: "but a device",
		lock:                    "not a regular file but a named pipe",
		filepath.Join(dir, "."): "but a directory",
	} {
		f := jsonfile.File{Path: path, Max: 50}
		err := jsonfile.Update(f, add("a"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Update(%s) = %v; want %q", path, err, want)
		}
		if _, err := jsonfile.Read[counts](f); path != lock && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("Read(%s) = %v; want %q", path, err, want)
		}
	}
	if got := read(t, large); len(got) != 109 {
		t.Errorf("the large file has %d bytes now", len(got))
	}
}

func TestAPrivateFileIsClosedToOthersWhenItIsReplaced(t *testing.T) {
	for private, want := range map[bool]os.FileMode{true: 0o600, false: 0o644} {
		path := filepath.Join(t.TempDir(), "counts.json")
		write(t, path, "{}")
		err := errors.Join(os.Chmod(path, 0o644), jsonfile.Update(jsonfile.File{Path: path, Private: private}, add("a")))
		if info, statErr := os.Stat(path); errors.Join(err, statErr) != nil || info.Mode().Perm() != want {
			t.Errorf("private %v: %v, %v; want %v", private, info.Mode(), err, want)
		}
	}
}

func TestALinkStaysALink(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	write(t, target, "a = 1\n")
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	err := jsonfile.Rewrite(jsonfile.File{Path: link},
		func(text []byte) ([]byte, error) { return append(text, "b = 2\n"...), nil })
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.Readlink(link); err != nil || got != target || read(t, target) != "a = 1\nb = 2\n" {
		t.Errorf("the link leads to %q (%v), the target says %q", got, err, read(t, target))
	}
}

func TestAStoppedWriterDoesNotHangOthersForEver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file.lock")
	unlock, err := disk.Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if _, err := disk.LockWithin(path, 1); !errors.Is(err, disk.ErrLocked) {
		t.Errorf("LockWithin = %v; want ErrLocked", err)
	}
}

// TestNothingIsLostWhenThePowerGoes cuts a change of a good and of a damaged file
// at every operation: afterwards there is the old file or the new one, and the
// damaged text somewhere.
func TestNothingIsLostWhenThePowerGoes(t *testing.T) {
	for _, before := range []string{`{"by":{"a":1}}`, `{"by":[]}`} {
		for cut := 0; ; cut++ {
			dir := t.TempDir()
			path := filepath.Join(dir, "counts.json")
			fsys := disktest.New(dir, -1)
			if err := disk.Replace(fsys, path, []byte(before), 0o600); err != nil {
				t.Fatal(err)
			}
			fsys.Cut(cut)
			err := jsonfile.Update(jsonfile.File{Path: path, FS: fsys}, add("a"))
			for _, unsynced := range []disktest.Unsynced{disktest.Lost, disktest.Torn} {
				checkAfterCrash(t, fsys.AfterCrash(unsynced), dir, before, err == nil)
			}
			if !fsys.Failed() {
				break
			}
		}
	}
}

func checkAfterCrash(t *testing.T, fsys disk.FS, dir, before string, done bool) {
	t.Helper()
	entries, err := fsys.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	hasBefore, hasAfter := false, false
	for _, e := range entries {
		text, err := disk.ReadFile(fsys, filepath.Join(dir, e.Name()), 1000)
		if err != nil {
			t.Fatal(err)
		}
		var c counts
		if e.Name() == "counts.json" && string(text) != before && json.Unmarshal(text, &c) != nil {
			t.Errorf("counts.json says %q", text)
		}
		hasBefore = hasBefore || string(text) == before
		hasAfter = hasAfter || e.Name() == "counts.json" && string(text) != before
	}
	isDamaged := !strings.Contains(before, "1")
	if !hasBefore && (isDamaged || !hasAfter) {
		t.Errorf("what the file said (%s) is gone", before)
	}
	if done && !hasAfter {
		t.Error("a change that was acknowledged is gone")
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
