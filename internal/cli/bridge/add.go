package bridge

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/agents/bridge"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/urfave/cli/v2"
)

// written is what the flags of add and remove say.
type written struct {
	user, project, failClosed, noServer bool
	limit                               time.Duration
}

const addHelp = "AGENT is " +
	"claude, codex, copilot, crush, cursor, droid, gemini, goose, grok, kilo, kimi, opencode, pi or qwen. " +
	"Its settings file gets an entry for each of its events that chibi has a hook point for; everything else in " +
	"the file stays as it is. Kilo CLI, OpenCode and pi get a plugin in JavaScript, a file of chibi's own. Where " +
	"the agent takes MCP servers, chibi adds \"chibi mcp serve\" to them, so that it gets the plugins' tools too. " +
	"Adding again brings the entries up to date.\n\n" +
	"If chibi is missing or its home is broken, the agent goes on without it, and says so if it can. With " +
	"--fail-closed the agent denies every prompt and tool call instead. A plugin that the configuration requires " +
	"(on_failure = \"block\") always denies when it is missing."

func addCommand(env *command.Env) *cli.Command {
	var w written
	return env.Command(command.Spec{
		Name: "add", Args: "AGENT", About: "let chibi's plugins work inside another agent", More: addHelp,
		Flags: append(scopeFlags(&w),
			command.Switch(&w.failClosed, "fail-closed", "deny every event that chibi cannot ask plugins about"),
			command.Switch(&w.noServer, "no-mcp", "do not add the MCP server with the plugins' tools"),
			&cli.DurationFlag{Name: "timeout", Usage: "how long the agent waits for an event; plugins get `TIME` less some " +
				"seconds", DefaultText: bridge.Limit.String(), Destination: &w.limit}),
		Examples: []string{"chibi bridge add claude", "chibi bridge add gemini --project",
			"chibi bridge add codex --fail-closed"},
		Run: func(ctx context.Context, args []string) error {
			i, err := installer(ctx, env, args[0], w)
			if err != nil {
				return err
			}
			if err := stays(i); err != nil {
				return err
			}
			// For the plugins that the person puts there next.
			if err := disk.MkdirAll(disk.OS{}, filepath.Join(i.Home, "plugins"), 0o700); err != nil {
				return err
			}
			done, err := i.Add()
			for _, loss := range losses(ctx, env)(i.Agent) {
				done.Notes = append(done.Notes, fmt.Sprintf("plugin %q in %s: %s", loss.Plugin, i.Agent.Title, loss.Text))
			}
			return say(env, result{i, done, err}, "Added chibi's plugins to")
		},
	})
}

func removeCommand(env *command.Env) *cli.Command {
	var w written
	return env.Command(command.Spec{
		Name: "remove", Args: "AGENT", About: "take chibi's entries out of the settings of another agent",
		More: "A file that nobody else has changed since is then as it was before, byte for byte. The entries of other " +
			"chibi homes stay.",
		Flags: scopeFlags(&w), Examples: []string{"chibi bridge remove claude"},
		Run: func(ctx context.Context, args []string) error {
			i, err := installer(ctx, env, args[0], w)
			if err != nil {
				return err
			}
			done, err := i.Remove()
			return say(env, result{i, done, err}, "Removed chibi's plugins from")
		},
	})
}

// scopeFlags are the flags that say whose settings are meant.
func scopeFlags(w *written) []cli.Flag {
	return []cli.Flag{
		command.Switch(&w.user, "user", "your own settings, which is the default"),
		command.Switch(&w.project, "project", "the settings of the project in the current directory"),
	}
}

// installer returns the installer for an agent.
func installer(ctx context.Context, env *command.Env, agent string, w written) (i bridge.Installer, err error) {
	d, err := agentNamed(agent)
	if err != nil {
		return i, err
	}
	if w.user && w.project {
		return i, command.Usage("--user and --project exclude each other")
	}
	if w.limit != 0 && w.limit < 3*time.Second {
		return i, command.Usage("--timeout %v is too short; want 3s at least", w.limit)
	}
	if i, err = anywhere(env); err != nil {
		return i, err
	}
	i.Agent, i.Scope, i.Run = d, engine.ScopeUser, bridge.Runner(ctx)
	i.FailClosed, i.NoServer, i.Limit = w.failClosed, w.noServer, w.limit
	if w.project {
		i.Scope = engine.ScopeProject
	}
	if !w.project || i.Home != i.DefaultHome {
		i.Chibi, err = program()
	}
	return i, err
}

// anywhere returns an installer for the home, of no agent.
func anywhere(env *command.Env) (i bridge.Installer, err error) {
	opts, err := env.Request(app.ToRead)
	if err != nil {
		return i, err
	}
	home, err := app.Home(opts.Home)
	if err != nil {
		return i, err
	}
	return bridge.NewInstaller(home)
}

// result is what an installer has done.
type result struct {
	bridge.Installer
	done bridge.Done
	err  error
}

// say tells the person what an installer has done.
func say(env *command.Env, r result, what string) error {
	if _, ok := errors.AsType[*bridge.NoPlaceError](r.err); ok {
		return app.UsageError{Err: r.err}
	} else if r.err != nil {
		return r.err
	}
	for _, note := range r.done.Notes {
		env.Out.Notef("%s", note)
	}
	if len(r.done.Files)+len(r.done.Ran) == 0 {
		return env.Out.Say("Nothing had to be changed in the settings of %s", r.Agent.Title)
	}
	for _, file := range r.done.Files {
		if err := env.Out.Say("%s %s: %s", what, r.Agent.Title, file); err != nil {
			return err
		}
	}
	for _, command := range r.done.Ran {
		if err := env.Out.Say("%s the MCP servers that %s keeps: %s", strings.Replace(what, "plugins", "tools", 1),
			r.Agent.Title, command); err != nil {
			return err
		}
	}
	return nil
}
