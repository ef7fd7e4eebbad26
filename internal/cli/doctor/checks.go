// Package doctor has the command that looks for problems in a home.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/cli/output"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/plugin"
	"github.com/urfave/cli/v2"
)

type flags struct{ online, json bool }

// Commands lists the command doctor, of a program that keeps files only.
func Commands(env *command.Env) []*cli.Command { return commands(env, nothing) }

// SharedCommands is like Commands, for a program that also has stores that machines share.
func SharedCommands(env *command.Env) []*cli.Command { return commands(env, sharedStore) }

func commands(env *command.Env, ofStore check) []*cli.Command {
	var f flags
	return []*cli.Command{env.Command(command.Spec{
		Name: "doctor", About: "look for problems in the home, permissions, plugins, guards and transcripts, and say how " +
			"to fix them",
		Flags: []cli.Flag{command.Switch(&f.online, "online", "also check the model's server, and MCP servers with a URL"),
			command.JSONFlag(&f.json)},
		Examples: []string{"chibi doctor", "chibi doctor --online --json"},
		Run:      func(ctx context.Context, _ []string) error { return run(ctx, env, f, checks(ofStore)) },
	})}
}

// checks lists the checks of doctor, in their order. A new check is a function that
// returns what it found, and a row here which says what it looks at; ofStore checks stores that
// machines share.
func checks(ofStore check) []check {
	return []check{
		ofHome(homeDirectory),
		openSession,
		ofSession(configuration),
		ofStore,
		ofSession(confinedCommands),
		loadPlugins,
		ofPlugins(rulesToCorrect),
		ofPlugins(installedPlugins),
		ofPlugins(exposedKeys),
		ofPlugins(skippedPlugins),
		ofPlugins(pluginNotices),
		ofPlugins(uncheckedTools),
		ofPlugins(unseenTools),
		ofPlugins(differedPlugins),
		ofPlugins(loadedPlugins),
		ofSession(keptPlugins),
		ofSession(endedLogins),
		ofPlugins(missingGuards),
		ofPlugins(openGuards),
		ofPlugins(hooksOfAgents),
		ofHome(bridgedAgents),
		ofPlugins(lostInAgents),
		ofPlugins(recipeFiles),
		ofPlugins(tracedHooks),
		ofPlugins(transcripts),
		ofPlugins(leftovers),
		mcpServers,
		ofPlugins(model),
		ifOnline(ofPlugins(modelServer)),
		ofHome(readableKeys),
		otherWriters,
	}
}

type check func(ctx context.Context, e *examination) []finding

func nothing(context.Context, *examination) []finding { return nil }

type examination struct {
	home   string // its directory
	online bool   // check servers too
	open   func(context.Context) (*app.Session, error)

	session *app.Session // nil: it could not be opened
	loaded  bool         // the session has its plugins
}

func (e *examination) run(ctx context.Context, checks []check) (found []finding, err error) {
	for _, check := range checks {
		found = append(found, check(ctx, e)...)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return found, nil
}

func (e *examination) close() {
	if e.session != nil {
		e.session.Close()
	}
}

// plugins are the plugins that were loaded, none if they could not be.
func (e *examination) plugins() []plugin.Plugin {
	if !e.loaded {
		return nil
	}
	return e.session.Loaded.Plugins
}

func ofHome(find func(home string) []finding) check {
	return func(_ context.Context, e *examination) []finding { return find(e.home) }
}

func ofSession(find func(*app.Session) []finding) check {
	return func(_ context.Context, e *examination) []finding {
		if e.session == nil {
			return nil
		}
		return find(e.session)
	}
}

func ofPlugins(find func(context.Context, *app.Session) []finding) check {
	return func(ctx context.Context, e *examination) []finding {
		if !e.loaded {
			return nil
		}
		return find(ctx, e.session)
	}
}

func ifOnline(find check) check {
	return func(ctx context.Context, e *examination) []finding {
		if !e.online {
			return nil
		}
		return find(ctx, e)
	}
}

type finding struct {
	Level level  `json:"level"`
	Text  string `json:"text"`
	// Fix says how to correct it: a command to copy, or a sentence.
	Fix string `json:"do,omitempty"`
}

type level string

// The levels of findings, as they are printed.
const (
	levelOK      level = "ok"
	levelWarning level = "warning"
	levelError   level = "error"
)

func fine(text string) finding { return finding{Level: levelOK, Text: text} }

func warning(text, fix string) finding { return finding{levelWarning, text, fix} }

func failure(text, fix string) finding { return finding{levelError, text, fix} }

var errFound = errors.New("there are errors to fix, see above")

func run(ctx context.Context, env *command.Env, f flags, checks []check) error {
	opts, refused := env.Request(app.ToRead)
	home, err := app.Home(opts.Home)
	if err != nil {
		return err
	}
	opts.Plugins.AskAgain = true
	e := &examination{home: home, online: f.online, open: func(ctx context.Context) (*app.Session, error) {
		if refused != nil {
			return nil, refused
		}
		return app.Open(ctx, opts)
	}}
	defer e.close()
	found, err := e.run(ctx, checks)
	if err != nil {
		return err
	}
	if f.json {
		if err := env.Out.JSON(found); err != nil {
			return err
		}
	} else {
		printFindings(env.Out, found)
	}
	if slices.ContainsFunc(found, func(f finding) bool { return f.Level == levelError }) {
		return errFound
	}
	return nil
}

// printFindings prints findings for people, the worst last.
func printFindings(out *output.Printer, found []finding) {
	w := out.Screen.Stdout()
	for _, level := range []level{levelOK, levelWarning, levelError} {
		for _, f := range found {
			if f.Level != level {
				continue
			}
			fmt.Fprintf(w, "%s  %s\n", out.Paint(string(level), fmt.Sprintf("%-7s", level)), term.Line(f.Text))
			if f.Fix != "" {
				fmt.Fprintf(w, "         %s\n", f.Fix)
			}
		}
	}
}
