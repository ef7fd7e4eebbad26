//go:build unix

package process_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chibi-host/chibi/plugin/process"
)

// elsewhere is a process of another program: what it writes comes from the test.
type elsewhere struct {
	writes func(stdout, stderr func([]byte), finish func()) (process.Outcome, error)
	ended  chan struct{} // closed by End
	once   sync.Once

	mu       sync.Mutex
	input    bytes.Buffer
	released int64
}

func newElsewhere(writes func(stdout, stderr func([]byte), finish func()) (process.Outcome, error)) *elsewhere {
	return &elsewhere{writes: writes, ended: make(chan struct{}), released: -1}
}

func (e *elsewhere) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.input.Write(p)
}

func (e *elsewhere) Close() error                     { e.End(); return nil }
func (e *elsewhere) SetWriteDeadline(time.Time) error { return nil }
func (e *elsewhere) End()                             { e.once.Do(func() { close(e.ended) }) }

func (e *elsewhere) Follow(stdout, stderr func([]byte), finish func()) (process.Outcome, error) {
	o, err := e.writes(stdout, stderr, finish)
	if err == nil && o.Ok() {
		<-e.ended
	}
	return o, err
}

func (e *elsewhere) Release(written int64) bool {
	e.mu.Lock()
	e.released = written
	e.mu.Unlock()
	e.End()
	return true
}

// TestAProcessOfAnotherProgram is bounded, passed on and ended as a child is.
func TestAProcessOfAnotherProgram(t *testing.T) {
	var said bytes.Buffer
	e := newElsewhere(func(stdout, stderr func([]byte), _ func()) (process.Outcome, error) {
		stderr([]byte("hello\n"))
		stdout([]byte("first\nsec"))
		stdout([]byte("ond\nthi"))
		return process.Outcome{}, nil
	})
	p := process.Runner{Stderr: &said}.Adopt(t.Context(), process.Command{Path: "p"}, e)
	for _, want := range []string{"first", "second"} {
		if line, err := p.ReadLine(t.Context()); err != nil || string(line) != want {
			t.Errorf("%q, %v", line, err)
		}
	}
	if n, err := p.WriteLine(t.Context(), []byte("ask")); n != 4 || err != nil || e.input.String() != "ask\n" {
		t.Errorf("wrote %d, %v: %q", n, err, e.input.String())
	}
	if p.Pid() != 0 || !p.Release() || e.released != int64(len("first\nsecond\n")) {
		t.Errorf("it was released after %d bytes", e.released)
	}
	out, err := p.Wait()
	if err != nil || string(out.Stdout) != "thi" || out.Stderr != "hello\n" || said.String() != "hello\n" {
		t.Errorf("%+v, %v", out, err)
	}
	if _, err := p.WriteLine(t.Context(), []byte("more")); !errors.Is(err, process.ErrClosed) {
		t.Errorf("after that: %v", err)
	}
}

