package mcp

import (
	"context"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/cli/operation"
	"github.com/chibi-host/chibi/internal/cli/output"
	"github.com/chibi-host/chibi/internal/mcpservers"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/tools"
	"github.com/chibi-host/chibi/tools/mcp"
	"github.com/urfave/cli/v2"
)

func checkCommand(env *command.Env) *cli.Command {
	var asJSON bool
	return env.Command(command.Spec{
		Name: "check", Args: "SERVER", About: "start an MCP server, or connect to it, and show its version and its tools",
		Flags:    []cli.Flag{command.JSONFlag(&asJSON)},
		Examples: []string{"chibi mcp check everything"},
		Reads: func(ctx context.Context, s *app.Session, args []string) error {
			m := app.MCPOf(s)
			server, err := m.Find(args[0])
			if err != nil {
				return err
			}
			return checking{env, m, asJSON}.check(ctx, server)
		},
	})
}

// patience is how long a server may take to start while a person waits for just that: it may
// be downloaded.
const patience = 2 * time.Minute

type checking struct {
	env     *command.Env
	servers mcpservers.Manual
	asJSON  bool
}

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
	return output.WriteColumns(writer(out.Screen), toolRows(one))
}

const maxDescription = 72

func toolRows(l listedServer) (rows [][]string) {
	for _, t := range l.Tools {
		words := []string{term.Clip(term.Line(t.Description), maxDescription), t.note(l.Trusted)}
		rows = append(rows, []string{"  " + term.Name(t.Name), strings.TrimSpace(strings.Join(words, " "))})
	}
	return rows
}

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

func callCommand(env *command.Env) *cli.Command {
	return env.Command(command.Spec{
		Name: "call", Args: "SERVER TOOL [JSON]",
		About: "call a tool of an MCP server, by the server's name for it, and print the result",
		More: "No hook fires and no rule applies: it is your own call. To call it as in a turn, with both: chibi tool " +
			"call --hooks mcp__SERVER__TOOL [JSON]. In a command of the model it is always one of the model's calls.",
		Examples: []string{`chibi mcp call everything echo '{"message": "hello"}'`},
		Run: func(ctx context.Context, args []string) error {
			arguments, err := output.ToolArguments(args[1], strings.Join(args[2:], " "))
			if err != nil {
				return err
			}
			return env.Work(ctx, func(s *app.Session) error {
				if env.Within != nil {
					return operation.CallAsModel(ctx, env.Out, s, operation.ModelCall{Operation: "call_tool",
						Tool: mcp.ToolName(args[0], args[1]), Arguments: arguments})
				}
				m := app.MCPOf(s)
				server, err := m.Find(args[0])
				if err != nil {
					return err
				}
				result, err := m.Call(ctx, server, args[1], arguments)
				if err != nil {
					return err
				}
				return output.AnswerToolResult(env.Out, output.ToolCall{Operation: "call_tool", Tool: args[1]}, result)
			})
		},
	})
}
