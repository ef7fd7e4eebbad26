//go:build unix

package keeper_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/keeper"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/chibi-host/chibi/plugin/resident"
)

// TestTheNextRunGetsTheProcessOfTheLastOne, with what it writes to standard error.
func TestTheNextRunGetsTheProcessOfTheLastOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.serve()
	first := w.run()
	a := first.ask("pid")
	pid := string(a.Result)
	if !a.Started || a.Kept {
		t.Errorf("the first answer of the first run: %+v", a)
	}
	first.end()
	s := w.status()
	if len(s.Processes) != 1 || s.Processes[0].Busy || s.Processes[0].Runs != 1 ||
		fmt.Sprint(s.Processes[0].Pid) != pid || s.Processes[0].Plugin != "p" || s.Processes[0].Path != w.script {
		t.Errorf("the keeper holds %+v", s)
	}

	second := w.run()
	a = second.ask("pid")
	if a.Started || !a.Kept || string(a.Result) != pid {
		t.Errorf("the first answer of the second run: %+v", a)
	}
	if a = second.ask("pid"); a.Started || a.Kept {
		t.Errorf("the second answer: %+v", a)
	}
	if s := w.status(); s.Busy() != 1 || s.Processes[0].Runs != 2 {
		t.Errorf("meanwhile the keeper holds %+v", s)
	}
	second.ask("says")
	w.until("standard error", func() bool { return w.said.String() == "said by "+pid+"\n" })
	second.end()
	w.holds(1)
	if n := w.count("started"); n != 1 {
		t.Errorf("started %d times", n)
	}
}

// TestWhatAProcessDependsOn: only a run of which all of that is the same gets it.
func TestWhatAProcessDependsOn(t *testing.T) {
	lists := func(names ...string) func(*resident.Spec) {
		return func(s *resident.Spec) { s.Variables = append([]string{}, names...) }
	}
	for name, test := range map[string]struct {
		env    []string
		lists  []func(*resident.Spec)
		isSame bool
	}{
		"the same":                    {[]string{"A=1"}, nil, true},
		"another value":               {[]string{"A=2"}, nil, false},
		"one variable more":           {[]string{"A=1", "B=1"}, nil, false},
		"one less":                    {nil, nil, false},
		"another terminal":            {[]string{"A=1", "COLUMNS=80", "SHLVL=3", "OLDPWD=/", "TMUX_PANE=%1"}, nil, true},
		"another context":             {[]string{"A=1", "CHIBI_CONTEXT=play", "CHIBI_VERBOSE=1"}, nil, true},
		"another home":                {[]string{"A=1", "CHIBI_HOME=/elsewhere"}, nil, false},
		"another depth":               {[]string{"A=1", "CHIBI_DEPTH=2"}, nil, false},
		"a command of the model":      {[]string{"A=1", "CHIBI_WITHIN={}"}, nil, false},
		"one that is not listed":      {[]string{"A=1", "B=1"}, []func(*resident.Spec){lists("A")}, false},
		"listed, the same":            {[]string{"A=1", "B=2", "LIST=A"}, []func(*resident.Spec){lists("A")}, true},
		"listed, another value":       {[]string{"A=2", "LIST=A"}, []func(*resident.Spec){lists("A")}, false},
		"an empty list":               {[]string{"A=2", "B=3", "LIST="}, []func(*resident.Spec){lists()}, true},
		"an empty list, another home": {[]string{"CHIBI_HOME=/elsewhere", "LIST="}, []func(*resident.Spec){lists()}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.serve()
			base := w.env
			w.env = append(w.env, "A=1")
			var first []func(*resident.Spec)
			if strings.Contains(strings.Join(test.env, " "), "LIST=") { // the first run lists the same
				first = test.lists
			}
			before := w.run(first...)
			pid := before.pid()
			before.end()
			w.env = append(base, test.env...)
			after := w.run(test.lists...)
			if got := after.pid(); (got == pid) != test.isSame {
				t.Errorf("process %s after %s", got, pid)
			}
		})
	}
}

func TestAnotherDirectoryHasAnotherProcess(t *testing.T) {
	w := newWorld(t)
	w.serve()
	here, there := t.TempDir(), t.TempDir()
	t.Chdir(here)
	first := w.run()
	if dir := first.text("dir"); dir != here {
		t.Errorf("it runs in %s, not in %s", dir, here)
	}
	first.end()
	t.Chdir(there)
	second := w.run()
	if dir := second.text("dir"); dir != there {
		t.Errorf("it runs in %s, not in %s", dir, there)
	}
	second.end()
	w.holds(2)
}

// TestADirectoryThatWasReplacedHasAnotherProcess: the first one is in a directory that has no name
// any more.
func TestADirectoryThatWasReplacedHasAnotherProcess(t *testing.T) {
	w := newWorld(t)
	w.serve()
	here := filepath.Join(t.TempDir(), "here")
	pids := map[string]bool{}
	for range 2 {
		if err := os.Mkdir(here, 0o755); err != nil {
			t.Fatal(err)
		}
		t.Chdir(here)
		r := w.run()
		pids[r.pid()] = true
		r.end()
		if err := os.Remove(here); err != nil {
			t.Fatal(err)
		}
	}
	if len(pids) != 2 {
		t.Error("the second run has the process of the first")
	}
}

