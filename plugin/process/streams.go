package process

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/dustin/go-humanize"
)

// streams are the host's ends of a process's pipes, with what went through them.
type streams struct {
	stdin   *os.File
	stdout  *os.File
	stderr  *os.File
	copies  sync.WaitGroup // the goroutines at the pipes
	drained chan struct{}  // closed when stdout and stderr have ended
	flooded chan struct{}  // closed when the process wrote too much
	fed     chan struct{}  // closed when input is written
	input   []byte
	written int // the number of bytes of input that the host wrote
	out     sink
	tail    tail
	forward forward
}

// forward passes standard error on.
type forward struct {
	to   io.Writer // nil: nobody
	from string    // the command
	room int64     // how many bytes may still be written; negative: the reader was told
}

// open makes the pipes and returns the process's ends of them.
func (s *streams) open() (theirs [3]*os.File, err error) {
	theirs[0], s.stdin, err = os.Pipe()
	if err == nil {
		s.stdout, theirs[1], err = os.Pipe()
	}
	if err == nil {
		s.stderr, theirs[2], err = os.Pipe()
	}
	return theirs, err
}

// begin starts the goroutines that read the pipes.
func (s *streams) begin() {
	s.drained, s.flooded = make(chan struct{}), make(chan struct{})
	var readers sync.WaitGroup
	readers.Go(s.readOutput)
	readers.Go(s.readErrors)
	s.copies.Go(func() {
		readers.Wait()
		close(s.drained)
	})
}

// feed starts the goroutine that writes all input and closes the pipe.
func (s *streams) feed(input []byte) {
	s.input, s.fed = input, make(chan struct{})
	s.copies.Go(func() {
		s.written, _ = s.stdin.Write(s.input) // the process need not read it
		s.stdin.Close()
		close(s.fed)
	})
}

// readOutput passes standard output to the sink. It discards what exceeds the bound, so
// that the process does not block.
func (s *streams) readOutput() {
	defer s.out.finish()
	buf := make([]byte, 64<<10)
	full := false
	for {
		n, err := s.stdout.Read(buf)
		if !full && !s.out.keep(buf[:n]) {
			full = true
			close(s.flooded)
		}
		if err != nil {
			return
		}
	}
}

// readErrors forwards standard error, up to its bound, and keeps its tail.
func (s *streams) readErrors() {
	buf := make([]byte, 4<<10)
	for most := s.forward.room; ; {
		n, err := s.stderr.Read(buf)
		s.tail.add(buf[:n])
		if n > 0 && s.forward.pass(buf[:n]) {
			fmt.Fprintf(s.forward.to, "\nchibi: %s wrote more than %s to standard error; the rest is not shown\n",
				s.forward.from, humanize.IBytes(uint64(most)))
		}
		if err != nil {
			return
		}
	}
}

// pass passes data on and reports whether that has just exceeded the bound.
func (f *forward) pass(data []byte) (exceeded bool) {
	if f.to == nil || f.room < 0 {
		return false
	}
	f.to.Write(data[:min(int64(len(data)), f.room)])
	f.room -= int64(len(data))
	return f.room < 0
}

// overflow returns the error of a process that wrote too much, nil if it did not.
func (s *streams) overflow() error {
	select {
	case <-s.flooded:
		return s.out.failure()
	default:
		return nil
	}
}

// drainedWithin waits for the end of stdout and stderr, and reports whether it came.
func (s *streams) drainedWithin(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-s.drained:
		return true
	case <-timer.C:
		return false
	}
}

// close closes the pipes, which ends their goroutines.
func (s *streams) close() {
	s.out.hurry()
	closeAll(s.stdin, s.stdout, s.stderr)
	s.copies.Wait()
}

// closeAll closes the files that there are.
func closeAll(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}
