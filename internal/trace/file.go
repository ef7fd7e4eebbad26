package trace

import (
	"bytes"
	"io"
	"os"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/tidwall/gjson"
)

// File is a file of a trace that never becomes larger than its bound: a full file
// replaces the previous one, and a new file is started.
type File struct {
	path string
	half int64
	f    *os.File
	size int64
}

// Create makes an empty file for the trace of one run, or truncates an existing
// one. A new file can be read by its owner only.
func Create(path string) (io.WriteCloser, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
}

// Open opens a file that takes, together with the previous one, at most so many
// bytes.
func Open(path string, most int64) (*File, error) {
	f := &File{path: path, half: most / 2}
	return f, f.open()
}

func (f *File) open() (err error) {
	if f.f, err = disk.OpenLog(f.path); err != nil {
		return err
	}
	info, err := f.f.Stat()
	if err == nil {
		f.size = info.Size()
	}
	return err
}

// Write appends a line.
func (f *File) Write(line []byte) (int, error) {
	if f.size > 0 && f.size+int64(len(line)) > f.half {
		f.f.Close()
		if err := os.Rename(f.path, Previous(f.path)); err != nil {
			return 0, err
		}
		if err := f.open(); err != nil {
			return 0, err
		}
	}
	n, err := f.f.Write(line)
	f.size += int64(n)
	return n, err
}

// Close closes the file.
func (f *File) Close() error { return f.f.Close() }

// maxTail bounds what is read of the end of a file to find its last lines, in bytes: at least
// one line of the largest size.
const maxTail = 256 << 10

// maxTurn bounds what is read of it to find where its last turn begins.
const maxTurn = 16 << 20

// LastTurn returns the number of the last turn of a run in a file; 0: it has none, or the file
// cannot be read.
func LastTurn(path, run string) int {
	for _, line := range lastLines(path, maxTail) {
		if gjson.GetBytes(line, "run").Str == run {
			return int(gjson.GetBytes(line, "turn").Int())
		}
	}
	return 0
}

// LastPrompt returns the last prompt of a run in a file, "" if it is not known.
func LastPrompt(path, run string) string {
	for _, tail := range []int64{maxTail, maxTurn} {
		for _, line := range lastLines(path, tail) {
			if gjson.GetBytes(line, "run").Str == run && gjson.GetBytes(line, "step.kind").Str == "prompt" {
				return gjson.GetBytes(line, "step.text").Str
			}
		}
	}
	return ""
}

// lastLines returns the whole lines in the last bytes of a file, the last one first.
func lastLines(path string, tail int64) (lines [][]byte) {
	f, err := disk.OpenRegular(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	from := max(0, info.Size()-tail)
	text, err := io.ReadAll(io.NewSectionReader(f, from, tail))
	if err != nil {
		return nil
	}
	for {
		end := bytes.LastIndexByte(text, '\n')
		if end < 0 {
			return lines
		}
		begin := bytes.LastIndexByte(text[:end], '\n')
		if begin < 0 && from > 0 {
			return lines // it is not whole
		}
		lines, text = append(lines, text[begin+1:end]), text[:begin+1]
	}
}
