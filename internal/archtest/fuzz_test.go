package archtest

import (
	"bytes"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// leastTargets is how many fuzz targets there are at least: every parser of
// foreign bytes has one.
const leastTargets = 45

// TestEveryFuzzTargetBoundsItsMemory counts the targets, and checks that each also
// finds small inputs that use much memory.
func TestEveryFuzzTargetBoundsItsMemory(t *testing.T) {
	pattern := regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)
	count := 0
	for path, text := range testFiles(t) {
		for _, m := range pattern.FindAllSubmatchIndex(text, -1) {
			count++
			body, _, _ := bytes.Cut(text[m[0]:], []byte("\n}\n"))
			if !bytes.Contains(body, []byte("fuzztest.Memory(t)")) {
				t.Errorf("%s: %s does not call fuzztest.Memory(t) first", path, text[m[2]:m[3]])
			}
		}
	}
	if count < leastTargets {
		t.Errorf("%d fuzz targets, want at least %d", count, leastTargets)
	}
}

// testFiles are all files of tests, by their paths from the root.
func testFiles(t *testing.T) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	root := os.DirFS("../..")
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case strings.HasSuffix(path, "_test.go"):
			files[path], err = fs.ReadFile(root, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
