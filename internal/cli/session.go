package cli

import (
	"context"
	"os"
	"strings"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/chat"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/cli/doctor"
	"github.com/chibi-host/chibi/internal/cli/operation"
	storecmd "github.com/chibi-host/chibi/internal/cli/store"
	"github.com/chibi-host/chibi/internal/storage"
	"github.com/chibi-host/chibi/internal/term/question"
	"github.com/chibi-host/chibi/internal/term/screen"
	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/store"
	"github.com/chibi-host/chibi/tools/mcp"
	"github.com/urfave/cli/v2"
	tty "golang.org/x/term"
)

func sessionOptions(env *command.Env, o *options, purpose app.Purpose) (app.Options, error) {
	out := env.Out
	keys, err := o.debug.Keys()
	opts := app.Options{
		Purpose: purpose, Home: o.home, Transient: o.transient != nil || o.noSave,
		NoSave: o.noSave, Set: o.settings.Overrides(), Verbose: o.verbose,
		Store: app.StoreOptions{Sharing: o.sharing.app, URL: o.store},
		Wait:  o.wait, Strict: o.strict, TrustProject: o.trustProject, Permissions: o.permissions.PermissionOptions,
		Version: version(),
		Model:   app.ModelOptions{LogRequests: keys.Requests, LogResponses: keys.Responses},
		Plugins: app.PluginOptions{
			None: o.noPlugins, NoHooks: o.noHooks, Stderr: out.Screen.Plugins(), RawStderr: out.Screen.Stderr(),
			Terminal: env.Stdin, Lend: out.Screen.Pause, IsPiped: out.Screen.IsPiped,
		},
		Trace:  app.TraceOptions{File: o.trace, Off: o.noTrace, Failed: func(text string) { out.Notef("%s", text) }},
		Output: chat.Output(out, answerFormat(out.Screen, o)),
	}
	opts.Permissions.Ask, opts.Permissions.Fill = asking(out.Screen, ask), asking(out.Screen, fill)
	if opts.Within = env.Within; opts.Within != nil { // who could answer there is the model
		opts.Permissions.Ask, opts.Permissions.Fill = nil, nil
		opts.Plugins.Terminal, opts.Plugins.Lend, opts.Plugins.NoTerminal = nil, nil, true
	}
	for _, wanted := range [][]string{o.switchTo, o.transient} {
		if wanted == nil {
			continue
		}
		if opts.Context = wanted[0]; opts.Context == "" {
			return opts, app.UsageError{Err: contexts.ValidName("")}
		}
	}
	if o.recipe != nil {
		opts.Recipe = o.recipe[0]
	}
	if o.verbose {
		opts.Trace.Record = chat.Records(out)
	}
	if err != nil {
		return opts, err
	}
	if o.runSystemPrompt != nil && purpose != app.ToRead {
		text, err := operation.PromptText(out, o.runSystemPrompt[0])
		opts.SystemPrompt = &text
		return opts, err
	}
	return opts, nil
}

// answerFormat returns how answers are shown: rendered as Markdown on a terminal, unless
// --raw is given.
func answerFormat(s *screen.Screen, o *options) chat.Format {
	keys, _ := o.debug.Keys() // sessionOptions returns the error
	if keys.ForceMarkdown || s.OnTerminal && !o.raw {
		return chat.Markdown
	}
	return chat.Plain
}

// asking holds back what would be printed into a question.
func asking[Q, A any](s *screen.Screen, ask func(context.Context, *os.File, func(), Q) (A, error),
) func(context.Context, *os.File, func(), Q) (A, error) {
	return func(ctx context.Context, f *os.File, flush func(), q Q) (A, error) {
		defer s.Hold()()
		return ask(ctx, f, flush, q)
	}
}

func ask(ctx context.Context, f *os.File, flush func(), q permissions.Question) (permissions.Answer, error) {
	return question.Ask(ctx, terminalOf(f, flush), q)
}

func fill(ctx context.Context, f *os.File, flush func(), q mcp.Question) (mcp.Answer, error) {
	form := question.Form{Who: "MCP server " + q.Server, Message: q.Message, Schema: q.Schema}
	values, filled, err := question.Fill(ctx, terminalOf(f, flush), form)
	if err != nil || !filled {
		return mcp.Answer{Action: mcp.Decline}, err
	}
	return mcp.Answer{Action: mcp.Accept, Content: values}, nil
}

func terminalOf(f *os.File, flush func()) question.Terminal {
	t := question.Terminal{File: f, Flush: flush, Config: "config.toml",
		Colours: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
	if columns, rows, err := tty.GetSize(int(f.Fd())); err == nil {
		t.Columns, t.Rows = columns, rows
	}
	return t
}

// Sharing is what a program has for stores that machines share. The zero value is for the plain
// program, which keeps files only: none of the code for such stores is linked into it.
type Sharing struct {
	app           storage.Sharing
	store, doctor func(*command.Env) []*cli.Command
}

// Share returns what a program needs to reach stores by drivers, and the commands about them.
func Share(drivers store.Drivers) Sharing {
	return Sharing{storage.Share(drivers), storecmd.Commands, doctor.SharedCommands}
}

func (s Sharing) doctorIn(env *command.Env) []*cli.Command {
	if s.doctor != nil {
		return s.doctor(env)
	}
	return doctor.Commands(env)
}

// storeIn lists the commands about stores; in the plain program they say which program has
// them.
func (s Sharing) storeIn(env *command.Env) []*cli.Command {
	if s.store != nil {
		return s.store(env)
	}
	elsewhere := func(name, takes string, flags ...cli.Flag) *cli.Command {
		return &cli.Command{Name: name, ArgsUsage: takes, Flags: flags,
			Usage:  "chibi-cluster has it, see docs/operating/CLUSTER.md",
			Action: func(*cli.Context) error { return app.UsageError{Err: storage.ErrPlain} }}
	}
	value := func(name string) cli.Flag { return &cli.StringFlag{Name: name, Hidden: true} }
	mark := func(name string) cli.Flag { return &cli.BoolFlag{Name: name, Hidden: true} }
	return []*cli.Command{env.Group("store", "where contexts are kept, for many machines (in chibi-cluster)",
		[]*cli.Command{
			elsewhere("init", "", value("replicas"), value("max-output-bytes")),
			elsewhere("status", "", mark("json"), value("monitor")), elsewhere("copy", "FROM TO", mark("dry-run")),
			elsewhere("gc", ""), elsewhere("check", "", mark("json")), elsewhere("unlock", "CONTEXT"),
			elsewhere("settings", "CONTEXT", mark("replace"), mark("remove")),
		})}
}

func recipePrompt(ctx context.Context, s *app.Session, pairs []string, text string) (string, error) {
	args := map[string]string{}
	for _, pair := range pairs {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return "", command.Usage("--arg %s: want NAME=VALUE", pair)
		}
		args[name] = value
	}
	return app.RecipePrompt(ctx, s, args, text)
}
