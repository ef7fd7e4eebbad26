//go:build unix

package plugin

import (
	"fmt"
	"os"

	"github.com/dustin/go-humanize"
)

// output is what a process wrote to standard output: in memory, or in a file
// with its begin in memory.
type output struct {
	head  []byte
	size  int64
	max   int64
	make  func() (*os.File, error) // makes the file; nil: there is none
	file  *os.File
	wrong error  // why the file could not be written
	room  *share // of what all answers of a dispatch may have
	full  bool   // there was no room
}

// keep takes what was written; false: it is too much, or cannot be kept.
func (o *output) keep(data []byte) bool {
	room := o.max - o.size
	isTooMuch := int64(len(data)) > room
	if isTooMuch {
		data = data[:room]
	}
	if !o.room.take(len(data)) {
		o.full = true
		return false
	}
	o.size += int64(len(data))
	if o.make != nil && o.file == nil && o.size > spoolAfter {
		o.begin()
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

// begin makes the file and moves there what is in memory.
func (o *output) begin() {
	if o.file, o.wrong = o.make(); o.wrong == nil {
		_, o.wrong = o.file.Write(o.head)
	}
}

// failure is why the process was ended.
func (o *output) failure() error {
	if o.wrong != nil {
		return fmt.Errorf("%w: %v", ErrSpool, o.wrong)
	}
	if o.full {
		return o.room.failure()
	}
	return fmt.Errorf("%w after %s of output, the limit", ErrOutputLimit, humanize.IBytes(uint64(o.max)))
}

// close returns the path of the file and its size, nothing if there is none.
func (o *output) close() (path string, size int64) {
	if o.file == nil {
		return "", 0
	}
	o.file.Close()
	return o.file.Name(), o.size
}
