package archtest

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// mostCommitted is how large a file of the tree may be, in bytes.
const mostCommitted = 256 << 10

// TestNothingBuiltIsCommitted: programs, libraries and archives are made from
// the tree and are not in it.
func TestNothingBuiltIsCommitted(t *testing.T) {
	for name, content := range committed(t) {
		if len(content) > mostCommitted {
			t.Errorf("%s has %d bytes; is it made from something?", name, len(content))
		}
		magics := []string{"\x7fELF", "MZ", "\xcf\xfa\xed\xfe", "\xca\xfe\xba\xbe", "!<arch>", "\x1f\x8b", "PK\x03\x04"}
		for _, magic := range magics {
			if bytes.HasPrefix(content, []byte(magic)) {
				t.Errorf("%s is a program or an archive; remove it and have it made where it is needed", name)
			}
		}
	}
}

// widest is how many characters a line of Go may have; a tab is one.
const widest = 120

// TestLinesFitTheScreen in all Go code, tests too. Two kinds of lines cannot be
// wrapped: a generator's, and what an example prints, which is compared as it is.
func TestLinesFitTheScreen(t *testing.T) {
	generated := regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)
	for name, content := range committed(t) {
		if !strings.HasSuffix(name, ".go") || generated.Match(content) {
			continue
		}
		printed := false
		for i, line := range strings.Split(string(content), "\n") {
			comment := strings.HasPrefix(line, "\t//")
			printed = comment && (printed || strings.HasPrefix(line, "\t// Output:"))
			if n := utf8.RuneCountInString(line); n > widest && !printed {
				t.Errorf("%s:%d has %d columns; wrap it at %d", name, i+1, n, widest)
			}
		}
	}
}

// committed are the files that git keeps, by their paths from the root, as they
// are now.
func committed(t *testing.T) map[string][]byte {
	t.Helper()
	list := exec.Command("git", "ls-files", "-z")
	list.Dir = "../.."
	out, err := list.Output()
	if err != nil {
		t.Skip("this is not a git checkout")
	}
	files := map[string][]byte{}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		content, err := os.ReadFile(filepath.Join("../..", name))
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed, and not committed yet
		}
		if err != nil {
			t.Fatal(err)
		}
		files[name] = content
	}
	return files
}
