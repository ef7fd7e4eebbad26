//go:build linux

package campaign

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"time"
)

// hostileServer is a server that misbehaves, and the exit status of the run; -1: several
// are right.
type hostileServer struct {
	name string
	code int
	do   func(w http.ResponseWriter, r *http.Request)
}

func hostileServers() []hostileServer {
	return append(hostileBytes(), hostileAnswers()...)
}

// hostileBytes misbehave below the level of chat completions.
func hostileBytes() []hostileServer {
	return []hostileServer{
		{"closes at once", 1, raw("")},
		{"says nothing", 1, hang},
		{"stops after its headers", 1, events(hang)},
		{"stops in the middle", 1, events(write(piece("hel")), hang)},
		{"closes in the middle", 1, events(write(piece("hel")))},
		{"closes in the middle of a chunk", 1, raw("HTTP/1.1 200 OK\r\nContent-Type: " +
			"text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\nff\r\ndata: {")},
		{"sends a chunk of a wrong length", 1, raw("HTTP/1.1 200 OK\r\nContent-Type: " +
			"text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n")},
		{"promises more bytes than it sends", 1, raw("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " +
			"999999\r\n\r\n{")},
		{"is no web server", 1, raw("220 mail.example.com ESMTP\r\n")},
		{"sends binary rubbish", 1, raw(strings.Repeat("\x00\xff\x1b[2J", 99999))},
		{"sends 100 MB of headers", 1, func(w http.ResponseWriter, _ *http.Request) {
			forever(w, "HTTP/1.1 200 OK\r\n", "X-Filler: "+strings.Repeat("x", 1000)+"\r\n")
		}},
		{"drips its headers", 1, func(w http.ResponseWriter, r *http.Request) {
			conn, out := hijack(w)
			defer conn.Close()
			for out.Flush() == nil {
				out.WriteString("H")
				if !pause(r, 50*time.Millisecond) {
					return
				}
			}
		}},
		{"redirects elsewhere", 1, redirect(307)},
		{"redirects elsewhere for good", 1, redirect(308)},
		{"redirects to itself", 1,
			func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, r.URL.Path, http.StatusFound)
			}},
		{"sends events without an end", -1, events(endless(piece(strings.Repeat("word ", 2000))))},
		{"sends comments without an end", 1, events(endless(": ping\n\n"))},
		{"drips comments", 1, events(func(w http.ResponseWriter, r *http.Request) {
			for io.WriteString(w, ": ping\n\n"); pause(r, 100*time.Millisecond); io.WriteString(w, ": ping\n\n") {
				w.(http.Flusher).Flush()
			}
		})},
		{"sends one line without an end", 1, events(write("data: "), endless(strings.Repeat("x", 65536)))},
		{"sends empty events without an end", 1, events(endless("data:\n\n"))},
		{"sends JSON without an end", 1, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			endless(strings.Repeat(" ", 65536))(w, r)
		}},
		{"sends a compressed bomb", 1, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(bomb())
		}},
	}
}

// hostileAnswers misbehave in the content of chat completions.
func hostileAnswers() []hostileServer {
	deep := strings.Repeat("[", 20_000_000)
	return []hostileServer{
		{"fails with 500 and 50 MB", 1, status(500, strings.Repeat("no ", 17_000_000))},
		{"fails with 400 and control sequences", 1, status(400, "{\"error\": {\"message\": \"\\u001b]52;c;aGk=\\u0007\"}}")},
		{"fails with 429 and wants an hour", 1, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", "3600")
			status(429, "slow down")(w, r)
		}},
		{"fails with 401 and the key", 1,
			func(w http.ResponseWriter, r *http.Request) {
				status(401, r.Header.Get("Authorization"))(w, r)
			}},
		{"sends an event of 20 million brackets", 1, events(write("data: "+deep+"\n\n"), done)},
		{"sends an event that is no JSON", 1, events(write("data: hello\n\n"), done)},
		{"sends an error in the middle", 1, events(write(piece("hel")),
			write("data: {\"error\": {\"message\": \"overloaded\"}}\n\n"), done)},
		{"sends wrong types", 6, events(write(`data: {"id": [], "model": {}, "choices": {"0": 7}, "usage": "much"}`+"\n\n"),
			write(`data: {"choices": [{"delta": {"content": 7, "tool_calls": {"index": "x", "function": []}}, `+
				`"finish_reason": []}]}`+"\n\n"), done)},
		{"sends no choices", 6, events(write("data: {\"choices\": []}\n\n"), done)},
		{"ends for length", 7, events(write(piece("cut off")), write(finish("length")), done)},
		{"ends for its filter", 8, events(write(piece("cut off")), write(finish("content_filter")), done)},
		{"calls tools twice by one id", -1, toolCalls("same", "same")},
		{"calls a tool at index 2^62", -1, events(write(`data: {"choices": [{"delta": {"tool_calls": [{"index": `+
			`4611686018427387904, "id": "x", "function": {"name": "update_todos", "arguments": `+
			`"{}"}}]}}]}`+"\n\n"), write(finish("tool_calls")), done)},
		{"calls 100,000 tools", -1,
			func(w http.ResponseWriter, r *http.Request) {
				toolCalls(make([]string, 100_000)...)(w, r)
			}},
		{"calls a tool with arguments without an end", -1,
			events(endless(`data: {"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "x", "function": {"name": ` +
				`"update_todos", "arguments": "` + strings.Repeat("x", 9999) + `"}}]}}]}` + "\n\n"))},
	}
}

type answer = func(w http.ResponseWriter, r *http.Request)

