//go:build unix

package process_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chibi-host/chibi/plugin/process"
	"github.com/google/go-cmp/cmp"
)

// ask is a protocol in its smallest form: a line there, a line back. It needs no process.
func ask(ctx context.Context, peer process.Lines, question string) (string, error) {
	if _, err := peer.WriteLine(ctx, []byte(question)); err != nil {
		return "", err
	}
	answer, err := peer.ReadLine(ctx)
	return string(answer), err
}

func ExampleRunner_Start() {
	ctx := context.Background()
	p, err := process.Runner{}.Start(ctx, process.Command{
		Path: "/bin/sh",
		Args: []string{"-c", `while read -r name; do echo "hello $name"; done; exit 3`},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, name := range []string{"Ada", "Grace"} {
		fmt.Println(ask(ctx, p, name))
	}
	out, err := p.Close(time.Minute)
	fmt.Println(out.Exit, err)
	// Output:
	// hello Ada <nil>
	// hello Grace <nil>
	// 3 <nil>
}

// echo answers each line with itself.
const echo = `while read -r line; do echo "$line"; done`

// parrot is a peer without a process.
type parrot struct{ heard [][]byte }

func (p *parrot) WriteLine(_ context.Context, line []byte) (int, error) {
	p.heard = append(p.heard, line)
	return len(line) + 1, nil
}

func (p *parrot) ReadLine(context.Context) ([]byte, error) { return p.heard[len(p.heard)-1], nil }

func TestAProtocolIsTestedWithoutAProcess(t *testing.T) {
	for name, peer := range map[string]process.Lines{"parrot": &parrot{},
		"process": start(t, process.Runner{}, sh(echo))} {
		if answer, err := ask(t.Context(), peer, "hello"); answer != "hello" || err != nil {
			t.Errorf("%s: %q, %v", name, answer, err)
		}
	}
}

// start starts a command, which must be possible; it is ended with the test.
func start(t *testing.T, e process.Runner, c process.Command) *process.Process {
	t.Helper()
	p, err := e.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close(0) })
	return p
}

// mustRead reads a line.
func mustRead(t *testing.T, p *process.Process, want string) {
	t.Helper()
	if line, err := p.ReadLine(t.Context()); err != nil || string(line) != want {
		t.Fatalf("read %.100q, %v, want %.100q", line, err, want)
	}
}

// mustFail waits for the error that reading ends with.
func mustFail(t *testing.T, p *process.Process, want error, text string) {
	t.Helper()
	line, err := p.ReadLine(t.Context())
	if line != nil || !errors.Is(err, want) || err.Error() != text {
		t.Errorf("read %.100q, %v, want the error %q", line, err, text)
	}
}

func TestLinesGoThereAndBack(t *testing.T) {
	p := start(t, process.Runner{}, sh("exec cat"))
	for _, line := range []string{"one", "", "  two\r", strings.Repeat("x", 1<<20), "\x00\xff"} {
		if n, err := p.WriteLine(t.Context(), []byte(line)); n != len(line)+1 || err != nil {
			t.Fatalf("wrote %d of %d bytes, %v", n, len(line)+1, err)
		}
		mustRead(t, p, line)
	}
	if n, err := p.WriteLine(t.Context(), []byte("a\nb")); n != 0 || err == nil {
		t.Errorf("a newline in a line: wrote %d bytes, %v", n, err)
	}
	if out, err := p.Close(soon); err != nil || !out.Ok() {
		t.Errorf("ended with %+v, %v", out, err)
	}
}

func TestHowAStartedProcessEnds(t *testing.T) {
	tests := map[string]struct {
		script string
		want   process.Outcome
		reason string
	}{
		"well": {"exit 0", process.Outcome{}, "connection closed: exit status 0"},
		"with a status": {"echo why >&2; exit 3", process.Outcome{Exit: 3, Stderr: "why\n"},
			"connection closed: exit status 3 (why)"},
		"killed": {"kill -KILL $$", process.Outcome{Exit: -1, Signal: "killed"},
			"connection closed: ended by signal: killed"},
		"in mid-line": {`printf '{"id":'; exit 1`, process.Outcome{Exit: 1, Stdout: []byte(`{"id":`)},
			"connection closed: exit status 1"},
		"after a whole line": {`printf 'a\nb'`, process.Outcome{Stdout: []byte("b")}, "connection closed: exit status 0"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := start(t, process.Runner{}, sh(tt.script))
			if name == "after a whole line" {
				mustRead(t, p, "a")
			}
			mustFail(t, p, process.ErrClosed, tt.reason)
			mustFail(t, p, process.ErrClosed, tt.reason) // and again
			if n, err := p.WriteLine(t.Context(), []byte("more")); n != 0 || err == nil || err.Error() != tt.reason {
				t.Errorf("wrote %d bytes, %v", n, err)
			}
			out, err := p.Wait()
			if diff := cmp.Diff(tt.want, out); diff != "" || err != nil {
				t.Error(err, diff)
			}
		})
	}
}

