package plugins

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/workbench/firing"
	"github.com/chibi-host/chibi/internal/workbench/payloads"
	"github.com/chibi-host/chibi/plugin"
	"github.com/urfave/cli/v2"
)

func watchCommand(env *command.Env) *cli.Command {
	var hook string
	return env.Command(command.Spec{
		Name: "watch", Args: "PLUGIN", About: "check a plugin each time it is saved, until Ctrl-C",
		Flags: []cli.Flag{&cmdline.Flag{Name: "hook", Takes: cmdline.Word("POINT", cmdline.Point), Into: cmdline.Last(&hook),
			About: "also fire the hook POINT each time, with its example"}},
		Examples: []string{"chibi plugin watch my-filter --hook pre_api_tools"},
		Run: func(ctx context.Context, args []string) error {
			var info hookpoints.Info
			if hook != "" {
				var err error
				if info, err = command.FindPoint(hook); err != nil {
					return err
				}
			}
			return env.With(ctx, app.ToRead, func(s *app.Session) error { return watch(ctx, env, s, watched{args[0], info}) })
		},
	})
}

type watched struct {
	plugin string
	point  hookpoints.Info // the point that is fired; none if its name is ""
}

// watchInterval is the time between two looks at a plugin's files. Editors save in too
// many ways for notifications of the system.
const watchInterval = 200 * time.Millisecond

func watch(ctx context.Context, env *command.Env, s *app.Session, w watched) error {
	dir := s.Loader().Dir()
	if stamp(dir, w.plugin) == "" {
		return command.Usage("there is no plugin %q in %s, and no such file", w.plugin, dir)
	}
	ticker := time.NewTicker(watchInterval)
	defer ticker.Stop()
	for seen := ""; ; {
		if now := stamp(dir, w.plugin); now != seen {
			seen = now
			fmt.Fprintf(env.Out.Screen.Stdout(), "-- %s\n", time.Now().Format("15:04:05"))
			if err := checkWatched(ctx, env, w); err != nil && ctx.Err() == nil {
				env.Out.Errorf("%v", err)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

func checkWatched(ctx context.Context, env *command.Env, w watched) error {
	return withChecker(ctx, env, []string{w.plugin}, func(c *checker) error {
		t := c.targets[0]
		r, err := c.check(ctx, t)
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		printReport(env.Out, r)
		dir, err := c.directory(ctx, t)
		if err != nil || w.point.Name == "" || dir.Plugin(t.name) == nil {
			return err
		}
		host := &plugin.Host{Wait: true, Plugins: []plugin.Plugin{*dir.Plugin(t.name)}}
		var made payloads.Maker
		defer made.Remove()
		payload, err := made.Example(w.point)
		if err != nil {
			return err
		}
		fired := firing.Firing{Info: w.point, Payload: payload}
		if err := fired.Fire(ctx, host); err != nil {
			return err
		}
		fired.Print(env.Out.Screen.Stdout())
		return nil
	})
}

// stamp describes the files of a plugin as they are now; "" if there are none. A plugin
// that is not in the directory of plugins is a path.
func stamp(dir, name string) string {
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err != nil {
		path = name
	}
	var b strings.Builder
	filepath.WalkDir(path, func(file string, d os.DirEntry, err error) error {
		if err != nil || strings.HasPrefix(d.Name(), ".") && file != path {
			return nil
		}
		if info, err := os.Stat(file); err == nil && !info.IsDir() {
			fmt.Fprintln(&b, file, info.Size(), info.ModTime().UnixNano(), info.Mode())
		}
		return nil
	})
	return b.String()
}
