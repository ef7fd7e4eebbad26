package plugins

import (
	"context"
	"errors"
	"strings"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/term"
)

// enable enables a plugin of any protocol, also one that its file's name disables.
func enable(ctx context.Context, env *command.Env, s *app.Session, name string) error {
	dir := directory(env, s)
	switch {
	case dir.Has(name):
	case dir.HasDisabled(name):
		if err := dir.Enable(name); err != nil {
			return err
		}
	default:
		if err := requireHook(ctx, s, name); err != nil {
			return err
		}
	}
	if err := setEnabled(s, name, true); err != nil {
		return err
	}
	return env.Out.Say("Plugin %s is enabled", term.Name(name))
}

// disable disables a plugin of any protocol.
func disable(ctx context.Context, env *command.Env, s *app.Session, name string) error {
	dir := directory(env, s)
	switch {
	case dir.Has(name):
	case dir.HasDisabled(name):
		return env.Out.Say("%s is disabled by its name already", term.Name(name))
	default:
		if err := requireHook(ctx, s, name); err != nil {
			return err
		}
	}
	if err := setEnabled(s, name, false); err != nil {
		return err
	}
	return env.Out.Say("Plugin %s is disabled", term.Name(name))
}

// requireHook returns an error if no hook of another program has this name.
func requireHook(ctx context.Context, s *app.Session, name string) error {
	var err error
	if strings.Contains(name, ":") {
		if err = s.Load(ctx); err == nil && app.HasPlugin(s.Loaded, name) {
			return nil
		}
	}
	return errors.Join(err, noPlugin(name))
}

// noPlugin is the error about a name that no plugin has.
func noPlugin(name string) error {
	return command.Usage("there is no plugin %q; chibi plugin list names them all", name)
}
