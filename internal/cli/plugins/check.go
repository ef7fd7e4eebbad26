package plugins

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/workbench/check"
	"github.com/urfave/cli/v2"
)

var errFindings = errors.New("there are errors, see above")

func checkCommand(env *command.Env) *cli.Command {
	var asJSON bool
	return env.Command(command.Spec{
		Name: "check", Args: "[PLUGIN]...",
		About: "run plugins in a scratch home with an example of each of their hooks, and say what is wrong; " +
			"without PLUGIN, all of them",
		Flags:    []cli.Flag{command.JSONFlag(&asJSON)},
		Examples: []string{"chibi plugin check my-filter", "chibi plugin check ./path/to/plugin --json"},
		Run: func(ctx context.Context, args []string) error {
			return withChecker(ctx, env, args, func(c *checker) error { return checkAll(ctx, env, c, asJSON) })
		},
	})
}

func checkAll(ctx context.Context, env *command.Env, c *checker, asJSON bool) error {
	reports := []check.Report{}
	passed := true
	for _, t := range c.targets {
		r, err := c.check(ctx, t)
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		reports = append(reports, r)
		passed = passed && r.Passed()
		if !asJSON {
			printReport(env.Out, r)
		}
	}
	if asJSON {
		if err := env.Out.JSON(reports); err != nil {
			return err
		}
	}
	if len(reports) == 0 {
		env.Out.Notef("there are no plugins in %s", c.session.Loader().Dir())
	}
	if !passed {
		return errFindings
	}
	return nil
}

func printReport(out *command.Printer, r check.Report) {
	mark, word := "ok", "ok"
	if !r.Passed() {
		mark, word = "error", "FAIL"
	}
	about := []string{}
	if len(r.Hooks) > 0 {
		about = append(about, "hooks: "+strings.Join(r.Hooks, ", "))
	}
	if len(r.Tools) > 0 {
		about = append(about, "tools: "+strings.Join(r.Tools, ", "))
	}
	w := out.Screen.Stdout()
	fmt.Fprintf(w, "%s  %s  %s\n", out.Paint(mark, fmt.Sprintf("%-4s", word)), term.Name(r.Plugin),
		strings.Join(about, "; "))
	for _, f := range r.Findings {
		fmt.Fprintf(w, "      %s %s: %s\n", out.Paint(string(f.Level), string(f.Level)), term.Line(f.Where),
			term.Line(f.Text))
	}
}
