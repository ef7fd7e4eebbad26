package cli

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/urfave/cli/v2"
)

func (p *program) toolCommands(ctx context.Context) []*cli.Command {
	var hooks bool
	return []*cli.Command{
		withExample(leaf(ctx, "call", "TOOL [JSON]", "run one tool, and print what it answers",
			func(ctx context.Context, args []string) error {
				return p.toolCall(ctx, args, hooks)
			}, &cli.BoolFlag{Name: "hooks", Usage: "as a turn would: with the filters and hooks of tools, printing what the " +
				"model would see", DisableDefaultText: true, Destination: &hooks}),
			`chibi tool call update_todos '{"content": "call home"}'`,
			`chibi tool call --hooks run_command '{"command": "ls"}'`),
	}
}

// toolCall runs one tool for a person.
func (p *program) toolCall(ctx context.Context, args []string, hooks bool) error {
	if !hooks {
		return p.working(ctx, func(s *session) error { return callTool(ctx, s, args[0], args[1:]) })
	}
	input := json.RawMessage("{}")
	if len(args) > 1 {
		var err error
		if input, err = argumentsOf(args[1]); err != nil {
			return usage("%v", err)
		}
	}
	return p.working(ctx, func(s *session) error {
		tool, err := app.FindTool(s.Session, args[0])
		if err != nil {
			return err
		}
		seen, failure, err := s.Agent.CallTool(ctx, tool.Spec().Name, input)
		if err != nil {
			return err
		}
		err = s.answer("call_tool", called(tool.Spec().Name, failure), strings.TrimSuffix(seen, "\n"))
		return errors.Join(err, toolFailure(tool.Spec().Name, failure))
	})
}
