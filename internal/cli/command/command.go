// Package command is the framework for the commands of chibi: what a command gets, how it is
// described, and how it asks. Package output prints.
//
// Each family of commands is a package beside this one, with one exported function
//
//	func Commands(env *command.Env) []*cli.Command
//
// that lists them. A command in it is a constructor that describes it with a [Spec],
// a struct of its flags, and a function that runs it and can be read alone. No
// family imports another one.
package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/cli/output"
	"github.com/chibi-host/chibi/internal/guards"
	"github.com/chibi-host/chibi/internal/within"
	"github.com/chibi-host/chibi/plugin"
	"github.com/urfave/cli/v2"
)

// Spec describes a command.
type Spec struct {
	Name string
	// Args names the words that the command takes: NAME is one word, [NAME] is
	// optional, [TEXT]... is any number of words.
	Args string
	// About describes the command in a line, More in further sentences of its help.
	About, More string
	Flags       []cli.Flag
	// Examples are command lines for its help.
	Examples []string
	// IsPrompt says that the command asks with [Env.Prompt], which carries out the
	// operations of the flags before the command. Other commands do not.
	IsPrompt bool
	// Keeps says that the command only changes the stored data of contexts, so that --no-save does
	// not go with it.
	Keeps bool
	// Run runs the command. The number of words is as Args requires.
	Run func(ctx context.Context, args []string) error
	// Reads, Manages and Works take the place of Run for a command that needs a session, as
	// [Env.With], [Env.Manage] and [Env.Work] open it.
	Reads, Manages, Works SessionFunc
}

// SessionFunc runs a command with a session.
type SessionFunc func(ctx context.Context, s *app.Session, args []string) error

// Command makes a command.
func (e *Env) Command(s Spec) *cli.Command {
	return &cli.Command{
		Name: s.Name, ArgsUsage: s.Args, Usage: s.About, UsageText: s.More, Flags: s.Flags, HideHelpCommand: true,
		Description: strings.Join(s.Examples, "\n   "), CustomHelpTemplate: helpTemplate, OnUsageError: usageError,
		Action: func(c *cli.Context) error {
			if least, _ := cmdline.Arity(c.Command); c.NArg() < least {
				return Usage("%s takes %s; put -- before it if it is a prompt", c.Command.HelpName, s.Args)
			}
			if err := e.admit(c); err != nil {
				return err
			}
			if s.Keeps {
				if err := e.mustKeep(c); err != nil {
					return err
				}
			}
			if !s.IsPrompt {
				e.ReportUnused()
			}
			return e.carryOut(c.Context, s, c.Args().Slice())
		},
	}
}

// mustKeep refuses a command in a run that keeps nothing.
func (e *Env) mustKeep(c *cli.Context) error {
	opts, err := e.Request(app.ToRead)
	if err != nil || !opts.NoSave {
		return err
	}
	return Usage("--no-save keeps nothing, so %s would change nothing; leave one of them out", c.Command.HelpName)
}

func (e *Env) carryOut(ctx context.Context, s Spec, args []string) error {
	with := func(run SessionFunc) func(*app.Session) error {
		return func(session *app.Session) error { return run(ctx, session, args) }
	}
	switch {
	case s.Reads != nil:
		return e.With(ctx, app.ToRead, with(s.Reads))
	case s.Manages != nil:
		return e.Manage(ctx, with(s.Manages))
	case s.Works != nil:
		return e.Work(ctx, with(s.Works))
	}
	return s.Run(ctx, args)
}

func usageError(_ *cli.Context, err error, _ bool) error {
	return app.UsageError{Err: cmdline.ParserError(err)}
}

