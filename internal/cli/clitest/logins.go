package clitest

import (
	"context"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/tools/mcp/oauth/oauthtest"
	"github.com/rogpeppe/go-internal/testscript"
)

// loginsKey is where a script keeps its servers.
type loginsKey struct{}

// serveLogins is the command "logins [expire|revoke|secret FILE...]": an MCP server that wants
// logins, at $MCP_URL, and what happens to those. secret fails if a file has a token.
func serveLogins(ts *testscript.TestScript, _ bool, args []string) {
	servers, _ := ts.Value(loginsKey{}).(*loginServers)
	switch {
	case len(args) == 0:
		ts.Setenv("MCP_URL", servers.start())
	case args[0] == "expire":
		servers.Expire()
	case args[0] == "revoke":
		servers.RevokeAll()
	case args[0] == "secret":
		for _, file := range args[1:] {
			if servers.Leaked(ts.ReadFile(file)) != "" {
				ts.Fatalf("%s has a token", file)
			}
		}
	}
}

// loginServers starts servers when a script asks for them.
type loginServers struct {
	*oauthtest.Servers
	t testing.TB
}

func (s *loginServers) start() string {
	s.Servers = oauthtest.Start(s.t, oauthtest.Settings{})
	return s.URL
}

// browse is the command "browse FILE [PAGE]": a browser that waits for an address in a file,
// follows it, and writes the last page to a file.
func browse(ts *testscript.TestScript, _ bool, args []string) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	address := ""
	for address == "" {
		text, _ := os.ReadFile(ts.MkAbs(args[0])) // it appears when the program gets there
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "http") && strings.HasSuffix(line, "\n") {
				address = strings.TrimSpace(line)
			}
		}
		select {
		case <-ctx.Done():
			ts.Fatalf("%s has no address: %s", args[0], text)
		case <-time.After(10 * time.Millisecond):
		}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	ts.Check(err)
	res, err := http.DefaultClient.Do(req)
	ts.Check(err)
	defer res.Body.Close()
	page, err := io.ReadAll(res.Body)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), page, 0o600))
}
