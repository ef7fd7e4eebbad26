package plugins

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/chibi-host/chibi/internal/agents/theirs"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/schemas"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/plugin"
	"github.com/urfave/cli/v2"
)

func enableCommand(env *command.Env) *cli.Command {
	return env.Command(command.Spec{
		Name: "enable", Args: "PLUGIN", About: "enable a plugin or hook of any protocol",
		More:     "With -C or -c before plugin, chibi enables it in that context only.",
		Examples: []string{"chibi plugin enable my-filter", "chibi -C work plugin enable my-filter"},
		Reads:    func(ctx context.Context, s *app.Session, args []string) error { return enable(ctx, env, s, args[0]) },
	})
}

func disableCommand(env *command.Env) *cli.Command {
	return env.Command(command.Spec{
		Name: "disable", Args: "PLUGIN", About: "leave a plugin or hook out, and keep its file",
		More:     "With -C or -c before plugin, chibi leaves it out in that context only.",
		Examples: []string{"chibi plugin disable kodelet:guard", "chibi -C work plugin disable my-filter"},
		Reads:    func(ctx context.Context, s *app.Session, args []string) error { return disable(ctx, env, s, args[0]) },
	})
}

func enable(ctx context.Context, env *command.Env, s *app.Session, name string) error {
	name, err := fileName(ctx, env, s, name)
	if err != nil {
		return err
	}
	dir := directory(env, s)
	switch isDisabledByName := !isForeign(name) && !dir.Has(name); {
	case isDisabledByName && s.IsNamed():
		return command.Usage("%s is disabled by its name, in all contexts; chibi plugin enable %s, without a context, "+
			"enables it", term.Name(name), term.ShellWord(name))
	case isDisabledByName:
		if err := dir.Enable(name); err != nil {
			return err
		}
	}
	return setting{name, true}.apply(ctx, env, s)
}

func disable(ctx context.Context, env *command.Env, s *app.Session, name string) error {
	name, err := fileName(ctx, env, s, name)
	switch {
	case err != nil:
		return err
	case !isForeign(name) && !directory(env, s).Has(name):
		return env.Out.Say("%s is disabled by its name already", term.Name(name))
	}
	if !s.IsNamed() {
		if err := schemas.ForgetGuard(s.Home, s.Loader().Dir(), name); err != nil {
			return err
		}
	}
	return setting{name, false}.apply(ctx, env, s)
}

// fileName returns the name of the file of a plugin that is called by it or by a name in its
// schema; for another program's hook it returns its name.
func fileName(ctx context.Context, env *command.Env, s *app.Session, name string) (string, error) {
	if dir := directory(env, s); dir.Has(name) || dir.HasDisabled(name) {
		return name, nil
	}
	if hook, _ := agentsHook(s, name); hook != "" {
		return hook, nil
	}
	p, left, err := findLoaded(ctx, s, name)
	switch {
	case err != nil:
		return "", err
	case left != nil:
		return left.Name, nil
	}
	return p.Name, nil
}

// agentsHook returns the names that a hook of a coding agent has now and in settings, "" for others.
func agentsHook(s *app.Session, name string) (now, inSettings string) {
	if !isForeign(name) {
		return "", ""
	}
	return theirs.Names(app.HooksOf(s), name)
}

// inConfiguration returns the name under which the configuration has the settings of a plugin:
// the name of its file, or one in its schema, and of an agent's hook the one that stays.
func inConfiguration(ctx context.Context, s *app.Session, name string) string {
	if _, hook := agentsHook(s, name); hook != "" {
		return hook
	}
	if _, isSet := s.Config.Plugins.ByName[name]; isSet || len(s.Config.Plugins.ByName) == 0 {
		return name
	}
	p, left, _ := findLoaded(ctx, s, name) // a plugin that cannot be asked has one name
	for called := range s.Config.Plugins.ByName {
		if p != nil && plugin.Find(s.Loaded.Plugins, called) == p || left != nil && slices.Contains(left.Called, called) {
			return called
		}
	}
	return name
}

// setting says whether a plugin is used.
type setting struct {
	plugin  string
	enabled bool
}

// apply writes the setting to the configuration, or to the configuration of the context that the command line
// names, and says where it holds.
func (w setting) apply(ctx context.Context, env *command.Env, s *app.Session) error {
	word, name := map[bool]string{true: "enable", false: "disable"}[w.enabled], term.Name(w.plugin)
	w.plugin = inConfiguration(ctx, s, w.plugin)
	if s.IsNamed() {
		if err := errors.Join(w.writeHere(ctx, s), theirs.Keep(app.HooksOf(s), w.plugin)); err != nil {
			return err
		}
		return env.Out.Say("Plugin %s is %sd in context %q", name, word, s.Name())
	}
	if err := errors.Join(w.write(s), theirs.Keep(app.HooksOf(s), w.plugin)); err != nil {
		return err
	}
	if err := app.Configure(ctx, s); err != nil {
		return err
	}
	if !w.holds(s) {
		env.Out.Notef("in context %q it is not: that context has its own setting, which chibi -C %s plugin %s %s changes",
			s.Name(), s.Name(), word, term.ShellWord(w.plugin))
	}
	return env.Out.Say("Plugin %s is %sd in all contexts", name, word)
}

func (w setting) write(s *app.Session) error { return app.Configuration(s.Home).Rewrite(w.change) }

// writeHere writes the setting to the local.toml of the session's context. It leaves out a setting
// that only repeats the rest of the configuration.
func (w setting) writeHere(ctx context.Context, s *app.Session) error {
	if err := app.ChangeLocalConfig(ctx, s, w.change); err != nil || w.holds(s) {
		return err
	}
	return app.ChangeLocalConfig(ctx, s, func(path string, text []byte) ([]byte, error) {
		return config.Edit(path, text, w.key(), "true")
	})
}

// change returns the text of a configuration file with the setting; a plugin without one is used.
func (w setting) change(path string, text []byte) ([]byte, error) {
	if w.enabled {
		return config.Unset(path, text, w.key())
	}
	return config.Edit(path, text, w.key(), "false")
}

func (w setting) key() string { return fmt.Sprintf("plugins.%s.enabled", config.Quote(w.plugin)) }

func (w setting) holds(s *app.Session) bool {
	set, isSet := s.Config.Plugins.ByName[w.plugin]
	return w.enabled == (!isSet || set.Enabled)
}
