package bridge

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/tidwall/gjson"
)

// line is an event on a line, and lineAnswer its answer. Its payload is the agent's JSON, or a text with it: then a
// payload that chibi cannot read does not keep it from answering the other lines.
type line struct {
	ID         json.RawMessage `json:"id"`
	Event      string          `json:"event"`
	Payload    json.RawMessage `json:"payload"`
	FailClosed bool            `json:"fail_closed"`
	DeadlineMS int64           `json:"deadline_ms"`
	Failed     string          `json:"failed"`
}

// lineOf reads a line.
func lineOf(text []byte) (l line, err error) {
	err = strictjson.Decode(text, &l)
	switch {
	case err != nil:
	case l.Event == "":
		err = errors.New("it has no event")
	case len(l.Payload) == 0:
		err = errors.New("it has no payload")
	}
	return l, err
}

// asked is the event.
func (l line) asked() Asked {
	a := Asked{Event: l.Event, Payload: l.Payload, FailClosed: l.FailClosed, DeadlineMS: l.DeadlineMS, Failed: l.Failed}
	if text := gjson.ParseBytes(l.Payload); text.Type == gjson.String {
		a.Payload = []byte(text.Str)
	}
	return a
}

type lineAnswer struct {
	ID     json.RawMessage `json:"id"`
	Stdout string          `json:"stdout"`
	Stderr string          `json:"stderr"`
	Exit   int             `json:"exit"`
}

// maxUnanswered is how many events may wait for an answer before ServeLines stops reading.
const maxUnanswered = 64

// ServeLines answers the events on the lines of in, until that ends or ctx does. Each answer is a line of out. The
// error says what is wrong with a line, or why it cannot write an answer.
func (h *Host) ServeLines(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var answers sync.WaitGroup
	defer answers.Wait()
	var writing sync.Mutex
	free := make(chan struct{}, maxUnanswered)
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxPayload)
	for n := 1; lines.Scan() && ctx.Err() == nil; n++ {
		l, err := lineOf(lines.Bytes())
		if err != nil {
			return fmt.Errorf("line %d is not an event, an object with id, event and payload: %w", n, err)
		}
		free <- struct{}{}
		answers.Go(func() {
			defer func() { <-free }()
			o := h.Answer(ctx, l.asked())
			text, err := strictjson.Encode(lineAnswer{l.ID, string(o.Stdout), o.Stderr, o.Exit})
			writing.Lock()
			defer writing.Unlock()
			if _, wrong := out.Write(append(text, '\n')); err != nil || wrong != nil {
				cancel(errors.Join(err, wrong))
			}
		})
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return lines.Err()
}
