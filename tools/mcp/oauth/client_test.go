package oauth

import (
	"strings"
	"testing"

	"github.com/chibi-host/chibi/tools/mcp"
)

func TestAServerOnTheInternetLeadsToNoPrivateNetwork(t *testing.T) {
	for _, test := range []struct{ server, address, want string }{
		{"https://8.8.8.8/mcp", "8.8.4.4:443", ""},
		{"https://8.8.8.8/mcp", "127.0.0.1:80",
			"127.0.0.1 is a loopback address, to which a server on the Internet may not lead"},
		{"https://8.8.8.8/mcp", "192.168.1.1:443", "is a private network address"},
		{"https://8.8.8.8/mcp", "[::ffff:10.0.0.1]:443", "is a private network address"},
		{"https://8.8.8.8/mcp", "169.254.169.254:80", "is a cloud metadata address"},
		{"https://8.8.8.8/mcp", "unix", "not an ip:port"},
		{"http://127.0.0.1:1/mcp", "127.0.0.1:2", ""},
		{"https://10.0.0.1/mcp", "192.168.1.1:443", ""},
		{"https://10.0.0.1/mcp", "169.254.169.254:80", "is a cloud metadata address"},
	} {
		err := refusePrivate(mcp.Server{URL: test.server})("tcp", test.address, nil)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s to %s: %v, want %q", test.server, test.address, err, test.want)
		}
	}
}

func TestALoginDoesNotShowItsTokens(t *testing.T) {
	l := login{Server: "notes", AccessToken: "secret", RefreshToken: "secret", ClientSecret: "secret"}
	for _, text := range []string{l.String(), l.GoString()} {
		if text != "the login at MCP server notes" {
			t.Error(text)
		}
	}
}
