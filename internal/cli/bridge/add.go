package bridge

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/bridge"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/plugin/dialect"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/urfave/cli/v2"
)

// written is what the flags of add and remove say.
type written struct {
	user, project, failClosed, noServer bool
	limit                               time.Duration
}

const addHelp = "AGENT is claude, codex, copilot, crush, cursor, gemini or qwen. Its settings file gets an entry for " +
	"each of its events that chibi has a hook point for; everything else in the file stays as it is. Where the agent " +
	"takes MCP servers it is told of \"chibi mcp serve\", so that it gets the plugins' tools too. Adding again brings " +
	"the entries up to date.\n\n" +
	"Where chibi is not there, or its home is broken, the agent goes on without it, and says so. With --fail-closed " +
	"every prompt and tool call is denied then. A plugin that the configuration requires (on_failure = \"block\") " +
	"denies in any case when it is missing."

func addCommand(env *command.Env) *cli.Command {
	var w written
	return env.Command(command.Spec{
		Name: "add", Args: "AGENT", About: "let chibi's plugins work inside another agent", More: addHelp,
		Flags: append(scopeFlags(&w),
			command.Switch(&w.failClosed, "fail-closed", "deny what plugins cannot be asked about"),
			command.Switch(&w.noServer, "no-mcp", "do not tell the agent of the MCP server with the plugins' tools"),
			&cli.DurationFlag{Name: "timeout", Usage: "how long the agent waits for an event; plugins get `TIME` less some " +
				"seconds", DefaultText: bridge.Limit.String(), Destination: &w.limit}),
		Examples: []string{"chibi bridge add claude", "chibi bridge add gemini --project",
			"chibi bridge add codex --fail-closed"},
		Run: func(ctx context.Context, args []string) error {
			i, err := installer(ctx, env, args[0], w)
			if err != nil {
				return err
			}
			done, err := i.Add()
			return say(env, result{i, done, err}, "Added chibi's plugins to")
		},
	})
}

func removeCommand(env *command.Env) *cli.Command {
	var w written
	return env.Command(command.Spec{
		Name: "remove", Args: "AGENT", About: "take chibi's entries out of the settings of another agent",
		More: "Files that nobody else has written to since are then as they were before, byte for byte. Entries of other " +
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
	i = bridge.Installer{Agent: d, Scope: dialect.ScopeUser, UserHome: app.UserHome(), Getenv: os.Getenv,
		FailClosed: w.failClosed, NoServer: w.noServer, Limit: w.limit, Run: runner(ctx)}
	if w.project {
		i.Scope = dialect.ScopeProject
	}
	if i.Project, err = os.Getwd(); err != nil {
		return i, err
	}
	i.DefaultHome = filepath.Join(i.UserHome, ".chibi")
	opts, err := env.Request(app.ToRead)
	if err != nil {
		return i, err
	}
	if i.Home, err = app.Home(opts.Home); err != nil {
		return i, err
	}
	if i.Home, err = filepath.Abs(i.Home); err != nil {
		return i, err
	}
	if !w.project || i.Home != i.DefaultHome {
		i.Chibi, err = program()
	}
	return i, err
}

// program returns the path of this program: the one by which the person's shell finds it, which
// stays when the program is replaced by a newer one, or else that of the file.
func program() (string, error) {
	own, err := os.Executable()
	if err != nil {
		return "", err
	}
	found, ok := (process.Runner{}).LookPath("chibi")
	if !ok {
		return own, nil
	}
	a, errA := os.Stat(own)
	b, errB := os.Stat(found)
	if errA == nil && errB == nil && os.SameFile(a, b) && filepath.IsAbs(found) {
		return found, nil
	}
	return own, nil
}

// runner runs programs of agents.
func runner(ctx context.Context) func(string, ...string) (bool, error) {
	return func(name string, args ...string) (found bool, err error) {
		r := process.Runner{NoTerminal: true}
		path, found := r.LookPath(name)
		if !found {
			return false, nil
		}
		outcome, err := r.Run(ctx, process.Command{Path: path, Args: args, Timeout: time.Minute})
		if err == nil && !outcome.Ok() {
			err = outcome.Err()
		}
		return true, err
	}
}

// result is what an installer has done.
type result struct {
	bridge.Installer
	done bridge.Done
	err  error
}

// say tells the person what an installer has done.
func say(env *command.Env, r result, what string) error {
	var place *bridge.NoPlaceError
	if errors.As(r.err, &place) {
		return app.UsageError{Err: r.err}
	} else if r.err != nil {
		return r.err
	}
	for _, note := range r.done.Notes {
		env.Out.Notef("%s", note)
	}
	if len(r.done.Files) == 0 {
		return env.Out.Say("Nothing had to be changed in the settings of %s", r.Agent.Title)
	}
	for _, file := range r.done.Files {
		if err := env.Out.Say("%s %s: %s", what, r.Agent.Title, app.Place(file)); err != nil {
			return err
		}
	}
	return nil
}
