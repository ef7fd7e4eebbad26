package openai_test

import (
	"bufio"
	"context"
	"encoding/json"
	"encoding/pem"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chibi-host/chibi/internal/childtest"
	"github.com/chibi-host/chibi/llm/openai"
)

// watched starts a server that reports the states of its connections.
func watched(t *testing.T, handler http.HandlerFunc) (server *httptest.Server, states chan http.ConnState) {
	t.Helper()
	states = make(chan http.ConnState, 64)
	server = httptest.NewUnstartedServer(handler)
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) { states <- state }
	t.Cleanup(server.Close)
	return server, states
}

// connections counts the new connections among the states so far.
func connections(states chan http.ConnState) (n int) {
	for {
		select {
		case state := <-states:
			if state == http.StateNew {
				n++
			}
		default:
			return n
		}
	}
}

func saysHi(t *testing.T, client *openai.Client) {
	t.Helper()
	reply, err := client.Stream(t.Context(), json.RawMessage(`{}`), nil)
	if err != nil || reply.Text != "Hi" {
		t.Errorf("%q, %v", reply.Text, err)
	}
}

// TestTheFirstRequestUsesTheEarlyConnection: it is there before the request.
func TestTheFirstRequestUsesTheEarlyConnection(t *testing.T) {
	server, states := watched(t, streams(delta("Hi"), stop, done))
	server.Start()
	client := &openai.Client{URL: server.URL + "/v1"}
	defer client.Close()
	client.Dial(t.Context())
	client.Dial(t.Context()) // has no effect
	if state := <-states; state != http.StateNew {
		t.Errorf("the connection is %s", state)
	}
	saysHi(t, client)
	saysHi(t, client)
	client.Dial(t.Context())
	saysHi(t, client)
	if n := connections(states); n != 0 {
		t.Errorf("%d more connections", n)
	}
}

// TestAnUnusedEarlyConnectionIsClosed by Close and by the end of the context.
func TestAnUnusedEarlyConnectionIsClosed(t *testing.T) {
	server, states := watched(t, streams())
	server.Start()
	client := &openai.Client{URL: server.URL + "/v1"}
	client.Dial(t.Context())
	<-states
	client.Close()
	for state := range states {
		if state == http.StateClosed {
			return
		}
	}
}

// TestAServerThatClosesTheEarlyConnection is asked again over another one, and nobody is
// told.
func TestAServerThatClosesTheEarlyConnection(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	closed := make(chan struct{})
	go func() {
		for first := true; ; first = false {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			if first {
				conn.Close()
				close(closed)
				continue
			}
			answerOnce(conn)
		}
	}()
	client := &openai.Client{URL: "http://" + listener.Addr().String() + "/v1", Retries: -1,
		Notify: func(text string) { t.Errorf("notice: %s", text) }}
	defer client.Close()
	client.Dial(t.Context())
	<-closed
	saysHi(t, client)
}

// TestAnEarlyConnectionThatFails is no failure of the request: a plugin may have started
// the server meanwhile.
func TestAnEarlyConnectionThatFails(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	ended, end := context.WithCancel(t.Context())
	end()
	client := &openai.Client{URL: "http://" + address + "/v1", Retries: -1}
	defer client.Close()
	client.Dial(ended)
	if listener, err = net.Listen("tcp", address); err != nil {
		t.Skipf("another process took the port %s", address)
	}
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: streams(delta("Hi"), stop, done)}}
	server.Start()
	defer server.Close()
	saysHi(t, client)
}

// TestTheEarlyConnectionHasTLS, and HTTP/2 if the server has it. The certificates that a
// process trusts are read once, so this runs in its own.
func TestTheEarlyConnectionHasTLS(t *testing.T) {
	childtest.Do(t, "CHIBI_TEST_EARLY_TLS", func(url string) {
		client := &openai.Client{URL: url + "/v1", Retries: -1}
		defer client.Close()
		client.Dial(t.Context())
		bufio.NewReader(os.Stdin).ReadString('\n') // the server has the connection
		saysHi(t, client)
		saysHi(t, client)
	})
	for _, protocol := range []int{1, 2} {
		used := make(chan int, 8)
		server, states := watched(t, func(w http.ResponseWriter, req *http.Request) {
			used <- req.ProtoMajor
			streams(delta("Hi"), stop, done)(w, req)
		})
		server.EnableHTTP2 = protocol == 2
		server.StartTLS()
		trusted := filepath.Join(t.TempDir(), "server.pem")
		block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
		if err := os.WriteFile(trusted, block, 0o600); err != nil {
			t.Fatal(err)
		}
		self := childtest.Command(t)
		child := exec.Command(self[0], self[1:]...)
		child.Env = append(childtest.Environ(t, "CHIBI_TEST_EARLY_TLS", server.URL), "SSL_CERT_FILE="+trusted)
		stdin, err := child.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			<-states
			stdin.Write([]byte("connected\n"))
		}()
		if out, err := child.CombinedOutput(); err != nil {
			t.Errorf("HTTP/%d: %v\n%s", protocol, err, out)
		}
		if n := connections(states); n != 0 || len(used) != 2 || <-used != protocol {
			t.Errorf("HTTP/%d: %d more connections, %d more requests", protocol, n, len(used))
		}
	}
}

// TestNothingIsOpenedEarlyThroughAProxy: the proxy's settings are read once, so this runs
// in its own process.
func TestNothingIsOpenedEarlyThroughAProxy(t *testing.T) {
	childtest.Do(t, "CHIBI_TEST_EARLY_PROXY", func(string) {
		client := &openai.Client{URL: "http://model.test/v1", Retries: -1}
		defer client.Close()
		client.Dial(t.Context())
		saysHi(t, client)
	})
	proxy, states := watched(t, streams(delta("Hi"), stop, done))
	proxy.Start()
	self := childtest.Command(t)
	child := exec.Command(self[0], self[1:]...)
	child.Env = append(childtest.Environ(t, "CHIBI_TEST_EARLY_PROXY", "x"), "HTTP_PROXY="+proxy.URL)
	if out, err := child.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if n := connections(states); n != 1 {
		t.Errorf("%d connections, want one", n)
	}
}
