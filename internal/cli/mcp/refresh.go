package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/mcpservers"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/tools/mcp"
	"github.com/dustin/go-humanize/english"
	"github.com/urfave/cli/v2"
)

func refreshCommand(env *command.Env) *cli.Command {
	return env.Command(command.Spec{
		Name: "refresh", Args: "[SERVER]", About: "ask MCP servers for their tools again, and show the differences",
		Reads: func(ctx context.Context, s *app.Session, args []string) error {
			return refresh(ctx, env, app.MCPOf(s), args)
		},
	})
}

func refresh(ctx context.Context, env *command.Env, m mcpservers.Manual, names []string) error {
	servers, err := chosen(m, names)
	if err != nil {
		return err
	}
	before := make([]*mcp.List, len(servers))
	for i, server := range servers {
		remembered, _ := m.Remembered(server)
		before[i] = remembered.List
		servers[i].Start = max(server.Start, patience)
	}
	lists, failures := m.AskAll(ctx, servers)
	for i, server := range servers {
		if failures[i] != nil {
			continue
		}
		if err := env.Out.Say("%s: %s", server.Name, compared(before[i], lists[i])); err != nil {
			return err
		}
	}
	return errors.Join(failures...)
}

func chosen(m mcpservers.Manual, names []string) (list []mcpservers.Server, err error) {
	all, _ := m.Servers()
	for _, s := range all {
		if len(names) == 0 && !s.Disabled {
			list = append(list, s)
		}
	}
	for _, name := range names {
		s, err := m.Find(name)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// compared says how what a server offers now differs from what it offered before; nil: that
// is not known.
func compared(before *mcp.List, now mcp.List) string {
	text := english.Plural(len(now.Tools), "tool", "")
	if before == nil {
		return text
	}
	old := map[string]string{}
	for _, d := range before.Tools {
		old[d.Name] = d.Hash()
	}
	var added, changed, gone []string
	for _, d := range now.Tools {
		hash, known := old[d.Name]
		switch {
		case !known:
			added = append(added, term.Name(d.Name))
		case hash != d.Hash():
			changed = append(changed, term.Name(d.Name))
		}
		delete(old, d.Name)
	}
	for _, d := range before.Tools {
		if _, left := old[d.Name]; left {
			gone = append(gone, term.Name(d.Name))
		}
	}
	if len(added)+len(changed)+len(gone) == 0 {
		return text + ", as before"
	}
	for _, part := range []struct {
		what  string
		names []string
	}{{"new", added}, {"changed", changed}, {"gone", gone}} {
		if len(part.names) > 0 {
			text += fmt.Sprintf("; %s: %s", part.what, strings.Join(part.names, ", "))
		}
	}
	return text
}
