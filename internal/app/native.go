package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/within"
	"github.com/chibi-host/chibi/internal/workbench/installed"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/kode"
	"github.com/chibi-host/chibi/plugin/kodelet"
	"github.com/chibi-host/chibi/plugin/native"
	"github.com/chibi-host/chibi/plugin/oneshot"
	"github.com/chibi-host/chibi/tools/builtin"
)

// Native returns the options for loading chibi's plugins.
func (l *Loader) Native() native.Options {
	set, mark := l.config.Plugins, sync.OnceValue(func() within.Mark { return l.mark("") }) // few runs need it
	return native.Options{
		Dir: l.Dir(), Home: l.told, Context: l.context, Verbose: l.opts.Verbose,
		Runner: l.Runner(), Spool: l.spool, MaxToolOutput: int64(set.MaxToolOutputBytes),
		ProbeTimeout: ms(set.ProbeTimeoutMS), HookTimeout: ms(set.HookTimeoutMS), ToolTimeout: ms(set.ToolTimeoutMS),
		AllowLinks: set.AllowLinks, Overrides: l.overrides(), Reserved: builtin.Names(), Meant: meant,
		Within: func(tool string) string {
			told := mark()
			told.Tool = tool
			return told.Value()
		},
	}
}

// meant returns the points that another program's name of an event stands for.
func meant(event string) []hookpoints.Name {
	for _, events := range []map[string]hookpoints.Name{kodelet.Events(), kode.Events()} {
		if at, known := events[event]; known {
			return []hookpoints.Name{at}
		}
	}
	return agents.Meant(event)
}

// native asks the plugins of chibi's directory for their schemas. With NoHooks only
// their tools are used.
func (l *Loader) native(ctx context.Context, prober *oneshot.Prober) (plugin.Loaded, error) {
	if l.opts.Plugins.None {
		return plugin.Loaded{}, nil
	}
	opts := l.Native()
	opts.Prober, opts.Residents = prober, l.stay
	loaded, err := native.Load(ctx, opts)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("plugins did not describe themselves in time: %w", err)
	}
	if err != nil && !errors.Is(ctx.Err(), context.Canceled) {
		return loaded, guardsOf(l.config, l.opts, l.project, plugin.Loaded{}).
			Unreadable(prober.Guards(opts.Dir), l.overrides(), err)
	}
	loaded.Notices = append(loaded.Notices, l.changed()...)
	for i := range loaded.Plugins {
		if l.opts.Plugins.NoHooks {
			loaded.Plugins[i].Hooks = nil
		}
	}
	return loaded, err
}

// changed returns a notice for each installed plugin that has changed since it was
// installed.
func (l *Loader) changed() (notices []plugin.Notice) {
	list, err := installed.Read(l.home)
	if err != nil {
		l.notice(err.Error())
	}
	for _, name := range slices.Sorted(maps.Keys(list)) {
		if one := list[name]; !one.Link && one.Changed(filepath.Join(l.Dir(), name)) {
			notices = append(notices, plugin.Notice{Plugin: name,
				Text: "it has changed since it was installed; see chibi plugin show " + name})
		}
	}
	return notices
}
