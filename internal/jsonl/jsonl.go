// Package jsonl keeps records in files, one JSON value a line.
//
// A record counts only with its newline: what follows the last newline is the
// torn end of a write that a crash cut short, and [Append] removes it. The
// package knows nothing of what the records mean. Writers of one file must hold
// a lock of their own.
package jsonl

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/chibi-host/chibi/internal/disk"
)

// chunk is how much is read at once from the end of a file.
const chunk = 64 << 10

// Append adds records to a file with one write and makes them durable. A torn
// end is cut off first; cut is its length in bytes. Records must not contain a
// newline.
func Append(fsys disk.FS, name string, records ...[]byte) (cut int64, err error) {
	if cut, err = Repair(fsys, name); err != nil {
		return cut, err
	}
	var data []byte
	for _, r := range records {
		if bytes.IndexByte(r, '\n') >= 0 {
			return cut, fmt.Errorf("a record for %s contains a newline", name)
		}
		data = append(append(data, r...), '\n')
	}
	return cut, disk.Append(fsys, name, data, 0o600)
}

// Repair cuts off the torn end of a file and returns its length in bytes. A
// missing file is whole.
func Repair(fsys disk.FS, name string) (cut int64, err error) {
	f, err := fsys.OpenFile(name, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	size, err := sizeOf(f)
	if err != nil || size == 0 {
		return 0, err
	}
	end, err := lastNewline(f, size)
	if err != nil || end == size {
		return 0, err
	}
	if err := f.Truncate(end); err != nil {
		return 0, err
	}
	return size - end, f.Sync()
}

// lastNewline is the offset after the last newline before size.
func lastNewline(f io.ReaderAt, size int64) (int64, error) {
	for end := size; end > 0; {
		begin := max(0, end-chunk)
		buf := make([]byte, end-begin)
		if _, err := f.ReadAt(buf, begin); err != nil && err != io.EOF {
			return 0, err
		}
		if i := bytes.LastIndexByte(buf, '\n'); i >= 0 {
			return begin + int64(i) + 1, nil
		}
		end = begin
	}
	return 0, nil
}

// Backward calls each with the records of a file from the last to the first,
// until it returns false. A torn end and empty lines are passed over. A missing
// file has no records.
func Backward(fsys disk.FS, name string, each func(record []byte) (more bool)) error {
	f, err := fsys.OpenFile(name, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	size, err := sizeOf(f)
	if err != nil {
		return err
	}
	end, err := lastNewline(f, size)
	if err != nil {
		return err
	}
	return backward(f, end, each)
}

// backward reads whole lines before end, which is 0 or follows a newline.
func backward(f io.ReaderAt, end int64, each func([]byte) bool) error {
	var rest []byte // the begin of it is not read yet
	for end > 0 {
		begin := max(0, end-chunk)
		buf := make([]byte, end-begin, end-begin+int64(len(rest)))
		if _, err := f.ReadAt(buf, begin); err != nil && err != io.EOF {
			return err
		}
		lines := bytes.Split(append(buf, rest...), []byte("\n"))
		for i := len(lines) - 1; i > 0; i-- {
			if len(bytes.TrimSpace(lines[i])) > 0 && !each(lines[i]) {
				return nil
			}
		}
		rest, end = lines[0], begin
	}
	if len(bytes.TrimSpace(rest)) > 0 {
		each(rest)
	}
	return nil
}

func sizeOf(f disk.File) (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Forward calls each with every record of a file and its line number, from 1.
// Empty lines are passed over; torn is the length of a torn end, which is not a
// record. A missing file has no records.
func Forward(fsys disk.FS, name string, each func(line int, record []byte)) (torn int64, err error) {
	f, err := fsys.OpenFile(name, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		return 0, err
	}
	whole := data[:bytes.LastIndexByte(data, '\n')+1]
	for i, record := range bytes.Split(bytes.TrimSuffix(whole, []byte("\n")), []byte("\n")) {
		if len(bytes.TrimSpace(record)) > 0 {
			each(i+1, record)
		}
	}
	return int64(len(data) - len(whole)), nil
}
