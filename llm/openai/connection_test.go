package openai_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chibi-host/chibi/llm/demo"
	"github.com/chibi-host/chibi/llm/openai"
)

// counted starts a server and counts the connections that it gets.
func counted(t *testing.T, handler http.HandlerFunc) (client *openai.Client, connections *atomic.Int32) {
	t.Helper()
	connections = &atomic.Int32{}
	server := httptest.NewUnstartedServer(handler)
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	client = &openai.Client{URL: server.URL + "/v1",
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}
	t.Cleanup(func() { client.Close() })
	return client, connections
}

// inTurn answers each request with the next handler.
func inTurn(handlers ...http.HandlerFunc) http.HandlerFunc {
	var n atomic.Int32
	return func(w http.ResponseWriter, req *http.Request) { handlers[n.Add(1)-1](w, req) }
}

// fails answers with a status and a text.
func fails(status int, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		io.WriteString(w, text)
	}
}

// TestRequestsShareAConnection: however an answer ended, short of being given up,
// the next request goes over the connection of the one before.
func TestRequestsShareAConnection(t *testing.T) {
	// What comes after [DONE] is sent together with it.
	tidy := streams(delta("Hi"), stop)
	whole := func(w http.ResponseWriter, req *http.Request) {
		tidy(w, req)
		io.WriteString(w, done+": and that was all\n\n")
	}
	for _, test := range []struct {
		name    string
		handler http.HandlerFunc
		asked   int
	}{
		{"answers that end with [DONE]", inTurn(whole, whole, whole, whole, whole), 5},
		{"answers that just end", inTurn(tidy, tidy, whole), 3},
		{"an answer in one piece", inTurn(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"choices":[{"message":{"content":"Hi"}}]}`)
		}, whole), 2},
		{"a busy server", inTurn(fails(429, `{"error":"slow"}`), fails(503, strings.Repeat("x", 32<<10)), whole), 1},
		{"a refused request", inTurn(fails(400, `{"error":"no"}`), whole), 2},
		{"an error in mid-stream", inTurn(func(w http.ResponseWriter, req *http.Request) {
			tidy(w, req)
			io.WriteString(w, `data: {"error":"overloaded"}`+"\n\n"+done)
		}, whole), 2},
		{"a redirect", inTurn(func(w http.ResponseWriter, req *http.Request) {
			http.Redirect(w, req, "/elsewhere", http.StatusFound)
		}, whole), 2},
	} {
		client, connections := counted(t, test.handler)
		for range test.asked {
			client.Stream(t.Context(), json.RawMessage(`{}`), nil)
		}
		if n := connections.Load(); n != 1 {
			t.Errorf("%s: %d connections for %d requests", test.name, n, test.asked)
		}
	}
}

// TestAPingSharesTheConnection: and what it asks is what prompts ask.
func TestAPingSharesTheConnection(t *testing.T) {
	var paths []string
	client, connections := counted(t, func(w http.ResponseWriter, req *http.Request) {
		paths = append(paths, req.URL.String())
		streams(delta("Hi"), stop)(w, req)
	})
	client.URL += "/?key=x"
	if _, err := client.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Stream(t.Context(), json.RawMessage(`{}`), nil); err != nil {
		t.Fatal(err)
	}
	want := "/v1/chat/completions?key=x"
	if len(paths) != 2 || paths[0] != want || paths[1] != want || connections.Load() != 1 {
		t.Errorf("%q over %d connections", paths, connections.Load())
	}
}

func TestTheDemoModelKeepsItsConnection(t *testing.T) {
	client, connections := counted(t, demo.Handler().ServeHTTP)
	body := json.RawMessage(`{"model":"demo","messages":[{"role":"user","content":"@say Hi"}]}`)
	for range 5 {
		if reply, err := client.Stream(t.Context(), body, nil); err != nil || reply.Text != "Hi" {
			t.Fatalf("%+v, %v", reply, err)
		}
	}
	if n := connections.Load(); n != 1 {
		t.Errorf("%d connections", n)
	}
}

// TestAConnectionThatWasClosedMeanwhile: a server closes a connection that was
// kept in the moment in which the next request arrives. The request is sent again
// at once, and nobody is told.
func TestAConnectionThatWasClosedMeanwhile(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	connections := make(chan net.Conn, 8)
	go func() {
		defer close(connections)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			connections <- conn
			answerOnce(conn)
		}
	}()
	client := &openai.Client{URL: "http://" + listener.Addr().String() + "/v1", Retries: -1,
		Notify: func(text string) { t.Errorf("notice: %s", text) }}
	defer client.Close()
	for range 3 {
		if reply, err := client.Stream(t.Context(), json.RawMessage(`{}`), nil); err != nil || reply.Text != "Hi" {
			t.Fatalf("%+v, %v", reply, err)
		}
	}
	if n := len(connections); n != 3 {
		t.Errorf("%d connections", n)
	}
}

// answerOnce answers the first request of a connection and closes it when the
// next one begins to arrive.
func answerOnce(conn net.Conn) {
	defer conn.Close()
	buffer := make([]byte, 64<<10)
	if _, err := conn.Read(buffer); err != nil {
		return
	}
	io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
	w := httptest.NewRecorder()
	streams(delta("Hi"), stop, done)(w, nil)
	chunked := w.Body.String()
	io.WriteString(conn, strconv.FormatInt(int64(len(chunked)), 16)+"\r\n"+chunked+"\r\n0\r\n\r\n")
	conn.Read(buffer)
}

// TestAnAnswerThatIsGivenUpIsNotRead: its connection is closed at once.
func TestAnAnswerThatIsGivenUpIsNotRead(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan struct{})
	client, _ := counted(t, func(w http.ResponseWriter, req *http.Request) {
		io.Copy(io.Discard, req.Body)
		streams(delta("Hal"))(w, req)
		<-req.Context().Done()
		close(gone)
	})
	if _, err := client.Stream(ctx, json.RawMessage(`{}`), func(string) { cancel() }); err == nil {
		t.Error("no error")
	}
	<-gone
}

func TestEndpoint(t *testing.T) {
	for base, want := range map[string]string{
		"http://localhost:11434/v1":                "http://localhost:11434/v1/chat/completions",
		"http://localhost:11434/v1/":               "http://localhost:11434/v1/chat/completions",
		"https://user:pw@h.test/openai/v1?v=1":     "https://user:pw@h.test/openai/v1/chat/completions?v=1",
		"https://h.test/api/v1/chat/completions":   "https://h.test/api/v1/chat/completions",
		"https://h.test/deployments/x/chat?v=2024": "https://h.test/deployments/x/chat?v=2024",
		"http://localhost:8080":                    "http://localhost:8080",
		"http://localhost:8080/nov1":               "http://localhost:8080/nov1",
	} {
		if got := openai.Endpoint(base); got != want {
			t.Errorf("%s leads to %s, want %s", base, got, want)
		}
	}
}
