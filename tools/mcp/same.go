package mcp

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
)

// offer is what a server says about its tools on one connection. Lists of tools are
// remembered for a day, so a tool that was allowed may have become another one.
type offer struct {
	// stale says that the server said that its tools have changed, and was not asked for them since.
	stale atomic.Bool

	mu       sync.Mutex
	tools    map[string]Definition // nil: it was not asked yet
	verified map[string]string     // hashes that were compared, by the names of tools
}

// set remembers a list that was just made.
func (o *offer) set(list []Definition) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.put(list)
}

// forget makes the next call ask for a list.
func (o *offer) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tools = nil
}

func (o *offer) put(list []Definition) {
	o.tools, o.verified = make(map[string]Definition, len(list)), map[string]string{}
	for _, d := range list {
		o.tools[d.Name] = d
	}
}

// wanted is a tool to call. The hash is the hash of the definition that the rules saw;
// "": it may have any.
type wanted struct{ name, hash string }

// check returns an error unless the server of a session says now of a tool what it said when
// a call of it was allowed. The server is asked once on a connection, and again when it says
// that its tools have changed.
func (o *offer) check(ctx context.Context, s *session, tool wanted) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.tools == nil || o.stale.Load() {
		c := collector{session: s, seen: map[string]bool{}}
		list, err := c.collect(ctx)
		if err != nil {
			o.tools = nil
			return fmt.Errorf("MCP server %q did not list its tools, so whether its tool %q is what was allowed cannot be "+
				"told: %w", s.server.Name, tool.name, err)
		}
		o.put(list.Tools)
	}
	if o.verified[tool.name] == tool.hash {
		return nil
	}
	now, isThere := o.tools[tool.name]
	switch {
	case !isThere:
		return fmt.Errorf("MCP server %q has no tool %q any more%s", s.server.Name, tool.name, newList)
	case now.Hash() != tool.hash:
		return fmt.Errorf("MCP server %q has changed its tool %q since its tools were listed, so it was not called%s",
			s.server.Name, tool.name, newList)
	}
	o.verified[tool.name] = tool.hash
	return nil
}

// newList says what comes of a change.
const newList = "; its tools are listed again, and offered as they are then"
