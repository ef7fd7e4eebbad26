package mcp

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/mcpservers"
	"github.com/chibi-host/chibi/tools/mcp"
	"github.com/urfave/cli/v2"
)

func callCommand(env *command.Env) *cli.Command {
	return env.Command(command.Spec{
		Name: "call", Args: "SERVER TOOL [JSON]",
		About: "call a tool of an MCP server, by the server's name of it, and print the result",
		More: "No hook fires and no rule is asked: it is your own call. To call it as in a turn, with both: chibi tool " +
			"call --hooks mcp__SERVER__TOOL [JSON]. In a command of the model it is one of the model's calls in any case.",
		Examples: []string{`chibi mcp call everything echo '{"message": "hello"}'`},
		Run: func(ctx context.Context, args []string) error {
			arguments, err := command.ToolArguments(args[1], strings.Join(args[2:], " "))
			if err != nil {
				return err
			}
			return env.Work(ctx, func(s *app.Session) error {
				if env.Within != nil {
					return command.CallAsModel(ctx, env.Out, s, command.ModelCall{Operation: "call_tool",
						Tool: mcp.ToolName(args[0], args[1]), Arguments: arguments})
				}
				return call(ctx, env, app.MCPOf(s), called{args[0], args[1], arguments})
			})
		},
	})
}

// called is a call of a tool.
type called struct {
	server, tool string
	arguments    json.RawMessage
}

// call calls a tool and prints its result.
func call(ctx context.Context, env *command.Env, m mcpservers.Manual, c called) error {
	server, err := m.Find(c.server)
	if err != nil {
		return err
	}
	result, err := m.Call(ctx, server, c.tool, c.arguments)
	if err != nil {
		return err
	}
	return command.AnswerToolResult(env.Out, command.ToolCall{Operation: "call_tool", Tool: c.tool}, result)
}