func TestTheEndOfAProcessOfAnotherProgram(t *testing.T) {
	lost := errors.New("lost")
	for name, test := range map[string]struct {
		writes func(stdout, stderr func([]byte), finish func()) (process.Outcome, error)
		want   error
		text   string
	}{
		"it exits": {func(_, _ func([]byte), _ func()) (process.Outcome, error) {
			return process.Outcome{Exit: 3}, nil
		}, process.ErrClosed, "exit status 3"},
		"it is lost": {func(_, _ func([]byte), _ func()) (process.Outcome, error) {
			return process.Outcome{Exit: -1}, lost
		}, lost, "lost"},
		"it writes too much": {func(stdout, _ func([]byte), _ func()) (process.Outcome, error) {
			stdout([]byte(strings.Repeat("x", 11)))
			return process.Outcome{}, nil
		}, process.ErrOutputLimit, "10 B"},
		"its output ends": {func(_, _ func([]byte), finish func()) (process.Outcome, error) {
			finish()
			return process.Outcome{}, nil
		}, process.ErrClosed, "it closed its standard output"},
	} {
		t.Run(name, func(t *testing.T) {
			p := process.Runner{}.Adopt(t.Context(), process.Command{Path: "p", MaxOutput: 10}, newElsewhere(test.writes))
			if _, err := p.ReadLine(t.Context()); !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.text) {
				t.Errorf("error = %v", err)
			}
			p.Close(0)
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	e := newElsewhere(func(_, _ func([]byte), _ func()) (process.Outcome, error) { return process.Outcome{}, nil })
	p := process.Runner{}.Adopt(ctx, process.Command{Path: "p"}, e)
	cancel()
	if _, err := p.Wait(); !errors.Is(err, context.Canceled) {
		t.Errorf("after its context ended: %v", err)
	}
	<-e.ended
}

// pieces is an Output that keeps what comes.
type pieces struct {
	mu       sync.Mutex
	text     bytes.Buffer
	fails    error
	finished chan struct{}
}

func (p *pieces) Write(data []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n, _ := p.text.Write(data)
	return n, p.fails
}

func (p *pieces) Hurry()  {}
func (p *pieces) Finish() { close(p.finished) }

// TestOutputGoesElsewhere, as it comes; if that fails, the process is ended.
func TestOutputGoesElsewhere(t *testing.T) {
	o := &pieces{finished: make(chan struct{})}
	p, err := process.Runner{}.Start(t.Context(), process.Command{Path: "/bin/cat", Output: o})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := p.Write(t.Context(), []byte("a\nb")); n != 3 || err != nil {
		t.Errorf("wrote %d, %v", n, err)
	}
	if p.Pid() == 0 || p.Release() {
		t.Error("it is a child of this program")
	}
	if _, err := p.ReadLine(t.Context()); !errors.Is(err, process.ErrClosed) {
		t.Errorf("a line: %v", err)
	}
	if _, err := p.Close(time.Minute); err != nil {
		t.Error(err)
	}
	<-o.finished
	if o.text.String() != "a\nb" {
		t.Errorf("%q", o.text.String())
	}

	o = &pieces{finished: make(chan struct{}), fails: errors.New("nobody is there")}
	if p, err = (process.Runner{}).Start(t.Context(), process.Command{Path: "/bin/cat", Output: o}); err != nil {
		t.Fatal(err)
	}
	p.Write(t.Context(), []byte("a"))
	if _, err := p.Wait(); !errors.Is(err, o.fails) {
		t.Errorf("it ended with %v", err)
	}
}

// TestDetach: the process is in a session of its own, and nothing of this one's is its own.
func TestDetach(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	script := `python3 -c 'import os; print(os.environ["A"], os.getcwd(), os.getsid(0), os.getppid())' > "$0.part"
mv "$0.part" "$0"`
	err := process.Runner{Env: []string{"PATH=" + os.Getenv("PATH"), "A=1"}}.Detach(
		process.Command{Path: "/bin/sh", Args: []string{"-c", script, out}, Dir: "/"})
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(2 * time.Millisecond) {
		if data, err := os.ReadFile(out); err == nil {
			words := strings.Fields(string(data))
			if len(words) != 4 || words[0] != "1" || words[1] != "/" || words[2] != words[3] {
				t.Errorf("it wrote %q", data)
			}
			break
		} else if time.Now().After(end) {
			t.Fatal(err)
		}
	}
	missing := process.Command{Path: filepath.Join(t.TempDir(), "none")}
	if err := (process.Runner{}).Detach(missing); !errors.Is(err, process.ErrStart) {
		t.Errorf("error = %v", err)
	}
}

func TestEnviron(t *testing.T) {
	env := process.Runner{Env: []string{"A=1", "B=2", "CHIBI_HOOK=x", "A=3"}, Drop: []string{"CHIBI_HOOK"}}.Environ(
		process.Command{Env: []string{"B=4", "C="}})
	if got := strings.Join(env, " "); got != "A=3 B=4 C=" {
		t.Errorf("%s", got)
	}
}
