package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/llm/openai"
)

// TestNoRedirectIsFollowed: whatever the status and wherever it leads, neither
// the key nor the conversation goes there, and it is asked once.
func TestNoRedirectIsFollowed(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
			body, _ := io.ReadAll(req.Body)
			t.Errorf("%d: followed with %q and %q", status, req.Header.Get("Authorization"), body)
		}))
		defer elsewhere.Close()
		for name, to := range map[string]string{"another host": elsewhere.URL + "/v1/chat?key=secret",
			"the same": "/v1/chat/completions"} {
			tries := 0
			client, _ := serve(t, func(w http.ResponseWriter, req *http.Request) {
				tries++
				http.Redirect(w, req, to, status)
			})
			client.Key = "secret"
			_, err := client.Stream(t.Context(), json.RawMessage(`{"words":"ours"}`), nil)
			address := strings.TrimSuffix(to, "?key=secret")
			if err == nil || !strings.Contains(err.Error(), "it redirects to ") ||
				!strings.Contains(err.Error(), address+"; chibi does not follow redirects") || tries != 1 {
				t.Errorf("%d to %s: %d tries, error %v", status, name, tries, err)
			}
			if _, err := client.Ping(t.Context()); err == nil || strings.Contains(err.Error(), "secret") {
				t.Errorf("%d to %s: a ping says %v", status, name, err)
			}
		}
	}
}

// failing is a transport that fails.
type failing struct {
	err   error
	tries int
}

func (f *failing) RoundTrip(*http.Request) (*http.Response, error) {
	f.tries++
	return nil, f.err
}

// root is what an error is about, without what was called.
func root(err error) error {
	for errors.Unwrap(err) != nil {
		err = errors.Unwrap(err)
	}
	return err
}

func TestOnlyFailuresThatPassAreTriedAgain(t *testing.T) {
	for _, test := range []struct {
		name  string
		err   error
		tries int
	}{
		{"the connection is refused", &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, 4},
		{"the connection breaks", &net.OpError{Op: "read", Err: syscall.ECONNRESET}, 4},
		{"the connection ends", io.EOF, 4},
		{"names cannot be looked up now", &net.DNSError{Err: "server misbehaving", IsTemporary: true}, 4},
		{"an unknown host", &net.DNSError{Err: "no such host", IsNotFound: true}, 1},
		{"an unknown host, says a server that is not sure",
			&net.DNSError{Err: "no such host", IsNotFound: true, IsTemporary: true}, 1},
		{"a host that does not answer", &net.OpError{Op: "dial", Err: syscall.ETIMEDOUT}, 4},
		{"a host that does not answer in our time", &net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}, 4},
		{"HTTP/2: the connection is lost", errors.New("http2: client connection lost"), 4},
		{"HTTP/2: the server goes away", errors.New("http2: server sent GOAWAY and closed the connection; LastStreamID=1, " +
			"ErrCode=NO_ERROR, debug=\"\""), 4},
		{"anything else", errors.New("malformed HTTP response"), 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			transport := &failing{err: test.err}
			client := &openai.Client{URL: "http://model.test/v1", HTTP: &http.Client{Transport: transport},
				Sleep: func(context.Context, time.Duration) error { return nil }}
			if _, err := client.Stream(t.Context(), json.RawMessage(`{}`), nil); !errors.Is(err, root(test.err)) ||
				transport.tries != test.tries {
				t.Errorf("%d tries, %v; want %d", transport.tries, err, test.tries)
			}
		})
	}
}

// alerts is the address of a server that answers as TLS does to what is no TLS.
func alerts(t *testing.T) string { return says(t, "\x15\x03\x01\x00\x02\x02\x50") }

// greets is the address of a server that speaks neither HTTP nor TLS.
func greets(t *testing.T) string { return says(t, "220 mail.test ESMTP\r\n") }

