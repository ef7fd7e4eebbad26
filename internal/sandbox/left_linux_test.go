package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
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

// TestAProcessWhoseFirstThreadHasEnded is left as long as others run.
func TestAProcessWhoseFirstThreadHasEnded(t *testing.T) {
	needs(t, 3)
	root := t.TempDir()
	r := Rules{Writable: []string{root}}
	if run(t, r, python+" -c ''") != "" {
		t.Skip("needs python3")
	}
	since := Now()
	run(t, r, "mkfifo go; "+fmt.Sprintf("PATH=/usr/local/bin:/usr/bin:/bin setsid python3"+` -c '
import ctypes, os, threading
threading.Thread(target=lambda: open("go").read()).start()
open("pid", "w").write(str(os.getpid()))
ctypes.CDLL(None).syscall(ctypes.c_long(%d), 0)' > /dev/null 2>&1 < /dev/null &
while ! [ -s pid ]; do sleep 0.01; done`, unix.SYS_EXIT))
	pid, err := os.ReadFile(filepath.Join(root, "pid"))
	for stat := []byte(nil); err == nil && !strings.Contains(string(stat), ") Z "); {
		stat, err = os.ReadFile("/proc/" + string(pid) + "/stat")
	}
	if err != nil {
		t.Fatal(err)
	}
	if !AnyLeft(since) {
		t.Error("nothing is left")
	}
	if err := os.WriteFile(filepath.Join(root, "go"), []byte("x\n"), 0); err != nil {
		t.Fatal(err)
	}
}

func BenchmarkAnyLeft(b *testing.B) {
	since := Now()
	for b.Loop() {
		AnyLeft(since)
	}
}
