package oauth

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"html"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/chibi-host/chibi/tools/mcp"
	"github.com/chibi-host/chibi/tools/mcp/internal/web"
	"github.com/modelcontextprotocol/go-sdk/auth"
)

// The bounds of what browsers send, and how long the last page may take.
const (
	pageTime    = 10 * time.Second
	pageHeaders = 64 << 10
	goodbye     = 2 * time.Second
)

// page is where the browser comes back to after a login: a server on this machine, for one
// login. It answers when the login is complete or has failed.
type page struct {
	address string // of the page
	server  *http.Server
	name    string // of the MCP server

	mu    sync.Mutex
	state string // that the browser must bring; "" before and after the login
	came  chan *auth.AuthorizationResult
	wrong chan error
	done  chan struct{} // closed when the login is over
	err   error         // how it ended; before done is closed, nobody reads it
}

// pageError is an error that the login server gave to the browser, or that nobody came.
type pageError struct{ error }

func listen(s mcp.Server) (*page, error) {
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(s.OAuth.RedirectPort)))
	if err != nil {
		return nil, fmt.Errorf("opening the port at which the browser comes back (oauth.redirect_port): %w", err)
	}
	p := &page{
		address: "http://" + listener.Addr().String() + "/callback", name: s.Name,
		came: make(chan *auth.AuthorizationResult, 1), wrong: make(chan error, 1), done: make(chan struct{}),
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /callback", p.serve)
	p.server = &http.Server{Handler: mux, ReadTimeout: pageTime, IdleTimeout: pageTime, MaxHeaderBytes: pageHeaders}
	go p.server.Serve(listener)
	return p, nil
}

// expect says what the browser brings from the login that begins now.
func (p *page) expect(state string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state = state
}

// wait returns what the browser comes back with.
func (p *page) wait(ctx context.Context, most time.Duration) (*auth.AuthorizationResult, error) {
	late := time.NewTimer(most)
	defer late.Stop()
	select {
	case result := <-p.came:
		return result, nil
	case err := <-p.wrong:
		return nil, err
	case <-late.C:
		return nil, &pageError{fmt.Errorf("nobody logged in within %s", most)}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// finish shows the browser how the login ended, and closes the page.
func (p *page) finish(err error) {
	p.err = err
	close(p.done)
	ctx, cancel := context.WithTimeout(context.Background(), goodbye)
	defer cancel()
	if p.server.Shutdown(ctx) != nil {
		p.server.Close()
	}
}

// serve takes what the login server sent the browser here with.
func (p *page) serve(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if !p.isExpected(q.Get("state")) {
		p.show(w, http.StatusBadRequest, "This is not the login that chibi waits for.")
		return
	}
	switch code := q.Get("error"); {
	case code != "":
		p.wrong <- &pageError{serverError(code, q.Get("error_description"))}
	case q.Get("code") == "":
		p.wrong <- &pageError{errors.New("the login server sent the browser back without a code")}
	default:
		p.came <- &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}
	}
	<-p.done
	if p.err != nil {
		p.show(w, http.StatusOK, "chibi is not logged in to the MCP server "+p.name+": "+web.Text(p.err.Error()))
		return
	}
	p.show(w, http.StatusOK, "chibi is logged in to the MCP server "+p.name+". You can close this page.")
}

// isExpected reports whether a request belongs to the login. That is true once.
func (p *page) isExpected(state string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state == "" || subtle.ConstantTimeCompare([]byte(p.state), []byte(state)) != 1 {
		return false
	}
	p.state = ""
	return true
}

func (p *page) show(w http.ResponseWriter, status int, text string) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	h.Set("Connection", "close")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<!doctype html><title>chibi</title><p>%s</p>\n", html.EscapeString(text))
}

func (e *pageError) Unwrap() error { return e.error }
