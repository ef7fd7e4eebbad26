package trace

import (
	"bytes"
	"encoding/json"
	"time"
)

const maxEnded = 8

// turns are the latest turns of a run: plugins that nobody waited for are recorded when the
// next turn may have begun.
type turns struct {
	now   begun
	ended []begun
}

type begun struct {
	number  int
	at      time.Time
	removed removed // when it is over
}

type place struct {
	context string
	since   time.Time
}

type places []place

// add adds the conversation from now on. The first one began with the run.
func (p *places) add(context string) {
	next := place{context: context}
	if len(*p) > 0 {
		next.since = time.Now()
	}
	*p = append(*p, next)
	if len(*p) > maxEnded {
		*p = append(places(nil), (*p)[1:]...)
	}
}

func (p places) at(when time.Time) (context string) {
	for i, place := range p {
		if i == 0 || !when.Before(place.since) {
			context = place.context
		}
	}
	return context
}

// next begins the next turn; gone is what was removed from texts of the one before. The first
// one began with the run.
func (t *turns) next(gone removed) {
	next := begun{number: t.now.number + 1}
	if t.now.number > 0 {
		next.at = time.Now()
		t.now.removed = gone
		t.ended = append(t.ended, t.now)
	}
	if len(t.ended) > maxEnded {
		t.ended = append([]begun(nil), t.ended[1:]...)
	}
	t.now = next
}

// late returns a line of a turn that is over, without the words that plugins removed from its
// texts: when its event happened, the present turn had not begun.
func (t *turns) late(l Line, keepOriginal bool) Line {
	of := t.ended[0]
	for _, turn := range t.ended {
		if !l.Time.Before(turn.at) {
			of = turn
		}
	}
	switch {
	case keepOriginal:
	case l.Time.Before(of.at): // what was removed in its turn is not known any more
		l = l.withoutTexts()
	case !of.removed.isEmpty():
		l = l.without(&of.removed)
	}
	l.Turn = of.number
	return l
}

// leastShared is the size in bytes from which on a payload is kept once for all plugins
// that received it in a dispatch, and maxBetween how many lines may be between two of them.
const (
	leastShared = 256
	maxBetween  = 2000
)

// received is the latest payload that was written.
type received struct {
	dispatch int64
	plugin   string
	payload  json.RawMessage
}

// share takes the payload out of a line if the latest written one of its dispatch is the
// same. With many plugins, most of a trace would be the same request.
func (r *received) share(l *Line) {
	switch {
	case l.Record == nil || len(l.Payload) < leastShared:
	case l.Dispatch == r.dispatch && bytes.Equal(l.Payload, r.payload):
		l.Payload, l.PayloadAs = nil, r.plugin
	default:
		*r = received{l.Dispatch, l.Plugin, l.Payload}
	}
}

// withPayload returns a line of the turn with the payload that another line has. If that
// one is gone, as in a file that is full, the line is not whole.
func (t Turn) withPayload(l Line) Line {
	if l.Record == nil || l.PayloadAs == "" {
		return l
	}
	from := l.PayloadAs
	l.PayloadAs = ""
	for i := len(t.Lines) - 1; i >= max(0, len(t.Lines)-maxBetween); i-- {
		if other := t.Lines[i]; other.Record != nil && other.Dispatch == l.Dispatch && other.Plugin == from {
			l.Payload, l.Removed = other.Payload, l.Removed || other.Removed
			return l
		}
	}
	l.Removed = true
	return l
}