func TestWhatWasNotReadIsThereAfterTheEnd(t *testing.T) {
	p := start(t, process.Runner{}, sh("seq 2000"))
	p.Wait()
	for i := range 2000 {
		mustRead(t, p, fmt.Sprint(i+1))
	}
	mustFail(t, p, process.ErrClosed, "connection closed: exit status 0")
}

func TestAProcessThatClosesItsStreamsIsToBeClosed(t *testing.T) {
	t.Parallel()
	life := newLifeline(t)
	p := start(t, process.Runner{}, life.sh("exec <&- >&-; sleep 1000"))
	mustFail(t, p, process.ErrClosed, "connection closed: it closed its standard output")
	if _, err := p.WriteLine(t.Context(), []byte("hello")); err == nil ||
		err.Error() != "connection closed: it closed its standard input" {
		t.Errorf("writing: %v", err)
	}
	p.Close(0)
	life.mustEnd()
}

func TestWhatCannotBeStartedWithStreams(t *testing.T) {
	file, cancelled := sh("true"), process.Command{Path: "/bin/sh"}
	file.Path = t.TempDir()
	refused := errors.New("not this one")
	checked := sh("true")
	checked.Check = func() error { return refused }
	oneAnswer := sh("cat")
	oneAnswer.Stdin = []byte("all of it")
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for name, tt := range map[string]struct {
		ctx     context.Context
		command process.Command
		want    error
		text    string
	}{
		"a directory": {t.Context(), file, process.ErrStart,
			"could not be started: it is a directory, not a program"},
		"the check refuses": {t.Context(), checked, refused, "not this one"},
		"a fixed input": {t.Context(), oneAnswer, process.ErrStart,
			"could not be started: Stdin, Data and InheritStdin are for one answer"},
		"its context is over": {over, cancelled, context.Canceled, "context canceled"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := (process.Runner{}).Start(tt.ctx, tt.command); !errors.Is(err, tt.want) || err.Error() != tt.text {
				t.Errorf("error is %v", err)
			}
		})
	}
}

func TestALineIsBounded(t *testing.T) {
	const limit = 1 << 20
	const text = "ended after 1.0 MiB of output without a newline, the limit"
	tests := map[string]struct {
		script string
		bytes  int // of a line that fits
	}{
		"as long as may be": {"head -c 1048576 /dev/zero; echo", limit},
		"a byte more":       {"head -c 1048577 /dev/zero; echo; exec sleep 1000", 0},
		"without end":       {"exec cat /dev/zero", 0},
		"SIGTERM ignored":   {`trap "" TERM; cat /dev/zero; exec sleep 1000`, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			life := newLifeline(t)
			c := life.sh(tt.script)
			c.MaxOutput = limit
			p := start(t, process.Runner{Grace: 100 * time.Millisecond}, c)
			if tt.bytes > 0 {
				mustRead(t, p, strings.Repeat("\x00", tt.bytes))
				mustFail(t, p, process.ErrClosed, "connection closed: exit status 0")
				return
			}
			mustFail(t, p, process.ErrOutputLimit, text)
			life.mustEnd()
			out, err := p.Wait()
			if !errors.Is(err, process.ErrOutputLimit) || len(out.Stdout) != limit {
				t.Errorf("ended with %v; kept %d bytes", err, len(out.Stdout))
			}
		})
	}
}

func TestThePiecesOfALineAreAdmitted(t *testing.T) {
	refused := errors.New("all plugins together wrote too much")
	left := 100_000
	c := sh("echo short; exec cat /dev/zero")
	c.Admit = func(bytes int) error {
		if left -= bytes; left < 0 {
			return refused
		}
		return nil
	}
	p := start(t, process.Runner{}, c)
	mustRead(t, p, "short")
	mustFail(t, p, refused, refused.Error())
}

