package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/internal/term"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The bounds of a list.
const (
	maxTools     = 1000
	maxPages     = 200
	maxListBytes = 8 << 20 // of names, descriptions and schemas together
	maxName      = 1 << 10 // bytes
	maxText      = 16 << 10
	maxSchema    = 1 << 20
	maxLeftOut   = 20 // reasons
)

// List asks a server for its tools, also those that [Server.Include] and Exclude leave out.
func (p *Pool) List(ctx context.Context, server Server) (List, error) {
	s, err := p.session(ctx, server)
	if err != nil {
		return List{}, err
	}
	c := collector{session: s, seen: map[string]bool{}}
	list, err := c.collect(ctx)
	list.Fingerprint = server.Fingerprint()
	if err != nil {
		s.offer.forget()
	}
	switch {
	case ctx.Err() != nil:
		return list, ctx.Err()
	case err != nil:
		return list, helped(server, fmt.Errorf("MCP server %q did not list its tools: %w", server.Name, err))
	}
	s.offer.set(list.Tools)
	return list, nil
}

// page is a part of a server's list, as the server wrote it.
type page struct {
	Tools []json.RawMessage `json:"tools"`
	Next  string            `json:"nextCursor"`
}

type collector struct {
	session *session
	list    List
	seen    map[string]bool
	bytes   int
}

// collect asks for all tools, as they are from now on. A server that says that it has none is
// not asked.
func (c *collector) collect(ctx context.Context) (List, error) {
	c.session.offer.stale.Store(false)
	hello := c.session.client.InitializeResult()
	c.list = List{Protocol: hello.ProtocolVersion, Asked: time.Now(), Tools: []Definition{}}
	if hello.ServerInfo != nil {
		c.list.Program, c.list.Version = oneLine(hello.ServerInfo.Name), oneLine(hello.ServerInfo.Version)
	}
	if hello.Capabilities == nil || hello.Capabilities.Tools == nil {
		return c.list, nil
	}
	next := ""
	for n := 1; ; n++ {
		p, err := c.page(ctx, next)
		if err != nil {
			return c.list, err
		}
		for _, text := range p.Tools {
			c.add(text)
		}
		switch {
		case p.Next == "":
			return c.list, nil
		case p.Next == next || n == maxPages:
			c.leaveOut("what comes after page %d: its list does not end", n)
			return c.list, nil
		}
		next = p.Next
	}
}

// page asks for a part of the list.
func (c *collector) page(ctx context.Context, cursor string) (p page, err error) {
	s := c.session
	ctx, end := s.within(ctx)
	defer end()
	text, err := s.ask(ctx, func(ctx context.Context) error {
		_, err := s.client.ListTools(ctx, &sdk.ListToolsParams{Cursor: cursor})
		return err
	})
	if err != nil {
		return p, s.unanswered(ctx, err)
	}
	if err = strictjson.Decode(text, &p); err != nil {
		return p, fmt.Errorf("its list cannot be read: %w", err)
	}
	return p, nil
}

// add adds a tool, unless it is beyond a bound.
func (c *collector) add(text json.RawMessage) {
	d, err := definitionOf(text)
	size := len(d.Name) + len(d.Description) + len(d.InputSchema)
	switch {
	case len(c.list.Tools) == maxTools || c.bytes+size > maxListBytes:
		c.list.Beyond++
		return
	case err != nil:
		c.leaveOut("tool %q: %v", clip.Text(d.Name, 100), err)
		return
	case c.seen[d.Name]:
		c.leaveOut("tool %q: another one has its name", clip.Text(d.Name, 100))
		return
	}
	c.seen[d.Name] = true
	c.bytes += size
	c.list.Tools = append(c.list.Tools, d)
}

// leaveOut notes what is not in the list, and why.
func (c *collector) leaveOut(format string, args ...any) {
	if len(c.list.LeftOut) < maxLeftOut {
		c.list.LeftOut = append(c.list.LeftOut, fmt.Sprintf(format, args...))
	}
}

// definitionOf returns what a server says about a tool, from its part of the server's list.
// Texts that people see too cannot control a terminal, and have no invisible characters: a person
// must see the same text as the model.
func definitionOf(text json.RawMessage) (Definition, error) {
	var t wireTool
	err := strictjson.Decode(text, &t)
	hints := t.Annotations
	d := Definition{
		Name: t.Name, Title: oneLine(cmp.Or(t.Title, hints.Title)),
		Description: clip.Text(term.Plain(clip.Bytes(t.Description, maxText)), maxText),
		InputSchema: t.InputSchema, ReadOnly: hints.ReadOnly, Idempotent: hints.Idempotent,
		Destructive: hints.Destructive, OpenWorld: hints.OpenWorld,
	}
	switch {
	case err != nil:
		return d, err
	case d.Name == "":
		return d, errors.New("it has no name")
	case len(d.Name) > maxName:
		return d, fmt.Errorf("its name is longer than %d bytes", maxName)
	case len(d.InputSchema) > maxSchema:
		return d, fmt.Errorf("the schema of its parameters is larger than %d MiB", maxSchema>>20)
	case len(d.InputSchema) > 0 && d.InputSchema[0] != '{':
		return d, errors.New("the schema of its parameters is not an object")
	}
	return d, nil
}

// oneLine is a text of a server as one line of a bounded length.
func oneLine(text string) string { return clip.Text(term.Line(clip.Bytes(text, maxName)), 100) }
