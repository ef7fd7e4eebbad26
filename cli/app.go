package cli

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"github.com/chibi-host/chibi/contexts"
	"github.com/urfave/cli/v2"
)

// program is one run of chibi.
type program struct {
	stdin  *os.File
	screen *screen
	opts   options
	said   map[string]bool // notices that were printed
	// pluginEnv is the environment of plugins; nil: chibi's own.
	pluginEnv []string
	// offline uses the demo model, whatever is configured.
	offline bool
}

// options are the flags' values.
type options struct {
	home       string
	switchTo   string // -c
	transient  string // -C
	list       bool   // -L
	current    bool   // -l
	verbose    bool
	plugin     string // -p
	tool       string // -P
	noPlugins  bool
	trace      string
	set        []string
	jsonOutput bool
	version    bool
	tail       []string // words after -p NAME or -P TOOL
}

// run takes the command line apart and does what it says.
func (p *program) run(ctx context.Context, args []string) error {
	app := p.app(ctx)
	l := splitLine(args, append(app.Flags, cli.HelpFlag))
	p.opts.tail = l.tail
	found := l.command(app.Commands)
	if found == nil {
		app.Commands = nil
	}
	return app.Run(l.parserArgs(found != nil))
}

// app describes the command line.
func (p *program) app(ctx context.Context) *cli.App {
	o := &p.opts
	app := &cli.App{
		Name:            "chibi",
		Usage:           "talk to a language model, and let plugins see and shape it",
		HideVersion:     true, // the parser's own flag would take -v
		HideHelpCommand: true,
		Writer:          p.screen.Stdout(),
		ErrWriter:       p.screen.Stderr(),
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "switch-context", Aliases: []string{"c"}, Destination: &o.switchTo},
			&cli.StringFlag{Name: "transient-context", Aliases: []string{"C"}, Destination: &o.transient},
			&cli.BoolFlag{Name: "list-current-context", Aliases: []string{"l"}, Destination: &o.current},
			&cli.BoolFlag{Name: "list-contexts", Aliases: []string{"L"}, Destination: &o.list},
			&cli.StringFlag{Name: "plugin", Aliases: []string{"p"}, Destination: &o.plugin},
			&cli.StringFlag{Name: "call-tool", Aliases: []string{"P"}, Destination: &o.tool},
			&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Destination: &o.verbose},
			&cli.StringFlag{Name: "home", Destination: &o.home},
			&cli.BoolFlag{Name: "no-plugins", Destination: &o.noPlugins},
			&cli.StringFlag{Name: "trace", Destination: &o.trace},
			&setFlag{Name: "set", values: &o.set},
			&cli.BoolFlag{Name: "json-output", Destination: &o.jsonOutput},
			&cli.BoolFlag{Name: "version", Destination: &o.version},
		},
		CustomAppHelpTemplate: helpText,
		OnUsageError:          func(_ *cli.Context, err error, _ bool) error { return usageFromParser(err) },
		ExitErrHandler:        func(*cli.Context, error) {},
		Action: func(c *cli.Context) error {
			for _, flag := range []string{"switch-context", "transient-context"} {
				if c.IsSet(flag) && c.String(flag) == "" {
					return usageError{contexts.ValidName("")}
				}
			}
			return p.talk(ctx, c.Args().Slice())
		},
		Commands: p.commands(ctx),
	}
	return app
}

// commands lists the commands. ArgsUsage names exactly the words that a command
// takes.
func (p *program) commands(ctx context.Context) []*cli.Command {
	leaf := func(name, args, usage string, run func(ctx context.Context, args []string) error) *cli.Command {
		return &cli.Command{
			Name: name, ArgsUsage: args, Usage: usage, HideHelpCommand: true,
			CustomHelpTemplate: commandHelp,
			OnUsageError:       func(_ *cli.Context, err error, _ bool) error { return usageFromParser(err) },
			Action:             func(c *cli.Context) error { return run(ctx, c.Args().Slice()) },
		}
	}
	group := func(name, usage string, subs ...*cli.Command) *cli.Command {
		return &cli.Command{Name: name, Usage: usage, Subcommands: subs, HideHelpCommand: true}
	}
	return []*cli.Command{
		group("plugin", "plugins",
			leaf("list", "", "show the plugins: files, tools, hooks, and which are left out and why", p.pluginList)),
		group("hook", "hook points",
			leaf("list", "", "list the hook points", p.hookList),
			leaf("show", "POINT", "explain one hook point: what a plugin receives and may answer", p.hookShow),
			leaf("schema", "POINT", "print the JSON Schemas of a hook point's payload and answer", p.hookSchema)),
		leaf("demo", "", "show what plugins can do: a short conversation in a scratch home with the example plugins", p.demo),
		leaf("help", "", "print this help", func(context.Context, []string) error { return p.help() }),
	}
}

// help prints the program's help.
func (p *program) help() error {
	_, err := fmt.Fprint(p.screen.Stdout(), helpText)
	return err
}

// usageFromParser words the flag parser's complaints as ours.
func usageFromParser(err error) error {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: "); ok {
		return usage("there is no flag %s; see chibi --help, or put -- before a prompt that begins with a dash", name)
	}
	return usage("%s; see chibi --help", text)
}

// version is the module's version as built.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// setFlag collects --set KEY=VALUE. Unlike the parser's own list it leaves
// commas in values alone.
type setFlag struct {
	Name   string
	values *[]string
}
