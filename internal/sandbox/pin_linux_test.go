package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/plugin/process"
)

// TestALinkInPlaceOfAnOpenDirectoryOpensNothing, whether a command or somebody else puts it there.
func TestALinkInPlaceOfAnOpenDirectoryOpensNothing(t *testing.T) {
	needs(t, 3)
	root, other, outside := t.TempDir(), t.TempDir(), t.TempDir()
	secret := put(t, filepath.Join(outside, "secret"), "secret\n")
	for _, name := range []string{"sub/inner", "read"} {
		if err := os.MkdirAll(filepath.Join(root, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	rules := Rules{Writable: []string{root, filepath.Join(root, "sub/inner"), other},
		Readable: []string{filepath.Join(root, "read")}}
	r, err := rules.Pinned()
	if err != nil {
		t.Fatal(err)
	}
	before := state(t, secret)
	run(t, r, "mv sub x; mv read y; ln -s "+outside+" read; mkdir sub; ln -s "+outside+" sub/inner")
	out := run(t, r, "cat sub/inner/secret; cat read/secret; echo new > sub/inner/new; chmod 700 read; "+
		"if chmod 000 sub/inner/secret; then echo marked; fi; ls sub/inner && echo listed")
	if strings.Contains(out, "secret\n") || strings.Contains(out, "listed") {
		t.Errorf("it read outside: %s", out)
	}
	if _, err := os.Stat(filepath.Join(outside, "new")); err == nil {
		t.Error("it wrote outside")
	}
	if unable() == nil && rules.Unsupervised() == nil && state(t, secret) != before {
		t.Error("it marked a file outside")
	}
	// The next session would follow the link.
	if _, err = rules.Pinned(); err == nil || !strings.Contains(err.Error(), "inner, which is in the path of") {
		t.Errorf("pinned again: %v", err)
	}
	// Somebody else puts a link there.
	if err := os.Remove(other); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, other); err != nil {
		t.Fatal(err)
	}
	_, err = r.Confined("launcher", process.Command{})
	if unable() == nil && (err == nil || !strings.Contains(err.Error(), other+" is another")) {
		t.Errorf("confined by a link: %v", err)
	}
}

// TestPinned: links in what is open are followed once, those in which no command can write.
func TestPinned(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	link := filepath.Join(outside, "link")
	if err := os.Symlink(root, link); err != nil {
		t.Fatal(err)
	}
	r, err := Rules{Writable: []string{filepath.Join(link, "none")}, Readable: []string{link}}.Pinned()
	if err != nil || r.Writable[0] != filepath.Join(root, "none") || r.Readable[0] != root {
		t.Errorf("pinned: %v, %v", r, err)
	}
	if _, err := (Rules{Writable: []string{outside}, Readable: []string{link}}).Pinned(); err == nil {
		t.Error("a link that commands can change is followed")
	}
}
