package process

import (
	"bytes"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/dustin/go-humanize"
)

const (
	// readAhead is how many bytes of lines may wait for a reader before the process has to.
	readAhead = 64 << 10
	// lineCost is what a line takes in memory besides its bytes.
	lineCost = 64
)

// lines is the sink of a process that stays: a queue of the lines that nobody has read yet.
// While the process runs, it has to wait for the reader.
type lines struct {
	max     int64        // bounds the queue once nothing waits for the reader
	limit   atomic.Int64 // bounds each line
	current output       // the line that is not complete; only used by keep

	mu     sync.Mutex
	queue  []Line
	size   int64 // of the queue, with the cost of each line
	read   int64 // the bytes of the lines that were taken, with their newlines
	urgent bool  // hurried is closed
	closed bool  // nothing more comes
	wrong  error // why keep returned false

	news    chan struct{} // holds an element if the queue changed for a reader
	room    chan struct{} // holds an element if a line was taken
	hurried chan struct{} // closed when keep must not wait
}

func newLines(c Command) *lines {
	l := &lines{
		max:     c.limit(),
		current: output{make: c.Spool, admit: c.Admit},
		news:    make(chan struct{}, 1), room: make(chan struct{}, 1), hurried: make(chan struct{}),
	}
	l.limit.Store(c.limit())
	return l
}

// keep stores data. It waits while as many lines as may be read ahead are in the queue.
func (l *lines) keep(data []byte) bool {
	l.current.max = l.limit.Load()
	for len(data) > 0 {
		part, rest, isComplete := bytes.Cut(data, []byte("\n"))
		if len(part) > 0 && !l.current.keep(part) {
			l.fail(l.tooLong())
			return false
		}
		if !isComplete {
			return true
		}
		if !l.put(l.line()) {
			return false
		}
		data = rest
	}
	return true
}

// line returns the complete line and begins the next one.
func (l *lines) line() (line Line) {
	line.Data, line.Spooled, line.Size = l.current.kept()
	l.current.head, l.current.file, l.current.size = nil, nil, 0
	return line
}

// tooLong returns why a part of a line was not stored.
func (l *lines) tooLong() error {
	switch {
	case l.current.wrong != nil:
		return fmt.Errorf("%w: %v", ErrSpool, l.current.wrong)
	case l.current.over != nil:
		return l.current.over
	}
	return fmt.Errorf("%w after %s of output without a newline, the limit", ErrOutputLimit,
		humanize.IBytes(uint64(l.current.max)))
}

// put adds a line to the queue once there is room.
func (l *lines) put(line Line) bool {
	cost := int64(len(line.Data)) + lineCost
	for {
		l.mu.Lock()
		isUrgent := l.urgent
		hasRoom := l.size == 0 || l.size+cost <= readAhead || isUrgent && l.size+cost <= l.max
		if hasRoom {
			l.queue, l.size = append(l.queue, line), l.size+cost
		}
		l.mu.Unlock()
		switch {
		case hasRoom:
			notify(l.news)
			return true
		case isUrgent:
			l.fail(fmt.Errorf("%w after %s of output that nobody read, the limit", ErrOutputLimit,
				humanize.IBytes(uint64(l.max))))
			return false
		}
		select {
		case <-l.room:
		case <-l.hurried:
		}
	}
}

// fail closes the queue because of an error.
func (l *lines) fail(err error) {
	l.mu.Lock()
	l.wrong, l.closed = err, true
	l.mu.Unlock()
	notify(l.news)
}

// failure returns why keep returned false.
func (l *lines) failure() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.wrong
}

// hurry makes keep never wait.
func (l *lines) hurry() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.urgent {
		l.urgent = true
		close(l.hurried)
	}
}

// finish closes the queue.
func (l *lines) finish() { l.fail(l.failure()) }

// kept returns the line that was never completed.
func (l *lines) kept() (head []byte, file Spool, size int64) { return l.current.kept() }

// take takes a line from the queue. It returns closed if there is none and none comes.
func (l *lines) take() (line Line, taken, closed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue) > 0 {
		line, l.queue[0] = l.queue[0], Line{}
		l.queue, l.size = l.queue[1:], l.size-int64(len(line.Data))-lineCost
		l.read += max(line.Size, int64(len(line.Data))) + 1
		taken = true
		notify(l.room)
	}
	if len(l.queue) > 0 || l.closed {
		notify(l.news) // for another reader
	}
	return line, taken, l.closed && !taken
}

// taken returns how many bytes the lines had that were taken, with their newlines.
func (l *lines) taken() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.read
}

// notify puts an element into a channel that holds one.
func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
