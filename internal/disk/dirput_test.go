//go:build unix

package disk_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chibi-host/chibi/internal/disk"
)

// TestWhatIsPutInADirectory: links are replaced and removed, never followed.
func TestWhatIsPutInADirectory(t *testing.T) {
	dir := opened(t)
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"link", "link2"} {
		if err := disk.PutLinkIn(dir, name, outside); err != nil {
			t.Fatal(err)
		}
	}
	if err := disk.PutLinkIn(dir, "file", outside); err == nil {
		t.Error("a link takes the place of a file")
	}
	like, err := dir.Stat("file")
	if err != nil {
		t.Fatal(err)
	}
	if err := disk.PutIn(dir, "link", []byte("new"), like); err != nil {
		t.Fatal(err)
	}
	info, err := dir.Stat("link")
	if err != nil || info.Mode() != 0o640 {
		t.Errorf("%v, %v", info, err)
	}
	if err := disk.RemoveIn(dir, "link2"); err != nil {
		t.Error(err)
	}
	if err := disk.RemoveIn(dir, "nothing"); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(outside); string(text) != "mine" || err != nil {
		t.Errorf("outside: %q, %v", text, err)
	}
	sub, err := dir.Make("sub")
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	if err := disk.PutIn(sub, "x", nil, like); err != nil {
		t.Fatal(err)
	}
	if err := disk.PutIn(dir, "sub", nil, like); err == nil {
		t.Error("a file takes the place of a directory")
	}
	if err := disk.ModeIn(dir, "sub", 0o700); err != nil {
		t.Error(err)
	}
	if info, err := dir.Stat("sub"); err != nil || info.Mode().Perm() != 0o700 || disk.ModeIn(dir, "file", 0) == nil {
		t.Errorf("%v, %v", info, err)
	}
	if disk.PruneIn(dir, "sub") || disk.PruneIn(dir, "file") {
		t.Error("what is no empty directory was removed")
	}
	all := func(string) bool { return true }
	names, isAll, err := disk.NamesIn(dir, 3, all)
	slices.Sort(names)
	if !slices.Equal(names, []string{"file", "link", "sub"}) || !isAll || err != nil {
		t.Errorf("%q, %v, %v", names, isAll, err)
	}
	if names, isAll, err := disk.NamesIn(dir, 2, all); len(names) != 2 || isAll || err != nil {
		t.Errorf("%q, %v, %v", names, isAll, err)
	}
	if err := disk.RemoveIn(sub, "x"); err != nil {
		t.Error(err)
	}
	if names, isAll, err := disk.NamesIn(sub, 2, all); len(names) != 0 || !isAll || err != nil {
		t.Errorf("%q, %v, %v", names, isAll, err)
	}
	if !disk.PruneIn(dir, "sub") {
		t.Error("the directory is still there")
	}
}
