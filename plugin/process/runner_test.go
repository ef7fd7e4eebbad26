//go:build unix

package process_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/chibi-host/chibi/plugin/process"
	"github.com/google/go-cmp/cmp"
)

// soon bounds what should happen at once, however slow the machine.
const soon = 30 * time.Second

func ExampleRunner_Run() {
	out, err := process.Runner{}.Run(context.Background(), process.Command{
		Path:    "/bin/sh",
		Args:    []string{"-c", "cat; exit 3"},
		Stdin:   []byte("no opinion"),
		Timeout: time.Minute,
	})
	fmt.Println(string(out.Stdout), out.Exit, err)
	// Output: no opinion 3 <nil>
}

// sh is a command that runs a shell script.
func sh(script string, env ...string) process.Command {
	return process.Command{Path: "/bin/sh", Args: []string{"-c", script}, Env: env}
}

// run runs a command that must not be an error.
func run(t *testing.T, e process.Runner, c process.Command) process.Outcome {
	t.Helper()
	out, err := e.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// onWrite is a writer that calls a function when something is written.
type onWrite func()

func (f onWrite) Write(p []byte) (int, error) { f(); return len(p), nil }

// lifeline is a FIFO that the processes of a script hold open, so that its end
// says that the last of them is gone: `exec 9>"$LIFE"`.
type lifeline struct {
	t    *testing.T
	path string
	file *os.File
}

func newLifeline(t *testing.T) lifeline {
	t.Helper()
	path := filepath.Join(t.TempDir(), "life")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return lifeline{t, path, f}
}

func (l lifeline) sh(script string) process.Command {
	return sh(`exec 9>"$LIFE"; `+script, "LIFE="+l.path)
}

func (l lifeline) mustEnd() {
	l.t.Helper()
	l.file.SetReadDeadline(time.Now().Add(soon))
	if _, err := io.ReadAll(l.file); err != nil {
		l.t.Errorf("a process is still there: %v", err)
	}
}

func (l lifeline) mustLive() {
	l.t.Helper()
	conn, err := l.file.SyscallConn()
	if err != nil {
		l.t.Fatal(err)
	}
	conn.Control(func(fd uintptr) {
		if n, err := syscall.Read(int(fd), make([]byte, 1)); err != syscall.EAGAIN {
			l.t.Errorf("no process is there any more: %d, %v", n, err)
		}
	})
}

func TestHowAProcessEnds(t *testing.T) {
	tests := map[string]struct {
		script string
		want   process.Outcome
	}{
		"well, with an answer": {"echo yes", process.Outcome{Stdout: []byte("yes\n")}},
		"well, saying nothing": {"exit 0", process.Outcome{}},
		"with an exit status": {"echo no; echo why >&2; exit 3",
			process.Outcome{Stdout: []byte("no\n"), Stderr: "why\n", Exit: 3}},
		"killed": {"echo no; kill -KILL $$",
			process.Outcome{Stdout: []byte("no\n"), Exit: -1, Signal: "killed"}},
		"terminated":              {"kill -TERM $$", process.Outcome{Exit: -1, Signal: "terminated"}},
		"after it closed its own": {"exec >&- 2>&-; exit 4", process.Outcome{Exit: 4}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := run(t, process.Runner{}, sh(tt.script))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if want := tt.want.Exit == 0; got.Ok() != want {
				t.Errorf("Ok() = %v, want %v", got.Ok(), want)
			}
		})
	}
}

func TestAProcessGetsItsArgumentsDirectoryAndInput(t *testing.T) {
	dir := t.TempDir()
	c := sh(`echo "$1"; pwd -P; cat`)
	c.Args = append(c.Args, "name", "an argument")
	c.Dir, c.Stdin = dir, []byte("input")
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := "an argument\n" + real + "\ninput"
	if diff := cmp.Diff(want, string(run(t, process.Runner{}, c).Stdout)); diff != "" {
		t.Error(diff)
	}
}

