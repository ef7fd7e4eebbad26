package native_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/childtest"
	"github.com/chibi-host/chibi/internal/terminaltest"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/native"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/chibi-host/chibi/tools"
	"golang.org/x/sys/unix"
)

// host is a process of this test that has a terminal and plugins.
type host struct {
	Dir, What  string
	TimeoutMS  int
	PatienceMS int
	OnFailure  plugin.Failure
	Stdin      string
	// NoLender leaves the lender out; Behind puts the host into the background,
	// where no shell could stop it.
	NoLender, Behind bool
	// Env is for its plugins.
	Env []string
}

// hostVariable holds a host as JSON: such a run of the tests is that host.
const hostVariable = "CHIBI_TEST_HOST"

// run is what the host does. What it says begins with "host: ", on a line of its own: a plugin
// that is ended may have written half a line to the same pipe.
func (h host) run(t *testing.T) {
	say := func(format string, args ...any) { fmt.Printf("\nhost: "+format+"\n", args...) }
	lender := process.NewLender(time.Duration(h.PatienceMS)*time.Millisecond, func() func() {
		say("lent by %d", unix.Getpgrp())
		return func() { say("back") }
	})
	if h.NoLender {
		lender = nil
	}
	if h.Behind {
		front := exec.Command("sleep", "1000")
		front.SysProcAttr = &syscall.SysProcAttr{Foreground: true, Ctty: 0}
		if err := front.Start(); err != nil {
			t.Fatal(err)
		}
		defer front.Process.Kill()
	}
	timeout := time.Duration(h.TimeoutMS) * time.Millisecond
	loaded, err := native.Load(t.Context(), native.Options{
		Dir: h.Dir, Runner: process.Runner{Lender: lender, Stderr: os.Stdout, Terminal: os.Stdin}, ProbeTimeout: time.Minute,
		HookTimeout: timeout, ToolTimeout: timeout, Overrides: map[string]plugin.Override{"a": {OnFailure: h.OnFailure,
			Stdin: h.Stdin}},
	})
	if err != nil || len(loaded.Skipped) > 0 {
		t.Fatal(err, loaded.Skipped)
	}
	arguments := json.RawMessage(`{"command":"ls"}`)
	if what, large := strings.CutPrefix(h.What, "large "); large {
		h.What, arguments = what, json.RawMessage(`{"command":"`+strings.Repeat("x", 140_000)+`"}`)
	}
	switch h.What {
	case "hook":
		h := &plugin.Host{Plugins: loaded.Plugins, Parallel: 4}
		verdict, err := plugin.Fire(t.Context(), h, hookpoints.PreTool, hookpoints.PreToolPayload{Arguments: arguments})
		say("block=%v %s %v", verdict.Block, verdict.Message, err)
	case "tool":
		result, err := loaded.Plugins[0].Tools[0].Call(t.Context(), tools.Call{Arguments: arguments})
		say("%s interrupted=%v", strings.TrimSpace(result.Told()), errors.Is(err, context.Canceled))
	}
	group, _ := unix.IoctlGetInt(0, unix.TIOCGPGRP)
	modes, _ := unix.IoctlGetTermios(0, unix.TCGETS)
	say("foreground=%v echo=%v", group == unix.Getpgrp(), modes.Lflag&unix.ECHO != 0)
}

// session runs a host in a session of its own at a terminal, by itself or by a
// script for bash with job control in which $HOST is the host. It lets react
// answer what is written to standard output, and returns what the host said.
func (h host) session(t *testing.T, script string,
	react func(line string, person *terminaltest.Person)) (lines []string) {
	t.Helper()
	terminal, person := terminaltest.New(t)
	self := childtest.Command(t)
	cmd := exec.CommandContext(t.Context(), self[0], self[1:]...)
	if script != "" {
		cmd = exec.CommandContext(t.Context(), "bash", "-m", "-c", script)
	}
	description, _ := json.Marshal(h)
	cmd.Env = append(childtest.Environ(t, hostVariable, string(description)), h.Env...)
	cmd.Env = append(cmd.Env, "HOST="+strings.Join(self, " "))
	cmd.Stdin, cmd.Stderr = terminal, terminal
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	for scanner := bufio.NewScanner(output); scanner.Scan(); {
		line, isHost := strings.CutPrefix(scanner.Text(), "host: ")
		var group int
		if _, err := fmt.Sscanf(line, "lent by %d", &group); err == nil {
			line = "lent"
			if !strings.Contains(script, "PAGER") { // which passes it on too late
				waitUntilAsleep(waitUntilGiven(t, person, group))
			}
		}
		if isHost {
			lines = append(lines, line)
		}
		react(line, person)
	}
	return lines
}

// waitUntilGiven waits until a group does not have the terminal any more, and
// returns the one that does.
func waitUntilGiven(t *testing.T, person *terminaltest.Person, host int) int {
	t.Helper()
	for {
		group, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPGRP)
		if err != nil || group != host {
			return group
		}
		time.Sleep(time.Millisecond)
	}
}

// waitUntilAsleep waits until the first process of a group, which was stopped when
// it began to read from the terminal, sleeps in that read, or has ended. A signal that
// comes after the process has been continued and before it reads again is handled,
// by Python for one, without the read coming to know of it: the read then waits on.
func waitUntilAsleep(group int) {
	for {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", group))
		_, state, _ := bytes.Cut(stat, []byte(") "))
		if err != nil || len(state) == 0 || bytes.IndexByte([]byte("SZX"), state[0]) >= 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// beHost runs the host that this run of the tests is, if it is one.
func beHost(t *testing.T) {
	childtest.Do(t, hostVariable, func(description string) {
		var h host
		if err := json.Unmarshal([]byte(description), &h); err != nil {
			t.Fatal(err)
		}
		h.run(t)
	})
}
