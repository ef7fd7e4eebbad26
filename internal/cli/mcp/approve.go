package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/approved"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/mcpservers"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/tools"
	"github.com/chibi-host/chibi/tools/mcp"
	"github.com/dustin/go-humanize/english"
	"github.com/urfave/cli/v2"
)

func approveCommand(env *command.Env) *cli.Command {
	return env.Command(command.Spec{
		Name: "approve", Args: "SERVER [TOOL]", About: "show how tools of an MCP server changed since their calls were " +
			"allowed, and approve the changes",
		More: "The first allowed call of a tool approves its description. When the server changes the description, " +
			"chibi asks you before each call, whichever rule allows it, or refuses it where it cannot ask.",
		Flags: []cli.Flag{env.YesFlag("approve without asking, for scripts")},
		Reads: func(ctx context.Context, s *app.Session, args []string) error {
			a := approving{env: env, servers: app.MCPOf(s), store: approved.Open(s.Home)}
			return a.approve(ctx, args[0], args[1:])
		},
	})
}

type approving struct {
	env     *command.Env
	servers mcpservers.Manual
	store   *approved.Store
}

type changedTool struct {
	tool   *tools.Remote
	change *permissions.Change
}

func (a approving) approve(ctx context.Context, server string, names []string) error {
	s, err := a.servers.Find(server)
	if err != nil {
		return err
	}
	list, err := a.listOf(ctx, s)
	if err != nil {
		return err
	}
	changed, err := a.changed(s, list, names)
	if err != nil {
		return err
	}
	if len(changed) == 0 {
		return a.env.Out.Say("No approved definition of MCP server %s has changed", server)
	}
	for _, c := range changed {
		if err := a.show(c); err != nil {
			return err
		}
	}
	if ok, err := a.env.Confirm(ctx, "Approve the new definitions? [y/N] "); err != nil || !ok {
		return errors.Join(err, a.env.Out.Say("Nothing was approved"))
	}
	for _, c := range changed {
		if err := a.store.Approve(c.tool); err != nil {
			return err
		}
	}
	return a.env.Out.Say("Approved %s of MCP server %s", english.Plural(len(changed), "tool", ""), server)
}

// listOf returns what is remembered of a server, which is what its tools are offered by. One
// that never said what it offers is asked.
func (a approving) listOf(ctx context.Context, s mcpservers.Server) (mcp.List, error) {
	if e, _ := a.servers.Remembered(s); e.List != nil {
		return *e.List, nil
	}
	return a.servers.Ask(ctx, s)
}

func (a approving) changed(s mcpservers.Server, list mcp.List, names []string) (found []changedTool, err error) {
	if len(names) > 0 {
		if list.Tools, err = named(s, list.Tools, names[0]); err != nil {
			return nil, err
		}
	}
	for _, d := range list.Tools {
		tool := mcp.NewTool(nil, s.Server, d).Spec().Remote
		change, err := a.store.Changed(tool)
		if err != nil {
			return nil, err
		}
		if change != nil {
			found = append(found, changedTool{tool, change})
		}
	}
	return found, nil
}

// named returns the tools of a server with a name, which is one.
func named(s mcpservers.Server, all []mcp.Definition, name string) ([]mcp.Definition, error) {
	var names []string
	for i, d := range all {
		if d.Name == name {
			return all[i : i+1], nil
		}
		names = append(names, d.Name)
	}
	text := fmt.Sprintf("MCP server %q has no tool %q", s.Name, name)
	if near := strictjson.Nearest(name, names); near != "" {
		text += fmt.Sprintf("; did you mean %q?", near)
	}
	return nil, command.Usage("%s; chibi mcp check %s lists them", text, s.Name)
}

// show shows how a tool changed. It puts a mark before the lines of the server, so that they cannot
// look like chibi's own words.
func (a approving) show(c changedTool) error {
	text := fmt.Sprintf("%s differs from the definition approved on %s:", term.Name(c.tool.Tool),
		c.change.Since.Local().Format("2 January 2006"))
	for line := range strings.Lines(c.change.Diff) {
		text += "\n  | " + term.Visible(strings.TrimSuffix(line, "\n"))
	}
	return a.env.Out.Say("%s", text)
}
