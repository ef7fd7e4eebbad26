package keeper

import (
	"context"
	"encoding/binary"
	"errors"
	"sync"
	"time"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/plugin/process"
)

// lastWords is how long a process that ends may take to pass on what it wrote.
const lastWords = 250 * time.Millisecond

type loan struct {
	link *link

	sending sync.Mutex // held while a frame is written
	buffer  []byte     // the frame; used while sending

	mu    sync.Mutex
	input []byte // what is to be written to standard input; at most window
	asked bool   // there was something
	read  int64  // how much the client read of standard output, once over is set
	over  bool   // the client writes nothing more
	news  chan struct{}
}

// send writes a frame. If that fails, the client is gone, and relay ends.
func (l *loan) send(kind byte, data []byte) error {
	l.sending.Lock()
	defer l.sending.Unlock()
	l.buffer = appendFrame(l.buffer[:0], kind, data)
	_, err := l.link.Write(l.buffer)
	if err != nil {
		l.link.Close()
	}
	return err
}

// hurry lets no frame wait for the client any more.
func (l *loan) hurry() { l.link.SetWriteDeadline(time.Now().Add(lastWords)) }

func (l *loan) exited(out process.Outcome, err error) {
	l.hurry()
	if data, err := strictjson.Encode(ended{out.Exit, out.Signal, errors.Is(err, process.ErrNoTerminal)}); err == nil {
		l.send(frameExit, data)
	}
	l.link.Close()
}

func (l *loan) relay(c *child) (isKept bool) {
	ctx, cancel := context.WithCancel(context.Background())
	fed := make(chan struct{})
	go func() {
		defer close(fed)
		l.feed(ctx, c.process)
	}()
	isKept = l.follow(c)
	if isKept {
		isKept = l.drained(fed)
	}
	cancel()
	if !isKept {
		c.end()
	}
	<-fed
	return isKept
}

func (l *loan) follow(c *child) (isKept bool) {
	buf := make([]byte, maxFrame)
	for {
		kind, data, err := readFrame(l.link.in, buf)
		if err != nil {
			return l.untouched() && err != errFrame
		}
		switch kind {
		case frameInput:
			if !l.take(data) {
				return false
			}
		case frameClose:
			go c.process.Close(closeWithin)
		case frameEnd:
			c.end()
		case frameRelease:
			if len(data) != 8 {
				return false
			}
			l.finish(int64(binary.BigEndian.Uint64(data)))
			return true
		default:
			return false
		}
	}
}

// take takes data to write to the process. It returns false if the client does not
// keep to the window.
func (l *loan) take(data []byte) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked = true
	if len(l.input)+len(data) > window {
		return false
	}
	l.input = append(l.input, data...)
	wake(l.news)
	return true
}

// finish notes that the client writes nothing more, and has read so many bytes.
func (l *loan) finish(read int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.read, l.over = read, true
	wake(l.news)
}

func (l *loan) untouched() bool {
	l.mu.Lock()
	isUntouched := !l.asked
	l.mu.Unlock()
	l.finish(0)
	return isUntouched
}

// drained waits a moment until all that the client wrote was written to the process.
func (l *loan) drained(fed <-chan struct{}) bool {
	timer := time.NewTimer(lastWords)
	defer timer.Stop()
	select {
	case <-fed:
	case <-timer.C:
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.input) == 0
}

func (l *loan) hasRead(sent int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.over && l.read == sent
}

func (l *loan) feed(ctx context.Context, p *process.Process) {
	open := 0 // what was not acknowledged
	for {
		l.mu.Lock()
		data, over := l.input, l.over
		l.mu.Unlock()
		if len(data) == 0 && over {
			return
		} else if len(data) == 0 {
			select {
			case <-l.news:
				continue
			case <-ctx.Done():
				return
			}
		}
		if _, err := p.Write(ctx, data); err != nil {
			return // the client hears of its end
		}
		l.mu.Lock()
		l.input = append([]byte(nil), l.input[len(data):]...)
		l.mu.Unlock()
		if open += len(data); open >= ackAfter {
			if l.send(frameAck, binary.BigEndian.AppendUint32(nil, uint32(open))) != nil {
				return
			}
			open = 0
		}
	}
}

func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
