// Package plugins has the commands about plugins.
package plugins

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/workbench/installed"
	"github.com/urfave/cli/v2"
)

func enableCommand(env *command.Env) *cli.Command {
	return env.Command(command.Spec{
		Name: "enable", Args: "PLUGIN", About: "enable a plugin or hook of any protocol",
		Examples: []string{"chibi plugin enable my-filter"},
		Run: func(ctx context.Context, args []string) error {
			return env.ReadHome(ctx, func(s *app.Session) error { return enable(ctx, env, s, args[0]) })
		},
	})
}

func disableCommand(env *command.Env) *cli.Command {
	return env.Command(command.Spec{
		Name: "disable", Args: "PLUGIN", About: "leave a plugin or hook out, and keep its file",
		Examples: []string{"chibi plugin disable kodelet:guard"},
		Run: func(ctx context.Context, args []string) error {
			return env.ReadHome(ctx, func(s *app.Session) error { return disable(ctx, env, s, args[0]) })
		},
	})
}

// enable enables a plugin of any protocol, also one that its file's name disables.
func enable(ctx context.Context, env *command.Env, s *app.Session, name string) error {
	isDisabledByName, err := find(ctx, env, s, name)
	if err == nil && isDisabledByName {
		err = directory(env, s).Enable(name)
	}
	if err == nil {
		err = setEnabled(s, name, true)
	}
	if err != nil {
		return err
	}
	return env.Out.Say("Plugin %s is enabled", term.Name(name))
}

// disable disables a plugin of any protocol.
func disable(ctx context.Context, env *command.Env, s *app.Session, name string) error {
	isDisabledByName, err := find(ctx, env, s, name)
	switch {
	case err != nil:
		return err
	case isDisabledByName:
		return env.Out.Say("%s is disabled by its name already", term.Name(name))
	}
	if err := setEnabled(s, name, false); err != nil {
		return err
	}
	if err := app.ForgetGuard(s, name); err != nil {
		return err
	}
	return env.Out.Say("Plugin %s is disabled", term.Name(name))
}

// find returns an error if there is no plugin of this name, of any protocol. It reports
// whether the plugin's file has a name that disables it.
func find(ctx context.Context, env *command.Env, s *app.Session, name string) (isDisabledByName bool, err error) {
	dir := directory(env, s)
	switch {
	case dir.Has(name):
		return false, nil
	case dir.HasDisabled(name):
		return true, nil
	case isForeign(name):
		_, _, err := findForeign(ctx, s, name)
		return false, err
	}
	return false, command.NoPlugin(name)
}

// setEnabled writes into the configuration that a plugin is disabled; for one that is
// enabled it removes that.
func setEnabled(s *app.Session, name string, enabled bool) error {
	key := fmt.Sprintf("plugins.%s.enabled", config.Quote(name))
	return configFile(s).Rewrite(func(path string, data []byte) ([]byte, error) {
		if enabled {
			return config.Unset(path, data, key)
		}
		return config.Edit(path, data, key, "false")
	})
}

func allowLink(s *app.Session, real string) error {
	return changeLinks(s, func(allowed []string) []string {
		if slices.Contains(allowed, real) {
			return allowed
		}
		return append(allowed, real)
	})
}

func forbidLink(s *app.Session, link string) error {
	real, err := filepath.EvalSymlinks(link)
	if err != nil || !slices.Contains(s.Config.Plugins.AllowLinks, real) {
		return nil // a broken link, or not a link
	}
	return changeLinks(s, func(allowed []string) []string {
		return slices.DeleteFunc(allowed, func(a string) bool { return a == real })
	})
}

func changeLinks(s *app.Session, change func([]string) []string) error {
	return configFile(s).Rewrite(func(path string, data []byte) ([]byte, error) {
		return config.EditLinks(path, data, change)
	})
}

func configFile(s *app.Session) app.ConfigFile {
	return app.ConfigFile{Path: filepath.Join(s.Home, "config.toml"), What: "the configuration"}
}

// Commands lists the commands about plugins.
func Commands(env *command.Env) []*cli.Command {
	return []*cli.Command{env.Group("plugin", "find, write, test and manage plugins", []*cli.Command{
		listCommand(env), newCommand(env), checkCommand(env), testCommand(env), watchCommand(env), installCommand(env),
		showCommand(env), enableCommand(env), disableCommand(env), removeCommand(env),
		keeperCommand(env),
	})}
}

// openAskingAgain opens a session that also asks plugins that hung a short while ago.
func openAskingAgain(ctx context.Context, env *command.Env, purpose app.Purpose) (*app.Session, error) {
	opts, err := env.Request(purpose)
	if err != nil {
		return nil, err
	}
	opts.Plugins.AskAgain = true
	return app.Open(ctx, opts)
}

func directory(env *command.Env, s *app.Session) installed.Dir {
	return installed.Dir{Path: s.Loader().Dir(), Home: s.Home, Report: env.Out.Notice}
}
