package archtest

import (
	"bytes"
	"io/fs"
	"os"
	"strings"
	"testing"
)

// TestChildrenOfTestsWriteNothingOfTestings holds that tests start themselves
// through internal/childtest: with -cover and the like the testing package writes
// to the standard output of other children too.
func TestChildrenOfTestsWriteNothingOfTestings(t *testing.T) {
	root := os.DirFS("../..")
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := fs.ReadFile(root, path)
		if bytes.Contains(text, []byte("os.Args"+"[0]")) {
			t.Errorf("%s starts itself; do it through internal/childtest", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
