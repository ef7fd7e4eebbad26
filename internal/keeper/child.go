package keeper

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/chibi-host/chibi/plugin/process"
)

// closeWithin is how long an idle process may take to end after its standard input was
// closed.
const closeWithin = 2 * time.Second

type child struct {
	key   Key
	name  string // the plugin's
	began time.Time

	mu      sync.Mutex
	process *process.Process // nil until it was started
	stop    func()           // ends it with its group
	loan    *loan            // nil: it is idle
	sent    int64            // what it wrote to standard output during the loan
	runs    int
	keep    time.Duration
	idle    time.Time   // since when it is idle
	expiry  *time.Timer // ends it when it was idle for too long
	ending  bool        // it is to end, or has ended
}

func (w Wanted) keep() time.Duration {
	return time.Duration(min(max(0, w.KeepMS), int64(24*time.Hour/time.Millisecond))) * time.Millisecond
}

func (c *child) start(w Wanted) error {
	ctx, stop := context.WithCancel(context.Background())
	c.mu.Lock()
	c.stop = stop
	isEnding := c.ending
	c.mu.Unlock()
	if isEnding {
		stop()
	}
	runner := process.Runner{Env: strings.Split(string(w.Env), "\x00"), Stderr: childErrors{c}, MaxStderr: math.MaxInt64}
	p, err := runner.Start(ctx, process.Command{Path: w.Key.Path, Args: w.Args, Dir: w.Key.Dir, Output: childOutput{c}})
	if err != nil {
		stop()
		return err
	}
	c.mu.Lock()
	c.process = p
	c.mu.Unlock()
	go func() {
		out, err := p.Wait()
		c.mu.Lock()
		c.ending = true
		l := c.loan
		c.mu.Unlock()
		if l != nil {
			l.exited(out, err)
		}
	}()
	return nil
}

func (c *child) lend(l *loan, w Wanted) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.loan != nil || c.ending {
		return false
	}
	c.expiry.Stop()
	c.loan, c.sent, c.keep = l, 0, w.keep()
	c.runs++
	return true
}

// rest takes the process back; isKept is false if it is to end, which is not done here if
// its state is not known.
func (c *child) rest(isKept bool) (isKnown bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ending || !c.loan.hasRead(c.sent) {
		return false
	}
	c.loan, c.idle = nil, time.Now()
	if !isKept {
		c.ending = true
		go c.process.Close(closeWithin)
		return true
	}
	since := c.idle
	c.expiry = time.AfterFunc(c.keep, func() {
		if c.idleSince().Equal(since) {
			c.dismiss()
		}
	})
	return true
}

// dismiss ends the process if it is idle, and reports whether it was: its standard input is
// closed first.
func (c *child) dismiss() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.loan != nil || c.ending {
		return false
	}
	c.ending = true
	c.expiry.Stop()
	go c.process.Close(closeWithin)
	return true
}

func (c *child) end() {
	c.mu.Lock()
	c.ending = true
	stop := c.stop
	c.mu.Unlock()
	stop()
}

func (c *child) started() *process.Process {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.process
}

func (c *child) isEnding() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ending
}

// idleSince returns since when the process is idle; one that is in use will be last.
func (c *child) idleSince() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.loan != nil {
		return time.Now().Add(time.Hour)
	}
	return c.idle
}

func (c *child) held(now time.Time) Held {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := Held{Plugin: c.name, Path: c.key.Path, Dir: c.key.Dir, Busy: c.loan != nil, Runs: c.runs,
		AgeMS: now.Sub(c.began).Milliseconds(), KeepMS: c.keep.Milliseconds()}
	if c.process != nil {
		h.Pid = c.process.Pid()
	}
	if !h.Busy {
		h.IdleMS = now.Sub(c.idle).Milliseconds()
	}
	return h
}

// errStray means that an idle process wrote something, so what it would answer next is not
// known.
var errStray = errors.New("it wrote to standard output without being asked")

type childOutput struct{ *child }

// Write passes data on to whoever has the process. It ends one that nobody has.
func (c childOutput) Write(data []byte) (int, error) {
	c.mu.Lock()
	c.sent += int64(len(data))
	l := c.loan
	c.ending = c.ending || l == nil
	c.mu.Unlock()
	if l == nil {
		return 0, errStray
	}
	return len(data), l.send(frameOutput, data)
}

// Hurry lets no Write wait any more.
func (c childOutput) Hurry() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.loan != nil {
		c.loan.hurry()
	}
}

// Finish says that nothing more comes.
func (c childOutput) Finish() {
	c.mu.Lock()
	l, isStray := c.loan, c.loan == nil && !c.ending
	c.mu.Unlock()
	if l != nil {
		l.send(frameDone, nil)
	} else if isStray {
		c.end()
	}
}

type childErrors struct{ *child }

// Write passes data on to whoever has the process, else nobody sees it.
func (c childErrors) Write(data []byte) (int, error) {
	c.mu.Lock()
	l := c.loan
	c.mu.Unlock()
	if l != nil {
		l.send(frameErrors, data)
	}
	return len(data), nil
}
