package cli_test

import (
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// TestATurnHasOneConnection: five responses with tool calls and the answer after
// them come over one connection, whose TLS handshake is made once, of HTTP/1.1
// and HTTP/2.
func TestATurnHasOneConnection(t *testing.T) {
	for _, protocol := range []string{"HTTP/1.1", "HTTP/2.0"} {
		t.Run(protocol, func(t *testing.T) {
			var connections, requests atomic.Int32
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				if req.Proto != protocol {
					t.Errorf("it speaks %s", req.Proto)
				}
				if round := requests.Add(1); round <= 5 {
					fmt.Fprintf(w, `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c%d","function":`+
						`{"name":"update_todos","arguments":"{\"content\":\"%d\"}"}}]},"finish_reason":"tool_calls"}]}`+
						"\n\ndata: [DONE]\n\n", round, round)
					return
				}
				fmt.Fprint(w, `data: {"choices":[{"delta":{"content":"Done."},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
			}))
			server.EnableHTTP2 = protocol == "HTTP/2.0"
			server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
				if state == http.StateNew {
					connections.Add(1)
				}
			}
			server.StartTLS()
			defer server.Close()

			h := home{t, t.TempDir()}
			certificate := filepath.Join(h.folder, "server.pem")
			block := &pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}
			if err := os.WriteFile(certificate, pem.EncodeToMemory(block), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := h.command("--set", "model=m", "--set", "base_url="+server.URL+"/v1", "hello")
			cmd.Env = append(cmd.Env, "SSL_CERT_FILE="+certificate)
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), "Done.") {
				t.Errorf("%v\n%s", err, out)
			}
			if connections.Load() != 1 || requests.Load() != 6 {
				t.Errorf("%d requests over %d connections", requests.Load(), connections.Load())
			}
		})
	}
}