func TestWhatCannotBeStarted(t *testing.T) {
	dir := t.TempDir()
	file := func(name, body string, perm os.FileMode) process.Command {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(body), perm); err != nil {
			t.Fatal(err)
		}
		return process.Command{Path: path}
	}
	tests := map[string]struct {
		command process.Command
		want    string
	}{
		"no execute bit": {file("plain", "#!/bin/sh\n", 0o644), "not executable; run: chmod +x " +
			filepath.Join(dir, "plain")},
		"no #! line": {file("bare", "echo hello\n", 0o755),
			`it has no "#!" line and is not a program; begin it with #!/bin/sh or another interpreter`},
		"an empty file": {file("empty", "", 0o755),
			`it has no "#!" line and is not a program; begin it with #!/bin/sh or another interpreter`},
		"no interpreter": {file("odd", "#! /no/such/interpreter -x\n", 0o755),
			`its interpreter "/no/such/interpreter -x" (first line) was not found`},
		"CR LF behind env": {file("dosenv", "#!/usr/bin/env python3\r\nprint()\r\n", 0o755),
			"its lines end in CR LF, so its interpreter was not found; save it with LF alone"},
		"CR LF": {file("dos", "#!/bin/sh\r\necho\r\n", 0o755),
			"its lines end in CR LF, so its interpreter was not found; save it with LF alone"},
		"no file":     {process.Command{Path: filepath.Join(dir, "none")}, "no such file"},
		"a directory": {process.Command{Path: dir}, "it is a directory, not a program"},
		"no such directory": {process.Command{Path: "/bin/sh", Dir: "/no/such/directory"},
			`its working directory "/no/such/directory" does not exist`},
		"a NUL in its env": {sh("true", "A=\x00"), "exec: environment variable contains NUL"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := process.Runner{}.Run(t.Context(), tt.command)
			if !errors.Is(err, process.ErrStart) {
				t.Fatalf("error is %v, want ErrStart", err)
			}
			if diff := cmp.Diff("could not be started: "+tt.want, err.Error()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAProcessThatTakesTooLongIsEndedWithAllOfItsGroup(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"it hangs":                 `sleep 1000; echo`,
		"it ignores SIGTERM":       `trap "" TERM; sleep 1000; sleep 1000`,
		"its child hangs":          `sleep 1000 & wait`,
		"its child let go of both": `sleep 1000 >/dev/null 2>&1 & wait`,
		"it is stopped":            `kill -STOP $$`,
	}
	for name, script := range tests {
		t.Run(name, func(t *testing.T) {
			life := newLifeline(t)
			c := life.sh(script)
			c.Timeout = 300 * time.Millisecond
			_, err := process.Runner{Grace: 100 * time.Millisecond}.Run(t.Context(), c)
			if !errors.Is(err, process.ErrTimeout) || err.Error() != "no answer after 300ms" {
				t.Errorf("error is %v", err)
			}
			life.mustEnd()
		})
	}
}

func TestAProcessThatIsCalledOffMayPutThingsAway(t *testing.T) {
	const tidy = `trap "sleep 0.1; echo put away; exit 0" TERM; echo up >&2; while :; do sleep 1; done`
	tests := map[string]string{
		"it does so itself":       tidy,
		"the program it runs":     `sh -c '` + tidy + `'; echo never`,
		"one it started and left": `(` + tidy + `) & echo more; wait`,
	}
	for name, script := range tests {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			life := newLifeline(t)
			out, err := process.Runner{Stderr: onWrite(cancel), Grace: soon}.Run(ctx, life.sh(script))
			if !errors.Is(err, context.Canceled) {
				t.Errorf("error is %v, want context.Canceled", err)
			}
			if !strings.HasSuffix(string(out.Stdout), "put away\n") {
				t.Errorf("stdout is %q", out.Stdout)
			}
			life.mustEnd()
		})
	}
}

// TestARunIsCalledOffSoon has runs that end while the process is young, when it is waited
// for in another way than later.
func TestARunIsCalledOffSoon(t *testing.T) {
	t.Parallel()
	for _, after := range []time.Duration{time.Millisecond, 15 * time.Millisecond, 99 * time.Millisecond} {
		for name, script := range map[string]string{"it hangs": "exec sleep 1000", "it writes": "exec yes",
			"it complains": "exec yes >&2", "it does not read": "exec sleep 1000 <&-"} {
			t.Run(fmt.Sprint(name, " ", after), func(t *testing.T) {
				life := newLifeline(t)
				c := life.sh(script)
				c.Stdin, c.MaxOutput = make([]byte, 100_000), 1<<40
				c.Admit = func(int) error { return nil }
				c.Spool = func() (process.Spool, error) { return os.OpenFile(os.DevNull, os.O_WRONLY, 0) }
				ctx, cancel := context.WithTimeout(t.Context(), after)
				defer cancel()
				_, err := process.Runner{Grace: 100 * time.Millisecond}.Run(ctx, c)
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("error is %v", err)
				}
				life.mustEnd()
			})
		}
	}
}

// TestAnswersOfEverySize are read whole, whoever reads them and however they come.
func TestAnswersOfEverySize(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, 4096, 4097, 65_535, 65_536, 65_537, 200_000} {
		for _, script := range []string{"head -c %d /dev/zero", "head -c %d /dev/zero; sleep 0.12",
			"sleep 0.12; head -c %d /dev/zero",
			"head -c %d /dev/zero; exec >&-; sleep 0.12", "echo hm >&2; head -c %d /dev/zero"} {
			c := sh(fmt.Sprintf(script, size))
			if out := run(t, process.Runner{Stderr: io.Discard}, c); len(out.Stdout) != size || !out.Ok() {
				t.Errorf("%q: %d bytes, %v", c.Args, len(out.Stdout), out.Err())
			}
		}
	}
}

