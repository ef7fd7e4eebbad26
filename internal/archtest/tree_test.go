package archtest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// mostCommitted is how large a file of the tree may be, in bytes.
const mostCommitted = 256 << 10

// TestNothingBuiltIsCommitted: programs, libraries and archives are made from
// the tree and are not in it.
func TestNothingBuiltIsCommitted(t *testing.T) {
	list := exec.Command("git", "ls-files", "-z")
	list.Dir = "../.."
	out, err := list.Output()
	if err != nil {
		t.Skip("this is no git checkout")
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		path := filepath.Join("../..", name)
		info, err := os.Stat(path)
		if err != nil || info.IsDir() {
			continue // removed, and not committed yet
		}
		if info.Size() > mostCommitted {
			t.Errorf("%s has %d bytes; is it made from something?", name, info.Size())
		}
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, magic := range []string{"\x7fELF", "MZ", "\xcf\xfa\xed\xfe", "\xca\xfe\xba\xbe", "!<arch>", "\x1f\x8b", "PK\x03\x04"} {
			if bytes.HasPrefix(content, []byte(magic)) {
				t.Errorf("%s is a program or an archive; remove it and have it made where it is needed", name)
			}
		}
	}
}
