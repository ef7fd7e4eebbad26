//go:build unix

package native_test

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/native"
	"github.com/chibi-host/chibi/plugin/oneshot"
)

// TestSoManyPluginsAreAskedAtOnce: sixteen processes wait at a gate that opens
// only when all of them are there, and no other one has begun by then.
func TestSoManyPluginsAreAskedAtOnce(t *testing.T) {
	const all, atOnce = 20, 16
	dir, gate := t.TempDir(), t.TempDir()
	if err := syscall.Mkfifo(gate+"/open", 0o600); err != nil {
		t.Fatal(err)
	}
	for i := range all {
		script := fmt.Sprintf("#!/bin/sh\n: > %[1]s/here-p%02[2]d\nread line < %[1]s/open\n"+
			"echo '{\"name\": \"p%02[2]d\"}'\n", gate, i)
		if err := os.WriteFile(fmt.Sprintf("%s/p%02d", dir, i), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	type result struct {
		loaded plugin.Loaded
		err    error
	}
	done := make(chan result)
	go func() {
		loaded, err := native.Load(t.Context(), native.Options{Dir: dir, ProbeTimeout: time.Minute,
			Prober: oneshot.NewProber(nil, atOnce)})
		done <- result{loaded, err}
	}()
	here := func() int {
		names, _ := filepath.Glob(gate + "/here-*")
		return len(names)
	}
	for deadline := time.Now().Add(time.Minute); here() < atOnce; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d plugins are asked at once", here())
		}
	}
	if n := here(); n != atOnce {
		t.Errorf("%d plugins are asked at once", n)
	}
	openGate(t, gate+"/open", all)
	got := <-done
	if got.err != nil || len(got.loaded.Plugins) != all || len(got.loaded.Skipped) > 0 {
		t.Fatalf("%d loaded, %+v left out, %v", len(got.loaded.Plugins), got.loaded.Skipped, got.err)
	}
	for i, p := range got.loaded.Plugins {
		if want := fmt.Sprintf("p%02d", i); p.Name != want {
			t.Errorf("plugin %d is %s", i, p.Name)
		}
	}
}

// openGate lets so many processes go on that read a line.
func openGate(t *testing.T, path string, lines int) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() }) // what nobody has read yet goes with it
	for range lines {
		if _, err := f.WriteString("\n"); err != nil {
			t.Fatal(err)
		}
	}
}
