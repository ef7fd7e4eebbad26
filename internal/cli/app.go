package cli

import (
	"context"
	"os"
	"slices"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/bridge"
	"github.com/chibi-host/chibi/internal/cli/cache"
	"github.com/chibi-host/chibi/internal/cli/chat"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/cli/complete"
	"github.com/chibi-host/chibi/internal/cli/contextcmd"
	"github.com/chibi-host/chibi/internal/cli/demo"
	"github.com/chibi-host/chibi/internal/cli/history"
	"github.com/chibi-host/chibi/internal/cli/hook"
	"github.com/chibi-host/chibi/internal/cli/jobs"
	"github.com/chibi-host/chibi/internal/cli/mcp"
	"github.com/chibi-host/chibi/internal/cli/operation"
	"github.com/chibi-host/chibi/internal/cli/output"
	"github.com/chibi-host/chibi/internal/cli/plugins"
	"github.com/chibi-host/chibi/internal/cli/recipe"
	"github.com/chibi-host/chibi/internal/cli/tool"
	"github.com/chibi-host/chibi/internal/cli/trace"
	"github.com/chibi-host/chibi/internal/cli/trust"
	"github.com/chibi-host/chibi/internal/cli/uninstall"
	"github.com/chibi-host/chibi/internal/cli/unsent"
	"github.com/chibi-host/chibi/internal/term/screen"
	"github.com/urfave/cli/v2"
)

// program is one run of chibi.
type program struct {
	env   *command.Env
	opts  options
	rows  []operation.Row // of the flags, which fill opts
	begin chat.BeginFunc  // begins an answer that Ctrl-C ends without ending the program

	commands []*cli.Command
	meant    string // what a person may have meant by the only word; "": a prompt
}

func newProgram(stdin *os.File, s *screen.Screen, begin chat.BeginFunc, sharing Sharing) *program {
	p := &program{begin: begin, opts: options{sharing: sharing}}
	p.env = &command.Env{
		Stdin: stdin, Out: &output.Printer{Screen: s},
		Request: func(purpose app.Purpose) (app.Options, error) { return sessionOptions(p.env, &p.opts, purpose) },
		ReportUnused: func() {
			for _, name := range append(p.opts.asked.Names(), p.opts.forPrompt()...) {
				p.env.Out.Notef("%s has no effect together with a command; give it in a separate run", name)
			}
		},
		Yes: func() bool { return p.opts.yes },
		Prompt: func(ctx context.Context, prompt command.Prompt) error {
			if p.opts.recipe != nil {
				return command.Usage("--recipe %s: recipe run %s names another recipe; give one", p.opts.recipe[0], prompt.Recipe)
			}
			p.opts.recipe, p.opts.args = []string{prompt.Recipe}, append(p.opts.args, prompt.Args...)
			return runFlags(ctx, p, prompt.Words)
		},
	}
	p.commands = append(commands(p.env, sharing), helpCommand(p))
	return p
}

func (p *program) run(ctx context.Context, args []string) error {
	var err error
	if p.env.Within, err = readWithin(p.env.Stdin); err != nil {
		return err
	}
	p.rows = p.opts.table()
	line := commandLine(p)
	l, err := cmdline.Split(args, line.Flags)
	if err != nil {
		return app.UsageError{Err: cmdline.SeeHelp(err)}
	}
	if err := checkDepth(l.Words); err != nil {
		return err
	}
	if slices.Contains(l.Flags, "--help") || len(l.Words) > 0 && l.Words[0] == "help" {
		line.CustomAppHelpTemplate = helpText(p)
	}
	found, err := l.Command(line.Commands)
	if err != nil {
		return app.UsageError{Err: err}
	}
	if found == nil {
		hintCommand(p.env.Out, l, line.Commands)
		p.meant = meantBy(l, line.Commands)
		line.Commands = nil
	}
	parserArgs, err := l.ParserArgs(found)
	if err != nil {
		return app.UsageError{Err: err}
	}
	return line.RunContext(ctx, parserArgs)
}

// hintCommand tells a person whose prompt begins with the name of a group of commands
// that it is sent as a prompt, because they may have mistyped a command.
func hintCommand(out *output.Printer, l cmdline.Line, commands []*cli.Command) {
	if l.Ended || len(l.Words) < 2 {
		return
	}
	i := slices.IndexFunc(commands, func(c *cli.Command) bool { return c.HasName(l.Words[0]) && len(c.Subcommands) > 0 })
	if i >= 0 {
		out.Notef("chibi sends this as a prompt, because it is not one of the commands that chibi %s lists", l.Words[0])
	}
}

func commandLine(p *program) *cli.App {
	out := p.env.Out
	return &cli.App{
		Name:           "chibi",
		Usage:          "talk to a language model, and let plugins see and shape it",
		HideVersion:    true, // the parser's own flag would take -v
		HideHelp:       true,
		Writer:         output.HelpWriter(out.Screen), // nothing else goes there
		ErrWriter:      out.Screen.Stderr(),
		Flags:          cmdline.Flags(flagsOf(p.rows)),
		ExitErrHandler: func(*cli.Context, error) {},
		OnUsageError: func(_ *cli.Context, err error, _ bool) error {
			return app.UsageError{Err: cmdline.ParserError(err)}
		},
		Before: func(*cli.Context) error {
			p.opts.applyTo(out)
			p.opts.asked = operation.AskedOf(p.rows)
			if name := cmdline.Twice(flagsOf(p.rows)); name != "" {
				return command.Usage("%s is given twice; give it once", name)
			}
			return checkWithin(p.env.Within, &p.opts, p.rows)
		},
		Action:   func(c *cli.Context) error { return runFlags(c.Context, p, c.Args().Slice()) },
		Commands: p.commands,
	}
}

func commands(env *command.Env, sharing Sharing) (list []*cli.Command) {
	for _, family := range []func(*command.Env) []*cli.Command{
		contextcmd.Commands, history.Commands, cache.Commands, sharing.storeIn, plugins.Commands, tool.Commands,
		mcp.Commands, recipe.Commands, trace.Commands, sharing.doctorIn, trust.Commands, jobs.Commands, unsent.Commands,
		hook.Commands,
		bridge.Commands, demo.Commands, uninstall.Commands, complete.Commands,
	} {
		list = append(list, family(env)...)
	}
	return list
}
