package openai

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// patience bounds how long chibi waits for a server. Only the time spent waiting for the
// server counts, not the time in which chibi is blocked writing its output.
//
// The time until the first piece of an answer, and then the time between two pieces with
// new content, is bounded by first, whatever else the server sends: comments, empty
// pieces, headers, errors. Once the answer has begun, the time without any data is
// bounded by idle, which is usually shorter.
type patience struct {
	first, idle time.Duration
	host        string
	// giveUp cancels the request, with the reason.
	giveUp context.CancelCauseFunc
	// say tells a person that nothing has arrived yet.
	say func(text string)

	waited time.Duration // since new content arrived
	begun  bool          // a piece of the answer has arrived
	said   bool
}

func (c *Client) patience(giveUp context.CancelCauseFunc) *patience {
	p := &patience{first: DefaultFirstByteTimeout, idle: DefaultIdleTimeout, host: c.host(), giveUp: giveUp, say: c.notify}
	if c.FirstByteTimeout > 0 {
		p.first = c.FirstByteTimeout
	}
	if c.IdleTimeout > 0 {
		p.idle = c.IdleTimeout
	}
	return p
}

// sayAfter is the fraction of the wait for the first piece after which chibi tells a person, as a
// divisor: 30 seconds of ten minutes.
const sayAfter = 20

// wait calls do, which waits for the server, within the limit.
func (p *patience) wait(do func()) {
	limit, reason := p.limit()
	giveUp := time.AfterFunc(limit, func() { p.giveUp(reason) })
	defer giveUp.Stop()
	if !p.begun && !p.said {
		defer p.remark()()
	}
	begin := time.Now()
	do()
	p.waited += time.Since(begin)
}

// remark tells a person after a while that nothing has arrived yet, unless the returned
// function is called before.
func (p *patience) remark() (stop func()) {
	said := make(chan struct{})
	timer := time.AfterFunc(p.first/sayAfter-p.waited, func() {
		defer close(said)
		p.say(fmt.Sprintf("model server %s has not begun to answer; chibi waits up to %s "+
			"(request_first_byte_timeout_ms)", p.host, p.first))
	})
	return func() {
		if !timer.Stop() {
			<-said
			p.said = true
		}
	}
}

// limit returns how long to wait now, and the error after that.
func (p *patience) limit() (time.Duration, error) {
	left := max(p.first-p.waited, 0)
	switch {
	case !p.begun:
		return left, p.errorf("no answer within %s (request_first_byte_timeout_ms)", p.first)
	case p.idle <= left:
		return p.idle, p.errorf("no data for %s (request_idle_timeout_ms)", p.idle)
	}
	return left, p.errorf("no new content for %s (request_first_byte_timeout_ms)", p.first)
}

// progress records that new content has arrived.
func (p *patience) progress() { p.begun, p.waited = true, 0 }

func (p *patience) errorf(format string, args ...any) error {
	return fmt.Errorf("model server %s: "+format, append([]any{p.host}, args...)...)
}

// wireFactor bounds the bytes on the wire as a multiple of the bound on the answer: a
// token of four bytes is sent in an event of about two hundred.
const wireFactor = 64

// errFlood means that the server sent more than the bound on the wire.
var errFlood = errors.New("the server sends without end")

// patientReader reads a body with patience, at most left bytes.
type patientReader struct {
	*patience
	body io.Reader
	left int64
}

func (r *patientReader) Read(b []byte) (n int, err error) {
	if r.left <= 0 {
		return 0, errFlood
	}
	b = b[:min(int64(len(b)), r.left)]
	r.wait(func() { n, err = r.body.Read(b) })
	r.left -= int64(n)
	return n, err
}
