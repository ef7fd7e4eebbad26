package hook

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/guards"
	"github.com/chibi-host/chibi/internal/workbench/firing"
	"github.com/chibi-host/chibi/internal/workbench/payloads"
	"github.com/chibi-host/chibi/plugin"
	"github.com/urfave/cli/v2"
)

// fireFlags are the flags of hook fire.
type fireFlags struct {
	data, plugins, set []string
	json               bool
}

func fireCommand(env *command.Env) *cli.Command {
	var f fireFlags
	return env.Command(command.Spec{
		Name: "fire", Args: "POINT",
		About: "fire one hook point and show what each plugin says; chibi itself changes nothing",
		Flags: []cli.Flag{
			&cmdline.Flag{Name: "data", Takes: cmdline.Word("PAYLOAD", cmdline.Payload), Into: cmdline.List(&f.data),
				About: "the payload: JSON, @FILE, or - for standard input; without --data, an example"},
			&cmdline.Flag{Name: "set", Takes: cmdline.Word("FIELD=VALUE", cmdline.Argument), Into: cmdline.List(&f.set),
				About: "set a field of the payload, e.g. --set arguments.command='rm -rf /'; chibi also sets the fields that " +
					"follow from it"},
			&cmdline.Flag{Name: "plugin", Takes: cmdline.Word("NAME", cmdline.Plugin), Into: cmdline.List(&f.plugins),
				About: "ask only the plugin NAME; you can give it several times"},
			command.JSONFlag(&f.json),
		},
		Examples: []string{"chibi hook fire pre_tool --set arguments.command='rm -rf /'",
			"chibi hook fire pre_message --data @payload.json --plugin guard"},
		Run: func(ctx context.Context, args []string) error { return fire(ctx, env, args[0], f) },
	})
}

// fire fires one point with the person's payload, or with an example.
func fire(ctx context.Context, env *command.Env, name string, f fireFlags) error {
	info, err := command.FindPoint(name)
	if err != nil {
		return err
	}
	payload, set, err := payloadOf(ctx, env, info, f)
	if err != nil {
		return err
	}
	return env.With(ctx, app.ToWork, func(s *app.Session) error {
		app.ReportSkipped(s)
		host, err := hostOf(s, f.plugins)
		if err != nil {
			return err
		}
		made := payloads.Maker{Find: s.Agent.Tools.Lookup}
		defer made.Remove()
		if payload, err = made.Complete(info, payload, set); err != nil {
			return err
		}
		fired := firing.Firing{Info: info, Payload: payload, Records: notAsked(host, f.plugins, info)}
		stopped := fired.Fire(ctx, host)
		var refusal *plugin.StartError
		if stopped != nil && !errors.As(stopped, &refusal) {
			return stopped
		}
		if f.json {
			err = env.Out.JSON(fired.Object())
		} else {
			fired.Print(env.Out.Screen.Stdout())
		}
		return errors.Join(err, stopped)
	})
}

// notAsked returns records for the named plugins that are not asked at a point.
func notAsked(host *plugin.Host, names []string, info hookpoints.Info) []plugin.Record {
	records := []plugin.Record{}
	for _, name := range names {
		p := plugin.Find(host.Plugins, name)
		switch {
		case p == nil:
			records = append(records, plugin.Record{Time: time.Now(), Point: info.Name, Plugin: name,
				Result: plugin.Skipped, Why: "it is left out; chibi plugin list says why"})
		case !p.Subscribes(info.Name):
			records = append(records, plugin.Record{Time: time.Now(), Point: info.Name, Plugin: p.Name,
				Protocol: p.Origin.Protocol, Result: plugin.Skipped,
				Why: "chibi does not ask it at " + string(info.Name)})
		}
	}
	return records
}

// hostOf returns a host of the named plugins, of all if none is named.
func hostOf(s *app.Session, names []string) (*plugin.Host, error) {
	from := s.Agent.Host
	host := &plugin.Host{Wait: true, Waiting: from.Waiting, MaxAnswers: from.MaxAnswers, Parallel: from.Parallel}
	for _, name := range names {
		if !guards.HasPlugin(s.Loaded, name) {
			return nil, command.NoPlugin(s.Loaded, name)
		}
	}
	for i := range s.Loaded.Plugins {
		p := s.Loaded.Plugins[i]
		isNamed := func(name string) bool { return plugin.Find(s.Loaded.Plugins, name) == &s.Loaded.Plugins[i] }
		if names != nil && !slices.ContainsFunc(names, isNamed) {
			continue
		}
		host.Plugins = append(host.Plugins, p)
	}
	return host, nil
}
