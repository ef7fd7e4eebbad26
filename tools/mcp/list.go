package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/chibi-host/chibi/internal/strictjson"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// List asks a server for its tools.
func (p *Pool) List(ctx context.Context, server Server) (List, error) {
	s, err := p.session(ctx, server)
	if err != nil {
		return List{}, err
	}
	list, err := s.list(ctx)
	list.Fingerprint = server.Fingerprint()
	if err != nil {
		err = fmt.Errorf("the tools of MCP server %q: %w", server.Name, err)
	}
	return list, err
}

// The bounds of a list.
const (
	maxTools = 1000
	maxPages = 200
)

// page is a part of a server's list, as it wrote it.
type page struct {
	Tools []json.RawMessage `json:"tools"`
	Next  string            `json:"nextCursor"`
}

// list asks for all tools.
func (s *session) list(ctx context.Context) (List, error) {
	hello := s.client.InitializeResult()
	list := List{Protocol: hello.ProtocolVersion, Asked: time.Now()}
	if hello.ServerInfo != nil {
		list.Program, list.Version = hello.ServerInfo.Name, hello.ServerInfo.Version
	}
	params := &sdk.ListToolsParams{}
	for range maxPages {
		text, err := s.ask(ctx, func(ctx context.Context) error {
			_, err := s.client.ListTools(ctx, params)
			return err
		})
		var p page
		if err == nil {
			err = strictjson.Decode(text, &p)
		}
		if err != nil {
			return list, err
		}
		list.add(p.Tools)
		if params.Cursor = p.Next; p.Next == "" {
			break
		}
	}
	return list, nil
}

// add adds the tools of a page.
func (l *List) add(texts []json.RawMessage) {
	for _, text := range texts {
		d, err := definitionOf(text)
		if len(l.Tools) == maxTools || err != nil {
			l.Beyond++
			continue
		}
		l.Tools = append(l.Tools, d)
	}
}
