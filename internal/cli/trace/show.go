package trace

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/trace"
	"github.com/chibi-host/chibi/internal/within"
	"github.com/chibi-host/chibi/plugin"
	"github.com/urfave/cli/v2"
)

type traceFlags struct {
	turn         int
	plugin, html string
	agent        string
	follow, json bool
	cases        string
}

func traceCommand(env *command.Env) *cli.Command {
	var f traceFlags
	return env.Command(command.Spec{
		Name: "trace", Args: "[explain|FILE] [ABOUT]",
		About: "show what plugins did in the newest turn, as a timeline, sentences or a page",
		More: aboutFile + " \"chibi trace explain\" says it in sentences. ABOUT selects the sentences about a plugin, " +
			"a tool, a hook, a place in the request (temperature, api.temperature), prompt, system_prompt, a context, or the " +
			"number of a turn. If several things have the name, say which: \"tool wc\".",
		Flags: []cli.Flag{
			turnFlag(&f.turn), agentFlag(&f.agent),
			&cmdline.Flag{Name: "plugin", Takes: cmdline.Word("NAME", cmdline.Plugin), Into: cmdline.Last(&f.plugin),
				About: "show only what the plugin NAME did"},
			command.Switch(&f.follow, "follow", "also show new turns as they are traced, until Ctrl-C"),
			&cli.StringFlag{Name: "html", Usage: "write all turns as an HTML page to `FILE`", Destination: &f.html},
			&cmdline.Flag{Name: "cases", Takes: cmdline.Word("NAME", cmdline.Plugin), Into: cmdline.Last(&f.cases),
				About: "print the payloads and answers of the plugin NAME as cases for chibi plugin test"},
			command.Switch(&f.json, "json", "print the turn's lines, or the sentences, as JSON"),
		},
		Examples: []string{"chibi trace", "chibi trace --plugin guard --turn -2", "chibi trace explain",
			"chibi trace explain run_command", "chibi trace explain 'tool wc'",
			"chibi trace explain api.temperature", "chibi trace explain system_prompt", "chibi trace --html trace.html"},
		Run: func(ctx context.Context, args []string) error {
			if len(args) > 0 && args[0] == "explain" {
				return explain(ctx, env, args[1:], f)
			}
			if len(args) > 1 {
				return command.Usage("trace takes one file; see chibi trace --help")
			}
			return show(ctx, env, args, f)
		},
	})
}

func show(ctx context.Context, env *command.Env, args []string, f traceFlags) error {
	path, turns, err := read(ctx, env, source{args, f.agent})
	if err != nil {
		return err
	}
	if err := within.CheckWrite(env.Within, "--html", f.html); err != nil {
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
		return printCases(env.Out.Screen.Stdout(), nameIn(ctx, env, turn, f.cases), turn)
	case f.json:
		return env.Out.JSON(turn)
	}
	f.plugin = nameIn(ctx, env, turn, f.plugin)
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

// nameIn returns the name under which a turn has a plugin that is called by a name in its schema.
func nameIn(ctx context.Context, env *command.Env, turn trace.Turn, name string) string {
	if name == "" || len(turn.Rows(name)) > 0 {
		return name
	}
	return fileName(ctx, env, name)
}

// fileName returns the name of the plugin that has a name in its schema; the name if none has.
func fileName(ctx context.Context, env *command.Env, name string) string {
	env.With(ctx, app.ToRead, func(s *app.Session) error { // without plugins, the name stays as it is
		if err := s.Load(ctx); err != nil {
			return err
		}
		if p := plugin.Find(s.Loaded.Plugins, name); p != nil {
			name = p.Name
		}
		return nil
	})
	return name
}

func printTimeline(env *command.Env, turn trace.Turn, plugin string) {
	screen := env.Out.Screen
	turn.Print(screen.Stdout(), plugin, screen.Columns(), env.Out.Paint)
}

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

func printCases(out io.Writer, plugin string, turn trace.Turn) error {
	text, err := turn.Cases(plugin)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(out, text)
	return err
}

type following struct {
	path  string
	shown int // how many turns were printed
	print func(trace.Turn)
	last  os.FileInfo // of the file, when it was read last
}

const pollInterval = 300 * time.Millisecond

func follow(ctx context.Context, f following) error {
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
			f.poll()
		}
	}
}

func (f *following) poll() {
	info, err := os.Stat(f.path)
	if err != nil || f.last != nil && info.Size() == f.last.Size() && info.ModTime().Equal(f.last.ModTime()) {
		return
	}
	f.last = info
	turns, _, err := trace.ReadFile(f.path)
	if err != nil {
		return
	}
	f.shown = min(f.shown, len(turns))
	for _, turn := range turns[f.shown:] {
		if !turn.Over() {
			return
		}
		f.print(turn)
		f.shown++
	}
}
