// Package tool has the commands about tools.
package tool

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/urfave/cli/v2"
)

// Commands lists the commands about tools.
func Commands(env *command.Env) []*cli.Command {
	return []*cli.Command{env.Group("tool", "run tools without a conversation", []*cli.Command{callCommand(env)})}
}

func callCommand(env *command.Env) *cli.Command {
	var hooks bool
	return env.Command(command.Spec{
		Name: "call", Args: "TOOL [JSON]", About: "run one tool, and print its result",
		Flags: []cli.Flag{command.Switch(&hooks, "hooks",
			"as in a turn: with the filters and hooks of tools; print what the model would see")},
		Examples: []string{`chibi tool call update_todos '{"content": "call home"}'`,
			`chibi tool call --hooks run_command '{"command": "ls"}'`},
		Run: func(ctx context.Context, args []string) error {
			name := args[0]
			arguments, err := command.ToolArguments(name, strings.Join(args[1:], " "))
			switch {
			case err != nil:
				return err
			case hooks:
				return callWithHooks(ctx, env, name, arguments)
			}
			return call(ctx, env, name, arguments)
		},
	})
}

// call calls a tool. No hook fires.
func call(ctx context.Context, env *command.Env, name string, args json.RawMessage) error {
	return env.Work(ctx, func(s *app.Session) error {
		tool, result, err := app.ToolsOf(s).Call(ctx, name, args)
		if err != nil {
			return err
		}
		return command.AnswerToolResult(env.Out, command.ToolCall{Operation: "call_tool", Tool: tool.Spec().Name}, result)
	})
}

// callWithHooks calls a tool as in a turn, and prints what the model would see.
func callWithHooks(ctx context.Context, env *command.Env, name string, args json.RawMessage) error {
	return env.Work(ctx, func(s *app.Session) error {
		tool, err := app.ToolsOf(s).Find(name)
		if err != nil {
			return err
		}
		seen, failure, err := s.Agent.CallTool(ctx, tool.Spec().Name, args)
		if err != nil {
			return err
		}
		call := command.ToolCall{Operation: "call_tool", Tool: tool.Spec().Name, Failure: failure}
		return command.AnswerToolCall(env.Out, call, seen)
	})
}