// Group makes a command with subcommands. By itself it lists them.
func (e *Env) Group(name, about string, commands []*cli.Command) *cli.Command {
	return &cli.Command{Name: name, Usage: about, Subcommands: commands, HideHelpCommand: true,
		Action: func(c *cli.Context) error {
			out := output.HelpWriter(e.Out.Screen)
			fmt.Fprintf(out, "%s - %s\n", c.Command.HelpName, about)
			var rows [][]string
			for _, sub := range commands {
				if sub.Hidden {
					continue
				}
				rows = append(rows, []string{"   " + strings.TrimSpace(sub.Name+" "+sub.ArgsUsage), sub.Usage})
			}
			return output.WriteColumns(out, rows)
		}}
}

const helpTemplate = `{{.HelpName}}{{if .ArgsUsage}} {{.ArgsUsage}}{{end}} - {{.Usage}}
{{if .UsageText}}
{{.UsageText}}

{{end}}{{range .VisibleFlags}}{{if ne (index .Names 0) "help"}}   {{.}}
{{end}}{{end}}{{if .Description}}
For example:
   {{.Description}}
{{end}}`

// Switch is a flag of a command that takes no value.
func Switch(into *bool, name, about string) cli.Flag {
	return &cli.BoolFlag{Name: name, Usage: about, DisableDefaultText: true, Destination: into}
}

// JSONFlag is the flag --json of a command.
func JSONFlag(into *bool) cli.Flag { return Switch(into, "json", "print JSON") }

// YesFlag is the flag --yes of a command that asks. It has the same effect before
// the command.
func (e *Env) YesFlag(about string) cli.Flag { return Switch(&e.yes, "yes", about) }

// Usage returns an error about the command line.
func Usage(format string, args ...any) error { return output.Usage(format, args...) }

// Run calls do between the start and the end of a run of a session with these
// options.
func Run(ctx context.Context, opts app.Options, do func(*app.Session) error) error {
	s, err := app.Open(ctx, opts)
	if err != nil {
		return err
	}
	defer s.Close()
	app.ReportSkipped(s)
	return s.Run(ctx, func() error { return do(s) })
}

// ContextName returns the context that the first of a command's words names, or the
// session's own if there are no words.
func ContextName(ctx context.Context, s *app.Session, words []string) (string, error) {
	if len(words) == 0 {
		return s.Name(), nil
	}
	return app.Existing(ctx, s, words[0])
}

// admit returns an error for a command that is refused within a command of a model.
func (e *Env) admit(c *cli.Context) error {
	if e.Within == nil {
		return nil
	}
	var names []string
	for _, at := range c.Lineage() {
		if at.Command != nil && at.Command.Name != "" && at.App != nil && at.Command.Name != at.App.Name {
			names = append([]string{at.Command.Name}, names...)
		}
	}
	name := strings.Join(names, " ")
	row, known := within.Command(name)
	if known && !row.Refused() || row.Unless != "" && c.Bool(row.Unless) {
		return nil
	}
	return app.UsageError{Err: e.Within.Refusal("chibi "+name, row)}
}

// FindPoint finds the hook point that a person names.
func FindPoint(name string) (hookpoints.Info, error) {
	if info, ok := hookpoints.Find(hookpoints.Name(name)); ok {
		return info, nil
	}
	return hookpoints.Info{}, Usage("there is no hook point %q; chibi hook list names them all", name)
}

// NoPlugin returns the error about a name that no plugin has.
func NoPlugin(loaded plugin.Loaded, name string) error {
	return Usage("there is no plugin %q%s; chibi plugin list names them all", name, guards.Meant(loaded, name))
}

// Powers returns what a plugin can do at a point, in words.
func Powers(info hookpoints.Info) string {
	switch {
	case info.CanDecide() && info.Mode == hookpoints.Chain:
		return "can change, block, ask and allow"
	case info.CanDecide():
		return "can allow, ask and deny"
	case info.CanBlock() && info.Mode != hookpoints.Chain:
		return "can block"
	case info.CanBlock():
		return "can change and block"
	case info.CanChange():
		return "can change"
	}
	return "observes"
}
