package disk_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/chibi-host/chibi/internal/disk"
)

func TestACopyIsReplacedAndRemovedAndAnotherFileIsNot(t *testing.T) {
	name := filepath.Join(t.TempDir(), "copy")
	for _, text := range []string{"one", "two"} {
		if err := disk.ReplaceCopy(disk.OS{}, name, []byte(text)); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(name)
		info, statErr := os.Stat(name)
		if string(data) != text || errors.Join(err, statErr) != nil || info.Mode().Perm()&0o222 != 0 {
			t.Errorf("%q, %v, mode %v", data, err, info.Mode())
		}
	}
	for range 2 {
		if err := disk.RemoveCopy(disk.OS{}, name); err != nil {
			t.Error(err)
		}
	}
	if err := os.WriteFile(name, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{disk.ReplaceCopy(disk.OS{}, name, []byte("x")), disk.RemoveCopy(disk.OS{}, name)} {
		if !errors.Is(err, disk.ErrNoCopy) {
			t.Errorf("a file that somebody else has put there: %v", err)
		}
	}
	if data, err := os.ReadFile(name); string(data) != "mine" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	if names, err := os.ReadDir(filepath.Dir(name)); len(names) != 1 || err != nil {
		t.Errorf("left are %v, %v", names, err)
	}
}
