package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/cli/output"
	"github.com/chibi-host/chibi/internal/storage"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/dustin/go-humanize/english"
	"github.com/urfave/cli/v2"
)

func checkCommand(env *command.Env) *cli.Command {
	var asJSON, repair bool
	return env.Command(command.Spec{
		Name: "check", About: "read the whole store, and name everything that is damaged",
		More: "It reads every entry, message and text, compares cached outputs with their hashes, and checks names and " +
			"ids. It changes nothing. The exit status is 1 if anything is damaged.\n\nWith --repair it takes damaged entries " +
			"and messages out of their context, so that you can use the rest: their bytes are in a file in " +
			"contexts/NAME/set_aside of the home on this machine. It does not change a context that is in use.",
		Flags: []cli.Flag{command.JSONFlag(&asJSON), &cmdline.Flag{Name: "repair", Into: cmdline.Switch(&repair),
			About: "set damaged entries and messages aside, with their bytes"}},
		Examples: []string{"chibi store check", "chibi store check --repair"},
		Run: func(ctx context.Context, _ []string) error {
			return opened(ctx, env, func(_ storage.Place, c *storage.Contents) error {
				check := checking{env.Out, asJSON, found{Damage: []string{}}}
				if repair {
					check.SetAside = &[]contexts.Aside{}
				}
				return check.run(ctx, c)
			})
		},
	})
}

type found struct {
	Contexts int      `json:"contexts"`
	Entries  int      `json:"entries"`
	Messages int      `json:"messages"`
	Outputs  int      `json:"outputs"`
	Damage   []string `json:"damage"`
	// SetAside is what was taken out; nil: nothing is.
	SetAside *[]contexts.Aside `json:"set_aside,omitempty"`
}

const fromCopy = "chibi store copy brings it back from a copy, into a context with a different name"

var (
	errDamaged = errors.New("some of it is damaged, see above; chibi store check --repair sets damaged entries and " +
		"messages aside with their bytes, and " + fromCopy)
	errStillDamaged = errors.New("some of it is damaged and stays so, see above; " + fromCopy)
)

// checking prints what it finds.
type checking struct {
	out    *output.Printer
	asJSON bool
	found
}

func (f *checking) run(ctx context.Context, c *storage.Contents) error {
	setAside := f.setAside
	if f.SetAside == nil {
		setAside = nil
	}
	read, outputs, err := c.Verify(ctx, func(text string) { f.Damage = append(f.Damage, text) }, setAside)
	if err != nil {
		return err
	}
	f.Contexts, f.Entries, f.Messages, f.Outputs = read.Contexts, read.Entries, read.Messages, outputs
	if err := f.print(); err != nil {
		return err
	}
	switch {
	case len(f.Damage) == 0:
		return nil
	case f.SetAside != nil:
		return errStillDamaged
	}
	return errDamaged
}

// setAside says at once what was set aside: it may not come to the end.
func (f *checking) setAside(a contexts.Aside) {
	*f.SetAside = append(*f.SetAside, a)
	if !f.asJSON {
		fmt.Fprintf(f.out.Screen.Stdout(), "%s  %s; its bytes are in %s\n", f.out.Paint("warning", "set aside"),
			term.Line(a.What), term.Line(a.Path))
	}
}

func (f *checking) print() error {
	if f.asJSON {
		return f.out.JSON(f.found)
	}
	for _, text := range f.Damage {
		fmt.Fprintf(f.out.Screen.Stdout(), "%s  %s\n", f.out.Paint("error", "damaged"), term.Line(text))
	}
	read := []string{english.Plural(f.Contexts, "context", ""), english.Plural(f.Entries, "entry", "entries"),
		english.Plural(f.Messages, "message", ""), english.Plural(f.Outputs, "output", "")}
	return f.out.Say("read %s", strings.Join(read, ", "))
}
