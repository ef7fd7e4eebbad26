package coding

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/chibi-host/chibi/tools"
)

// inMemory is how large an answer in memory is at most, in bytes, if there are files.
const inMemory = 1 << 20

// shellAnswer collects what a command writes: standard output, then standard error, then
// how it ended.
type shellAnswer struct {
	spool     func() (process.Spool, error)
	timeout   time.Duration // after which the command is ended
	maxStderr int64         // how much of standard error is kept
	file      *openSpool    // nil: standard output is in memory
	stderr    text
}

// text is a text that several goroutines write.
type text struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (t *text) Write(data []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.buffer.Write(data)
}

// openSpool is a file for output that stays open when standard output has ended: the rest of the
// answer follows.
type openSpool struct {
	process.Spool
	last byte // of what was written
}

func (s *openSpool) Write(data []byte) (int, error) {
	if len(data) > 0 {
		s.last = data[len(data)-1]
	}
	return s.Spool.Write(data)
}

// Close leaves the file open.
func (s *openSpool) Close() error { return nil }

func (a *shellAnswer) open() (process.Spool, error) {
	file, err := a.spool()
	if err != nil {
		return nil, err
	}
	a.file = &openSpool{Spool: file}
	return a.file, nil
}

func (a *shellAnswer) discard() {
	if a.file != nil {
		a.file.Spool.Close()
		tools.NewOutputFile(a.file.Spool, 0).Close()
	}
}

// result returns the answer for the model. err is the error of the run.
func (a *shellAnswer) result(out process.Outcome, err error) tools.Result {
	ended := a.howEnded(out, err)
	result := tools.Result{Failed: ended != "", Reason: ended, Exit: max(0, out.Exit)}
	if failure := out.Err(); failure != nil && err == nil {
		result.Reason = failure.Error()
	}
	if errors.Is(err, process.ErrSpool) {
		a.discard()
		a.file, a.spool = nil, nil
	}
	last := byte('\n')
	if a.file != nil {
		last = a.file.last
	} else if n := len(out.Stdout); n > 0 {
		last = out.Stdout[n-1]
	}
	rest := a.rest(last, ended, out.Stderr)
	if a.file == nil && (a.spool == nil || len(out.Stdout)+len(rest) <= inMemory) {
		result.Text = valid(append(out.Stdout, rest...))
		return result
	}
	file, size, err := a.finish(out, rest)
	if err != nil {
		result.Text = valid(append(out.Stdout, fmt.Sprintf("\n[%v: %v]", process.ErrSpool, err)...))
		result.Failed = true
		return result
	}
	head := out.Stdout
	if len(head) < inMemory {
		head = append(head, rest...)
	}
	head = head[:min(len(head), inMemory)]
	result.Text, result.File = valid(head[:clip.Whole(head)]), tools.NewOutputFile(file, size)
	return result
}

// rest returns what follows standard output, whose last byte is given.
func (a *shellAnswer) rest(last byte, ended, tail string) (rest []byte) {
	line := func(text []byte) {
		if last != '\n' {
			rest = append(rest, '\n')
		}
		if rest = append(rest, text...); len(text) > 0 {
			last = text[len(text)-1]
		}
	}
	if stderr := a.stderr.buffer.Bytes(); len(stderr) > 0 {
		line([]byte("stderr:\n"))
		line(stderr)
		if int64(len(stderr)) > a.maxStderr { // it was cut, and says so
			line([]byte("it ends with:\n" + tail))
		}
	}
	if ended != "" {
		line([]byte(ended))
	}
	return rest
}

func (a *shellAnswer) finish(out process.Outcome, rest []byte) (file process.Spool, size int64, err error) {
	size = out.Size
	if a.file == nil {
		size = int64(len(out.Stdout))
		if _, err = a.open(); err == nil {
			_, err = a.file.Write(out.Stdout)
		}
	}
	if err == nil {
		_, err = a.file.Write(rest)
	}
	if err == nil {
		err = a.file.Spool.Close()
	}
	if err != nil {
		a.discard()
		return nil, 0, err
	}
	return a.file.Spool, size + int64(len(rest)), nil
}

// howEnded returns the last line of the answer, "" for a command that succeeded.
func (a *shellAnswer) howEnded(out process.Outcome, err error) string {
	switch {
	case errors.Is(err, process.ErrTimeout):
		return fmt.Sprintf("timed out after %s; the command was ended with its children", a.timeout)
	case errors.Is(err, process.ErrOutputLimit):
		return "the output is cut: the command was " + err.Error()
	case err != nil:
		return "Error: " + err.Error()
	case out.Signal != "":
		return "ended by signal: " + out.Signal
	case out.Exit != 0:
		return fmt.Sprintf("exit status %d", out.Exit)
	}
	return ""
}

func valid(out []byte) string { return strings.ToValidUTF8(string(out), "\uFFFD") }
