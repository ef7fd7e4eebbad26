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
	"github.com/chibi-host/chibi/internal/workbench/installed"
	"github.com/urfave/cli/v2"
)

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
