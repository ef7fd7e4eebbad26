package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/storage"
	"github.com/dustin/go-humanize/english"
	"github.com/urfave/cli/v2"
)

func copyCommand(env *command.Env) *cli.Command {
	var dryRun bool
	return env.Command(command.Spec{
		Name: "copy", Args: "FROM TO", About: "copy contexts, mail and cached outputs from one store to another",
		More: "FROM and TO are homes: a folder, \"files\" for the files of the home, or the URL of a store. Repeat " +
			"an interrupted copy; a later copy adds only what is new. chibi names a context that went on in TO, and does not " +
			"change it; it copies the others. FROM may be in use. chibi removes nothing from TO, and does not copy " +
			"configuration, plugins and traces.",
		Flags: []cli.Flag{command.Switch(&dryRun, "dry-run", "only list the things to copy")},
		Examples: []string{"chibi-cluster store copy ~/.chibi /backup/chibi",
			"chibi-cluster store copy files nats://localhost:4222/team"},
		Run: func(ctx context.Context, args []string) error {
			return copyPlaces(ctx, &copying{env: env, dryRun: dryRun}, args[0], args[1])
		},
	})
}

func copyPlaces(ctx context.Context, c *copying, from, to string) error {
	source, target, err := places(c.env, from, to)
	if err != nil {
		return err
	}
	if c.from, err = source.Contents(ctx); err != nil {
		return err
	}
	defer c.from.Close()
	if c.to, err = target.Contents(ctx); err != nil {
		return err
	}
	defer c.to.Close()
	o := contexts.CopyOptions{DryRun: c.dryRun, Outputs: c.outputs, Progress: c.progress,
		LocalConfig: func(name, text string) error { return app.CheckLocalConfig(target, name, text) }}
	if !target.IsShared() {
		o.LocalConfig = nil // any settings may be there
	}
	err = contexts.Copy(ctx, c.from.Store, c.to.Store, o)
	var failed *contexts.CopyError
	if err == nil || errors.As(err, &failed) {
		err = errors.Join(c.sum(source), err)
	}
	return err
}

func places(env *command.Env, from, to string) (source, target storage.Place, err error) {
	if source, err = placeAt(env, from); err != nil {
		return source, target, err
	}
	if target, err = placeAt(env, to); err != nil {
		return source, target, err
	}
	if source.Is(target) {
		return source, target, command.Usage("store copy: %s is named twice; name two places", source)
	}
	if info, err := os.Stat(source.Home); !source.IsShared() && (err != nil || !info.IsDir()) {
		return source, target, command.Usage("store copy: there is no folder %s", source)
	}
	return source, target, nil
}

type copying struct {
	env      *command.Env
	from, to *storage.Contents
	dryRun   bool
	total    contexts.Copied
	changed  int // contexts of which something was copied
}

func (c *copying) outputs(ctx context.Context, name string) (int, error) {
	if c.dryRun {
		missing, err := cache.Missing(ctx, c.from.Cache(name), c.to.Cache(name))
		return len(missing), err
	}
	return cache.Copy(ctx, c.from.Cache(name), c.to.Cache(name))
}

func (c *copying) progress(done contexts.Copied) {
	if !done.Done {
		return
	}
	c.total.Of = done.Of
	c.total.Entries += done.Entries
	c.total.Mail += done.Mail
	c.total.Outputs += done.Outputs
	if text := amount(done); text != "" {
		c.changed++
		c.env.Out.Say("%s context %q: %s", c.verb(), done.Name, text)
	}
	if done.Err != nil {
		c.env.Out.Notef("%v", done.Err)
	}
}

func (c *copying) verb() string {
	if c.dryRun {
		return "would copy"
	}
	return "copied"
}

func (c *copying) sum(source storage.Place) error {
	if c.total.Of == 0 {
		c.env.Out.Notice(fmt.Sprintf("there are no contexts in %s", source))
		return nil
	}
	text := amount(c.total)
	if text == "" {
		return c.env.Out.Say("%s of %s: nothing is new", c.verb(), english.Plural(c.total.Of, "context", ""))
	}
	return c.env.Out.Say("%s of %s %d: %s", c.verb(), english.Plural(c.total.Of, "context", ""), c.changed, text)
}

func amount(c contexts.Copied) string {
	var parts []string
	for _, p := range []struct {
		n           int
		one, others string
	}{{c.Entries, "entry", "entries"}, {c.Mail, "message", ""}, {c.Outputs, "output", ""}} {
		if p.n > 0 {
			parts = append(parts, english.Plural(p.n, p.one, p.others))
		}
	}
	return strings.Join(parts, ", ")
}
