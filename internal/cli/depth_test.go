package cli_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestANestedRunEndsWhenItsParentIsGone kills the shell that started a nested
// run, as happens to a hook that takes too long.
func TestANestedRunEndsWhenItsParentIsGone(t *testing.T) {
	home := t.TempDir()
	slow := "#!/bin/sh\n[ \"$1\" = --schema ] && { echo '{\"name\": \"slow\"}'; exit; }\necho up >&2\nexec sleep 1000\n"
	if err := os.Mkdir(filepath.Join(home, "plugins"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "plugins", "slow"), []byte(slow), 0o755); err != nil {
		t.Fatal(err)
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	hook := exec.Command("sh", "-c", `chibi --home "$1" -P slow '{}' & wait`, "sh", home)
	hook.Env, hook.Stderr = append(os.Environ(), "CHIBI_DEPTH=1"), write
	if err := hook.Start(); err != nil {
		t.Fatal(err)
	}
	write.Close()
	read.SetReadDeadline(time.Now().Add(2 * time.Minute))
	said := make([]byte, 3)
	if _, err := io.ReadFull(read, said); err != nil || string(said) != "up\n" {
		t.Fatalf("the tool of the nested run says %q, %v", said, err)
	}
	hook.Process.Signal(syscall.SIGKILL)
	hook.Wait()
	rest, err := io.ReadAll(read) // ends when the nested run has closed standard error
	if err != nil {
		t.Errorf("the nested run goes on: %v; it says %q", err, rest)
	}
}
