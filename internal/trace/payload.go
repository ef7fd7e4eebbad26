package trace

import (
	"bytes"
	"encoding/json"
)

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
