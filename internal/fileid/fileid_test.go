package fileid_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/fileid"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestSettled(t *testing.T) {
	changed := time.Unix(1000, 0)
	id, folder := fileid.ID{CTime: changed.UnixNano()}, fileid.Folder{Newest: changed.UnixNano()}
	for after, want := range map[time.Duration]bool{-time.Hour: false, 0: false, 1999 * time.Millisecond: false,
		2 * time.Second: true, time.Hour: true} {
		if id.Settled(changed.Add(after)) != want || folder.Settled(changed.Add(after)) != want {
			t.Errorf("%v later: want %v", after, want)
		}
	}
}

// TestContents: three levels, at most 200 files and directories, and no link is followed.
func TestContents(t *testing.T) {
	contents := func(dir string) fileid.Folder {
		t.Helper()
		f, err := fileid.Contents(dir)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	dir := t.TempDir()
	write(t, dir+"/1/2/3/4", "")
	write(t, dir+"/file", "")
	if err := os.Symlink(dir, dir+"/link"); err != nil {
		t.Fatal(err)
	}
	if f := contents(dir); f.Count != 5 || f.Newest == 0 { // 1, 1/2, 1/2/3, file, link
		t.Errorf("%+v", f)
	}
	for i := range 300 {
		write(t, fmt.Sprintf("%s/more/%d", dir, i), "")
	}
	if f := contents(dir); f.Count != 200 {
		t.Errorf("%+v", f)
	}
	if _, err := fileid.Contents(dir + "/none"); err == nil {
		t.Error("no error")
	}
}

func TestStable(t *testing.T) {
	if fileid.Stable(filepath.Join(t.TempDir(), "none")) {
		t.Error("nothing is known of a file that does not exist")
	}
}