func TestNothingIsStartedOnceCalledOff(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	marker := filepath.Join(t.TempDir(), "marker")
	if _, err := (process.Runner{}).Run(ctx, sh(`touch "$M"`, "M="+marker)); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("it was started")
	}
}

func TestABackgroundChildThatHoldsThePipesIsEnded(t *testing.T) {
	life := newLifeline(t)
	out := run(t, process.Runner{}, life.sh(`sleep 1000 & echo done`))
	if diff := cmp.Diff(process.Outcome{Stdout: []byte("done\n")}, out); diff != "" {
		t.Error(diff)
	}
	life.mustEnd()
}

// TestWhatIsLeftGoesOnUntilItIsEnded, although it holds the pipes.
func TestWhatIsLeftGoesOnUntilItIsEnded(t *testing.T) {
	life := newLifeline(t)
	c := life.sh(`sleep 1000 & echo done`)
	c.NoTerminal, c.Leave = true, true
	out, err := process.Runner{}.Run(t.Context(), c)
	if string(out.Stdout) != "done\n" || err != nil || out.Left == 0 {
		t.Errorf("%+v, %v", out, err)
	}
	life.mustLive()
	process.EndLeft(out.Left)
	life.mustEnd()
	process.EndLeft(out.Left, os.Getpid()) // which is nobody's, and another's
}

func TestABackgroundChildThatLetGoOfThePipesIsLeftAlone(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, process.Runner{}, sh(`(exec >/dev/null 2>&1; echo alive >"$FIFO") &`, "FIFO="+fifo))
	// The child waits for a reader, which comes only now.
	f, err := os.OpenFile(fifo, os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	f.SetReadDeadline(time.Now().Add(soon))
	got := make([]byte, len("alive\n"))
	if _, err := io.ReadFull(f, got); err != nil || string(got) != "alive\n" {
		t.Errorf("the child said %q, %v", got, err)
	}
}

func TestAChildThatLeftTheGroupDelaysNothing(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/usr/bin/setsid"); err != nil {
		t.Skip("needs setsid")
	}
	out := run(t, process.Runner{}, sh(`setsid sleep 100000 & echo $!`))
	var pid int
	if _, err := fmt.Sscan(string(out.Stdout), &pid); err != nil || !out.Ok() {
		t.Fatalf("outcome is %+v", out)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Errorf("the child is not there any more: %v", err)
	}
}

func TestOutputIsBounded(t *testing.T) {
	const limit = 1 << 20
	tests := map[string]struct {
		script string
		want   error
		kept   int
	}{
		"1 GB":                     {"exec head -c 1073741824 /dev/zero", process.ErrOutputLimit, limit},
		"without end":              {"yes", process.ErrOutputLimit, limit},
		"one byte more than fits":  {"head -c 1048577 /dev/zero", process.ErrOutputLimit, limit},
		"as much as fits":          {"head -c 1048576 /dev/zero", nil, limit},
		"in the end of its output": {"head -c 1048575 /dev/zero; printf abc", process.ErrOutputLimit, limit},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := sh(tt.script)
			c.MaxOutput = limit
			out, err := process.Runner{}.Run(t.Context(), c)
			if !errors.Is(err, tt.want) {
				t.Errorf("error is %v, want %v", err, tt.want)
			}
			if err != nil && !strings.HasPrefix(err.Error(), "ended after 1.0 MiB of output") {
				t.Errorf("error is %q", err)
			}
			if len(out.Stdout) != tt.kept {
				t.Errorf("kept %d bytes, want %d", len(out.Stdout), tt.kept)
			}
		})
	}
}

func TestMemoryStaysFlatWhileAProcessPrintsWithoutEnd(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := (process.Runner{}).Run(t.Context(), sh("yes; yes >&2")); !errors.Is(err, process.ErrOutputLimit) {
		t.Errorf("error is %v", err)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
		t.Errorf("allocated %d bytes for 8 MiB of output", used)
	}
}

func TestTheEndOfStderrIsKeptAndAllOfItPassedOn(t *testing.T) {
	var all bytes.Buffer
	out := run(t, process.Runner{Stderr: &all}, sh(`i=0; while [ $i -lt 2000 ]; do printf '\377a€' >&2; i=$((i+1)); `+
		`done; printf end >&2`))
	if want := strings.Repeat("\xffa€", 2000) + "end"; all.String() != want {
		t.Errorf("passed on %d bytes, want %d", all.Len(), len(want))
	}
	if len(out.Stderr) > 4096 || !utf8.ValidString(out.Stderr) || !strings.HasSuffix(out.Stderr, "?a€end") {
		t.Errorf("kept %d bytes: %q", len(out.Stderr), out.Stderr)
	}
}

