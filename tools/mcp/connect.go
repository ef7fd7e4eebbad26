package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/plugin/process"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// established is the version of the protocol that is tried first. Nearly all servers know it
// or an older one, and not all of those answer the request that newer versions begin with. A
// server that refuses it is asked in the newest one.
const established = "2025-11-25"

// connect connects to a server, which it starts if it is a program. ctx bounds that; the
// server itself ends with the pool.
func (p *Pool) connect(ctx context.Context, server Server) (*session, error) {
	written := server
	server, err := p.cfg.filled(server)
	if err != nil {
		return nil, err
	}
	s, err := p.connectFilled(ctx, server)
	return s, unfilled(err, written, server)
}

// connectFilled connects to a server whose variables are filled in.
func (p *Pool) connectFilled(ctx context.Context, server Server) (*session, error) {
	most := cmp.Or(server.Start, StartTimeout)
	ctx, cancel := context.WithTimeoutCause(ctx, most, fmt.Errorf("it did not answer initialize within %s "+
		"(start_timeout_ms)", most))
	defer cancel()
	s, err := p.initialize(ctx, server, established)
	if refused, ok := errors.AsType[*jsonrpc.Error](err); ok && refused.Code != rejected {
		if newer, err := p.initialize(ctx, server, ""); err == nil {
			return newer, nil
		}
	}
	return s, err
}

// initialize connects with a version of the protocol; "" is the newest.
func (p *Pool) initialize(ctx context.Context, server Server, protocol string) (*session, error) {
	s := &session{server: server, pool: p}
	client := sdk.NewClient(&sdk.Implementation{Name: "chibi", Version: p.cfg.Version}, s.options())
	var err error
	s.client, err = client.Connect(ctx, opener(s.open), &sdk.ClientSessionOptions{ProtocolVersion: protocol})
	if err == nil {
		return s, nil
	}
	if s.wire == nil { // it did not start
		return nil, err
	}
	err = s.told(err)
	s.close()
	if context.Cause(ctx) != nil {
		return nil, s.withStderr(context.Cause(ctx))
	}
	return nil, err
}

// open opens the connection of a session.
func (s *session) open(ctx context.Context) (sdk.Connection, error) {
	var conn sdk.Connection
	var err error
	if s.server.Command != "" {
		conn, err = s.start(ctx)
	} else {
		conn, err = s.reach(ctx)
	}
	if err != nil {
		return nil, err
	}
	s.wire = &wire{Connection: conn, offer: &s.offer, asked: map[jsonrpc.ID]*reply{}}
	return s.wire, nil
}

// reach prepares the way to a server with a URL.
func (s *session) reach(ctx context.Context) (sdk.Connection, error) {
	way, err := s.pool.cfg.HTTP.link(s.server)
	if err != nil {
		return nil, err
	}
	way.guard.protocol = func() string { return s.wire.version() }
	s.link = way
	return way.transport.Connect(ctx)
}

// start starts the program of a server. It ends when the session is closed.
func (s *session) start(ctx context.Context) (sdk.Connection, error) {
	runner := s.pool.cfg.Runner
	path := s.server.Command
	if !strings.ContainsRune(path, filepath.Separator) {
		found, ok := runner.LookPath(path)
		if !ok {
			return nil, fmt.Errorf("%w: there is no program %q in PATH", process.ErrStart, path)
		}
		path = found
	}
	command := process.Command{Path: path, Args: s.server.Args, Dir: s.server.Dir, NoTerminal: true, Whole: true,
		MaxOutput: maxMessage}
	for name, value := range s.server.Env {
		command.Env = append(command.Env, name+"="+value)
	}
	slices.Sort(command.Env)
	started, err := runner.Start(context.WithoutCancel(ctx), command)
	if err != nil {
		return nil, err
	}
	s.process = started
	noise := func(line string) {
		s.pool.notify("MCP server %q wrote a line to standard output that is not a message: %s", s.server.Name, line)
	}
	return &stdio{peer: started, end: func() { started.Close(closingTime) }, noise: noise}, nil
}
