// Package contextcmd has the commands about contexts: the operations of flags, for a context that an argument names.
package contextcmd

import (
	"context"
	"strings"
	"time"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/cli/operation"
	"github.com/chibi-host/chibi/internal/cli/output"
	"github.com/urfave/cli/v2"
)

// Commands lists the commands about contexts.
func Commands(env *command.Env) []*cli.Command {
	return []*cli.Command{env.Group("context", "named conversations that are kept", []*cli.Command{
		listCommand(env),
		showCommand(env),
		env.Command(command.Spec{
			Name: "switch", Args: "NAME", About: "use a context from now on, as -c does", Keeps: true,
			Run: func(ctx context.Context, args []string) error { return switchTo(ctx, env, args[0]) },
		}),
		env.Command(command.Spec{
			Name: "rename", Args: "OLD NEW", About: "rename a context", Keeps: true,
			Manages: func(ctx context.Context, s *app.Session, args []string) error {
				rename := func(ctx context.Context, run operation.Run, name string) error {
					return operation.Rename(ctx, run, name, args[1])
				}
				return named(env, rename)(ctx, s, args)
			},
		}),
		env.Command(command.Spec{
			Name: "archive", Args: "[NAME]", About: "empty a context; its transcript keeps everything", Keeps: true,
			Manages: named(env, operation.Archive),
		}),
		env.Command(command.Spec{
			Name: "compact", Args: "[NAME]", About: "replace the conversation of a context with a summary", Keeps: true,
			Works: named(env, operation.CompactNamed),
		}),
		failedCommand(env),
		env.Command(command.Spec{
			Name: "delete", Args: "[NAME]", About: "delete a context with everything in it", Keeps: true,
			Flags:   []cli.Flag{env.YesFlag("do not ask for confirmation")},
			Manages: named(env, operation.Destroy),
		}),
	})}
}

func listCommand(env *command.Env) *cli.Command {
	var asJSON bool
	l := operation.Listing{Asked: true}
	return env.Command(command.Spec{
		Name: "list", About: "list the contexts",
		Flags:    []cli.Flag{l.Limited(), l.Used(), command.JSONFlag(&asJSON)},
		Examples: []string{"chibi context list --limit 50", "chibi context list --newest --limit 10"},
		Manages: func(ctx context.Context, s *app.Session, _ []string) error {
			if err := l.Check(); err != nil {
				return err
			}
			if asJSON {
				list, err := operation.ContextInfos(ctx, s, l.Selection)
				return printJSON(env.Out, list, err)
			}
			return operation.ListContexts(ctx, operation.Run{Session: s, Out: env.Out}, l.Selection)
		},
	})
}

func showCommand(env *command.Env) *cli.Command {
	var asJSON bool
	return env.Command(command.Spec{
		Name: "show", Args: "[NAME]", About: "show a context", Flags: []cli.Flag{command.JSONFlag(&asJSON)},
		Manages: named(env, func(ctx context.Context, run operation.Run, name string) error {
			if asJSON {
				details, err := operation.DetailsOf(ctx, run.Session, name)
				return printJSON(env.Out, details, err)
			}
			return operation.ShowContext(ctx, run, name)
		}),
	})
}

// failedCommand shows messages that were not answered, and says what becomes of them.
func failedCommand(env *command.Env) *cli.Command {
	var asJSON, again, remove bool
	return env.Command(command.Spec{
		Name: "failed", Args: "[NAME]",
		About: "show messages to a context that got no answer, because the run that took them died",
		Flags: []cli.Flag{command.JSONFlag(&asJSON),
			command.Switch(&again, "again", "send them to the context once more"),
			command.Switch(&remove, "remove", "remove them")},
		Manages: named(env, func(ctx context.Context, run operation.Run, name string) error {
			if again && remove {
				return command.Usage("--again keeps what --remove removes; leave one of them out")
			}
			c, err := run.Session.Store.Context(name)
			if err != nil {
				return err
			}
			failed, err := c.Failed(ctx)
			if err != nil {
				return err
			}
			if err := showFailed(env.Out, failed, asJSON); err != nil || len(failed) == 0 {
				return err
			}
			switch {
			case again:
				return c.SendFailedAgain(failed...)
			case remove:
				return c.ForgetFailed(failed...)
			}
			return nil
		}),
	})
}

func showFailed(out *output.Printer, failed []contexts.Mail, asJSON bool) error {
	if asJSON {
		return out.JSON(append([]contexts.Mail{}, failed...))
	}
	for _, m := range failed {
		sent, text := time.Unix(m.Timestamp, 0).Format(time.DateTime), strings.ReplaceAll(m.Content, "\n", "\n  ")
		if err := out.Say("%s from %s:\n  %s", sent, m.Sender(), text); err != nil {
			return err
		}
	}
	return nil
}

func printJSON(out *output.Printer, data any, err error) error {
	if err != nil {
		return err
	}
	return out.JSON(data)
}

// named carries out an operation in the context that the first word names or in the current one.
func named(env *command.Env, do func(context.Context, operation.Run, string) error) command.SessionFunc {
	return func(ctx context.Context, s *app.Session, args []string) error {
		name, err := command.ContextName(ctx, s, args)
		if err != nil {
			return err
		}
		return do(ctx, operation.Run{Session: s, Out: env.Out, Confirm: env.Confirm, Within: env.Within != nil}, name)
	}
}

func switchTo(ctx context.Context, env *command.Env, name string) error {
	opts, err := env.Request(app.ToManage)
	if err != nil {
		return err
	}
	if name == "" {
		return app.UsageError{Err: contexts.ValidName("")}
	}
	opts.Context, opts.Transient = name, false
	return command.Run(ctx, opts, func(s *app.Session) error {
		return env.Out.Say("Switched to context '%s'", s.Name())
	})
}