func TestMemoryStaysFlatWhileNobodyReads(t *testing.T) {
	for name, script := range map[string]string{"lines": "exec yes", "empty lines": "exec yes ''"} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			p := start(t, process.Runner{}, sh(script))
			if _, err := p.ReadLine(t.Context()); err != nil {
				t.Error(err)
			}
			// Once it is to end, nothing waits for the reader any more.
			if _, err := p.Close(soon); !errors.Is(err, process.ErrOutputLimit) ||
				err.Error() != "ended after 8.0 MiB of output that nobody read, the limit" {
				t.Errorf("ended with %v", err)
			}
			runtime.ReadMemStats(&after)
			if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
				t.Errorf("allocated %d bytes", used)
			}
		})
	}
}

func TestAProcessThatStopsReadingBlocksNoWriter(t *testing.T) {
	life := newLifeline(t)
	p := start(t, process.Runner{}, life.sh("head -c 1 >/dev/null; echo began; exec sleep 1000"))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var all sync.WaitGroup
	all.Go(func() {
		n, err := p.WriteLine(ctx, make([]byte, 10<<20))
		if n == 0 || n >= 10<<20 || !errors.Is(err, context.Canceled) {
			t.Errorf("wrote %d bytes, %v", n, err)
		}
	})
	mustRead(t, p, "began")
	cancel()
	all.Wait()
	const why = "it did not read a whole line: context canceled"
	if n, err := p.WriteLine(t.Context(), []byte("more")); n != 0 || err == nil || err.Error() != why {
		t.Errorf("then: wrote %d bytes, %v", n, err)
	}
	life.mustEnd() // it could not know where the next line begins
	if _, err := p.Wait(); !errors.Is(err, context.Canceled) || err.Error() != why {
		t.Errorf("ended with %v", err)
	}
}

func TestAWriterThatWaitsForItsTurnMayGiveUp(t *testing.T) {
	p := start(t, process.Runner{}, sh("head -c 1 >/dev/null; echo began; exec sleep 1000"))
	var all sync.WaitGroup
	defer all.Wait()
	defer p.Close(0)
	all.Go(func() { p.WriteLine(t.Context(), make([]byte, 10<<20)) })
	mustRead(t, p, "began")
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if n, err := p.WriteLine(ctx, []byte("second")); n != 0 || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("wrote %d bytes, %v", n, err)
	}
}

func TestAWriteThatHasNotBegunHarmsNothing(t *testing.T) {
	p := start(t, process.Runner{}, sh(echo))
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if n, err := p.WriteLine(over, []byte("never")); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("wrote %d bytes, %v", n, err)
	}
	if answer, err := ask(t.Context(), p, "still there"); answer != "still there" {
		t.Errorf("read %q, %v", answer, err)
	}
}

func TestAReadThatIsGivenUpLosesNothing(t *testing.T) {
	p := start(t, process.Runner{}, sh(`printf 'half '; read -r line; echo "$line"`))
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if line, err := p.ReadLine(over); line != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("read %q, %v", line, err)
	}
	if answer, err := ask(t.Context(), p, "a line"); answer != "half a line" {
		t.Errorf("read %q, %v", answer, err)
	}
}

func TestAWriterIsFreedByTheEndOfTheProcess(t *testing.T) {
	life := newLifeline(t)
	// A child holds standard input and reads nothing.
	p := start(t, process.Runner{}, life.sh("(exec sleep 1000) <&0 & echo up; exit 4"))
	mustRead(t, p, "up")
	n, err := p.WriteLine(t.Context(), make([]byte, 10<<20))
	if n >= 10<<20 || err == nil || err.Error() != "connection closed: exit status 4" {
		t.Errorf("wrote %d bytes, %v", n, err)
	}
	life.mustEnd()
}

func TestAChildThatHoldsThePipesDelaysNoEnd(t *testing.T) {
	life := newLifeline(t)
	p := start(t, process.Runner{}, life.sh("sleep 1000 & echo last; exit 2"))
	mustRead(t, p, "last")
	mustFail(t, p, process.ErrClosed, "connection closed: exit status 2")
	life.mustEnd()
}

