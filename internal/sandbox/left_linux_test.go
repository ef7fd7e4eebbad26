package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestWhatACommandLeftRunning is known until it has ended.
func TestWhatACommandLeftRunning(t *testing.T) {
	needs(t, 3)
	root := t.TempDir()
	if own, err := os.ReadFile("/proc/self/status"); err != nil || strings.Contains(string(own), "NoNewPrivs:\t1") {
		t.Skip("the tests themselves can get no more rights")
	}
	r := Rules{Writable: []string{root}}
	since := Now()
	run(t, r, "true")
	if AnyLeft(since) {
		t.Skip("a process of somebody else has given up its rights")
	}
	fifo := filepath.Join(root, "go")
	run(t, r, `mkfifo go; setsid sh -c 'read x < go; echo done > done' > /dev/null 2>&1 < /dev/null &`)
	if !AnyLeft(since) {
		t.Error("nothing is left")
	}
	if AnyLeft(Now() + 2*ticks) {
		t.Error("what began before counts")
	}
	if err := os.WriteFile(fifo, []byte("x\n"), 0); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); AnyLeft(since); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it does not end")
		}
	}
}

func BenchmarkAnyLeft(b *testing.B) {
	since := Now()
	for b.Loop() {
		AnyLeft(since)
	}
}
