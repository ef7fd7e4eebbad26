// Package plugins has the commands about plugins.
package plugins

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/workbench/installed"
	"github.com/chibi-host/chibi/plugin/native"
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
	return app.Configuration(s.Home).Rewrite(func(path string, data []byte) ([]byte, error) {
		return config.EditLinks(path, data, change)
	})
}

// target is a plugin to check: an entry of the plugins directory, a path
// that is checked as if it were copied there, or a hook of another program.
type target struct {
	name    string
	path    string // what takes the place of the entry; "": nothing
	foreign bool
	absent  string // why there is nothing to check
	remark  string // why it is not used as it is
}

func findTarget(s *app.Session, name string) (target, error) {
	dir := s.Loader().Dir()
	full, err := filepath.Abs(name)
	entry := filepath.Join(dir, name)
	switch {
	case err != nil:
		return target{}, err
	case isForeign(name) && !disk.IsTaken(entry) && !disk.IsTaken(full):
		return target{name: name, foreign: true}, nil
	case !strings.Contains(name, "/") && disk.IsTaken(entry):
		full = entry
	case !strings.Contains(name, "/") && disk.IsTaken(entry+native.DisabledSuffix):
		full = entry + native.DisabledSuffix
	case !disk.IsTaken(full):
		why := fmt.Sprintf("there is no plugin %q in %s, and there is no file %s", name, dir, full)
		return target{name: filepath.Base(full), path: full, absent: why}, nil
	}
	t := target{name: filepath.Base(full), path: full}
	if filepath.Dir(full) == filepath.Clean(dir) {
		t.path = "" // it is there already
	}
	_, left := native.Find(s.Loader().Native(), t.name)
	if left != nil && left.Disabled && (t.path == "" || strings.HasSuffix(t.name, native.DisabledSuffix)) {
		t.name, t.path = strings.TrimSuffix(t.name, native.DisabledSuffix), full
		t.remark = fmt.Sprintf("chibi does not use it: %s; the check treats it as enabled (chibi plugin enable %s)",
			left.Reason, term.ShellWord(t.name))
	}
	return t, nil
}

func listCommand(env *command.Env) *cli.Command {
	var asJSON bool
	return env.Command(command.Spec{
		Name: "list", About: "show the plugins: files, tools, hooks, and which ones chibi leaves out and why",
		Flags: []cli.Flag{command.JSONFlag(&asJSON)},
		Run: func(ctx context.Context, _ []string) error {
			s, err := openAskingAgain(ctx, env, app.ToWork)
			if err != nil {
				return err
			}
			defer s.Close()
			if asJSON {
				return env.Out.JSON(listAll(s))
			}
			list(env, s)
			return nil
		},
	})
}

func list(env *command.Env, s *app.Session) {
	all := listAll(s)
	if len(all) == 0 {
		env.Out.Notef("there are no plugins in %s; chibi plugin new and chibi plugin install add some", s.Loader().Dir())
	}
	for _, one := range all {
		one.print(env.Out.Screen.Stdout(), len(s.Loaded.Plugins))
	}
}
