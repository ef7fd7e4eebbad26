package plugins

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/schemas"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/workbench/installed"
	"github.com/urfave/cli/v2"
)

func installCommand(env *command.Env) *cli.Command {
	var linked bool
	return env.Command(command.Spec{
		Name: "install", Args: "PATH-OR-GIT-URL",
		About: "copy a plugin into the plugins directory, show what it can see and do, and enable it if you agree",
		Flags: []cli.Flag{
			command.Switch(&linked, "link", "link to it instead of copying it"),
			env.YesFlag("do not ask for confirmation"),
		},
		Examples: []string{"chibi plugin install ./my-filter", "chibi plugin install --link ~/src/my-filter",
			"chibi plugin install --yes https://example.org/my-filter.git"},
		Reads: func(ctx context.Context, s *app.Session, args []string) error {
			return install(ctx, env, s, installation{args[0], linked})
		},
	})
}

type installation struct {
	source string // a path or the address of a repository
	link   bool
}

// install copies or links a plugin, disabled, and offers to enable it. Nothing of
// it runs before the person agrees.
func install(ctx context.Context, env *command.Env, s *app.Session, what installation) error {
	if what.link && installed.IsAddress(what.source) {
		return command.Usage("--link is for a path; %s is not on this machine", what.source)
	}
	source, err := installed.Fetch(ctx, s.Loader().Runner(), what.source)
	if err != nil {
		return err
	}
	defer source.Close()
	dir := directory(env, s)
	if err := dir.Free(source.Name); err != nil {
		return err
	}
	if err := source.Check(); err != nil {
		return err
	}
	if err := (setting{source.Name, false}).write(s); err != nil {
		return err
	}
	if what.link {
		err = link(s, dir, source)
	} else {
		err = dir.Copy(source)
	}
	if err != nil {
		return err
	}
	return offer(ctx, env, s, source.Name)
}

func link(s *app.Session, dir installed.Dir, source installed.Source) (err error) {
	if source.Path, err = filepath.EvalSymlinks(source.Path); err != nil {
		return err
	}
	if err := allowLink(s, source.Path); err != nil {
		return err
	}
	return dir.Link(source)
}

func offer(ctx context.Context, env *command.Env, s *app.Session, name string) error {
	s.Config.Plugins.ByName[name] = config.Plugin{} // disabled, as was just written
	if _, err := describe(env, s, name); err != nil {
		return err
	}
	ok, err := ask(ctx, env, s, name)
	if err != nil {
		return err
	}
	if ok {
		if ok, err = env.Confirm(ctx, "Enable it? [y/N] "); err != nil {
			return err
		}
	}
	if !ok {
		return env.Out.Say("It is installed and not enabled; enable it: chibi plugin enable %s", term.ShellWord(name))
	}
	return enable(ctx, env, s, name)
}

func removeCommand(env *command.Env) *cli.Command {
	return env.Command(command.Spec{
		Name: "remove", Args: "PLUGIN", About: "delete a plugin's file or directory, or its link",
		Flags:    []cli.Flag{env.YesFlag("do not ask for confirmation")},
		Examples: []string{"chibi plugin remove my-filter"},
		Reads:    func(ctx context.Context, s *app.Session, args []string) error { return remove(ctx, env, s, args[0]) },
	})
}

func remove(ctx context.Context, env *command.Env, s *app.Session, name string) error {
	dir := directory(env, s)
	name, err := fileName(ctx, env, s, name)
	if err != nil {
		return err
	}
	info, err := dir.Stat(name)
	if err != nil {
		return command.Usage("there is no plugin %q in %s", name, dir.Path)
	}
	path := dir.File(name)
	question := fmt.Sprintf("Delete %s? [y/N] ", path)
	if info.Mode()&fs.ModeSymlink != 0 {
		question = fmt.Sprintf("Delete the link %s? Its target stays. [y/N] ", path)
	}
	if ok, err := env.Confirm(ctx, question); err != nil || !ok {
		return errors.Join(err, env.Out.Say("Nothing was deleted"))
	}
	if err := forbidLink(s, path); err != nil {
		return err
	}
	if err := dir.Remove(name); err != nil {
		return err
	}
	if err := (setting{name, true}).write(s); err != nil {
		return err
	}
	if err := dir.Forget(name); err != nil {
		return err
	}
	if err := schemas.ForgetGuard(s.Home, s.Loader().Dir(), name); err != nil {
		return err
	}
	return env.Out.Say("Plugin %s is removed", term.Name(name))
}
