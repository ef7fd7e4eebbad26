package store

import (
	"context"
	"fmt"

	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/storage"
	"github.com/urfave/cli/v2"
)

// unlockCommand returns the command that ends the lock of a context.
func unlockCommand(env *command.Env) *cli.Command {
	return env.Command(command.Spec{
		Name: "unlock", Args: "CONTEXT", About: "end the lock of a context that does not end by itself",
		More: "It says whose lock it is, and asks. In a shared store a lock ends by itself when its holder has not renewed " +
			"it; in files it ends with its process, and cannot be ended otherwise.",
		Flags: []cli.Flag{env.YesFlag("do not ask for confirmation")},
		Run: func(ctx context.Context, args []string) error {
			return opened(ctx, env, func(p storage.Place, c *storage.Contents) error { return unlock(ctx, env, c, args[0]) })
		},
	})
}

func unlock(ctx context.Context, env *command.Env, c *storage.Contents, name string) error {
	if _, err := existing(ctx, c, name); err != nil {
		return err
	}
	holder, inUse := c.Holder(ctx, name)
	switch {
	case !inUse && !c.IsShared():
		return env.Out.Say("nobody uses context %q; its lock ends with the process that has it", name)
	case !inUse:
		return env.Out.Say("nobody uses context %q", name)
	case c.IsShared():
		yes, err := env.Confirm(ctx, fmt.Sprintf("Context %q is in use by %s. If that goes on, nothing that it says from "+
			"now on is kept. End its lock? [y/N] ", name, holder))
		if err != nil {
			return fmt.Errorf("unlocking context %q, which is in use by %s: %w", name, holder, err)
		}
		if !yes {
			return env.Out.Say("nothing was changed")
		}
	}
	holder, err := c.Unlock(ctx, name)
	if err != nil {
		return err
	}
	return env.Out.Say("context %q is free; it was in use by %s", name, holder)
}
