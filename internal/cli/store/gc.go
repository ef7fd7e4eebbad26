package store

import (
	"context"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/cli/output"
	"github.com/chibi-host/chibi/internal/storage"
	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
	"github.com/urfave/cli/v2"
)

func gcCommand(env *command.Env) *cli.Command {
	return env.Command(command.Spec{
		Name: "gc", About: "remove expired contexts, old tool outputs and the leftovers of interrupted runs",
		More: "A run does it by itself, at most once a day and for 2 seconds, and goes on another day where it ended; in a " +
			"shared store, one machine does it for all. This command does all of it, and you can interrupt it at any time.",
		Run: func(ctx context.Context, _ []string) error {
			return opened(ctx, env, func(p storage.Place, c *storage.Contents) error {
				return collect(ctx, p, c, &collection{out: env.Out})
			})
		},
	})
}

func collect(ctx context.Context, p storage.Place, c *storage.Contents, shown *collection) error {
	err := p.Collect(ctx, c, storage.Told{Destroyed: shown.destroyed, Cleaned: shown.cleaned, Left: shown.left,
		Done: shown.done})
	shown.endWaiting()
	if ctx.Err() != nil && shown.contexts > 0 {
		shown.out.Notef("%s done; chibi store gc begins again", shown.progress())
	}
	if err != nil || shown.removed {
		return err
	}
	return shown.out.Say("there is nothing to remove")
}

// collection shows what is removed.
type collection struct {
	out      *output.Printer
	removed  bool
	contexts int // that are done
	end      func()
}

func (c *collection) say(format string, args ...any) {
	c.removed = true
	c.out.Say(format, args...)
}

func (c *collection) destroyed(e contexts.Expired) {
	c.say("destroyed context %q: %s", e.Name, e.Why)
}

func (c *collection) cleaned(context string, outputs int) {
	c.say("removed %s of context %q", english.Plural(outputs, "cached output", ""), context)
}

func (c *collection) left(outputs int, bytes int64) {
	c.say("removed the leftovers of %s, %s", english.Plural(outputs, "cached output", ""),
		humanize.IBytes(uint64(max(bytes, 0))))
}

// step is after how many contexts the progress is shown.
const step = 100

func (c *collection) done(contexts int) {
	if c.contexts = contexts; contexts%step == 0 {
		c.endWaiting()
		c.end = c.out.Screen.Waiting("cleaning up, " + c.progress() + " done")
	}
}

// progress says how far it is.
func (c *collection) progress() string {
	return english.Plural(c.contexts, "context", "")
}

func (c *collection) endWaiting() {
	if c.end != nil {
		c.end()
	}
}
