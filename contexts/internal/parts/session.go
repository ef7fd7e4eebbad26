package parts

import (
	"cmp"

	"github.com/google/uuid"
)

// Session identifies the conversation of a context.
type Session struct {
	// ID is a UUID. It is the same as long as the conversation lasts, also when it is
	// compacted or replaced and when the context is renamed; after Archive it is a new one. A
	// context that does not exist yet has the ID that it gets if this handle begins it.
	ID string
	// Empty is true as long as there is no entry.
	Empty bool
	// Cleared is true if the conversation began when another one was archived.
	Cleared bool
}

// SessionOf returns the conversation of a window that is not empty, or of the beginning of
// one.
func SessionOf(window []Entry) Session {
	first := window[0]
	isNew := first.Type == TypeContextCreated || first.Type == TypeArchival
	return Session{ID: SessionID(first), Empty: isNew && len(window) == 1, Cleared: first.Type == TypeArchival}
}

// SessionID returns the id of the conversation whose window begins with an entry.
func SessionID(first Entry) string {
	id := cmp.Or(MetaOf(first).Session, first.ID)
	if uuid.Validate(id) != nil { // written by another program
		id = uuid.NewSHA1(uuid.NameSpaceOID, []byte(id)).String()
	}
	return id
}

// GoingOn returns an anchor that goes on with the conversation of a window, if it does not
// begin another one.
func GoingOn(anchor Entry, window []Entry) Entry {
	if anchor.Type != TypeCompaction || len(window) == 0 {
		return anchor
	}
	meta := MetaOf(anchor)
	meta.Session = SessionID(window[0])
	if _, isSet := SummaryOf(anchor); !isSet {
		meta.Demo = ByDemo(window[0])
	}
	anchor.Metadata = &meta
	return anchor
}

// FirstID returns the id of the first entry of a context that has none yet.
func (r *Ref) FirstID() string {
	r.first = cmp.Or(r.first, uuid.NewString())
	return r.first
}

// Created returns the first entry of the transcript.
func (r *Ref) Created() Entry {
	e := ContextCreated(r.Name, nil)
	e.ID, r.first = r.FirstID(), ""
	return e
}
