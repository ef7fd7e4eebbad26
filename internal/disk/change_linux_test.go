package disk_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/chibi-host/chibi/internal/disk"
)

// others is a file system in which others write: before a step of a change, they do. Where it cannot
// exchange files, every exchange fails.
type others struct {
	disk.OS
	before         map[string]func() // by the step, each once
	cannotExchange bool
}

func (o *others) step(name string) {
	if do := o.before[name]; do != nil {
		delete(o.before, name)
		do()
	}
}

func (o *others) Exchange(a, b string) error {
	o.step("exchange")
	if o.cannotExchange {
		return errors.ErrUnsupported
	}
	err := o.OS.Exchange(a, b)
	o.step("exchanged")
	return err
}

func (o *others) RenameNew(from, to string) error {
	o.step("rename")
	err := o.OS.RenameNew(from, to)
	o.step("renamed")
	return err
}

// written writes a file as programs do: in place, or by renaming a new one.
func written(t *testing.T, path, text string, inPlace bool) {
	t.Helper()
	at := path
	if !inPlace {
		at = path + ".theirs"
	}
	err := os.WriteFile(at, []byte(text), 0o644)
	if err == nil && !inPlace {
		err = os.Rename(at, path)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// adding adds a text to what there is, or removes a file that has the text "old".
func adding(text string) func([]byte) ([]byte, error) {
	return func(data []byte) ([]byte, error) {
		if text == "" && string(data) == "old" {
			return nil, nil
		}
		return append(data, text...), nil
	}
}

func TestWhatOthersWriteDuringAChangeStands(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	theirs := func() { written(t, path, "theirs", false) }
	for name, test := range map[string]struct {
		before map[string]func()
		add    string
		isNew  bool
		want   string
	}{
		"nobody":              {nil, "+ours", false, "old+ours"},
		"before the exchange": {map[string]func(){"exchange": theirs}, "+ours", false, "theirs+ours"},
		"before and after it": {map[string]func(){"exchange": theirs,
			"exchanged": func() { written(t, path, "newer", false) }}, "+ours", false, "newer+ours"},
		"in place after it": {map[string]func(){"exchange": theirs,
			"exchanged": func() { written(t, path, "newer", true) }}, "+ours", false, "newer+ours"},
		"removed before it": {map[string]func(){"exchange": func() { os.Remove(path) }}, "+ours", false, "+ours"},
		"removed after it": {map[string]func(){"exchange": theirs,
			"exchanged": func() { os.Remove(path) }}, "+ours", false, "+ours"},
		"made meanwhile":       {map[string]func(){"rename": theirs}, "+ours", true, "theirs+ours"},
		"before it is removed": {map[string]func(){"rename": theirs}, "", false, "theirs"},
		"when it is being removed": {map[string]func(){"rename": theirs,
			"renamed": func() { written(t, path, "newer", false) }}, "", false, "newer"},
	} {
		t.Run(name, func(t *testing.T) {
			os.Remove(path)
			if !test.isNew {
				written(t, path, "old", true)
			}
			err := disk.Change(&others{before: test.before}, path, 1<<20, adding(test.add))
			if data, _ := os.ReadFile(path); err != nil || string(data) != test.want {
				t.Errorf("%q, %v, want %q", data, err, test.want)
			}
			if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
				t.Errorf("left: %v", left)
			}
		})
	}
}

// Where files cannot be exchanged, the file is compared once more and then replaced.
func TestAChangeWhereFilesCannotBeExchanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	written(t, path, "old", true)
	first := true
	err := disk.Change(&others{cannotExchange: true}, path, 1<<20, func(data []byte) ([]byte, error) {
		if first {
			written(t, path, "theirs", false)
		}
		first = false
		return append(data, "+ours"...), nil
	})
	if data, _ := os.ReadFile(path); err != nil || string(data) != "theirs+ours" {
		t.Errorf("%q, %v", data, err)
	}
}

func TestAChangedFileKeepsItsModeAndOwner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	for _, mode := range []fs.FileMode{0o600, 0o664, 0o640} {
		written(t, path, "old", true)
		if err := errors.Join(foreign(path), os.Chmod(path, mode)); err != nil {
			t.Fatal(err)
		}
		before, _ := os.Stat(path)
		if err := disk.Change(disk.OS{}, path, 1<<20, adding("+ours")); err != nil {
			t.Fatal(err)
		}
		after, err := os.Stat(path)
		if err != nil || after.Mode() != mode || !isSameOwner(before, after) {
			t.Errorf("%v became %v, %v", before.Mode(), after.Mode(), err)
		}
	}
}

// Who has the file open for writing is waited for, but not for ever, unless they have truncated it or
// what is there cannot be changed, as a part of what they write.
func TestAFileThatIsOpenForWriting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	change := func(data []byte) ([]byte, error) {
		if string(data) == "hal" {
			return nil, errors.New("it ends too early")
		}
		return append(data, "+ours"...), nil
	}
	for text, want := range map[string]string{"old": "old+ours", "": "", "hal": "hal"} {
		written(t, path, text, true)
		theirs, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		err = disk.Change(disk.OS{}, path, 1<<20, change)
		if data, _ := os.ReadFile(path); string(data) != want || (want == text) != errors.Is(err, disk.ErrBusy) {
			t.Errorf("%q became %q, %v", text, data, err)
		}
		theirs.Close()
	}
}

func TestAChangeThatFailsChangesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "settings.json")
	written(t, path, "old", true)
	no := errors.New("no")
	if err := disk.Change(disk.OS{}, path, 1<<20, func([]byte) ([]byte, error) { return nil, no }); !errors.Is(err, no) {
		t.Errorf("%v", err)
	}
	var large *disk.TooLargeError
	if err := disk.Change(disk.OS{}, path, 2, adding("x")); !errors.As(err, &large) {
		t.Errorf("%v", err)
	}
	err := disk.Change(disk.OS{}, dir, 1<<20, adding("x"))
	if err == nil || !strings.Contains(err.Error(), "a directory") {
		t.Errorf("%v", err)
	}
	n := 0
	err = disk.Change(disk.OS{}, path, 1<<20, func(data []byte) ([]byte, error) {
		n++
		written(t, path, strings.Repeat("x", n), false)
		return []byte("ours"), nil
	})
	if data, _ := os.ReadFile(path); !errors.Is(err, disk.ErrBusy) || string(data) != strings.Repeat("x", n) {
		t.Errorf("%q, %v", data, err)
	}
}

// isSameOwner reports whether two files belong to the same user and group.
func isSameOwner(a, b fs.FileInfo) bool {
	one, two := a.Sys().(*syscall.Stat_t), b.Sys().(*syscall.Stat_t)
	return one.Uid == two.Uid && one.Gid == two.Gid
}
