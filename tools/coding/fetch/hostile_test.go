package fetch_test

import (
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/tools/coding/fetch"
)

// raw starts a server that writes what it likes, and returns its port.
func raw(t *testing.T, write func(conn net.Conn)) (port string) {
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
			go func() {
				defer conn.Close()
				conn.Read(make([]byte, 4096))
				write(conn)
			}()
		}
	}()
	_, port, _ = net.SplitHostPort(listener.Addr().String())
	return port
}

// forever writes a text again and again, until the connection is closed.
func forever(conn net.Conn, text string) {
	for text = strings.Repeat(text, 8<<10); ; {
		if _, err := io.WriteString(conn, text); err != nil {
			return
		}
	}
}

// TestServersThatMisbehave: each fetch ends with a message, in time, in bounded memory.
func TestServersThatMisbehave(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
	for name, test := range map[string]struct {
		write func(net.Conn)
		want  string
	}{
		"closes at once": {func(net.Conn) {}, "EOF"},
		"is not HTTP":    {func(c net.Conn) { io.WriteString(c, "SSH-2.0-OpenSSH\r\n") }, "malformed HTTP"},
		"endless headers": {func(c net.Conn) { io.WriteString(c, ok); forever(c, "X-A: b\r\n") }, "response " +
			"headers exceeded"},
		"one endless header": {func(c net.Conn) { io.WriteString(c, ok+"X: "); forever(c, "aaaaaaaa") },
			"response headers exceeded"},
		"headers that stop": {func(c net.Conn) { io.WriteString(c, ok); c.Read(make([]byte, 1)) }, "no answer " +
			"within 1s"},
		"endless 100s": {func(c net.Conn) { forever(c, "HTTP/1.1 100 Continue\r\n\r\n") }, "Error: "},
		"endless body": {func(c net.Conn) { io.WriteString(c, ok+"\r\n"); forever(c, "abcdefgh") },
			"note: only the first"},
		"endless chunk line": {func(c net.Conn) {
			io.WriteString(c, ok+"Transfer-Encoding: chunked\r\n\r\n1;")
			forever(c, "aaaaaaaa")
		}, "Error: reading "},
		"a redirect with an endless body": {func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 302 Found\r\nLocation: http://other.test/\r\n\r\n")
			forever(c, "abcdefgh")
		}, "redirects to http://other.test/, which was not fetched"},
		"a redirect to itself": {func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 302 Found\r\nLocation: ?\r\nContent-Length: 0\r\n\r\n")
		}, "redirects in a circle"},
		"an error with an endless body": {func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 500 \x1b[31mred\r\n\r\n")
			forever(c, "abcdefgh")
		}, ": 500 Internal Server Error\nabcdefgh"},
		"a type with control characters": {func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: text/\x1b[31m\r\nContent-Length: 1\r\n\r\nx")
		}, ""},
		"a location with control characters": {func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 302 Found\r\nLocation: http://other.test/\x01\r\n\r\n")
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			u := setUp(t, fetch.Config{}, "http://127.0.0.1:*")
			seconds := "30"
			if strings.HasSuffix(test.want, "within 1s") {
				seconds = "1"
			}
			got := u.fetch(t, `{"url": "http://127.0.0.1:`+raw(t, test.write)+`/", "timeout_secs": `+seconds+`}`)
			if !strings.Contains(got.Text, test.want) || len(got.Text) > 2<<20 || strings.ContainsAny(got.Text,
				"\x1b\x01") {
				t.Errorf("%.500q, want %q", got.Text, test.want)
			}
		})
	}
}

// TestNothingIsLeftRunning: connections and goroutines of fetches end with them.
func TestNothingIsLeftRunning(t *testing.T) {
	port := raw(t, func(c net.Conn) {
		io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n")
		forever(c, "abcdefgh")
	})
	u := setUp(t, fetch.Config{}, "http://127.0.0.1:*")
	before := runtime.NumGoroutine()
	for range 20 {
		u.fetch(t, `{"url": "http://127.0.0.1:`+port+`/", "max_bytes": 1000}`)
	}
	for deadline := time.Now().Add(time.Minute); runtime.NumGoroutine() > before+5; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines are left of %d", runtime.NumGoroutine()-before, before)
		}
	}
}
