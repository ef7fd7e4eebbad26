package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
)

// step is what the model answers to one request of the conversation.
type step struct {
	kind  string // of what is captured
	fail  bool   // the model's server has an error
	text  string
	calls []call
}

// call is a call of one of the agent's tools, by the name and the arguments of the agent.
type call struct {
	name string
	args map[string]any
}

// request is what an agent sent.
type request struct {
	Method, Path string
	Main         bool // a step of the script answered it
	Body         json.RawMessage
}

// wire is the format of a model's provider. It answers one request; for a request of the
// conversation, and not for a title or a count of tokens, it takes the next step.
type wire func(m *model, w http.ResponseWriter, path string, body []byte)

// model is a scripted model on loopback, which keeps what it was asked.
type model struct {
	*httptest.Server
	mu     sync.Mutex
	steps  []step
	served int
	seen   []request
}

// newModel starts the server. After the last step it answers "It is done."
func newModel(speak wire, steps []step) *model {
	m := &model{steps: steps}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		if !json.Valid(body) {
			body, _ = json.Marshal(string(body))
		}
		m.mu.Lock()
		m.seen = append(m.seen, request{Method: r.Method, Path: r.URL.Path, Body: body})
		m.mu.Unlock()
		speak(m, w, r.URL.Path, body)
	}))
	return m
}

// next returns the answer to a request of the conversation, and its number from 1.
func (m *model) next(body []byte) (step, int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := len(m.seen) - 1; i >= 0; i-- {
		if string(m.seen[i].Body) == string(body) {
			m.seen[i].Main = true
			break
		}
	}
	m.served++
	if m.served > len(m.steps) {
		return step{text: "It is done."}, m.served
	}
	return m.steps[m.served-1], m.served
}

// requests returns what was asked so far.
func (m *model) requests() []request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.seen)
}

// texts joins all strings of a document, so that a text is found however it is escaped.
func texts(document json.RawMessage) string {
	var value any
	if json.Unmarshal(document, &value) != nil {
		return string(document)
	}
	var list []string
	var collect func(any)
	collect = func(value any) {
		switch value := value.(type) {
		case string:
			list = append(list, value)
			var inner any // arguments and results are often JSON in a string
			if strings.ContainsAny(value, "{[") && json.Unmarshal([]byte(value), &inner) == nil {
				collect(inner)
			}
		case []any:
			for _, v := range value {
				collect(v)
			}
		case map[string]any:
			for _, v := range value {
				collect(v)
			}
		}
	}
	collect(value)
	return strings.Join(list, "\n")
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
	data, _ := json.Marshal(value)
	io.WriteString(s.w, "data: "+string(data)+"\n\n")
	if f, ok := s.w.(http.Flusher); ok {
		f.Flush()
	}
}

// sendJSON sends one document.
func sendJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(value)
}
