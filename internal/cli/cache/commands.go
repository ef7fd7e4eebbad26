// Package cache has the commands about large tool outputs.
package cache

import (
	"context"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/cli/operation"
	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"
)

// Commands lists the commands about large tool outputs.
func Commands(env *command.Env) []*cli.Command {
	return []*cli.Command{env.Group("cache", "tool outputs that were too large for the conversation", []*cli.Command{
		listCommand(env),
		env.Command(command.Spec{
			Name: "show", Args: "ID", About: "print a large tool output, as the tool wrote it",
			Run: func(ctx context.Context, args []string) error { return show(ctx, env, args[0]) },
		}),
		env.Command(command.Spec{
			Name: "clear", Args: "[NAME]", About: "remove the large tool outputs of a context",
			Run: func(ctx context.Context, args []string) error { return clearContext(ctx, env, args) },
		}),
	})}
}

func listCommand(env *command.Env) *cli.Command {
	var asJSON bool
	return env.Command(command.Spec{
		Name: "list", About: "list the large tool outputs of the current context, the newest first",
		Flags: []cli.Flag{command.JSONFlag(&asJSON)},
		Run: func(ctx context.Context, _ []string) error {
			return env.Manage(ctx, func(s *app.Session) error {
				entries, err := s.Cache().List(ctx)
				switch {
				case err != nil:
					return err
				case asJSON:
					return env.Out.JSON(append([]cache.Entry{}, entries...))
				}
				return list(env.Out, s.Name(), entries)
			})
		},
	})
}

func list(out *command.Printer, name string, entries []cache.Entry) error {
	if len(entries) == 0 {
		out.Notice("no tool output is cached in context \"" + name + "\"")
		return nil
	}
	var lines []string
	for _, e := range entries {
		lines = append(lines, fmt.Sprintf("%s  %s, %s lines, %s", e.ID, humanize.Bytes(uint64(e.Bytes)),
			humanize.Comma(int64(e.Lines)), humanize.Time(e.Time())))
	}
	return out.Say("%s", strings.Join(lines, "\n"))
}

// show prints an output. Control characters are replaced on a terminal.
func show(ctx context.Context, env *command.Env, id string) error {
	return env.Manage(ctx, func(s *app.Session) error {
		output, err := s.Cache().Open(ctx, id)
		if err != nil {
			return fmt.Errorf("%w in context %q; chibi cache list lists them", err, s.Name())
		}
		defer output.Close()
		return env.Out.AnswerLarge("", nil, output.Content())
	})
}

func clearContext(ctx context.Context, env *command.Env, args []string) error {
	return env.Manage(ctx, func(s *app.Session) error {
		name, err := command.ContextName(ctx, s, args)
		if err != nil {
			return err
		}
		return operation.ClearCache(ctx, operation.Run{Session: s, Env: env}, name)
	})
}
