package cli

import (
	"context"
	"os"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/cache"
	"github.com/chibi-host/chibi/internal/cli/chat"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/cli/complete"
	contextcommands "github.com/chibi-host/chibi/internal/cli/context"
	"github.com/chibi-host/chibi/internal/cli/demo"
	"github.com/chibi-host/chibi/internal/cli/doctor"
	"github.com/chibi-host/chibi/internal/cli/history"
	"github.com/chibi-host/chibi/internal/cli/hook"
	"github.com/chibi-host/chibi/internal/cli/operation"
	"github.com/chibi-host/chibi/internal/cli/plugins"
	"github.com/chibi-host/chibi/internal/cli/recipe"
	"github.com/chibi-host/chibi/internal/cli/tool"
	"github.com/chibi-host/chibi/internal/cli/trace"
	"github.com/chibi-host/chibi/internal/cli/trust"
	"github.com/chibi-host/chibi/internal/term/screen"
	"github.com/urfave/cli/v2"
)

// program is one run of chibi.
type program struct {
	stdin  *os.File
	screen *screen.Screen
	out    *command.Printer
	env    *command.Env
	opts   options
	rows   []operation.Row // of the flags, which fill opts
	// begin begins an answer that Ctrl-C ends without ending the program.
	begin chat.BeginFunc
}

// newProgram is a run of chibi that reads from and prints to these.
func newProgram(stdin *os.File, s *screen.Screen, begin chat.BeginFunc) *program {
	p := &program{stdin: stdin, screen: s, out: &command.Printer{Screen: s}, begin: begin}
	p.env = &command.Env{
		Stdin: stdin, Out: p.out, Request: p.request, Yes: func() bool { return p.opts.yes },
		Prompt: func(ctx context.Context, prompt command.Prompt) error {
			p.opts.recipe, p.opts.args = []string{prompt.Recipe}, append(p.opts.args, prompt.Args...)
			return runFlags(ctx, p, prompt.Words)
		},
	}
	return p
}

// run takes the command line apart and does what it says.
func (p *program) run(ctx context.Context, args []string) error {
	if err := checkDepth(); err != nil {
		return err
	}
	p.rows = p.opts.table()
	line := p.app(ctx)
	l, err := cmdline.Split(args, line.Flags)
	if err != nil {
		return app.UsageError{Err: cmdline.SeeHelp(err)}
	}
	if slices.Contains(l.Flags, "--help") {
		line.CustomAppHelpTemplate = helpText(flagsOf(p.rows))
	}
	found := l.Command(line.Commands)
	if found == nil {
		p.hintCommand(l, line.Commands)
		line.Commands = nil
	}
	parserArgs, err := l.ParserArgs(found)
	if err != nil {
		return app.UsageError{Err: err}
	}
	return line.RunContext(ctx, parserArgs)
}

// hintCommand tells a person whose prompt begins with a group of commands that it
// is taken for a prompt: they may have mistyped one.
func (p *program) hintCommand(l cmdline.Line, commands []*cli.Command) {
	if l.Ended || len(l.Words) < 2 {
		return
	}
	i := slices.IndexFunc(commands, func(c *cli.Command) bool { return c.HasName(l.Words[0]) && len(c.Subcommands) > 0 })
	if i >= 0 {
		p.out.Notef("this is asked as a prompt; it is none of the commands that chibi %s lists", l.Words[0])
	}
}

// app describes the command line.
func (p *program) app(ctx context.Context) *cli.App {
	flags := flagsOf(p.rows)
	return &cli.App{
		Name:           "chibi",
		Usage:          "talk to a language model, and let plugins see and shape it",
		HideVersion:    true, // the parser's own flag would take -v
		HideHelp:       true,
		Writer:         command.HelpWriter(p.screen), // nothing else goes there
		ErrWriter:      p.screen.Stderr(),
		Flags:          cmdline.Flags(flags),
		OnUsageError:   usageFromParser,
		ExitErrHandler: func(*cli.Context, error) {},
		Before: func(*cli.Context) error {
			p.screen.Quiet = p.opts.quiet
			p.out.AsJSON, p.out.Verbose = p.opts.jsonOutput, p.opts.verbose
			p.opts.asked = operation.AskedOf(p.rows)
			if name := cmdline.Twice(flags); name != "" {
				return usage("%s is given twice; say it once", name)
			}
			return nil
		},
		Action:   func(c *cli.Context) error { return runFlags(ctx, p, c.Args().Slice()) },
		Commands: p.commands(ctx),
	}
}

// commands lists the commands. ArgsUsage names exactly the words that a command
// takes.
func (p *program) commands(ctx context.Context) []*cli.Command {
	return slices.Concat(contextcommands.Commands(p.env), history.Commands(p.env), cache.Commands(p.env),
		plugins.Commands(p.env), tool.Commands(p.env), recipe.Commands(p.env), trace.Commands(p.env),
		doctor.Commands(p.env), trust.Commands(p.env), hook.Commands(p.env), demo.Commands(p.env),
		complete.Commands(p.env), []*cli.Command{
			p.env.Command(command.Spec{Name: "help", About: "print this help",
				Run: func(context.Context, []string) error { return printHelp(p) }}),
		})
}

// withExample gives a command's help examples.
func withExample(c *cli.Command, lines ...string) *cli.Command {
	c.Description = strings.Join(lines, "\n   ")
	return c
}

// jsonFlag is the flag --json of a command.
func jsonFlag(into *bool) cli.Flag {
	return &cli.BoolFlag{Name: "json", Usage: "print JSON", DisableDefaultText: true, Destination: into}
}

// leaf is a command that does something.
func leaf(ctx context.Context, name, args, about string, run func(ctx context.Context, args []string) error,
	flags ...cli.Flag) *cli.Command {
	return &cli.Command{
		Name: name, ArgsUsage: args, Usage: about, Flags: flags, HideHelpCommand: true,
		CustomHelpTemplate: command.Help,
		OnUsageError:       usageFromParser,
		Action: func(c *cli.Context) error {
			if least, _ := cmdline.Arity(c.Command); c.NArg() < least {
				return usage("%s takes %s; put -- before it if it is a prompt", c.Command.HelpName, args)
			}
			return run(ctx, c.Args().Slice())
		},
	}
}

// usageFromParser words the flag parser's complaints as ours.
func usageFromParser(_ *cli.Context, err error, _ bool) error {
	return app.UsageError{Err: cmdline.ParserError(err)}
}
