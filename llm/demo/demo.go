// Package demo is a model built into the program: deterministic, offline, and
// reached over real HTTP on loopback like any other. It answers when no model
// is configured, and in tests.
//
// It looks at the last user message:
//
//   - Each line "@tool NAME {json}" becomes a call of that tool, all in one
//     response; without json the arguments are {}. The next response consists
//     of the results.
//   - A line "@say TEXT" makes TEXT the answer.
//   - A line "@error STATUS TEXT" makes the server fail with that HTTP status.
//   - Otherwise it answers with the message, and with what the request contained:
//     model, temperature, tools, sizes. This makes the effect of hooks visible.
package demo

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"
)

// Server is a running demo model.
type Server struct {
	// URL is the chat completions endpoint.
	URL  string
	http *http.Server
}

// Start starts a demo model on a free port of the loopback interface.
func Start() (*Server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{
		URL:  fmt.Sprintf("http://%s/v1/chat/completions", listener.Addr()),
		http: &http.Server{Handler: Handler(), ReadHeaderTimeout: 10 * time.Second},
	}
	go s.http.Serve(listener)
	return s, nil
}

// Close stops the server and its connections.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := s.http.Shutdown(ctx); err != nil {
		return s.http.Close()
	}
	return nil
}
