package natsstore

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/chibi-host/chibi/internal/strictjson"
)

const (
	// maxBatch bounds the messages of one answer, batchBytes their bytes: a server stops
	// after the message with which it has sent as many.
	maxBatch   = 1_000_000
	batchBytes = 8 << 20
)

// batch asks for many messages of a stream with one request. Any server that has the stream
// answers, also one that is behind.
type batch struct {
	Seq   uint64     `json:"seq,omitempty"`
	Start *time.Time `json:"start_time,omitempty"`
	Next  string     `json:"next_by_subj"`
	Count int        `json:"batch"`
	Bytes int        `json:"max_bytes"`
}

// batchEnd says how an answer ended.
type batchEnd struct {
	last    uint64 // sequence of the last message; 0: there was none
	pending uint64 // how many messages there are behind it
}

// read asks once, and calls each with the messages until it returns false or an error.
func (s stream) read(ctx context.Context, b batch, each func(message) (bool, error)) (batchEnd, error) {
	b.Count, b.Bytes = max(1, min(b.Count, maxBatch)), batchBytes
	text, err := strictjson.Encode(b)
	if err != nil {
		return batchEnd{}, err
	}
	subject := api + "DIRECT.GET." + s.name
	ctx, done := s.listen(ctx, subject)
	defer done()
	inbox := s.nc.NewInbox()
	subscription, err := s.nc.SubscribeSync(inbox)
	if err != nil {
		return batchEnd{}, translated(ctx, err)
	}
	defer func() { _ = subscription.Unsubscribe() }()
	_ = subscription.SetPendingLimits(-1, -1) // what comes is bounded by the request
	request := &nats.Msg{Subject: subject, Reply: inbox, Data: text}
	if err := s.nc.PublishMsg(request); err != nil {
		return batchEnd{}, translated(ctx, err)
	}
	return reception{subscription}.all(ctx, each)
}

// reception takes the messages of one answer.
type reception struct{ subscription *nats.Subscription }

// all takes all messages, until each returns false or an error.
func (r reception) all(ctx context.Context, each func(message) (bool, error)) (batchEnd, error) {
	var end batchEnd
	for {
		got, err := r.next(ctx)
		if err != nil {
			return end, err
		}
		if last(got.Header, headerSequence) == "" {
			return endOf(got, end)
		}
		m, err := decodeDirect(got)
		if err != nil {
			return end, err
		}
		if before := last(got.Header, headerLast); before != strconv.FormatUint(end.last, 10) {
			return end, &passing{"a message was lost on its way"}
		}
		end.last = m.seq
		if more, err := each(m); err != nil || !more {
			return end, err
		}
	}
}

func (r reception) next(ctx context.Context) (*nats.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, attemptTime)
	defer cancel()
	got, err := r.subscription.NextMsgWithContext(ctx)
	if err != nil {
		return nil, translated(ctx, err)
	}
	return got, nil
}

// endOf reads the message that ends an answer. A message of the stream always has a
// sequence, whatever its writer wrote, so this one is the server's.
func endOf(got *nats.Msg, end batchEnd) (batchEnd, error) {
	switch status := got.Header.Get("Status"); status {
	case "204":
		pending, err := strconv.ParseUint(got.Header.Get(headerPending), 10, 64)
		if err != nil {
			return end, fmt.Errorf("the server does not say how many messages there are")
		}
		if got.Header.Get(headerLast) != strconv.FormatUint(end.last, 10) {
			return end, &passing{"a message was lost on its way"}
		}
		end.pending = pending
		return end, nil
	case "404":
		return end, nil
	case "408":
		return end, fmt.Errorf("the server does not understand the request: %.80q", got.Header.Get("Description"))
	case "503":
		return end, &passing{"no server answers for the stream"}
	default:
		return end, fmt.Errorf("the server answers %.40q", status)
	}
}
