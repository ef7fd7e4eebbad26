package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The bounds of what a server may send unasked.
const (
	// maxUnasked is how many messages it may send between two answers.
	maxUnasked = 10_000
	// maxRepeats is how often it may say between two answers that its tools have changed, which
	// costs nothing but the reading where nobody has looked at them since it said so before.
	maxRepeats = 200_000
	// maxQuestions is how many of its own requests may wait for an answer of ours.
	maxQuestions = 64
)

// toolsChanged is the method of the notification that a server's tools have changed.
const toolsChanged = "notifications/tools/list_changed"

// wire is the connection to a server as the SDK uses it. It bounds what the server sends
// unasked, and takes the results of calls and lists aside, as the server wrote them: the SDK
// would lose a whole result for one part that it does not know, and change numbers and the
// order of members.
type wire struct {
	sdk.Connection
	offer *offer

	mu        sync.Mutex
	asked     map[jsonrpc.ID]*reply // requests whose results are taken aside
	unasked   int                   // messages since the last answer
	repeats   int                   // messages since the last answer that repeat an earlier one
	questions int                   // requests of the server that are not answered
	hello     jsonrpc.ID            // of the request initialize
	protocol  string                // the version that was agreed on; "" until then
	wrong     error                 // why the connection ended
}

// reply is the result of a request, as the server wrote it.
type reply struct{ result json.RawMessage }

// replyKey is the key of a context whose request has a *reply.
type replyKey struct{}

// stub is what the SDK gets for a result that was taken aside.
const stub = `{"content":[],"tools":[]}`

func (w *wire) Write(ctx context.Context, m jsonrpc.Message) error {
	switch m := m.(type) {
	case *jsonrpc.Request:
		w.note(ctx, m)
	case *jsonrpc.Response:
		w.mu.Lock()
		w.questions--
		w.mu.Unlock()
	}
	err := w.Connection.Write(ctx, m)
	if err != nil && ctx.Err() == nil && !errors.Is(err, &jsonrpc.Error{Code: rejected}) { // the SDK sends nothing more
		w.mu.Lock()
		w.wrong = cmp.Or(w.wrong, err)
		w.mu.Unlock()
	}
	return err
}

func (w *wire) note(ctx context.Context, m *jsonrpc.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if m.Method == "initialize" {
		w.hello = m.ID
	}
	if r, ok := ctx.Value(replyKey{}).(*reply); ok && m.IsCall() {
		w.asked[m.ID] = r
	}
}

// Read returns the next message of the server that says something new.
func (w *wire) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		m, err := w.Connection.Read(ctx)
		isNews := true
		w.mu.Lock()
		if err == nil {
			isNews, err = w.take(m)
		}
		if err != nil {
			w.wrong = cmp.Or(w.wrong, err)
		}
		w.mu.Unlock()
		switch {
		case err != nil:
			return nil, err
		case isNews:
			return m, nil
		}
	}
}

// take looks at a message before the SDK does, and reports whether it says something new. An
// error ends the connection.
func (w *wire) take(m jsonrpc.Message) (isNews bool, err error) {
	switch m := m.(type) {
	case *jsonrpc.Response:
		w.unasked, w.repeats = 0, 0
		if m.ID == w.hello {
			w.agree(m)
		}
		w.takeAside(m)
		return true, nil
	case *jsonrpc.Request:
		if m.Method == toolsChanged && w.offer.stale.Swap(true) {
			w.repeats++
			return false, w.tooMany()
		}
		w.unasked++
		if m.IsCall() {
			w.questions++
		}
	}
	return true, w.tooMany()
}

// tooMany returns an error if the server sends too much unasked.
func (w *wire) tooMany() error {
	switch {
	case w.unasked > maxUnasked:
		return fmt.Errorf("it sent more than %d messages that answer nothing", maxUnasked)
	case w.repeats > maxRepeats:
		return fmt.Errorf("it said more than %d times that its tools have changed", maxRepeats)
	case w.questions > maxQuestions:
		return fmt.Errorf("it asks more than %d things at once", maxQuestions)
	}
	return nil
}

// agree keeps the version of the protocol that the server chose.
func (w *wire) agree(m *jsonrpc.Response) {
	var chosen struct {
		Version string `json:"protocolVersion"`
	}
	if strictjson.Decode(m.Result, &chosen) == nil {
		w.protocol = chosen.Version
	}
}

// version returns the version of the protocol that was agreed on, "" before that.
func (w *wire) version() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.protocol
}

// takeAside keeps the result of a request that has a reply, and puts a stub in its place.
func (w *wire) takeAside(m *jsonrpc.Response) {
	r := w.asked[m.ID]
	delete(w.asked, m.ID)
	if r == nil || m.Error != nil {
		return
	}
	var needs struct {
		Input json.RawMessage `json:"inputRequests"`
	}
	if strictjson.Decode(m.Result, &needs) == nil && needs.Input != nil {
		return // the SDK asks for the input and sends the request again with it, as the protocol wants
	}
	r.result, m.Result = m.Result, json.RawMessage(stub)
}

// forget forgets a request that nobody waits for any more.
func (w *wire) forget(r *reply) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, other := range w.asked {
		if other == r {
			delete(w.asked, id)
		}
	}
}

// why returns why the connection ended, nil if it has not.
func (w *wire) why() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.wrong
}

// opener is a [sdk.Transport] from a function.
type opener func(context.Context) (sdk.Connection, error)

func (o opener) Connect(ctx context.Context) (sdk.Connection, error) { return o(ctx) }
