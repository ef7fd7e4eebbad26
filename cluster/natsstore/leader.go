package natsstore

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go"

	"github.com/chibi-host/chibi/internal/strictjson"
)

// stream is a stream of a home. What is asked of its leader sees everything that was
// acknowledged.
type stream struct {
	*connection
	name string
}

const api = "$JS.API."

// wanted says which message is asked for: the newest of a subject, or the first of a
// subject from a sequence on.
type wanted struct {
	Newest string `json:"last_by_subj,omitempty"`
	Seq    uint64 `json:"seq,omitempty"`
	Next   string `json:"next_by_subj,omitempty"`
}

// newest asks the leader for the newest message of a subject, which may be a filter. The
// error is ErrNotFound if there is none.
func (s stream) newest(ctx context.Context, subject string) (message, error) {
	return s.fromLeader(ctx, wanted{Newest: subject})
}

// next asks the leader for the first message of a subject from a sequence on.
func (s stream) next(ctx context.Context, subject string, seq uint64) (message, error) {
	return s.fromLeader(ctx, wanted{Seq: seq, Next: subject})
}

// fromLeader asks once.
func (s stream) fromLeader(ctx context.Context, w wanted) (message, error) {
	text, err := strictjson.Encode(w)
	if err != nil {
		return message{}, err
	}
	got, err := s.ask(ctx, &nats.Msg{Subject: api + "STREAM.MSG.GET." + s.name, Data: text})
	if err != nil {
		return message{}, err
	}
	return decodeAnswer(got.Data)
}

// newestRetried is newest, repeated while the store is not available.
func (s stream) newestRetried(ctx context.Context, subject string) (m message, err error) {
	err = s.retry(ctx, func(ctx context.Context) error {
		m, err = s.newest(ctx, subject)
		return err
	})
	return m, err
}

func (s stream) purge(ctx context.Context, filter string) error {
	text, err := strictjson.Encode(map[string]string{"filter": filter})
	if err != nil {
		return err
	}
	return s.retry(ctx, func(ctx context.Context) error {
		var done struct {
			Success bool `json:"success"`
		}
		return s.call(ctx, "STREAM.PURGE."+s.name, text, &done)
	})
}

// call sends a request to the JetStream API once and reads its answer.
func (c *connection) call(ctx context.Context, operation string, data []byte, answer any) error {
	got, err := c.ask(ctx, &nats.Msg{Subject: api + operation, Data: data})
	if err != nil {
		return err
	}
	var failed struct {
		Error *apiError `json:"error"`
	}
	if err := strictjson.Decode(got.Data, &failed); err != nil {
		return fmt.Errorf("the server's answer: %w", err)
	}
	if failed.Error != nil {
		return failed.Error
	}
	if err := strictjson.Decode(got.Data, answer); err != nil {
		return fmt.Errorf("the server's answer: %w", err)
	}
	return nil
}
