package disk_test

import (
	"path/filepath"
	"testing"

	"github.com/chibi-host/chibi/internal/disk"
)

func TestIsBelow(t *testing.T) {
	for _, test := range []struct {
		dir, path string
		want      bool
	}{
		{"/a", "/a", true}, {"/a", "/a/b", true}, {"/a", "/a/b/c", true}, {"/", "/", true}, {"/", "/a", true},
		{"/a", "/ab", false}, {"/a/b", "/a", false}, {"/a", "/", false}, {"", "/a", false}, {"", "", false},
	} {
		if got := disk.IsBelow(filepath.FromSlash(test.dir), filepath.FromSlash(test.path)); got != test.want {
			t.Errorf("%q in %q: %v", test.path, test.dir, got)
		}
	}
}