func TestStderrIsBounded(t *testing.T) {
	var all bytes.Buffer
	for limit, text := range map[int64]string{10_000: "9.8 KiB", 8192: "8.0 KiB"} { // within a read, and at the end of one
		all.Reset()
		out := run(t, process.Runner{Stderr: &all, MaxStderr: limit},
			sh(`yes | head -c 64000000 >&2; echo end >&2; echo done`))
		want := strings.Repeat("y\n", int(limit/2)) + "\nchibi: /bin/sh wrote more than " + text +
			" to standard error; the rest is not shown\n"
		if all.String() != want {
			t.Errorf("passed on %d bytes, want %d", all.Len(), len(want))
		}
		if string(out.Stdout) != "done\n" || !strings.HasSuffix(out.Stderr, "y\nend\n") {
			t.Errorf("outcome is %.100q, the tail %.100q", out.Stdout, out.Stderr)
		}
	}
	all.Reset()
	run(t, process.Runner{Stderr: &all, MaxStderr: 10}, sh(`printf 0123456789 >&2`))
	if got := all.String(); got != "0123456789" {
		t.Errorf("as much as fits: passed on %q", got)
	}
}

func TestScriptsJustWrittenCanBeRunAtOnce(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			path := filepath.Join(dir, fmt.Sprint(i))
			if err := os.WriteFile(path, fmt.Appendf(nil, "#!/bin/sh\necho %d\n", i), 0o755); err != nil {
				t.Error(err)
				return
			}
			out, err := process.Runner{}.Run(t.Context(), process.Command{Path: path})
			if want := fmt.Sprintln(i); err != nil || string(out.Stdout) != want {
				t.Errorf("script %d said %q, %v", i, out.Stdout, err)
			}
		})
	}
	all.Wait()
}

func TestARunLeavesNoGoroutineAndNoFileOpen(t *testing.T) {
	life := newLifeline(t)
	hang := life.sh("sleep 1000")
	hang.Timeout = 50 * time.Millisecond
	unread := sh("exit 0")
	unread.Stdin = make([]byte, 1<<20)
	all := func() {
		for _, c := range []process.Command{
			sh("echo"), hang, unread, sh("yes"), life.sh("sleep 1000 & echo"), {Path: "/no/such/program"}, {Path: t.TempDir()},
		} {
			process.Runner{Grace: time.Second}.Run(t.Context(), c)
		}
	}
	noneLeft(t, all)
	life.mustEnd()
}

// noneLeft repeats something, after which there are no more goroutines and open files.
func noneLeft(t *testing.T, all func()) {
	t.Helper()
	all() // what the runtime opens once and keeps
	goroutines, files := runtime.NumGoroutine(), openFiles(t)
	for range 5 {
		all()
	}
	// A goroutine that has done its work may take a moment to go.
	for end := time.Now().Add(soon); runtime.NumGoroutine() > goroutines && time.Now().Before(end); {
		runtime.Gosched()
	}
	if n := runtime.NumGoroutine(); n > goroutines {
		t.Errorf("%d goroutines, %d before", n, goroutines)
	}
	if n := openFiles(t); n > files {
		t.Errorf("%d open files, %d before", n, files)
	}
	if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); err != syscall.ECHILD {
		t.Errorf("a process was not waited for: %d, %v", pid, err)
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/dev/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// slowSpool is a file on a disk that stalls.
type slowSpool struct{ *os.File }

func (s slowSpool) Write(data []byte) (int, error) {
	time.Sleep(600 * time.Millisecond)
	return s.File.Write(data)
}

func TestNothingIsLostWhenTheOutputIsStoredSlowly(t *testing.T) {
	t.Parallel()
	const size = 1<<20 + 100_000 // the last pieces are stored when the process has ended
	for name, script := range map[string]string{"alone": "", "with a child that holds the pipe": "sleep 1000 & "} {
		t.Run(name, func(t *testing.T) {
			life := newLifeline(t)
			c := life.sh(script + fmt.Sprintf("head -c %d /dev/zero", size))
			c.MaxOutput = 2 * size
			c.Spool = func() (process.Spool, error) {
				f, err := os.Create(filepath.Join(t.TempDir(), "output"))
				return slowSpool{f}, err
			}
			out := run(t, process.Runner{}, c)
			if out.Spooled == nil {
				t.Fatalf("%d bytes in memory", out.Size)
			}
			defer out.Spooled.Close()
			info, err := os.Stat(out.Spooled.Name())
			if out.Size != size || err != nil || info.Size() != size {
				t.Errorf("%d bytes of %d are there, %+v, %v", out.Size, size, info, err)
			}
			life.mustEnd()
		})
	}
}
