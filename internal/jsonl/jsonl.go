// Package jsonl stores records in files, one JSON value per line.
//
// A record is complete only with its newline: text after the last newline is the torn
// end of a write that a crash interrupted, and [Append] removes it. The package does not
// interpret the records. Writers of a file must hold a lock of their own.
package jsonl

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/chibi-host/chibi/internal/disk"
)

// MaxRecord bounds a record in bytes. Longer ones are not written; if another program
// wrote one, readers get its beginning, which is not valid JSON.
const MaxRecord = 16 << 20

// beginning is how many bytes of a record that is too long are read.
const beginning = 200

// chunk is how many bytes are read at once from the end of a file.
const chunk = 64 << 10

// Append adds records to a file with one write and makes them durable. It removes a torn
// end first; cut is its length in bytes. Records must not contain a newline.
func Append(fsys disk.FS, name string, records ...[]byte) (cut int64, err error) {
	return add(disk.Append, fsys, name, records)
}

// AppendDerived is Append for a file that can be made again from others, see
// [disk.AppendDerived].
func AppendDerived(fsys disk.FS, name string, records ...[]byte) (cut int64, err error) {
	return add(disk.AppendDerived, fsys, name, records)
}

// appender is one of the functions of package disk that add data to a file.
type appender func(fsys disk.FS, name string, data []byte, perm fs.FileMode) error

func add(to appender, fsys disk.FS, name string, records [][]byte) (cut int64, err error) {
	if cut, err = Repair(fsys, name); err != nil {
		return cut, err
	}
	data, err := lines(name, records)
	if err != nil {
		return cut, err
	}
	return cut, to(fsys, name, data, 0o600)
}

func lines(name string, records [][]byte) (data []byte, err error) {
	for _, r := range records {
		if bytes.IndexByte(r, '\n') >= 0 {
			return nil, fmt.Errorf("a record for %s contains a newline", name)
		}
		if len(r) > MaxRecord {
			return nil, fmt.Errorf("a record for %s has %d bytes, at most %d can be kept", name, len(r), MaxRecord)
		}
		data = append(append(data, r...), '\n')
	}
	return data, nil
}

// Repair removes the torn end of a file and returns its length in bytes. A missing file
// needs no repair.
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

func lastNewline(f io.ReaderAt, size int64) (int64, error) {
	all := make([]byte, min(size, chunk))
	for end := size; end > 0; {
		begin := max(0, end-chunk)
		buf := all[:end-begin]
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

// Backward calls each with the records of a file from the last to the first, and with the
// offset of each, until it returns false. It skips a torn end and empty lines. A missing
// file has no records.
func Backward(fsys disk.FS, name string, each func(offset int64, record []byte) (more bool)) error {
	f, err := fsys.OpenFile(name, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return BackwardIn(f, each)
}

// BackwardIn is Backward for an open file.
func BackwardIn(f disk.File, each func(offset int64, record []byte) (more bool)) error {
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

// backward reads the lines before end, which is 0 or follows a newline. Within a long line
// it doubles the size of its reads, so that the line is not copied many times.
func backward(f io.ReaderAt, end int64, each func(int64, []byte) bool) error {
	var rest []byte // the end of a line whose beginning is not read yet
	long := false   // the line is longer than MaxRecord and not kept
	size := int64(chunk)
	give := func(offset int64, line []byte) bool {
		if long || len(line) > MaxRecord {
			line, long = line[:beginning], false
		}
		return len(bytes.TrimSpace(line)) == 0 || each(offset, line)
	}
	for end > 0 {
		begin := max(0, end-size)
		buf := make([]byte, end-begin, end-begin+int64(len(rest)))
		if _, err := f.ReadAt(buf, begin); err != nil && err != io.EOF {
			return err
		}
		buf = append(buf, rest...)
		stop := len(buf)
		for {
			i := bytes.LastIndexByte(buf[:stop], '\n')
			if i < 0 {
				break
			}
			if !give(begin+int64(i)+1, buf[i+1:stop]) {
				return nil
			}
			stop, size = i, chunk
		}
		if stop == len(buf) {
			size *= 2
		}
		if rest, end = buf[:stop], begin; len(rest) > MaxRecord {
			rest, size, long = bytes.Clone(rest[:beginning]), chunk, true
		}
	}
	give(0, rest)
	return nil
}

// LineAt returns the number, from 1, of the line that begins at an offset.
func LineAt(fsys disk.FS, name string, offset int64) int {
	f, err := fsys.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return 0
	}
	defer f.Close()
	line := 1
	r := bufio.NewReader(io.LimitReader(f, offset))
	for {
		piece, err := r.ReadSlice('\n')
		if bytes.HasSuffix(piece, []byte("\n")) {
			line++
		}
		if err != nil && err != bufio.ErrBufferFull {
			return line
		}
	}
}

func sizeOf(f disk.File) (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Forward calls each with the records of a file and their line numbers, from 1,
// until it returns false. It skips empty lines; torn is the length of a torn end,
// which is not a record. A missing file has no records. A record is valid only during the
// call.
func Forward(fsys disk.FS, name string, each func(line int, record []byte) (more bool)) (torn int64, err error) {
	f, err := fsys.OpenFile(name, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return ForwardIn(f, each)
}

// ForwardIn is Forward for an open file.
func ForwardIn(f disk.File, each func(line int, record []byte) (more bool)) (torn int64, err error) {
	r := bufio.NewReaderSize(f, chunk)
	for line := 1; ; line++ {
		record, length, err := readLine(r)
		if err == io.EOF {
			return length, nil
		}
		if err != nil {
			return 0, err
		}
		if len(bytes.TrimSpace(record)) > 0 && !each(line, record) {
			return 0, nil
		}
	}
}

// readLine reads a line without its newline and returns its whole length. At the end of
// the file it returns the rest, with io.EOF.
func readLine(r *bufio.Reader) (line []byte, length int64, err error) {
	piece, err := r.ReadSlice('\n')
	length = int64(len(piece))
	if err != bufio.ErrBufferFull {
		return bytes.TrimSuffix(piece, []byte("\n")), length, err
	}
	whole := bytes.Clone(piece)
	for err == bufio.ErrBufferFull {
		piece, err = r.ReadSlice('\n')
		length += int64(len(piece))
		if len(whole) <= MaxRecord {
			whole = append(whole, piece...)
		}
	}
	if whole = bytes.TrimSuffix(whole, []byte("\n")); len(whole) > MaxRecord {
		whole = whole[:beginning]
	}
	return whole, length, err
}
