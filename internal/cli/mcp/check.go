package mcp

import (
	"context"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/mcpservers"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/tools"
	"github.com/urfave/cli/v2"
)

func checkCommand(env *command.Env) *cli.Command {
	var asJSON bool
	return env.Command(command.Spec{
		Name: "check", Args: "SERVER", About: "start an MCP server, or connect to it, and show what it says and offers",
		Flags:    []cli.Flag{command.JSONFlag(&asJSON)},
		Examples: []string{"chibi mcp check everything"},
		Run: func(ctx context.Context, args []string) error {
			return env.ReadHome(ctx, func(s *app.Session) error {
				m := app.MCPOf(s)
				server, err := m.Find(args[0])
				if err != nil {
					return err
				}
				return checking{env, m, asJSON}.check(ctx, server)
			})
		},
	})
}

// patience is how long a server may take to start while a person waits for just that: it may
// be downloaded.
const patience = 2 * time.Minute

// checking shows what servers say.
type checking struct {
	env     *command.Env
	servers mcpservers.Manual
	asJSON  bool
}

// check asks a server and shows what it said.
func (c checking) check(ctx context.Context, s mcpservers.Server) error {
	s.Start = max(s.Start, patience)
	begun := time.Now()
	if _, err := c.servers.Ask(ctx, s); err != nil {
		return err
	}
	took := time.Since(begun)
	one, out := listedOf(c.servers, s), c.env.Out
	if c.asJSON {
		return out.JSON(one)
	}
	if err := out.Say("%s works: %s, after %d ms", s.Name, one.count(), took.Milliseconds()); err != nil {
		return err
	}
	one.printFields(writer(out.Screen))
	return command.WriteColumns(writer(out.Screen), toolRows(one))
}

// maxDescription is how many characters of a tool's description are shown.
const maxDescription = 72

// toolRows returns a table of a server's tools.
func toolRows(l listedServer) (rows [][]string) {
	for _, t := range l.Tools {
		words := []string{term.Clip(term.Line(t.Description), maxDescription), t.note(l.Trusted)}
		rows = append(rows, []string{"  " + term.Name(t.Name), strings.TrimSpace(strings.Join(words, " "))})
	}
	return rows
}

// note says what is special about a tool.
func (t listedTool) note(isTrusted bool) string {
	switch {
	case t.Unoffered != "":
		return "(not offered)"
	case t.Category != string(tools.CategoryMCP):
		return "(" + t.Category + ")"
	case t.ReadOnly && isTrusted:
		return "(only reads)"
	case t.ReadOnly:
		return "(only reads, it says)"
	}
	return ""
}
