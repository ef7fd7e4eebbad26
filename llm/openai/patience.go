package openai

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// patience is how long a server is waited for. Only time that is spent waiting
// counts: while chibi writes to somebody who does not read, its clock stands.
//
// Until the first piece of an answer arrives, and from then on between two
// pieces that say something new, the server may take as long as first, whatever
// else it sends: comments, empty pieces, headers, errors. Once the answer has
// begun, complete silence is bounded by idle, which is shorter as a rule.
type patience struct {
	first, idle time.Duration
	host        string
	// giveUp ends everything that waits, with the reason.
	giveUp context.CancelCauseFunc
	// say tells a person that nothing has come yet.
	say func(text string)

	waited time.Duration // since something new arrived
	begun  bool          // something of the answer has arrived
	said   bool
}

// patience begins to count for one answer.
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

// sayAfter is the part of the wait for the first piece, counted in parts of it,
// after which a person is told: 30 seconds of ten minutes.
const sayAfter = 20

// wait runs something that waits for the server.
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

// remark tells a person that nothing has come yet, unless the returned function
// is called before it is time to.
func (p *patience) remark() (stop func()) {
	said := make(chan struct{})
	timer := time.AfterFunc(p.first/sayAfter-p.waited, func() {
		defer close(said)
		p.say(fmt.Sprintf("model server %s has not begun to answer; chibi waits for it up to %s, as "+
			"request_first_byte_timeout_ms says", p.host, p.first))
	})
	return func() {
		if !timer.Stop() {
			<-said
			p.said = true
		}
	}
}

// limit is how long may be waited now, and what is wrong then.
func (p *patience) limit() (time.Duration, error) {
	left := max(p.first-p.waited, 0)
	switch {
	case !p.begun:
		return left, p.errorf("no answer came within %s; gave up, as request_first_byte_timeout_ms says", p.first)
	case p.idle <= left:
		return p.idle, p.errorf("nothing arrived for %s; gave up, as request_idle_timeout_ms says", p.idle)
	}
	return left, p.errorf("nothing new arrived for %s; gave up, as request_first_byte_timeout_ms says", p.first)
}

// progress says that something new of the answer has arrived.
func (p *patience) progress() { p.begun, p.waited = true, 0 }

func (p *patience) errorf(format string, args ...any) error {
	return fmt.Errorf("model server %s: "+format, append([]any{p.host}, args...)...)
}

// wireFactor is how much longer than what is kept of an answer its bytes on the
// wire may be: a token of four bytes comes in an event of some two hundred.
const wireFactor = 64

// errFlood says that an answer is endless.
var errFlood = errors.New("the server sends without end")

// patientReader reads a body with patience, and no more of it than is left.
type patientReader struct {
	*patience
	body io.Reader
	left int64
}

// Read reads once.
func (r *patientReader) Read(b []byte) (n int, err error) {
	if r.left <= 0 {
		return 0, errFlood
	}
	b = b[:min(int64(len(b)), r.left)]
	r.wait(func() { n, err = r.body.Read(b) })
	r.left -= int64(n)
	return n, err
}
