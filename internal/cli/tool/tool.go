// Package tool has the commands about tools.
package tool

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/cli/operation"
	"github.com/chibi-host/chibi/internal/cli/output"
	"github.com/chibi-host/chibi/internal/toolbox"
	"github.com/urfave/cli/v2"
)

// Commands lists the commands about tools.
func Commands(env *command.Env) []*cli.Command {
	return []*cli.Command{env.Group("tool", "list tools, and run them without a conversation",
		[]*cli.Command{listCommand(env), callCommand(env)})}
}

func listCommand(env *command.Env) *cli.Command {
	var asJSON bool
	return env.Command(command.Spec{
		Name: "list",
		About: "show the tools: what they do, where they come from, which need your answer, and which chibi does not " +
			"offer",
		Flags:    []cli.Flag{command.JSONFlag(&asJSON)},
		Examples: []string{"chibi --coding tool list"},
		Run: func(ctx context.Context, _ []string) error {
			return env.With(ctx, app.ToWork, func(s *app.Session) error { return list(env.Out, s, asJSON) })
		},
	})
}

func list(out *output.Printer, s *app.Session, asJSON bool) error {
	all := toolbox.Of(s.Agent, s.Loaded.Plugins).List()
	if asJSON {
		return out.JSON(all)
	}
	var rows [][]string
	for _, one := range all {
		rows = append(rows, one.Text())
	}
	return out.Columns(rows)
}

func callCommand(env *command.Env) *cli.Command {
	var hooks bool
	return env.Command(command.Spec{
		Name: "call", Args: "TOOL [JSON]", About: "run one tool, and print its result",
		More: "No hook fires and no rule applies: it is your own call. In a command of the model, both do, as with --hooks.",
		Flags: []cli.Flag{command.Switch(&hooks, "hooks",
			"as in a turn: with the filters and hooks of tools; print the text that the model would see")},
		Examples: []string{`chibi tool call update_todos '{"content": "call home"}'`,
			`chibi tool call --hooks run_command '{"command": "ls"}'`},
		Run: func(ctx context.Context, args []string) error {
			name := args[0]
			arguments, err := output.ToolArguments(name, strings.Join(args[1:], " "))
			switch {
			case err != nil:
				return err
			case hooks || env.Within != nil:
				return callWithHooks(ctx, env, name, arguments)
			}
			return call(ctx, env, name, arguments)
		},
	})
}

// call calls a tool. No hook fires.
func call(ctx context.Context, env *command.Env, name string, args json.RawMessage) error {
	return env.Work(ctx, func(s *app.Session) error {
		tool, result, err := toolbox.Of(s.Agent, s.Loaded.Plugins).Call(ctx, name, args)
		if err != nil {
			return err
		}
		return output.AnswerToolResult(env.Out, output.ToolCall{Operation: "call_tool", Tool: tool.Spec().Name}, result)
	})
}

func callWithHooks(ctx context.Context, env *command.Env, name string, args json.RawMessage) error {
	return env.Work(ctx, func(s *app.Session) error {
		return operation.CallAsModel(ctx, env.Out, s,
			operation.ModelCall{Operation: "call_tool", Tool: name, Arguments: args})
	})
}
