package natsstore

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/store"
)

// Headers of messages. Those of chibi are in docs/operating/CLUSTER.md.
const (
	headerID       = "Chibi-Id"     // the writer's name for the message
	headerWindow   = "Chibi-Window" // record: where the window begins; absent: here; 0: here, because it is the first
	headerCount    = "Chibi-Count"  // record: which one of its log
	headerLarge    = "Chibi-Large"  // record: the upload and the size of the data that is not in the message
	headerLease    = "Chibi-Lease"  // lease: its state
	headerExpect   = "Nats-Expected-Last-Subject-Sequence"
	headerMsgID    = "Nats-Msg-Id"
	headerTTL      = "Nats-TTL"
	headerMarker   = "Nats-Marker-Reason" // the server wrote the message because another one expired
	headerKV       = "KV-Operation"       // a document was removed
	headerSequence = "Nats-Sequence"
	headerSubject  = "Nats-Subject"
	headerTime     = "Nats-Time-Stamp"
	headerLast     = "Nats-Last-Sequence"
	headerPending  = "Nats-Num-Pending"
)

// message is a message of a stream, as it was stored. The bytes of the writer are foreign: header
// and data.
type message struct {
	subject string
	seq     uint64
	time    time.Time
	header  nats.Header
	data    []byte
}

// isRemoved reports whether a message says that there is no document any more.
func (m message) isRemoved() bool {
	return m.header.Get(headerKV) != "" || m.header.Get(headerMarker) != ""
}

// slim returns the message with those headers only that say what is removed or held, and without the
// bytes that it came in: they are most of what very many documents take in memory.
func (m message) slim() message {
	all := m.header
	m.subject, m.data, m.header = strings.Clone(m.subject), bytes.Clone(m.data), nil
	for _, key := range []string{headerKV, headerMarker, headerLease, headerTTL} {
		if value := all.Get(key); value != "" {
			if m.header == nil {
				m.header = nats.Header{}
			}
			m.header.Set(key, strings.Clone(value))
		}
	}
	return m
}

// number returns a header that is a number; ok is false if it is absent.
func (m message) number(header string) (n uint64, ok bool, err error) {
	text := m.header.Get(header)
	if text == "" {
		return 0, false, nil
	}
	n, err = strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, false, m.damaged("its header %s is %.40q", header, text)
	}
	return n, true, nil
}

// damaged returns the error for a message that chibi would not have written.
func (m message) damaged(format string, args ...any) error {
	return &store.DamageError{Pos: m.seq, Time: m.time, Data: m.text(), Err: fmt.Errorf(format, args...)}
}

// text is the message with its headers, as it is sent.
func (m message) text() []byte {
	var text bytes.Buffer
	for _, key := range slices.Sorted(maps.Keys(m.header)) {
		for _, value := range m.header[key] {
			fmt.Fprintf(&text, "%s: %s\n", key, value)
		}
	}
	return append(append(text.Bytes(), '\n'), m.data...)
}

// answer is an answer of the JetStream API that has a message.
type answer struct {
	Error   *apiError `json:"error"`
	Message *struct {
		Subject string    `json:"subject"`
		Seq     uint64    `json:"seq"`
		Header  []byte    `json:"hdrs"`
		Data    []byte    `json:"data"`
		Time    time.Time `json:"time"`
	} `json:"message"`
}

func decodeAnswer(text []byte) (message, error) {
	var a answer
	if err := strictjson.Decode(text, &a); err != nil {
		return message{}, fmt.Errorf("the server's answer: %w", err)
	}
	switch {
	case a.Error != nil:
		return message{}, a.Error
	case a.Message == nil || a.Message.Seq == 0:
		return message{}, errors.New("the server's answer has no message")
	}
	m := message{subject: a.Message.Subject, seq: a.Message.Seq, time: a.Message.Time, data: a.Message.Data}
	if len(a.Message.Header) > 0 {
		header, err := nats.DecodeHeadersMsg(a.Message.Header)
		if err != nil {
			return message{}, m.damaged("its headers cannot be read")
		}
		m.header = header
	}
	return m, nil
}

// decodeDirect reads a message that a server sent as one of many. The server adds headers
// behind the headers of the message, which the message's writer may have written too.
func decodeDirect(got *nats.Msg) (message, error) {
	m := message{subject: last(got.Header, headerSubject), header: got.Header, data: got.Data}
	seq, err := strconv.ParseUint(last(got.Header, headerSequence), 10, 64)
	if err != nil || seq == 0 || m.subject == "" {
		return message{}, errors.New("the server sent a message without a position")
	}
	m.seq = seq
	if m.time, err = time.Parse(time.RFC3339Nano, last(got.Header, headerTime)); err != nil {
		return message{}, m.damaged("it has no time")
	}
	return m, nil
}

// last returns the last value of a header, "" if there is none.
func last(header nats.Header, key string) string {
	values := header.Values(key)
	if len(values) == 0 {
		return ""
	}
	return values[len(values)-1]
}
