package process

import (
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/dustin/go-humanize"
)

// sink is where the standard output of a process goes.
type sink interface {
	// keep stores data. It returns false if that exceeds a bound or fails.
	keep(data []byte) bool
	// failure returns why keep returned false.
	failure() error
	// hurry makes keep never wait: the process has ended, or is to end.
	hurry()
	// finish says that nothing more comes.
	finish()
	// kept returns what was stored, once nothing more comes: in memory, or its beginning
	// with a file and its size.
	kept() (head []byte, file Spool, size int64)
}

// output is what a process wrote to standard output: in memory, or in a file with its
// beginning in memory.
type output struct {
	head  []byte
	size  int64
	max   int64
	make  func() (Spool, error) // creates the file; nil: output stays in memory
	file  Spool
	wrong error                 // the error of writing the file
	admit func(bytes int) error // nil: no check
	over  error                 // the error of admit
}

// keep never waits.
func (o *output) keep(data []byte) bool {
	room := o.max - o.size
	isTooMuch := int64(len(data)) > room
	if isTooMuch {
		data = data[:room]
	}
	if o.admit != nil {
		if o.over = o.admit(len(data)); o.over != nil {
			return false
		}
	}
	o.size += int64(len(data))
	if o.make != nil && o.file == nil && o.size > spoolAfter {
		o.spill()
	}
	if o.file != nil && o.wrong == nil {
		_, o.wrong = o.file.Write(data)
	}
	if o.make == nil {
		o.head = append(o.head, data...)
	} else if space := spoolAfter - len(o.head); space > 0 {
		o.head = append(o.head, data[:min(space, len(data))]...)
	}
	return !isTooMuch && o.wrong == nil
}

// spill creates the file and writes to it what is in memory.
func (o *output) spill() {
	file, err := o.make()
	if err != nil {
		o.wrong = err
		return
	}
	o.file = file
	_, o.wrong = o.file.Write(o.head)
}

// failure returns why the process was ended.
func (o *output) failure() error {
	if o.wrong != nil {
		return fmt.Errorf("%w: %v", ErrSpool, o.wrong)
	}
	if o.over != nil {
		return o.over
	}
	return fmt.Errorf("%w after %s of output, the limit", ErrOutputLimit, humanize.IBytes(uint64(o.max)))
}

// hurry and finish have nothing to do for an output that is stored.
func (o *output) hurry()  {}
func (o *output) finish() {}

func (o *output) kept() (head []byte, file Spool, size int64) {
	if o.file == nil {
		return o.head, nil, 0
	}
	o.file.Close()
	return o.head, o.file, o.size
}

// through is the sink of a process whose standard output somebody else takes apart.
type through struct {
	to    Output
	wrong atomic.Pointer[error]
}

func (t *through) keep(data []byte) bool {
	_, err := t.to.Write(data)
	if err != nil {
		t.wrong.Store(&err)
	}
	return err == nil
}

// failure returns the error of passing data on.
func (t *through) failure() error {
	if wrong := t.wrong.Load(); wrong != nil {
		return *wrong
	}
	return nil
}

func (t *through) hurry()                       { t.to.Hurry() }
func (t *through) finish()                      { t.to.Finish() }
func (t *through) kept() ([]byte, Spool, int64) { return nil, nil, 0 }

// tail keeps the end of a stream.
type tail struct{ kept []byte }

func (t *tail) add(p []byte) {
	t.kept = append(t.kept, p...)
	if over := len(t.kept) - stderrTail; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
}

// text replaces each invalid byte by at most one byte, so that the text stays within
// the bound.
func (t *tail) text() string { return strings.ToValidUTF8(string(t.kept), "?") }
