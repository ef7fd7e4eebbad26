//go:build unix

package process_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/childtest"
	"github.com/chibi-host/chibi/plugin/process"
)

// leavesItsGroup is a process that moves into the group of the host, where it is
// not reached by what is sent to its own, and hears nothing but SIGKILL.
const leavesItsGroup = `exec python3 -c '
import os, signal, sys, time
os.setpgid(0, os.getpgid(os.getppid()))
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("moved", file=sys.stderr, flush=True)
while True: time.sleep(1000)'`

func TestAProcessThatLeavesItsGroupIsEndedToo(t *testing.T) {
	t.Parallel()
	for name, timeout := range map[string]time.Duration{"it takes too long": 300 * time.Millisecond,
		"it is called off": time.Hour} {
		t.Run(name, func(t *testing.T) {
			life := newLifeline(t)
			c := life.sh(leavesItsGroup)
			c.Timeout = timeout
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			e := process.Runner{Grace: 100 * time.Millisecond}
			if timeout == time.Hour {
				e.Stderr = onWrite(cancel)
			}
			if _, err := e.Run(ctx, c); err == nil {
				t.Error("it ended well")
			}
			life.mustEnd()
		})
	}
}

func TestADaemonThatHoldsThePipesDoesNotDelayTheEnd(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("needs setsid")
	}
	c := sh(`setsid sleep 100000 & echo $!; exec sleep 100000`)
	c.Timeout = 2 * time.Second
	out, err := process.Runner{Grace: 24 * time.Hour}.Run(t.Context(), c) // whoever waited would never end
	if !errors.Is(err, process.ErrTimeout) {
		t.Errorf("error %v", err)
	}
	var pid int
	if fmt.Sscan(string(out.Stdout), &pid); pid == 0 || syscall.Kill(pid, syscall.SIGKILL) != nil {
		t.Errorf("the daemon %q is not there any more", out.Stdout)
	}
}

func TestAStoppedProcessMayPutThingsAwayToo(t *testing.T) {
	t.Parallel()
	c := sh(`trap "echo put away; exit 0" TERM; kill -STOP $$; echo never`)
	c.Timeout = 2 * time.Second
	out, err := process.Runner{Grace: soon}.Run(t.Context(), c)
	if !errors.Is(err, process.ErrTimeout) || !strings.HasPrefix(string(out.Stdout), "put away\n") {
		t.Errorf("error is %v, stdout %q", err, out.Stdout)
	}
}

func TestAProcessThatSomebodyStopsIsSaid(t *testing.T) {
	// Who reads what is said does as it says.
	said := &stopped{}
	out := run(t, process.Runner{Stderr: said}, sh(`kill -STOP $$; echo went on`))
	want := fmt.Sprintf("chibi: /bin/sh was stopped by a signal (SIGSTOP); to let it go on, run: kill -CONT %d\n",
		said.pid)
	if said.text != want || string(out.Stdout) != "went on\n" {
		t.Errorf("said %q, want %q; stdout %q", said.text, want, out.Stdout)
	}
}

// stopped lets a process go on that is said to be stopped.
type stopped struct {
	once sync.Once
	text string
	pid  int
}

func (s *stopped) Write(p []byte) (int, error) {
	s.once.Do(func() {
		s.text = string(p)
		_, command, _ := strings.Cut(s.text, "kill -CONT ")
		fmt.Sscan(command, &s.pid)
		syscall.Kill(s.pid, syscall.SIGCONT)
	})
	return len(p), nil
}

func TestAProcessThatAsksWhereThereIsNoLenderIsEnded(t *testing.T) {
	if tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0); err == nil {
		tty.Close()
		t.Skip("the tests have a terminal")
	}
	c := sh(`kill -TTIN $$; echo never`)
	c.Timeout = soon
	out, err := process.Runner{Grace: 100 * time.Millisecond}.Run(t.Context(), c)
	if !errors.Is(err, process.ErrNoTerminal) || !out.Asked {
		t.Errorf("error is %v, outcome %+v", err, out)
	}
}

// TestAnUnknownEndIsNoSuccess runs a process in a host that ignores SIGCHLD: there the
// kernel forgets how processes ended.
func TestAnUnknownEndIsNoSuccess(t *testing.T) {
	childtest.Do(t, "CHIBI_TEST_IGNORES_SIGCHLD", func(string) {
		signal.Ignore(syscall.SIGCHLD)
		out, err := process.Runner{}.Run(t.Context(), sh("echo said; exit 3"))
		if err != nil || string(out.Stdout) != "said\n" {
			t.Errorf("output %q, error %v", out.Stdout, err)
		}
		if out.Ok() || out.Err() == nil || !strings.Contains(out.Err().Error(), "SIGCHLD") {
			t.Errorf("it ended with %+v, %v", out, out.Err())
		}
	})
	self := childtest.Command(t)
	child := exec.Command(self[0], self[1:]...)
	child.Env = childtest.Environ(t, "CHIBI_TEST_IGNORES_SIGCHLD", "1")
	if out, err := child.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
