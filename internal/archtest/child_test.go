package archtest

import (
	"bytes"
	"testing"
)

// TestChildrenOfTestsWriteNothingOfTestings checks that tests start themselves
// through internal/childtest: with -cover and the like the testing package writes
// to the standard output of other children too.
func TestChildrenOfTestsWriteNothingOfTestings(t *testing.T) {
	for path, text := range testFiles(t) {
		if bytes.Contains(text, []byte("os.Args"+"[0]")) {
			t.Errorf("%s starts itself; do it through internal/childtest", path)
		}
	}
}
