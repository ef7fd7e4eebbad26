package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/trace"
	"github.com/chibi-host/chibi/internal/workbench/firing"
	"github.com/chibi-host/chibi/merge"
	"github.com/chibi-host/chibi/plugin"
	"github.com/urfave/cli/v2"
)

// replayFlags are the flags of replay.
type replayFlags struct {
	turn int
	dir  string
}

func (p *program) replayCommand(ctx context.Context) *cli.Command {
	var f replayFlags
	return withExample(leaf(ctx, "replay", "[FILE]", "fire a traced turn's hooks again at today's plugins, and show "+
		"which answers differ", func(ctx context.Context, args []string) error {
		return p.replay(ctx, args, f)
	},
		&cli.IntFlag{Name: "turn", Usage: "the `N`th turn of the trace, the Nth last one if it is -N", Value: -1,
			DefaultText: "-1, the newest", Destination: &f.turn},
		&cli.StringFlag{Name: "plugins", Usage: "take chibi's plugins from `FOLDER`", Destination: &f.dir},
	), "chibi replay", "chibi replay trace.jsonl --turn 2 --plugins ./my-plugins")
}

// replay fires the hooks of a traced turn again.
func (p *program) replay(ctx context.Context, args []string, f replayFlags) error {
	_, turns, err := p.traceTurns(args)
	if err != nil {
		return err
	}
	turn, err := turnOf(turns, f.turn)
	if err != nil {
		return err
	}
	dir := ""
	if f.dir != "" {
		if dir, err = filepath.Abs(f.dir); err != nil {
			return err
		}
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return usage("--plugins %s: there is no such folder", f.dir)
		}
	}
	s, err := p.open(ctx, app.ToWork, func(opts *app.Options) { opts.Plugins.Dir = dir })
	if err != nil {
		return err
	}
	defer s.Close()
	app.ReportSkipped(s.Session)
	r := replayed{}
	for _, records := range turn.Dispatches() {
		if err := r.dispatch(ctx, s.Loaded.Plugins, records); err != nil {
			return err
		}
	}
	for _, line := range r.lines {
		fmt.Fprintln(p.screen.Stdout(), line)
	}
	return p.say("%d of %d answers differ, %d could not be compared", r.differ, r.compared, r.skipped)
}

// replayed counts and describes what a replay found.
type replayed struct {
	compared, differ, skipped int
	lines                     []string
}

// dispatch fires one point again and compares every plugin's answer with the
// traced one. Each plugin gets what it got then.
func (r *replayed) dispatch(ctx context.Context, plugins []plugin.Plugin, records []trace.Line) error {
	info, known := hookpoints.Find(records[0].Point)
	for _, then := range records {
		if then.Result == plugin.Skipped && then.Payload == nil {
			continue
		}
		i := slices.IndexFunc(plugins, func(p plugin.Plugin) bool {
			return p.Name == then.Plugin &&
				p.Subscribes(then.Point)
		})
		switch {
		case !known || i < 0:
			r.skip("%s: plugin %q is not asked any more", then.Point, then.Plugin)
			continue
		case then.Payload == nil && then.IsWhole():
			r.skip("%s: the trace does not hold what plugin %q received, it was too large", then.Point, then.Plugin)
			continue
		case !then.IsWhole():
			r.skip("%s: the trace does not keep what plugin %q received, because plugins removed words from it; with "+
				"trace.keep_original = true it does", then.Point, then.Plugin)
			continue
		}
		var now plugin.Record
		host := &plugin.Host{Plugins: plugins[i : i+1], Trace: func(record plugin.Record) { now = record }}
		if _, err := plugin.FireJSON(ctx, host, info, then.Payload); err != nil {
			return err
		}
		r.compare(*then.Record, now)
	}
	r.newcomers(plugins, records)
	return nil
}

func (r *replayed) skip(format string, args ...any) {
	r.skipped++
	r.lines = append(r.lines, fmt.Sprintf(format, args...))
}

// compare tells of a plugin that says something else now.
func (r *replayed) compare(then, now plugin.Record) {
	r.compared++
	failed := func(record plugin.Record) bool { return record.Result == plugin.Failed }
	before, after := firing.OrNothing(then.Answer), firing.OrNothing(now.Answer)
	if failed(then) == failed(now) && len(merge.Diff(before, after)) == 0 {
		return
	}
	r.differ++
	r.lines = append(r.lines, fmt.Sprintf("%s: plugin %q", then.Point, then.Plugin))
	said := func(record plugin.Record) string {
		if failed(record) {
			return "failed: " + record.Why
		}
		return string(firing.OrNothing(record.Answer))
	}
	r.lines = append(r.lines, "  - "+said(then), "  + "+said(now))
}

// newcomers tells of plugins that are asked now and were not then.
func (r *replayed) newcomers(plugins []plugin.Plugin, records []trace.Line) {
	for i := range plugins {
		name := plugins[i].Name
		known := slices.ContainsFunc(records, func(l trace.Line) bool { return l.Plugin == name })
		line := fmt.Sprintf("%s: plugin %q is asked now, it was not then", records[0].Point, name)
		if plugins[i].Subscribes(records[0].Point) && !known &&
			!slices.ContainsFunc(r.lines, func(l string) bool { return strings.HasPrefix(l, line) }) {
			r.lines = append(r.lines, line)
		}
	}
}
