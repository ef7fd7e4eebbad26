package trace

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/trace"
	"github.com/chibi-host/chibi/internal/workbench/firing"
	"github.com/chibi-host/chibi/merge"
	"github.com/chibi-host/chibi/plugin"
	"github.com/urfave/cli/v2"
)

type replayFlags struct {
	turn  int
	dir   string
	agent string
}

func replayCommand(env *command.Env) *cli.Command {
	var f replayFlags
	return env.Command(command.Spec{
		Name: "replay", Args: "[FILE]",
		About: "fire the hooks of a traced turn again with today's plugins, and show which answers differ",
		More:  aboutFile,
		Flags: []cli.Flag{
			turnFlag(&f.turn), agentFlag(&f.agent),
			&cli.StringFlag{Name: "plugins", Usage: "take chibi's plugins from `DIRECTORY`", Destination: &f.dir},
		},
		Examples: []string{"chibi replay", "chibi replay trace.jsonl --turn 2 --plugins ./my-plugins"},
		Run:      func(ctx context.Context, args []string) error { return replay(ctx, env, args, f) },
	})
}

func replay(ctx context.Context, env *command.Env, args []string, f replayFlags) error {
	_, turns, err := read(ctx, env, source{args, f.agent})
	if err != nil {
		return err
	}
	turn, err := turnAt(turns, f.turn)
	if err != nil {
		return err
	}
	dir, err := pluginsDir(f.dir)
	if err != nil {
		return err
	}
	opts, err := env.Request(app.ToWork)
	if err != nil {
		return err
	}
	opts.Plugins.Dir = dir
	if f.agent != "" { // as plugins see it in the bridge
		opts.Context, opts.Transient = turn.Context, true
		opts.Plugins.Environ = append(os.Environ(), "CHIBI_AGENT="+turn.Context)
	}
	s, err := app.Open(ctx, opts)
	if err != nil {
		return err
	}
	defer s.Close()
	app.ReportSkipped(s)
	var c comparison
	for _, lines := range turn.Dispatches() {
		if err := c.repeat(ctx, s.Loaded.Plugins, lines); err != nil {
			return err
		}
	}
	for _, line := range c.lines {
		fmt.Fprintln(env.Out.Screen.Stdout(), line)
	}
	return env.Out.Say("%d of %d answers differ, %d could not be compared", c.differ, c.compared, c.skipped)
}

// pluginsDir is the absolute path of the directory that --plugins names, "" if it
// names none.
func pluginsDir(dir string) (string, error) {
	if dir == "" {
		return "", nil
	}
	path, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return "", command.Usage("--plugins %s: there is no such directory", dir)
	}
	return path, nil
}

type comparison struct {
	compared, differ, skipped int
	lines                     []string
}

// repeat asks the plugins of one dispatch again and compares their answers with the
// traced ones. Each plugin receives the payload of the trace.
func (c *comparison) repeat(ctx context.Context, plugins []plugin.Plugin, lines []trace.Line) error {
	for _, then := range lines {
		if then.Result == plugin.Skipped && then.Payload == nil {
			continue
		}
		i := slices.IndexFunc(plugins, func(p plugin.Plugin) bool {
			return p.Name == then.Plugin && p.Subscribes(then.Point)
		})
		info, known := hookpoints.Find(then.Point)
		if why := whyNotRepeated(then, known && i >= 0); why != "" {
			c.skipped++
			c.lines = append(c.lines, why)
			continue
		}
		var now plugin.Record
		host := &plugin.Host{Wait: true, Plugins: plugins[i : i+1], Trace: func(record plugin.Record) { now = record }}
		if _, err := plugin.FireJSON(ctx, host, info, then.Payload); err != nil {
			return err
		}
		c.compare(*then.Record, now)
	}
	c.addNew(plugins, lines)
	return nil
}

// whyNotRepeated returns why a plugin cannot be asked again, "" if it can. isAsked is
// true if it is asked at this point today.
func whyNotRepeated(then trace.Line, isAsked bool) string {
	switch {
	case !isAsked:
		return fmt.Sprintf("%s: chibi no longer asks plugin %q", then.Point, then.Plugin)
	case !then.IsWhole():
		return fmt.Sprintf("%s: the trace does not contain the payload of plugin %q, because plugins removed words from it; "+
			"with trace.received = true, it does", then.Point, then.Plugin)
	case then.Payload == nil:
		return fmt.Sprintf("%s: the trace does not contain the payload of plugin %q, because it was too large", then.Point,
			then.Plugin)
	}
	return ""
}

func (c *comparison) compare(then, now plugin.Record) {
	c.compared++
	before, after := firing.OrNothing(then.Answer), firing.OrNothing(now.Answer)
	if failed(then) == failed(now) && len(merge.Diff(before, after)) == 0 {
		return
	}
	c.differ++
	c.lines = append(c.lines, fmt.Sprintf("%s: plugin %q", then.Point, then.Plugin), "  - "+outcome(then),
		"  + "+outcome(now))
}

func failed(record plugin.Record) bool { return record.Result == plugin.Failed }

func outcome(record plugin.Record) string {
	if failed(record) {
		return "failed: " + record.Why
	}
	return string(firing.OrNothing(record.Answer))
}

func (c *comparison) addNew(plugins []plugin.Plugin, lines []trace.Line) {
	point := lines[0].Point
	for i := range plugins {
		name := plugins[i].Name
		wasAsked := slices.ContainsFunc(lines, func(l trace.Line) bool { return l.Plugin == name })
		if wasAsked || !plugins[i].Subscribes(point) {
			continue
		}
		text := fmt.Sprintf("%s: chibi asks plugin %q now, but did not then", point, name)
		if !slices.Contains(c.lines, text) {
			c.lines = append(c.lines, text)
		}
	}
}
