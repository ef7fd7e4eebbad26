package app

import (
	"context"
	"fmt"
	"slices"

	"github.com/chibi-host/chibi/internal/mcpservers"
	"github.com/chibi-host/chibi/internal/within"
	"github.com/chibi-host/chibi/plugin/native"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/chibi-host/chibi/tools"
)

// openServers finds the MCP servers of a session, and asks those for their tools that never
// said which they have. Without servers it does nothing.
func openServers(ctx context.Context, s *Session) error {
	closeServers(s)
	var servers []mcpservers.Server
	all, problems := knownServers(s)
	for _, server := range all {
		if !server.Disabled {
			servers = append(servers, server)
		}
	}
	s.serverProblems, s.Agent.Renew = problems, nil
	if len(servers) == 0 || !offersServers(s) {
		return nil
	}
	s.servers = newServerHost(s, servers)
	s.closers = append(s.closers, s.servers)
	s.Agent.Renew = func(ctx context.Context) bool { return renewTools(ctx, s) }
	if s.opts.Purpose != ToWork {
		return nil
	}
	return s.servers.AskUnknown(ctx)
}

// renewTools collects the tools of a session again if the tools of its MCP servers have changed,
// and reports whether it did.
func renewTools(ctx context.Context, s *Session) bool {
	if s.servers == nil || !s.servers.HaveChanged(ctx) {
		return false
	}
	if err := collectTools(s); err != nil {
		s.person.notice(err.Error())
	}
	return true
}

// closeServers ends the connections of an earlier load.
func closeServers(s *Session) {
	if s.servers != nil {
		s.servers.Close()
		s.servers = nil
	}
}

// offersServers reports whether the model of a session may be offered tools of servers.
func offersServers(s *Session) bool {
	return !s.opts.NoServers && !s.opts.Permissions.NoToolCalls &&
		!slices.Contains(s.Config.Tools.ExcludeCategories, string(tools.CategoryMCP))
}

// addServerTools puts the tools of the session's MCP servers into its set. A plugin's tool of
// the same name takes the place of a server's.
func addServerTools(s *Session) error {
	if s.servers == nil {
		return nil
	}
	for _, tool := range s.servers.Tools() {
		spec := tool.Spec()
		if taken, ok := s.Agent.Tools.Lookup(spec.Name); ok {
			reportTaken(s, spec, taken.Spec())
			continue
		}
		if err := s.Agent.Tools.Add(tool); err != nil {
			return err
		}
	}
	return nil
}

// reportTaken says once that another tool has the name of a server's tool.
func reportTaken(s *Session, spec, taken tools.Spec) {
	if s.replaced[spec.Name] {
		return
	}
	s.replaced[spec.Name] = true
	s.person.notice(fmt.Sprintf("the tool %q of MCP server %q is not offered: its name %s is taken by "+
		"%s", spec.Remote.Tool,
		spec.Remote.Server, spec.Name, taken))
}

// newServerHost returns the host of servers. Nothing is started, and nothing connected to.
func newServerHost(s *Session, servers []mcpservers.Server) *mcpservers.Host {
	loader := s.Loader()
	o := mcpservers.Options{Home: s.Home, Version: s.opts.Version, Files: ServerFilesOf(s.Project),
		Runner: process.Runner{Env: loader.env.list(true), Drop: native.PerCall(),
			MaxStderr: int64(s.Config.Limits.PluginStderrBytes)},
		Mark: func() within.Mark { return loader.mark("mcp") }, Cache: s.Cache, Elicit: filler(s),
		Notice: s.person.notice, Waiting: s.person.waiting}
	if s.opts.Verbose {
		o.Runner.Stderr = loader.Runner().Stderr
	}
	return mcpservers.NewHost(o, servers)
}

// MCPOf returns what a person can do with the MCP servers of a session. Nothing is started, and
// nothing connected to.
func MCPOf(s *Session) mcpservers.Manual {
	servers, problems := knownServers(s)
	host := s.servers
	if host == nil || len(host.Servers) < len(servers) { // the session's has no disabled ones
		host = newServerHost(s, servers)
		s.closers = append(s.closers, host)
	}
	return mcpservers.ManualOf(host, servers, problems)
}
