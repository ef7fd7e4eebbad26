//go:build unix

package process

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"
)

// spawn is a process that is about to start. It is not an exec.Cmd, because that one is
// started and waited for with more goroutines and system calls than a short run needs.
type spawn struct {
	path  string
	args  []string
	attr  syscall.ProcAttr
	check func() error
}

// start starts the process if the check allows it. It retries on ETXTBSY: a script that
// was just written may still be open for writing in a process that another goroutine is
// forking.
func (s *spawn) start() (pid int, err error) {
	if s.attr.Env, err = lastOfEach(s.attr.Env); err != nil {
		return 0, err
	}
	for delay := time.Millisecond; ; delay *= 2 {
		if s.check != nil {
			if err := s.check(); err != nil {
				return 0, &checkError{err}
			}
		}
		pid, _, err := syscall.StartProcess(s.path, s.args, &s.attr)
		if err == nil {
			return pid, nil
		}
		if !errors.Is(err, syscall.ETXTBSY) || delay > 200*time.Millisecond {
			return 0, &fs.PathError{Op: "fork/exec", Path: s.path, Err: err}
		}
		time.Sleep(delay)
	}
}

type checkError struct{ err error }

func (e *checkError) Error() string { return e.err.Error() }

// lastOfEach returns an environment with the last value of each variable, as os/exec does:
// programs differ in which of several they take.
func lastOfEach(env []string) ([]string, error) {
	seen := make(map[string]bool, len(env))
	list := make([]string, 0, len(env))
	for _, pair := range slices.Backward(env) {
		if strings.IndexByte(pair, 0) >= 0 {
			return nil, errors.New("exec: environment variable contains NUL")
		}
		name, _, hasValue := strings.Cut(pair, "=")
		if pair == "" || hasValue && seen[name] {
			continue
		}
		seen[name] = hasValue
		list = append(list, pair)
	}
	slices.Reverse(list)
	return list, nil
}

// pipes are the ends of the pipes of a process: standard input, output and error. An end
// that is closed, or was never there, is -1.
type pipes [3]int

// noPipes has no ends.
func noPipes() pipes { return pipes{-1, -1, -1} }

// openPipes makes the pipes.
func openPipes() (ours, theirs pipes, err error) {
	ours, theirs = noPipes(), noPipes()
	if theirs[0], ours[0], err = openPipe(); err != nil {
		return ours, theirs, err
	}
	if ours[1], theirs[1], err = openPipe(); err != nil {
		return ours, theirs, err
	}
	if ours[2], theirs[2], err = openPipe(); err != nil {
		return ours, theirs, err
	}
	return ours, theirs, syscall.SetNonblock(ours[0], true)
}

// close closes one end.
func (p *pipes) close(n int) {
	if p[n] >= 0 {
		syscall.Close(p[n])
		p[n] = -1
	}
}

// closeAll closes the ends that are open.
func (p *pipes) closeAll() {
	for n := range p {
		p.close(n)
	}
}

// write writes as much of the input as the pipe takes, and closes the pipe when that is
// all, or when nobody reads from it.
func (p *pipes) write(s *streams) {
	for p[0] >= 0 && s.written < len(s.input) {
		n, err := syscall.Write(p[0], s.input[s.written:])
		switch {
		case err == nil:
			s.written += n
		case err == syscall.EAGAIN:
			return
		case err != syscall.EINTR: // the process need not read it
			p.close(0)
		}
	}
	p.close(0)
}

// file passes one end on to a file whose reads and writes wait without a thread; nil if
// the end is closed.
func (p *pipes) file(n int, name string) *os.File {
	if p[n] < 0 {
		return nil
	}
	syscall.SetNonblock(p[n], true)
	f := os.NewFile(uintptr(p[n]), name)
	p[n] = -1
	return f
}
