package process

import (
	"errors"
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
	full    bool           // it did; used by whoever reads standard output
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
	most int64     // how many bytes may be written
	room int64     // how many of them are left; negative: the reader knows
}

// begin starts the goroutines that read the pipes.
func (s *streams) begin() {
	var readers sync.WaitGroup
	readers.Go(s.readOutput)
	readers.Go(s.readErrors)
	s.copies.Go(func() {
		readers.Wait()
		close(s.drained)
	})
}

// feed starts the goroutine that writes what is left of the input and closes the pipe.
func (s *streams) feed() {
	if s.stdin == nil {
		return
	}
	s.fed = make(chan struct{})
	s.copies.Go(func() {
		n, _ := s.stdin.Write(s.input[s.written:]) // the process need not read it
		s.written += n
		s.stdin.Close()
		close(s.fed)
	})
}

// readOutput passes standard output to the sink. It discards what exceeds the bound, so
// that the process does not block.
func (s *streams) readOutput() {
	defer s.out.finish()
	readPipe(s.stdout, make([]byte, 64<<10), s.takeOutput)
}

// takeOutput passes a piece of standard output to the sink.
func (s *streams) takeOutput(data []byte) {
	if !s.full && !s.out.keep(data) {
		s.full = true
		close(s.flooded)
	}
}

// readErrors forwards standard error, up to its bound, and keeps its tail.
func (s *streams) readErrors() { readPipe(s.stderr, make([]byte, 4<<10), s.takeErrors) }

// readPipe passes on what comes from a pipe, nil if that has ended, until it ends or settle is
// called.
func readPipe(pipe *os.File, buf []byte, pass func([]byte)) {
	for pipe != nil {
		n, err := pipe.Read(buf)
		pass(buf[:n])
		if errors.Is(err, os.ErrDeadlineExceeded) {
			readRest(pipe, buf, pass)
		}
		if err != nil {
			return
		}
	}
}

// takeErrors passes a piece of standard error on and keeps the tail.
func (s *streams) takeErrors(data []byte) {
	s.tail.add(data)
	if len(data) > 0 && s.forward.pass(data) {
		fmt.Fprintf(s.forward.to, "\nchibi: %s wrote more than %s to standard error; the rest is not shown\n",
			s.forward.from, humanize.IBytes(uint64(s.forward.most)))
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

func closeAll(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}
