// Package cache has the commands about large tool outputs.
package cache

import (
	"context"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/cli/output"
	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"
)

// Commands lists the commands about large tool outputs.
func Commands(env *command.Env) []*cli.Command {
	return []*cli.Command{env.Group("cache", "tool outputs that were too large for the conversation", []*cli.Command{
		listCommand(env),
		env.Command(command.Spec{
			Name: "show", Args: "ID", About: "print a large tool output, as the tool wrote it",
			Manages: func(ctx context.Context, s *app.Session, args []string) error { return show(ctx, env, s, args[0]) },
		}),
		env.Command(command.Spec{
			Name: "clear", Args: "[NAME]", About: "remove the large tool outputs of a context", Keeps: true,
			Manages: func(ctx context.Context, s *app.Session, args []string) error {
				name, err := command.ContextName(ctx, s, args)
				if err != nil {
					return err
				}
				if err := app.CachesOf(s).Cache(name).Clear(); err != nil {
					return err
				}
				return env.Out.AnswerCleared(name)
			},
		}),
	})}
}

func listCommand(env *command.Env) *cli.Command {
	var asJSON bool
	return env.Command(command.Spec{
		Name: "list", About: "list the large tool outputs of the current context, the newest first",
		Flags: []cli.Flag{command.JSONFlag(&asJSON)},
		Manages: func(ctx context.Context, s *app.Session, _ []string) error {
			entries, err := s.Cache().List(ctx)
			switch {
			case err != nil:
				return err
			case asJSON:
				return env.Out.JSON(append([]cache.Entry{}, entries...))
			}
			return list(env.Out, s.Name(), entries)
		},
	})
}

func list(out *output.Printer, name string, entries []cache.Entry) error {
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
func show(ctx context.Context, env *command.Env, s *app.Session, id string) error {
	opened, err := s.Cache().Open(ctx, id)
	if err != nil {
		return fmt.Errorf("%w in context %q; chibi cache list lists them", err, s.Name())
	}
	defer opened.Close()
	return env.Out.AnswerLarge("", nil, opened.Content())
}
