package drive

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/chibi-host/chibi/internal/strictjson"
)

// Object is an object of JSON.
type Object = map[string]any

// Step is the model's answer to one request of the conversation.
type Step struct {
	// Kind is the kind of the call, for records of runs.
	Kind string `json:"kind,omitempty"`
	// Fail says that the model's server has an error.
	Fail  bool   `json:"fail,omitempty"`
	Text  string `json:"text,omitempty"`
	Calls []Call `json:"calls,omitempty"`
}

// Call is a call of one of the agent's tools, by the name and the arguments of the agent.
type Call struct {
	Name string `json:"name"`
	Args Object `json:"args"`
}

// Request is a request of an agent.
type Request struct {
	Method, Path string
	Main         bool // a step of the script answered it
	Body         json.RawMessage
}

// Wire is the format of a model's provider. It answers one request; for a request of the
// conversation, and not for a title or a count of tokens, it takes the next step.
type Wire func(m *Model, w http.ResponseWriter, path string, body []byte)

// The bounds, in bytes, of a request and of all requests that the model keeps.
const (
	maxRequest  = 16 << 20
	maxRequests = 256 << 20
)

// Model is a scripted model on loopback, which keeps the requests.
type Model struct {
	// URL is its address.
	URL    string
	server http.Server
	mu     sync.Mutex
	steps  []Step
	served int
	seen   []Request
	size   int // of the bodies in seen
}

// Serve starts a model that answers at a listener. After the last step it answers "It is done."
func Serve(l net.Listener, speak Wire, steps []Step) *Model {
	m := &Model{URL: "http://" + l.Addr().String(), steps: steps}
	m.server.ReadHeaderTimeout = time.Minute
	m.server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
		if err != nil {
			sendJSON(w, http.StatusRequestEntityTooLarge, Object{"error": Object{"message": err.Error()}})
			return
		}
		if !strictjson.Valid(body) {
			body = strictjson.Quote(string(body))
		}
		m.keep(Request{Method: r.Method, Path: r.URL.Path, Body: body})
		speak(m, w, r.URL.Path, body)
	})
	go m.server.Serve(l)
	return m
}

// Close ends it.
func (m *Model) Close() { m.server.Close() }

// keep keeps a request, the first of them if there are too many.
func (m *Model) keep(r Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.size += len(r.Body); m.size <= maxRequests {
		m.seen = append(m.seen, r)
	}
}

// next returns the answer to a request of the conversation, and its number from 1.
func (m *Model) next(body []byte) (Step, int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := len(m.seen) - 1; i >= 0; i-- {
		if bytes.Equal(m.seen[i].Body, body) {
			m.seen[i].Main = true
			break
		}
	}
	m.served++
	if m.served > len(m.steps) {
		return Step{Text: "It is done."}, m.served
	}
	return m.steps[m.served-1], m.served
}

// Script replaces the steps.
func (m *Model) Script(steps []Step) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.steps = steps
}

// Requests returns the requests so far.
func (m *Model) Requests() []Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.seen)
}

// stream sends server-sent events.
type stream struct{ w http.ResponseWriter }

func newStream(w http.ResponseWriter) stream {
	w.Header().Set("Content-Type", "text/event-stream")
	return stream{w}
}

// event sends one event, with its name if it has one.
func (s stream) event(name string, value any) {
	if name != "" {
		io.WriteString(s.w, "event: "+name+"\n")
	}
	data, _ := strictjson.Encode(value) // it is made of texts, numbers and objects
	io.WriteString(s.w, "data: "+string(data)+"\n\n")
	if f, ok := s.w.(http.Flusher); ok {
		f.Flush()
	}
}

// sendJSON sends one document.
func sendJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	data, _ := strictjson.Encode(value) // it is made of texts, numbers and objects
	w.Write(append(data, '\n'))
}
