package trace

import (
	"context"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/trace"
)

// show shows one turn as a timeline, as JSON or as cases, or all turns as a page.
func show(ctx context.Context, env *command.Env, args []string, f traceFlags) error {
	path, turns, err := read(ctx, env, args)
	if err != nil {
		return err
	}
	if f.html != "" {
		return writePage(env, f.html, turns)
	}
	turn, err := turnAt(turns, f.turn)
	switch {
	case err != nil:
		return err
	case f.cases != "":
		return printCases(env, f.cases, turn)
	case f.json:
		return env.Out.JSON(turn)
	}
	if f.plugin != "" && len(turn.Rows(f.plugin)) == 0 && !f.follow {
		return fmt.Errorf("plugin %q did nothing in this turn", f.plugin)
	}
	printTimeline(env, turn, f.plugin)
	if f.follow {
		return follow(ctx, following{path: path, shown: len(turns), print: func(turn trace.Turn) {
			printTimeline(env, turn, f.plugin)
		}})
	}
	return nil
}

// printTimeline prints a turn as wide as the terminal, in colour if it is one; of
// all plugins if none is named.
func printTimeline(env *command.Env, turn trace.Turn, plugin string) {
	screen := env.Out.Screen
	turn.Print(screen.Stdout(), plugin, screen.Columns(), env.Out.Paint)
}

// writePage writes all turns as a page.
func writePage(env *command.Env, path string, turns []trace.Turn) error {
	var b strings.Builder
	if err := trace.HTML(&b, turns); err != nil {
		return err
	}
	if err := disk.WritePrivate(path, []byte(b.String())); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return env.Out.Say("Wrote %s", path)
}

// printCases prints what a plugin was asked and answered as cases for chibi plugin
// test.
func printCases(env *command.Env, plugin string, turn trace.Turn) error {
	text, err := turn.Cases(plugin)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(env.Out.Screen.Stdout(), text)
	return err
}
