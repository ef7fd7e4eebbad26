package trust_test

import (
	"errors"
	"os/exec"
	"testing"
)

// TestASwappedHookDoesNotRun: another process puts a changed hook in the place of
// the approved one, and back, all the time.
func TestASwappedHookDoesNotRun(t *testing.T) {
	folder, a := project(t)
	hook := folder + "/hooks/hook"
	write(t, hook, "#!/bin/sh\necho approved\n", 0o755)
	write(t, folder+"/evil", "#!/bin/sh\necho evil\n", 0o755)
	a = approve(t, folder, a.Data...)
	if err := a.Look("hooks")(hook); err != nil {
		t.Fatal(err)
	}
	swap := exec.Command("python3", "-c", `
import itertools, os
for i in itertools.count():
    os.rename("hooks/hook", "x"); os.rename("evil", "hooks/hook"); os.rename("x", "evil")
    if i == 100: print("ready", flush=True)`)
	swap.Dir = folder
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
		if a.Look("hooks")(hook) != nil {
			continue
		}
		if out, _ := exec.Command(hook).Output(); string(out) == "evil\n" {
			t.Fatalf("after %d: the changed hook ran", i)
		}
	}
}