func piece(text string) string {
	return fmt.Sprintf("data: {\"choices\": [{\"delta\": {\"content\": %q}}]}\n\n", text)
}

func finish(reason string) string {
	return fmt.Sprintf("data: {\"choices\": [{\"delta\": {}, \"finish_reason\": %q}]}\n\n", reason)
}

func done(w http.ResponseWriter, r *http.Request) { write("data: [DONE]\n\n")(w, r) }

func write(text string) answer {
	return func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, text)
		w.(http.Flusher).Flush()
	}
}

func events(parts ...answer) answer {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		write("")(w, r)
		for _, part := range parts {
			part(w, r)
		}
	}
}

func hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// pause waits, and reports whether the client is still connected.
func pause(r *http.Request, d time.Duration) bool {
	select {
	case <-r.Context().Done():
		return false
	case <-time.After(d):
		return true
	}
}

// endless writes until the client disconnects, or 2 GB are written.
func endless(text string) answer {
	return func(w http.ResponseWriter, r *http.Request) {
		for n := 0; n < 2<<30 && r.Context().Err() == nil; n += len(text) {
			if _, err := io.WriteString(w, text); err != nil {
				return
			}
		}
	}
}

func status(code int, text string) answer {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		io.WriteString(w, text)
	}
}

func redirect(code int) answer {
	return func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, strings.Replace("http://"+r.Host+"/elsewhere", "127.0.0.1", "localhost", 1), code)
	}
}

func hijack(w http.ResponseWriter) (io.Closer, *bufio.ReadWriter) {
	conn, both, _ := w.(http.Hijacker).Hijack()
	return conn, both
}

func raw(text string) answer {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, out := hijack(w)
		defer conn.Close()
		out.WriteString(text)
		out.Flush()
	}
}

func forever(w http.ResponseWriter, begin, text string) {
	conn, out := hijack(w)
	defer conn.Close()
	out.WriteString(begin)
	for n := 0; n < 100<<20; n += len(text) {
		if _, err := out.WriteString(text); err != nil {
			return
		}
	}
}

func toolCalls(ids ...string) answer {
	var text bytes.Buffer
	for i, id := range ids {
		fmt.Fprintf(&text, `data: {"choices": [{"delta": {"tool_calls": [{"index": %d, "id": %q, "function": {"name": `+
			`"update_todos", "arguments": "{\"content\": \"x\"}"}}]}}]}`+"\n\n", i, id)
	}
	return onFirst(events(write(text.String()), write(finish("tool_calls")), done))
}

// onFirst misbehaves until a tool has answered.
func onFirst(first answer) answer {
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if bytes.Contains(body, []byte(`"role":"tool"`)) {
			events(write(piece("done")), write(finish("stop")), done)(w, r)
			return
		}
		first(w, r)
	}
}

// bomb is 1 GB of spaces in 1 MB.
var bomb = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	compress(&b, []byte("data: "), bytes.Repeat([]byte(" "), 1<<20), 1024)
	return b.Bytes()
})

const secretKey = "sk-campaign-0123456789abcdefghij"

// attackByServer asks a hostile server, and then a good one.
func attackByServer(a *attempt) {
	list := hostileServers()
	s := list[a.number%len(list)]
	var mu sync.Mutex
	elsewhere := 0
	mux := http.NewServeMux()
	mux.HandleFunc("/v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // or the end of the client is not noticed
		r.Body = io.NopCloser(bytes.NewReader(body))
		s.do(w, r)
	})
	mux.HandleFunc("/elsewhere", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		elsewhere++
		mu.Unlock()
	})
	server := httptest.NewServer(mux)
	h := a.home("home")
	h.write("config.toml", fmt.Sprintf("api_key = %q\nmodel = \"m\"\nbase_url = %q\nrequest_idle_timeout_ms = 1000\n%s",
		secretKey, server.URL+"/v1", quicker))
	a.Tried++
	o := h.runFor(2*time.Minute, nil, "-C", "work", "hello")
	server.CloseClientConnections()
	server.Close()
	name := "a server that " + s.name
	switch {
	case o.hung:
		a.found(hung, "%s", name)
	case crashed(o) || s.code >= 0 && o.code != s.code:
		a.found(broken, "%s: exit status %d: %s", name, o.code, o.errs)
	}
	if elsewhere > 0 {
		a.found(lost, "%s: the conversation went elsewhere", name)
	}
	if text, _ := os.ReadFile(h.at("contexts", "work", "trace.jsonl")); bytes.Contains(text, []byte(secretKey)) {
		a.found(lost, "%s: the key is in the trace", name)
	}
	h.nothingLeft(soon)
	h.goesOn(name)
}

// goesOn checks that the conversation continues with a server that works, and that the
// request to it is not too large.
func (h home) goesOn(name string) {
	size := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		size = len(body)
		events(write(piece("all is well")), write(finish("stop")), done)(w, r)
	}))
	defer server.Close()
	h.write("config.toml", fmt.Sprintf("model = \"m\"\nbase_url = %q\n", server.URL+"/v1"))
	o := h.run("-C", "work", "still there?")
	if o.code != 0 || !strings.Contains(o.out, "all is well") {
		h.found(broken, "%s: afterwards: exit status %d: %s", name, o.code, o.errs)
	}
	if size > 40<<20 {
		h.found(broken, "%s: the next request has %d bytes", name, size)
	}
}

// quicker shortens the time limit for servers that send nothing.
const quicker = "request_first_byte_timeout_ms = 2000\n"

// status400 refuses every request with a text.
func status400(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { status(400, text)(w, nil) }
}
