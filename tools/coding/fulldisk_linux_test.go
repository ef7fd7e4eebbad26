package coding_test

import (
	"os"
	"strings"
	"syscall"
	"testing"
)

// TestAFullDiskChangesNothing on a disk of 1 MiB, which only root can make.
func TestAFullDiskChangesNothing(t *testing.T) {
	p := newProject(t, nil)
	if err := syscall.Mount("tmpfs", p.config.Root, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("no small disk: %v", err)
	}
	defer syscall.Unmount(p.config.Root, 0)
	p.put("old", "old text")
	large := strings.Repeat("x", 2<<20)
	for path, want := range map[string]string{"old": "old text", "new": "-"} {
		p.says("write_file", arg{"path": path, "content": large}, "Error: cannot write "+path+": the disk is full; "+
			"nothing was changed")
		if got := p.content(path); got != want {
			t.Errorf("%s has %q", path, got[:min(len(got), 20)])
		}
	}
	p.says("file_edit", arg{"path": "old", "old_string": "text", "new_string": large},
		"Error: cannot write old: the disk is full; nothing was changed")
	if left, _ := os.ReadDir(p.config.Root); len(left) != 1 {
		t.Errorf("left: %v", left)
	}
}
