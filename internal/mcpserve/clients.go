package mcpserve

import (
	"fmt"
	"sync"

	"github.com/chibi-host/chibi/internal/term"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// client is a program that calls tools.
type client struct {
	life  life
	tools *Client
	turn  chan struct{} // holds an element while its person is asked
}

func newClient(served *Tools) *client {
	return &client{tools: served.Client(person{}), turn: make(chan struct{}, 1)}
}

// clients are those that are connected.
type clients struct {
	served *Tools
	common *client // of those that have no session

	mu   sync.Mutex
	list map[*sdk.ServerSession]*client
}

// of returns the client of a session. A permission for the session holds only there; clients
// without sessions are one client.
func (c *clients) of(session *sdk.ServerSession) *client {
	if isSessionless(session) {
		return c.common
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	one, known := c.list[session]
	if !known {
		one = newClient(c.served)
		c.list[session] = one
		go func() {
			session.Wait()
			one.life.end()
			c.mu.Lock()
			defer c.mu.Unlock()
			delete(c.list, session)
		}()
	}
	return one
}

// dismiss ends the calls of a session.
func (c *clients) dismiss(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for session, one := range c.list {
		if session.ID() == id {
			one.life.end()
		}
	}
}

// isSessionless reports whether a session is one in name only.
func isSessionless(session *sdk.ServerSession) bool {
	begun := session.InitializeParams()
	return begun != nil && begun.ProtocolVersion >= sessionless
}

// maxWho bounds the name of a client in the trace, in characters.
const maxWho = 60

// whoIs names a client for people.
func whoIs(session *sdk.ServerSession) string {
	begun := session.InitializeParams()
	if begun == nil || begun.ClientInfo == nil || begun.ClientInfo.Name == "" {
		return "an MCP client"
	}
	return fmt.Sprintf("the MCP client %s", term.Clip(term.Name(begun.ClientInfo.Name), maxWho))
}

// sessionless is the first version of the protocol without sessions: the server asks a client
// something by ending its request with questions, and the client repeats the request with
// the answers.
const sessionless = "2026-07-28"
