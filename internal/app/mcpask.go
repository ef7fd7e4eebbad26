package app

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/chibi-host/chibi/internal/mcplists"
	"github.com/chibi-host/chibi/tools/mcp"
	"github.com/dustin/go-humanize"
)

// ask asks a server for its tools, and remembers the answer. All of that has the time that the
// server has to start.
func (h *serverHost) ask(ctx context.Context, server mcp.Server) (mcp.List, error) {
	most := cmp.Or(server.Start, mcp.StartTimeout)
	within, cancel := context.WithTimeoutCause(ctx, most, fmt.Errorf("MCP server %q did not say within %s "+
		"(start_timeout_ms) which tools it has; see: chibi mcp check %s", server.Name, most, server.Name))
	defer cancel()
	list, err := h.pool.List(within, server)
	if err != nil && ctx.Err() != nil {
		return list, ctx.Err()
	}
	if err != nil && within.Err() != nil {
		err = context.Cause(within)
	}
	if err == nil {
		if err = h.memory.Answered(server, list); err != nil {
			err = fmt.Errorf("MCP server %q: %w; turn it off with enabled = false", server.Name, err)
		}
	}
	if err != nil {
		h.memory.Failed(server, err, time.Now())
		return list, err
	}
	h.mu.Lock()
	h.changed = true
	h.mu.Unlock()
	return list, nil
}

// askUnknown asks all servers at once that never said which tools they have, unless one could
// not be asked a short while ago. It says who did not answer.
func (h *serverHost) askUnknown(ctx context.Context) error {
	var unknown []mcp.Server
	for _, s := range h.servers {
		e, _ := h.memory.Find(s.Server)
		switch {
		case e.IsLeftOut(time.Now()):
			h.person.notice(fmt.Sprintf("left out: %s (%s; asked again after %s, or by: chibi mcp refresh %s)", e.Failure,
				humanize.Time(e.Failed), e.Failed.Add(mcplists.Patience).Local().Format("15:04"), s.Name))
		case e.List == nil:
			unknown = append(unknown, s.Server)
		}
	}
	return h.askAll(ctx, unknown)
}

// askAll asks servers at the same time, and remembers for later runs what they say.
func (h *serverHost) askAll(ctx context.Context, servers []mcp.Server) error {
	if len(servers) == 0 {
		return nil
	}
	names := []string{}
	for _, s := range servers {
		names = append(names, s.Name)
	}
	defer h.person.waiting("MCP servers " + strings.Join(names, ", "))()
	failures := together(len(servers), func(i int) error {
		_, err := h.ask(ctx, servers[i])
		return err
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, err := range failures {
		if err != nil {
			h.person.notice(fmt.Sprintf("left out: %v", err))
		}
	}
	h.save()
	return nil
}

// together calls do with each number below n at the same time, and returns the errors in
// their order.
func together(n int, do func(i int) error) []error {
	failures := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { failures[i] = do(i) })
	}
	all.Wait()
	return failures
}

// begin asks servers in the background that were not asked for long, or that could not be
// asked. It does so once.
func (h *serverHost) begin() {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.begun || h.closed {
		return
	}
	h.begun = true
	for _, s := range h.servers {
		if e, _ := h.memory.Find(s.Server); e.IsOld(time.Now()) {
			h.askLater(s.Server)
		}
	}
}

// listChanged is called when a server says that its tools have changed.
func (h *serverHost) listChanged(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s, ok := h.find(name); ok && !h.closed {
		h.pending = append(h.pending, h.askLater(s.Server))
	}
}

// patience is how long a request waits for the lists of servers that say that their tools
// have changed.
const patience = 2 * time.Second

// haveChanged reports whether what servers offer has changed since the tools of the session
// were made of it. A server that has just said so is waited for.
func (h *serverHost) haveChanged(ctx context.Context) bool {
	h.mu.Lock()
	pending := h.pending
	h.pending = nil
	h.mu.Unlock()
	if len(pending) > 0 {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		for _, done := range pending {
			select {
			case <-done:
			case <-ctx.Done():
			}
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.changed
}
