package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/trace"
	"github.com/urfave/cli/v2"
)

// traceFlags are the flags of the command trace.
type traceFlags struct {
	turn         int
	plugin, html string
	follow, json bool
	cases        string
}

func (p *program) traceCommand(ctx context.Context) *cli.Command {
	var f traceFlags
	return withExample(leaf(ctx, "trace", "[FILE] [ABOUT]",
		"show what plugins did in the newest turn; \"trace explain [ABOUT]\" says it in sentences: of all, or of a "+
			"plugin, a tool, a hook, a place in the request (temperature, api.temperature), prompt, system_prompt, a "+
			"context, the number of a turn",
		func(ctx context.Context, args []string) error {
			if len(args) > 0 && args[0] == "explain" {
				return p.traceExplain(args[1:], f)
			}
			if len(args) > 1 {
				return usage("trace takes one file; chibi trace --help")
			}
			return p.traceShow(ctx, args, f)
		},
		&cli.IntFlag{Name: "turn", Usage: "the `N`th turn of the trace, the Nth last one if it is -N", Value: -1,
			DefaultText: "-1, the newest", Destination: &f.turn},
		&cli.StringFlag{Name: "plugin", Usage: "only what the plugin `NAME` did", Destination: &f.plugin},
		&cli.BoolFlag{Name: "follow", Usage: "go on with new turns as they come, until Ctrl-C", DisableDefaultText: true,
			Destination: &f.follow},
		&cli.StringFlag{Name: "html", Usage: "write all turns as a page to `FILE`", Destination: &f.html},
		&cli.StringFlag{Name: "cases", Usage: "print what the plugin `NAME` was asked and answered as cases for chibi " +
			"plugin test", Destination: &f.cases},
		&cli.BoolFlag{Name: "json", Usage: "print the turn's lines as JSON, or the sentences", DisableDefaultText: true,
			Destination: &f.json},
	), "chibi trace", "chibi trace --plugin guard --turn -2", "chibi trace explain", "chibi trace explain run_command",
		"chibi trace explain api.temperature", "chibi trace explain system_prompt", "chibi trace --html trace.html")
}

// traceFile is the file that a person means: a path, or the newest of those that
// the contexts keep; of the context of -C or -c, if one of them is given.
func (p *program) traceFile(args []string) (string, error) {
	if len(args) > 0 && args[0] != "last" {
		return args[0], nil
	}
	s, err := p.openWithoutPlugins()
	if err != nil {
		return "", err
	}
	defer s.Close()
	return app.TraceFile(context.Background(), s.Session)
}

// traceTurns reads the turns of the file that a person means.
func (p *program) traceTurns(args []string) (string, []trace.Turn, error) {
	path, err := p.traceFile(args)
	if err != nil {
		return "", nil, err
	}
	turns, bad, err := trace.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil, fmt.Errorf("there is no trace %s; put -- before it if it is a prompt", path)
	case err != nil:
		return "", nil, err
	case bad > 0:
		p.out.Notef("%s: %d lines are not of a trace and left out", path, bad)
	}
	if len(turns) == 0 {
		return "", nil, fmt.Errorf("%s holds no turns", path)
	}
	return path, turns, nil
}

// turnOf picks a turn by its number, from the end if it is negative.
func turnOf(turns []trace.Turn, n int) (trace.Turn, error) {
	i := n - 1
	if n < 0 {
		i = len(turns) + n
	}
	if i < 0 || i >= len(turns) {
		return trace.Turn{}, usage("--turn %d: the trace has %d turns", n, len(turns))
	}
	return turns[i], nil
}

// traceShow shows one turn as a timeline, or all as a page.
func (p *program) traceShow(ctx context.Context, args []string, f traceFlags) error {
	path, turns, err := p.traceTurns(args)
	if err != nil {
		return err
	}
	if f.html != "" {
		return p.traceHTML(f.html, turns)
	}
	turn, err := turnOf(turns, f.turn)
	switch {
	case err != nil:
		return err
	case f.cases != "":
		return p.traceCases(f.cases, turn)
	case f.json:
		return p.printJSON(turn)
	}
	if f.plugin != "" && len(turn.Rows(f.plugin)) == 0 && !f.follow {
		return fmt.Errorf("plugin %q did nothing in this turn", f.plugin)
	}
	p.printTurn(turn, f.plugin)
	if f.follow {
		return p.traceFollow(ctx, path, len(turns), f.plugin)
	}
	return nil
}

// printTurn prints a turn as wide as the terminal, in colour if it is one.
func (p *program) printTurn(turn trace.Turn, plugin string) {
	out := p.screen.Stdout()
	turn.Print(out, plugin, p.screen.Columns(), p.paint)
}

// traceFollow prints turns as they come. It looks every now and then: what
// writes the file does not tell.
func (p *program) traceFollow(ctx context.Context, path string, seen int, plugin string) error {
	ticker := time.NewTicker(300 * time.Millisecond)
	defer ticker.Stop()
	var last os.FileInfo
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		info, err := os.Stat(path)
		if err != nil || last != nil && info.Size() == last.Size() && info.ModTime().Equal(last.ModTime()) {
			continue
		}
		last = info
		turns, _, err := trace.ReadFile(path)
		if err != nil {
			continue
		}
		seen = min(seen, len(turns))
		for _, turn := range turns[seen:] {
			if !turn.Over() {
				break
			}
			p.printTurn(turn, plugin)
			seen++
		}
	}
}

// traceHTML writes all turns as a page.
func (p *program) traceHTML(path string, turns []trace.Turn) error {
	var b strings.Builder
	if err := trace.HTML(&b, turns); err != nil {
		return err
	}
	if err := disk.WritePrivate(path, []byte(b.String())); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return p.say("Wrote %s", path)
}

// traceCases prints cases for chibi plugin test.
func (p *program) traceCases(plugin string, turn trace.Turn) error {
	text, err := turn.Cases(plugin)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(p.screen.Stdout(), text)
	return err
}
