package cache

import (
	"errors"
	"io/fs"
	"os"

	"github.com/chibi-host/chibi/internal/disk"
)

const (
	// blocks is how many blocks of a spill may wait to be measured.
	blocks = 4
	// writebackStep is after how many bytes chibi tells the kernel to begin writing to disk.
	writebackStep = 16 << 20
)

// spill is a file that is measured while it is written: a second goroutine hashes and
// counts copies of what is written, so that neither the file is read once more nor whoever
// writes waits for the hash, unless that is slower than the disk.
type spill struct {
	file    *os.File
	block   []byte      // what was written last and is not on its way yet
	full    chan []byte // to the goroutine; nil: not started
	empty   chan []byte // from it
	index   chan lineIndex
	size    int64
	begun   int64 // so many bytes are on their way to the disk
	broken  bool  // a write failed
	written written
}

// written is a file as it was when it was closed; the zero value knows nothing.
type written struct {
	index lineIndex
	info  fs.FileInfo
}

func (s *spill) Name() string { return s.file.Name() }

func (s *spill) Write(data []byte) (int, error) {
	n, err := s.file.Write(data)
	s.broken = s.broken || err != nil
	s.size += int64(n)
	s.measure(data[:n])
	if s.size-s.begun >= writebackStep {
		disk.StartWriteback(s.file, s.begun, s.size-s.begun)
		s.begun = s.size
	}
	return n, err
}

// measure copies data into blocks, and passes those that are full on.
func (s *spill) measure(data []byte) {
	for len(data) > 0 {
		if s.block == nil {
			s.block = s.take()
		}
		n := min(len(data), blockSize-len(s.block))
		s.block, data = append(s.block, data[:n]...), data[n:]
		if len(s.block) == blockSize {
			s.full <- s.block
			s.block = nil
		}
	}
}

// take returns an empty block, once there is one. It starts the goroutine the first time.
func (s *spill) take() []byte {
	if s.full == nil {
		s.full, s.empty = make(chan []byte, blocks), make(chan []byte, blocks)
		s.index = make(chan lineIndex, 1)
		for range blocks {
			s.empty <- nil
		}
		go count(s.full, s.empty, s.index)
	}
	if block := <-s.empty; block != nil {
		return block[:0]
	}
	return make([]byte, 0, blockSize)
}

// count measures full blocks until there are no more, and passes them back as empty ones.
func count(full <-chan []byte, empty chan<- []byte, index chan<- lineIndex) {
	m := newMeasure()
	for block := range full {
		m.Write(block)
		empty <- block
	}
	index <- m.end()
}

// Close closes the file, and remembers what was written and how the file looks now.
func (s *spill) Close() error {
	if s.full == nil {
		return s.file.Close()
	}
	if len(s.block) > 0 {
		s.full <- s.block
	}
	close(s.full)
	s.full, s.block = nil, nil
	index := <-s.index
	info, settled := disk.Settle(s.file)
	err := s.file.Close()
	if errors.Join(settled, err) == nil && !s.broken {
		index.ModTime = info.ModTime().UnixNano()
		s.written = written{index, info}
	}
	return err
}

// writtenTo returns what is known of a file that is about to be saved. A file that was
// changed, replaced or touched since it was closed, by a hook that got its path for example, counts as unknown.
func writtenTo(file Spilled) written {
	s, ok := file.(*spill)
	if !ok || s.written.info == nil {
		return written{}
	}
	now, err := os.Lstat(s.Name())
	if err != nil || !disk.IsUntouched(s.written.info, now) {
		return written{}
	}
	return s.written
}

// of returns the index of an open file: what was measured while it was written, if this is
// that file and it has not been written to since, or what a scan finds.
func (w written) of(f *os.File) (lineIndex, error) {
	if w.info != nil {
		now, err := f.Stat()
		if err == nil && os.SameFile(w.info, now) && w.index.matches(now) {
			return w.index, nil
		}
	}
	return scanFile(f)
}