func TestAChildThatLetGoOfThePipesIsLeftAloneEvenIfNobodyReads(t *testing.T) {
	life := newLifeline(t)
	// More lines than are read ahead, fewer bytes than a pipe holds.
	p := start(t, process.Runner{}, life.sh("(exec sleep 1000) >/dev/null 2>&1 & echo $!; yes | head -c 40000"))
	out, err := p.Wait()
	if err != nil || !out.Ok() {
		t.Fatalf("ended with %+v, %v", out, err)
	}
	line, err := p.ReadLine(t.Context())
	var pid int
	if fmt.Sscan(string(line), &pid); pid == 0 || syscall.Kill(pid, syscall.SIGKILL) != nil {
		t.Errorf("the child %q is not there any more, %v", line, err)
	}
	life.mustEnd()
}

// TestWhatAWholeCommandLeavesIsEnded, also if it has closed its outputs, and a group of its own.
func TestWhatAWholeCommandLeavesIsEnded(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"in its group":     `sleep 1000 >/dev/null 2>&1 </dev/null & echo up; read line; exit 0`,
		"after it crashed": `sleep 1000 >/dev/null 2>&1 </dev/null & echo up; read line; kill -KILL $$`,
		"deaf to SIGTERM":  `(trap '' TERM; sleep 1000; sleep 1000) >/dev/null 2>&1 </dev/null & echo up; read line`,
	} {
		t.Run(name, func(t *testing.T) {
			life := newLifeline(t)
			c := life.sh(script)
			c.NoTerminal, c.Whole = true, true
			p := start(t, process.Runner{}, c)
			mustRead(t, p, "up")
			p.Close(soon)
			life.mustEnd()
		})
	}
}

func TestTheEndOfTheContextEndsTheGroup(t *testing.T) {
	for name, script := range map[string]string{
		"it waits for a line":        `read -r line`,
		"its child hangs":            `sleep 1000 & wait`,
		"SIGTERM ignored":            `trap "" TERM; while :; do sleep 1000; done`,
		"it is stopped":              `kill -STOP $$`,
		"it writes and nobody reads": `exec yes`,
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			life := newLifeline(t)
			p, err := process.Runner{Grace: 100 * time.Millisecond}.Start(ctx, life.sh("echo up; "+script))
			if err != nil {
				t.Fatal(err)
			}
			mustRead(t, p, "up")
			cancel()
			<-p.Done()
			if _, err := p.Wait(); !errors.Is(err, context.Canceled) {
				t.Errorf("ended with %v", err)
			}
			life.mustEnd()
		})
	}
}

func TestATimeLimitEndsIt(t *testing.T) {
	c := sh("exec sleep 1000")
	c.Timeout = 50 * time.Millisecond
	mustFail(t, start(t, process.Runner{}, c), process.ErrTimeout, "no answer after 50ms")
}

func TestCloseEndsInputFirst(t *testing.T) {
	life := newLifeline(t)
	p := start(t, process.Runner{}, life.sh(`trap "echo TERM" TERM; echo up; cat; echo end of input; exit 5`))
	mustRead(t, p, "up")
	out, err := p.Close(soon)
	if err != nil || out.Exit != 5 {
		t.Errorf("ended with %+v, %v", out, err)
	}
	mustRead(t, p, "end of input")
	mustFail(t, p, process.ErrClosed, "connection closed: exit status 5")
	if _, err := p.WriteLine(t.Context(), []byte("more")); !errors.Is(err, process.ErrClosed) {
		t.Errorf("writing afterwards: %v", err)
	}
	if again, err := p.Close(soon); err != nil || again.Exit != 5 {
		t.Errorf("closed again: %+v, %v", again, err)
	}
	life.mustEnd()
}

func TestCloseThenSendsSignals(t *testing.T) {
	tests := map[string]struct {
		script string
		grace  time.Duration // between SIGTERM and SIGKILL
		exit   int
		signal string
	}{
		"SIGTERM": {`trap "exit 6" TERM; echo up; sleep 1000 & wait; wait`, soon, 6, ""},
		"SIGKILL": {`trap "" TERM; echo up; while :; do sleep 1000; done`, 50 * time.Millisecond, -1, "killed"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			life := newLifeline(t)
			p := start(t, process.Runner{Grace: tt.grace}, life.sh(tt.script))
			mustRead(t, p, "up")
			out, err := p.Close(10 * time.Millisecond)
			if err != nil || out.Signal != tt.signal || out.Exit != tt.exit {
				t.Errorf("ended with %+v, %v", out, err)
			}
			life.mustEnd()
		})
	}
}

