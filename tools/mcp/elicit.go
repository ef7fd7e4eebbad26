package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/internal/term"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Question is a server's question to the person while it works on a call: an elicitation.
type Question struct {
	// Server is the name of the server, Message its question.
	Server, Message string
	// Schema describes the answer: a JSON Schema of an object whose members are texts,
	// numbers, booleans and choices.
	Schema json.RawMessage
}

// Answer is the person's answer.
type Answer struct {
	// Action is what the person did.
	Action Action
	// Content has the members that the question asks for, if the person accepted.
	Content map[string]any
}

// Action is what a person did with a question of a server.
type Action string

// The actions.
const (
	Accept  Action = "accept"  // answered it
	Decline Action = "decline" // refused to answer
	Cancel  Action = "cancel"  // went away without a choice
)

// elicit asks the person. The time that this takes does not count as the server's. It declines a
// question that the person cannot be asked, and tells the person.
func (s *session) elicit(ctx context.Context, req *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
	ctx, answered, err := s.audience.ask(ctx)
	if err != nil {
		return declined(s, err), nil
	}
	defer answered()
	defer s.person.begin()()
	if req.Params.Mode == "url" {
		return declined(s, errors.New("it wants a page to be opened in a browser")), nil
	}
	schema, err := json.Marshal(req.Params.RequestedSchema)
	if err != nil {
		return nil, err
	}
	answer, err := s.pool.cfg.Elicit(ctx, Question{Server: s.server.Name, Message: req.Params.Message, Schema: schema})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return declined(s, err), nil
	}
	return &sdk.ElicitResult{Action: string(answer.Action), Content: answer.Content}, nil
}

// maxDeclined is how many declined questions of a server the person hears about, maxReason
// bounds why, in characters.
const maxDeclined, maxReason = 10, 300

// declined declines a question for a reason.
func declined(s *session, why error) *sdk.ElicitResult {
	if s.unasked.Add(1) <= maxDeclined {
		s.pool.notify("chibi declined a question of MCP server %q, as it cannot ask it: %s", s.server.Name,
			clip.Text(term.Line(why.Error()), maxReason))
	}
	return &sdk.ElicitResult{Action: string(Decline)}
}

// stopwatch measures how long the person was waited for.
type stopwatch struct {
	mu      sync.Mutex
	waiting int // questions at once
	since   time.Time
	total   time.Duration
}

// begin begins a wait and returns what ends it.
func (w *stopwatch) begin() (end func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waiting++; w.waiting == 1 {
		w.since = time.Now()
	}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.waiting--; w.waiting == 0 {
			w.total += time.Since(w.since)
		}
	}
}

// sum returns how long the person was waited for until now.
func (w *stopwatch) sum() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waiting > 0 {
		return w.total + time.Since(w.since)
	}
	return w.total
}

// minWait is how long a call may take at least after the person has answered.
const minWait = 100 * time.Millisecond

// limit is how long a call may take, without the time in which the person was waited for.
type limit struct {
	watch  *stopwatch
	begun  time.Time
	before time.Duration // what the watch said then
	most   time.Duration
}

func (w *stopwatch) limit(most time.Duration) limit { return limit{w, time.Now(), w.sum(), most} }

// waited returns how long the person was waited for since the call began.
func (l limit) waited() time.Duration { return l.watch.sum() - l.before }

// used returns how long the call has taken without that.
func (l limit) used() time.Duration { return time.Since(l.begun) - l.waited() }

// context returns a context that ends with a cause when the call has taken too long.
func (l limit) context(ctx context.Context, cause error) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	again := make(chan *time.Timer, 1)
	timer := time.AfterFunc(l.most, func() {
		t := <-again
		if left := l.most - l.used(); left > 0 { // the person was waited for
			again <- t
			t.Reset(max(left, minWait))
			return
		}
		cancel(cause)
	})
	again <- timer
	return ctx, func() { timer.Stop(); cancel(nil) }
}