// TestAKeptProcessHasNoContext of the run that started it: that is in each request.
func TestAKeptProcessHasNoContext(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.serve()
	w.env = append(w.env, "A=x", "B=\xff y", "CHIBI_HOME=/h", "CHIBI_CONTEXT=work")
	r := w.run()
	if got := r.text("variables"); got != "x/\uFFFD y//h/" {
		t.Errorf("its variables: %q", got)
	}
}

// TestASecretIsNotInheritedByARunThatHidesIt, even if the plugin lists what it depends on.
func TestASecretIsNotInheritedByARunThatHidesIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.serve()
	client := &keeper.Client{Home: w.home, Keep: w.keep, Secrets: []string{"KEY"}, Wait: time.Hour}
	listsNone := func(s *resident.Spec) { s.Variables = []string{} }
	hidden := w.env
	w.env = append(w.env, "KEY=secret")
	first := w.runOf(client, listsNone)
	pid := first.pid()
	first.end()
	w.env = hidden
	if second := w.runOf(client, listsNone); second.pid() == pid {
		t.Error("it has the process that knows the key")
	}
}

// TestAChangedFileEndsItsProcess when the keeper next looks, every ten seconds, and the next run
// has a new one at once.
func TestAChangedFileEndsItsProcess(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.keep = time.Hour // longer than anything here waits: it is not age that ends the process
	w.own(func(script string) string { return script })
	over := w.serve()
	first := w.run()
	pid := first.pid()
	first.end()
	w.holds(1)
	w.write(w.script, script+"# changed\n", 0o755)
	second := w.run()
	fresh := second.pid()
	if fresh == pid {
		t.Error("it has the process of the old file")
	}
	w.until("the end of the old process", func() bool { return !isAlive(pid) })
	second.end() // the file had just changed when the process was started
	w.until("the end of the new process", func() bool { return !isAlive(fresh) })
	if n := w.count("closed"); n != 2 {
		t.Errorf("%d of them ended as they are meant to; %v", n, w.did())
	}

	<-over // nothing is left
	settle(t, w.script)
	over = w.serve()
	third := w.run()
	third.pid()
	if err := os.Chmod(w.script, 0o700); err != nil { // while it is in use
		t.Fatal(err)
	}
	third.end()
	<-over
}

// TestAChangedFolderEndsItsProcess, where the plugin has one.
func TestAChangedFolderEndsItsProcess(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.serve()
	folder := filepath.Join(t.TempDir(), "p")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	settle(t, folder)
	in := func(s *resident.Spec) { s.Folder = folder }
	first := w.run(in)
	pid := first.pid()
	first.end()
	if second := w.run(in); second.pid() != pid {
		t.Error("it has another process")
	} else {
		second.end()
	}
	if err := os.WriteFile(filepath.Join(folder, "module"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if third := w.run(in); third.pid() == pid {
		t.Error("it has the process of the old folder")
	}
}

func TestTwoRunsAtOnceHaveTwoProcesses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.serve()
	a, b := w.run(), w.run()
	if a.pid() == b.pid() {
		t.Error("they have one process")
	}
	if s := w.status(); s.Busy() != 2 {
		t.Errorf("the keeper holds %+v", s)
	}
	a.end()
	b.end()
	w.holds(2)
}

// TestThereIsAnEndOfRoom: the process that was idle for the longest time makes room; if all
// are in use, a run has its own.
func TestThereIsAnEndOfRoom(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.serve()
	var runs []*run
	var oldest string
	for i := range 32 {
		r := w.run()
		if pid := r.pid(); i == 0 {
			oldest = pid
		}
		runs = append(runs, r)
	}
	own := w.run()
	if a := own.ask("pid"); !a.Started || w.status().Busy() != 32 {
		t.Errorf("the 33rd run: %+v of %+v", a, w.status())
	}
	for _, r := range runs { // the first one becomes idle first
		r.end()
	}
	w.holds(32)
	w.env = append(w.env, "A=2")
	r := w.run()
	r.pid()
	w.until("the end of the oldest", func() bool { return !isAlive(oldest) })
	if s := w.status(); len(s.Processes) != 32 || s.Busy() != 1 {
		t.Errorf("the keeper holds %d processes, %d in use", len(s.Processes), s.Busy())
	}
}

// TestAnIdleProcessEnds, and the keeper with the last one.
func TestAnIdleProcessEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	over := w.serve()
	w.keep = 30 * time.Millisecond
	r := w.run()
	r.pid()
	r.end()
	<-over
	if n := w.count("closed"); n != 1 {
		t.Errorf("it did %v", w.did())
	}
	if _, err := keeper.StatusOf(w.home); !errors.Is(err, keeper.ErrNone) {
		t.Errorf("its status: %v", err)
	}
}