func TestCloseFreesReadersAndWriters(t *testing.T) {
	p := start(t, process.Runner{Grace: 50 * time.Millisecond},
		sh(`trap "" TERM; head -c 1 >/dev/null; echo began; while :; do sleep 1000; done`))
	var all sync.WaitGroup
	all.Go(func() {
		if _, err := p.WriteLine(t.Context(), make([]byte, 10<<20)); !errors.Is(err, process.ErrClosed) {
			t.Errorf("writing: %v", err)
		}
	})
	mustRead(t, p, "began")
	all.Go(func() {
		if _, err := p.ReadLine(t.Context()); !errors.Is(err, process.ErrClosed) {
			t.Errorf("reading: %v", err)
		}
	})
	p.Close(0)
	all.Wait()
}

func TestStderrOfAStartedProcess(t *testing.T) {
	var all bytes.Buffer
	p := start(t, process.Runner{Stderr: &all}, sh(`yes | head -c 100000 >&2; echo end >&2; exit 1`))
	mustFail(t, p, process.ErrClosed, "connection closed: exit status 1 (end)")
	if out, _ := p.Wait(); len(out.Stderr) > 4096 || !strings.HasSuffix(out.Stderr, "y\nend\n") || all.Len() != 100_004 {
		t.Errorf("kept %d bytes, passed on %d", len(out.Stderr), all.Len())
	}
}

func TestAStartedProcessThatAsksAtTheTerminalIsEnded(t *testing.T) {
	lender := process.NewLender(0, func() func() { t.Error("the terminal was lent"); return func() {} })
	p := start(t, process.Runner{Lender: lender, Grace: 100 * time.Millisecond}, sh("kill -TTIN $$; echo never"))
	mustFail(t, p, process.ErrNoTerminal, process.ErrNoTerminal.Error())
}

func TestReadingAndWritingAtTheSameTime(t *testing.T) {
	const writers, each = 4, 500
	p := start(t, process.Runner{}, sh("exec cat"))
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for i := range each {
				line := fmt.Sprintf("%d %d %s", w, i, strings.Repeat("x", i*7))
				if _, err := p.WriteLine(t.Context(), []byte(line)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	next := make([]int, writers)
	for range writers * each {
		line, err := p.ReadLine(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var w, i int
		var text string
		fmt.Sscan(string(line), &w, &i, &text)
		if i != next[w] || len(text) != i*7 {
			t.Fatalf("writer %d: line %d has %d bytes, want line %d", w, i, len(text), next[w])
		}
		next[w]++
	}
	all.Wait()
}

func TestSeveralReadersGetEachLineOnce(t *testing.T) {
	p := start(t, process.Runner{}, sh("seq 1000"))
	var all sync.WaitGroup
	var mu sync.Mutex
	seen := map[string]int{}
	for range 4 {
		all.Go(func() {
			for {
				line, err := p.ReadLine(t.Context())
				if err != nil {
					return
				}
				mu.Lock()
				seen[string(line)]++
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if len(seen) != 1000 {
		t.Errorf("%d different lines", len(seen))
	}
}

func TestALargeAnswerComesWhileALargeQuestionIsWritten(t *testing.T) {
	// It answers before it has read all: a host that does not read meanwhile would hang.
	p := start(t, process.Runner{}, sh("exec cat"))
	line := bytes.Repeat([]byte("x"), 7<<20)
	var all sync.WaitGroup
	all.Go(func() {
		if _, err := p.WriteLine(t.Context(), line); err != nil {
			t.Error(err)
		}
	})
	mustRead(t, p, string(line))
	all.Wait()
}

func TestAStartLeavesNoGoroutineAndNoFileOpen(t *testing.T) {
	life := newLifeline(t)
	all := func() {
		for _, script := range []string{"exit 0", echo, "exec sleep 1000", "exec yes", "sleep 1000 & echo", "kill -KILL $$"} {
			p, err := process.Runner{Grace: soon}.Start(t.Context(), life.sh(script))
			if err != nil {
				t.Fatal(err)
			}
			p.WriteLine(t.Context(), []byte("hello"))
			p.Close(0)
		}
		ctx, cancel := context.WithCancel(t.Context())
		p, err := process.Runner{}.Start(ctx, life.sh(echo))
		if err != nil {
			t.Fatal(err)
		}
		ask(ctx, p, "hello")
		cancel()
		<-p.Done()
		process.Runner{}.Start(t.Context(), process.Command{Path: "/no/such/program"})
	}
	noneLeft(t, all)
	life.mustEnd()
}
