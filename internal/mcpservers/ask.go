package mcpservers

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
func (h *Host) ask(ctx context.Context, server mcp.Server) (mcp.List, error) {
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

// AskUnknown asks all servers at once that never said which tools they have, unless one could
// not be asked a short while ago. It says who did not answer.
func (h *Host) AskUnknown(ctx context.Context) error {
	var unknown []mcp.Server
	for _, s := range h.Servers {
		e, _ := h.memory.Find(s.Server)
		switch {
		case e.IsLeftOut(time.Now()):
			h.Notice(fmt.Sprintf("left out: %s (%s; asked again after %s, or by: chibi mcp refresh %s)", e.Failure,
				humanize.Time(e.Failed), e.Failed.Add(mcplists.Patience).Local().Format("15:04"), s.Name))
		case e.List == nil:
			unknown = append(unknown, s.Server)
		}
	}
	return h.askAll(ctx, unknown)
}

// askAll asks servers at the same time, and remembers for later runs what they say.
func (h *Host) askAll(ctx context.Context, servers []mcp.Server) error {
	if len(servers) == 0 {
		return nil
	}
	names := []string{}
	for _, s := range servers {
		names = append(names, s.Name)
	}
	defer h.Waiting("MCP servers " + strings.Join(names, ", "))()
	failures := together(len(servers), func(i int) error {
		_, err := h.ask(ctx, servers[i])
		return err
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, err := range failures {
		if err != nil {
			h.Notice(fmt.Sprintf("left out: %v", err))
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

// Begin asks servers in the background that were not asked for long, or that could not be
// asked. It does so once.
func (h *Host) Begin() {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.begun || h.closed {
		return
	}
	h.begun = true
	for _, s := range h.Servers {
		if e, _ := h.memory.Find(s.Server); e.IsOld(time.Now()) {
			h.askLater(s.Server)
		}
	}
}

// renewal is the asking of a server that said that its tools have changed.
type renewal struct {
	done  chan struct{} // closed when it has answered
	again bool          // it has said so again since
}

// listChanged is called when a server says that its tools have changed. chibi asks it at once,
// unless a request of the model still waits for the answer to an earlier notice: then chibi asks it
// once more for the next request, however often it says so.
func (h *Host) listChanged(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s, ok := h.find(name)
	switch {
	case !ok || h.closed:
	case h.renewals[name] != nil:
		h.renewals[name].again = true
	default:
		h.renewals[name] = &renewal{done: h.askLater(s.Server)}
	}
}

// patience is how long a request waits for the lists of servers that say that their tools
// have changed.
const patience = 2 * time.Second

// HaveChanged reports whether what servers offer has changed since the tools of the session
// were made of it. A server that has just said so is waited for.
func (h *Host) HaveChanged(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for range 2 { // what is under way, and what is wanted then
		for _, done := range h.underWay() {
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

// underWay returns what is closed when servers that said that their tools have changed have
// answered. Those that have, and said it again, are asked again.
func (h *Host) underWay() (waiting []chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for name, r := range h.renewals {
		s, _ := h.find(name)
		select {
		case <-r.done:
			delete(h.renewals, name)
			if !r.again || h.closed {
				continue
			}
			r = &renewal{done: h.askLater(s.Server)}
			h.renewals[name] = r
		default:
		}
		waiting = append(waiting, r.done)
	}
	return waiting
}
