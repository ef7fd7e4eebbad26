package trust_test

import (
	"errors"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chibi-host/chibi/internal/trust"
)

// TestASwappedHookDoesNotRun: another process puts changed files in the place of the
// approved ones, and back, all the time: the hook, its directory, or the one above.
func TestASwappedHookDoesNotRun(t *testing.T) {
	for _, swapped := range []string{".kodelet/hooks/hook", ".kodelet/hooks", ".kodelet"} {
		t.Run(swapped, func(t *testing.T) {
			folder, err := trust.Folder(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			const dir = ".kodelet/hooks"
			write(t, filepath.Join(folder, dir, "hook"), "#!/bin/sh\necho approved\n", 0o755)
			rel, _ := filepath.Rel(swapped, dir+"/hook")
			write(t, filepath.Join(folder, "evil", rel), "#!/bin/sh\necho evil\n", 0o755)
			files, err := trust.Tree(folder, dir)
			if err != nil {
				t.Fatal(err)
			}
			tryToRun(t, trust.Approval{Folder: folder, Format: trust.Format, Files: []trust.File{files[0].File}}, dir, swapped)
		})
	}
}

// tryToRun runs a hook as often as it may be, while another process swaps a path
// with "evil".
func tryToRun(t *testing.T, a trust.Approval, dir, swapped string) {
	hook := filepath.Join(a.Folder, dir, "hook")
	if err := a.Look(dir)(hook); err != nil {
		t.Fatal(err)
	}
	swap := exec.Command("python3", "-c", `
import itertools, os, sys
for i in itertools.count():
    os.rename(sys.argv[1], "x"); os.rename("evil", sys.argv[1]); os.rename("x", "evil")
    if i == 100: print("ready", flush=True)`, swapped)
	swap.Dir = a.Folder
	ready, err := swap.StdoutPipe()
	if err := errors.Join(err, swap.Start()); err != nil {
		t.Fatal(err)
	}
	defer swap.Wait()
	defer swap.Process.Kill()
	if _, err := ready.Read(make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		if a.Look(dir)(hook) != nil {
			continue
		}
		if out, _ := exec.Command(hook).Output(); string(out) == "evil\n" {
			t.Fatalf("after %d: the changed hook ran", i)
		}
	}
}
