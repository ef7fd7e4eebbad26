// Package command is the framework for the commands of chibi: what a command gets,
// how it is described, and how it prints and asks.
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

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
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
	// Run runs the command. The number of words is as Args requires.
	Run func(ctx context.Context, args []string) error
}

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
			if !s.IsPrompt {
				e.ReportUnused()
			}
			return s.Run(c.Context, c.Args().Slice())
		},
	}
}

func usageError(_ *cli.Context, err error, _ bool) error {
	return app.UsageError{Err: cmdline.ParserError(err)}
}

// Group makes a command with subcommands. By itself it lists them.
func (e *Env) Group(name, about string, commands []*cli.Command) *cli.Command {
	return &cli.Command{Name: name, Usage: about, Subcommands: commands, HideHelpCommand: true,
		Action: func(c *cli.Context) error {
			out := HelpWriter(e.Out.Screen)
			fmt.Fprintf(out, "%s - %s\n", c.Command.HelpName, about)
			var rows [][]string
			for _, sub := range commands {
				if sub.Hidden {
					continue
				}
				rows = append(rows, []string{"   " + strings.TrimSpace(sub.Name+" "+sub.ArgsUsage), sub.Usage})
			}
			return WriteColumns(out, rows)
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
func Usage(format string, args ...any) error {
	return app.UsageError{Err: fmt.Errorf(format, args...)}
}
