package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/cli/output"
	"github.com/chibi-host/chibi/internal/storage"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/dustin/go-humanize/english"
	"github.com/urfave/cli/v2"
)

func checkCommand(env *command.Env) *cli.Command {
	var asJSON bool
	return env.Command(command.Spec{
		Name: "check", About: "read everything that is kept, and name what is damaged",
		More: "It reads every entry, message and text, compares cached outputs with their hashes, and checks names and " +
			"ids. It changes nothing. The exit status is 1 if anything is damaged.",
		Flags: []cli.Flag{command.JSONFlag(&asJSON)},
		Run: func(ctx context.Context, _ []string) error {
			return opened(ctx, env, func(_ storage.Place, c *storage.Contents) error { return check(ctx, env, c, asJSON) })
		},
	})
}

type found struct {
	Contexts int      `json:"contexts"`
	Entries  int      `json:"entries"`
	Messages int      `json:"messages"`
	Outputs  int      `json:"outputs"`
	Damage   []string `json:"damage"`
}

var errDamaged = errors.New("some of it is damaged, see above; chibi store copy brings it back from a copy, into a " +
	"context of another name")

func check(ctx context.Context, env *command.Env, c *storage.Contents, asJSON bool) error {
	f := found{Damage: []string{}}
	read, outputs, err := c.Verify(ctx, func(text string) { f.Damage = append(f.Damage, text) })
	if err != nil {
		return err
	}
	f.Contexts, f.Entries, f.Messages, f.Outputs = read.Contexts, read.Entries, read.Messages, outputs
	if err := printFound(env.Out, f, asJSON); err != nil {
		return err
	}
	if len(f.Damage) > 0 {
		return errDamaged
	}
	return nil
}

func printFound(out *output.Printer, f found, asJSON bool) error {
	if asJSON {
		return out.JSON(f)
	}
	for _, text := range f.Damage {
		fmt.Fprintf(out.Screen.Stdout(), "%s  %s\n", out.Paint("error", "damaged"), term.Line(text))
	}
	read := []string{english.Plural(f.Contexts, "context", ""), english.Plural(f.Entries, "entry", "entries"),
		english.Plural(f.Messages, "message", ""), english.Plural(f.Outputs, "output", "")}
	return out.Say("read %s", strings.Join(read, ", "))
}