// says is the address of a server that sends a text on every connection.
func says(t *testing.T, text string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			conn.Read(make([]byte, 64<<10))
			io.WriteString(conn, text)
			conn.Close()
		}
	}()
	return listener.Addr().String()
}

func TestAWrongAddressIsTriedOnce(t *testing.T) {
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	for _, test := range []struct{ name, url, want string }{
		{"a certificate that nobody signed", secure.URL, "certificate"},
		{"https to a server without it", strings.Replace(plain.URL, "http:", "https:", 1),
			"write http:// in base_url"},
		{"http to a server of https", strings.Replace(secure.URL, "https:", "http:", 1), "write https:// in base_url"},
		{"http to a server of TLS", "http://" + alerts(t), "write https:// in base_url"},
		{"https to a server of something else", "https://" + greets(t), "write http:// in base_url"},
		{"an unknown scheme", "gopher://localhost/v1", `unsupported protocol scheme "gopher"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			again := 0
			client := &openai.Client{URL: test.url, Sleep: func(context.Context, time.Duration) error { again++; return nil }}
			if _, err := client.Stream(t.Context(), json.RawMessage(`{}`), nil); err == nil ||
				!strings.Contains(err.Error(), test.want) || again != 0 {
				t.Errorf("asked again %d times, error %v", again, err)
			}
		})
	}
}

func TestARequestThatIsTooLongIsRecognized(t *testing.T) {
	for _, test := range []struct {
		status int
		body   string
		want   bool
	}{
		{413, "", true},
		{400, `{"error":{"message":"This model's maximum context length is 8192 tokens.","code":"context_length_exceeded"}}`,
			true},
		{400, `{"error":{"message":"prompt is too long: 210000 tokens > 200000 maximum"}}`, true},
		{400, `{"error":{"message":"the request exceeds the available context size"}}`, true},
		{400, `{"error":{"message":"Input length 9000 exceeds the limit of 8192 tokens"}}`, true},
		{400, `{"error":{"message":"messages[3]: unknown role"}}`, false},
		{404, `{"error":{"message":"no such model, maximum 8 tokens"}}`, false},
	} {
		client, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(test.status)
			io.WriteString(w, test.body)
		})
		if _, err := client.Stream(t.Context(), json.RawMessage(`{}`), nil); errors.Is(err, llm.ErrTooLong) != test.want {
			t.Errorf("%d %s: %v", test.status, test.body, err)
		}
	}
}

// TestAShortKeyIsNoSecret: local servers take any key, and words stay words.
func TestAShortKeyIsNoSecret(t *testing.T) {
	client, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		io.WriteString(w, `{"error":"no such model here"}`)
	})
	client.Key = "e"
	if _, err := client.Stream(t.Context(), json.RawMessage(`{}`), nil); !strings.Contains(err.Error(),
		"no such model here; check base_url") {
		t.Errorf("%q", err)
	}
}

// TestAnErrorHoldsNothingDangerous: neither the key, which some servers send
// back, nor control sequences.
func TestAnErrorHoldsNothingDangerous(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"an error status": func(w http.ResponseWriter, req *http.Request) {
			w.WriteHeader(http.StatusUnauthorized)
			io.WriteString(w, `{"error":{"message":"\u001b]52;c;aGk=\u0007 \u009b2J who is `+
				req.Header.Get("Authorization")+`?"}}`)
		},
		"an error in the stream": func(w http.ResponseWriter, req *http.Request) {
			io.WriteString(w, `data: {"error":"\u001b[2J who is `+req.Header.Get("Authorization")+`?"}`+"\n\n")
		},
	} {
		client, _ := serve(t, handler)
		client.Key = "sk-secret"
		_, err := client.Stream(t.Context(), json.RawMessage(`{}`), nil)
		if err == nil || strings.ContainsAny(err.Error(), "\u001b\u0007\u009b") ||
			!strings.Contains(err.Error(), "who is Bearer [api_key]?") {
			t.Errorf("%s: %q", name, err)
		}
	}
}
