package natsstore

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/store"
)

// write is a message that is stored only if it comes directly after another one of its
// subject.
type write struct {
	subject string
	after   uint64 // sequence of that other message; 0: there is none
	id      string // tells this message from messages of others
	msgID   string // by which the server knows it again for two minutes; "": it does not
	unique  bool   // nobody else has the msgID, so that a message that has it is this one
	header  nats.Header
	data    []byte
	// overRemoved lets the message come after the mark of a removed document if after is 0.
	overRemoved bool
	// missed is when the one that this should come after was first found missing.
	missed time.Time
}

// behindTime bounds how long a server that hung while another one was elected answers as if it
// still led the stream: who leads tells all others so once a second.
const behindTime = 2 * time.Second

func newID() string {
	var id [16]byte
	rand.Read(id[:])
	return hex.EncodeToString(id[:])
}

func (w *write) message() *nats.Msg {
	header := nats.Header{headerID: {w.id}, headerExpect: {strconv.FormatUint(w.after, 10)}}
	if w.msgID != "" {
		header[headerMsgID] = []string{w.msgID}
	}
	for key, values := range w.header {
		header[key] = values
	}
	return &nats.Msg{Subject: w.subject, Header: header, Data: w.data}
}

type acknowledged struct {
	Error     *apiError `json:"error"`
	Stream    string    `json:"stream"`
	Seq       uint64    `json:"seq"`
	Duplicate bool      `json:"duplicate"`
}

// publish publishes a message once and returns the stream's acknowledgement.
func (s stream) publish(ctx context.Context, m *nats.Msg) (acknowledged, error) {
	var a acknowledged
	got, err := s.ask(ctx, m)
	if err != nil {
		return a, err
	}
	if err := strictjson.Decode(got.Data, &a); err != nil {
		return a, fmt.Errorf("the server's acknowledgement: %w", err)
	}
	switch {
	case a.Error != nil:
		return a, a.Error
	case a.Stream != s.name || a.Seq == 0:
		return a, fmt.Errorf("the message was stored in stream %.80q in place of %q", a.Stream, s.name)
	}
	return a, nil
}

// put stores a message and returns its sequence. The error is ErrConflict if another
// message comes after the one that this should come after.
func (s stream) put(ctx context.Context, w write) (seq uint64, err error) {
	err = s.retry(ctx, func(ctx context.Context) error {
		seq, err = s.tryPut(ctx, &w)
		return err
	})
	return seq, err
}

// tryPut publishes once, and finds out who was first if it was not this message.
func (s stream) tryPut(ctx context.Context, w *write) (uint64, error) {
	a, err := s.publish(ctx, w.message())
	switch {
	case err == nil && (w.unique || !a.Duplicate):
		return a.Seq, nil
	case err != nil && !errors.Is(err, store.ErrConflict):
		return 0, err
	}
	seq, err := s.settle(ctx, w)
	if errors.Is(err, store.ErrNotFound) { // nothing comes after
		return 0, s.nothingAfter(ctx, w, a.Duplicate)
	}
	return seq, err
}

// settle looks which message came after the one that w should come after. It may be w
// itself: an earlier attempt that was not answered. The error is ErrNotFound if there is none.
func (s stream) settle(ctx context.Context, w *write) (uint64, error) {
	first, err := s.next(ctx, w.subject, w.after+1)
	switch {
	case err != nil:
		return 0, err
	case first.header.Get(headerID) == w.id:
		return first.seq, nil
	case w.overRemoved && w.after == 0 && first.isRemoved():
		w.after, w.overRemoved = first.seq, false
		return s.tryPut(ctx, w)
	}
	return 0, store.ErrConflict
}

// nothingAfter explains why a message was refused although no other one was stored in its
// place. The one that it should come after may be gone; a server that led the stream before has
// never seen it, and is asked again.
func (s stream) nothingAfter(ctx context.Context, w *write, duplicate bool) error {
	if w.after > 0 {
		newest, err := s.newest(ctx, w.subject)
		isMissing := errors.Is(err, store.ErrNotFound) || err == nil && newest.seq < w.after
		switch {
		case isMissing && w.missed.IsZero():
			w.missed = time.Now()
			fallthrough
		case isMissing && time.Since(w.missed) < behindTime:
			return &passing{"the server that answers may not lead the stream any more"}
		case isMissing:
			return store.ErrConflict
		case err != nil:
			return err
		}
	}
	if duplicate { // stored once, and removed since; the place itself keeps it from being stored twice
		w.msgID = ""
	}
	return &passing{"an earlier attempt is still on its way"}
}
