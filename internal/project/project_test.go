package project_test

import (
	"testing"

	"github.com/chibi-host/chibi/internal/project"
	"github.com/google/go-cmp/cmp"
)

func TestFolders(t *testing.T) {
	for _, test := range []struct {
		root, dir string
		want      []string
	}{
		{"/a", "/a", []string{"/a"}}, {"/a", "/a/b/c", []string{"/a", "/a/b", "/a/b/c"}},
		{"/a/b", "/a", []string{"/a"}}, {"/a", "/ab", []string{"/ab"}},
	} {
		if diff := cmp.Diff(test.want, project.Folders(test.root, test.dir)); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", test.root, test.dir, diff)
		}
	}
}