// TestAKeeperThatNobodyUsesEnds.
func TestAKeeperThatNobodyUsesEnds(t *testing.T) {
	t.Parallel()
	home := shortDir(t)
	if err := keeper.Serve(t.Context(), keeper.Options{Home: home, Keep: 10 * time.Millisecond}); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(filepath.Join(home, "keeper.sock")); err == nil {
		t.Error("its socket is left")
	}
}

func TestStop(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if _, err := keeper.Stop(t.Context(), w.home); !errors.Is(err, keeper.ErrNone) {
		t.Errorf("without a keeper: %v", err)
	}
	over := w.serve()
	idle, busy := w.run(), w.run()
	idle.pid()
	pid := busy.pid()
	idle.end()
	s, err := keeper.Stop(t.Context(), w.home)
	if err != nil || s.Busy() != 1 || len(s.Processes) != 1 {
		t.Errorf("%+v, %v", s, err)
	}
	if own := w.run(); own.ask("pid").Kept {
		t.Error("a keeper that was stopped lent a process")
	}
	if again := busy.pid(); again != pid {
		t.Errorf("process %s after %s", again, pid)
	}
	busy.end()
	<-over
	w.until("its end", func() bool { return !isAlive(pid) })
	if n := w.count("closed"); n < 2 {
		t.Errorf("it did %v", w.did())
	}
}

// TestStopReturnsWhenNothingIsLeft.
func TestStopReturnsWhenNothingIsLeft(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	over := w.serve()
	r := w.run()
	pid := r.pid()
	r.end()
	if s, err := keeper.Stop(t.Context(), w.home); err != nil || s.Busy() > 0 || isAlive(pid) {
		t.Errorf("%+v, %v; alive: %v", s, err, isAlive(pid))
	}
	<-over
}

// TestAProcessThatBreaksTheProtocolIsNotKept, and the run goes on with its own.
func TestAProcessThatBreaksTheProtocolIsNotKept(t *testing.T) {
	for _, method := range []string{"exits", "logs", "closes", "twice", "hangs"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			over := w.serve()
			r := w.run()
			pid := r.pid()
			timeout := time.Hour
			if method == "hangs" {
				timeout = 2 * time.Second
			}
			a, err := r.Ask(t.Context(), resident.Question{Method: method, Timeout: timeout})
			switch {
			case method == "twice": // what comes behind an answer breaks the connection later
			case err == nil || !a.Written:
				t.Errorf("%+v, %v", a, err)
			case method == "hangs" && !errors.Is(err, process.ErrTimeout):
				t.Error(err)
			case method == "exits" && !strings.Contains(err.Error(), "exit status 3"):
				t.Error(err)
			}
			w.until("its end", func() bool { return !isAlive(pid) })
			if method == "hangs" {
				w.until("the end of its child", func() bool { return !isAlive(w.child()) })
			}
			if again := r.ask("pid"); string(again.Result) == pid || !again.Started {
				t.Errorf("after that: %+v", again)
			}
			if n := w.count(method); n != 1 {
				t.Errorf("asked %d times: %v", n, w.did())
			}
			r.end()
			<-over
		})
	}
}

// TestCtrlCDuringAKeptCall ends the process with its children before the run ends.
func TestCtrlCDuringAKeptCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.serve()
	r := w.run()
	pid := r.pid()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		w.until("the call", func() bool { return w.child() != "" })
		cancel()
	}()
	if _, err := r.Ask(ctx, resident.Question{Method: "hangs"}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	r.end()
	if isAlive(pid) {
		t.Error("the process is left running")
	}
	w.until("the end of its child", func() bool { return !isAlive(w.child()) })
}

// TestAnIdleProcessThatWritesIsEnded: what it would answer next is not known.
func TestAnIdleProcessThatWritesIsEnded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.own(func(script string) string {
		later := "  later) (while [ ! -e \"$LOG.go\" ]; do sleep 0.01; done; echo more) & ;;\n"
		return strings.Replace(script, "  says)", later+"  says)", 1)
	})
	over := w.serve()
	r := w.run()
	r.ask("later")
	r.end()
	w.holds(1)
	w.write(w.log+".go", "", 0o644)
	<-over
}

// TestAnEarlyStartTakesAKeptProcess, and the first question to it says so.
func TestAnEarlyStartTakesAKeptProcess(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.serve()
	first := w.run()
	pid := first.pid()
	first.end()
	early := w.run()
	early.group.Start("p")
	w.until("it is lent", func() bool { return w.status().Busy() == 1 })
	if a := early.ask("pid"); !a.Kept || a.Started || string(a.Result) != pid {
		t.Errorf("the first question: %+v", a)
	}
	early.end()
	unasked := w.run() // one that was started in vain is given back
	unasked.group.Start("p")
	unasked.end()
	w.holds(1)
	if !isAlive(pid) {
		t.Error("the process was ended")
	}
}
