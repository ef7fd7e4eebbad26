package app

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/chibi-host/chibi/internal/guards"
	"github.com/chibi-host/chibi/internal/project"
	"github.com/chibi-host/chibi/internal/trust"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/kodelet"
	"github.com/chibi-host/chibi/plugin/oneshot"
)

// kodelet finds Kodelet's hooks: the approved ones of the current directory, then the
// person's own.
func (l *Loader) kodelet(ctx context.Context, prober *oneshot.Prober) (plugin.Loaded, error) {
	if !l.opts.Plugins.asksOthers() {
		return plugin.Loaded{}, nil
	}
	set := l.config.Plugins
	return kodelet.Load(ctx, kodelet.Options{
		Dirs: hookDirs(l.project, l.projectEnv()), Runner: l.Runner(), Prober: prober,
		QueryTimeout: ms(set.ProbeTimeoutMS), HookTimeout: ms(set.HookTimeoutMS), Overrides: l.overrides(),
		Conversation: l.context, Dir: l.project.Dir,
		AutoCompact: l.config.AutoCompact, Threshold: l.config.AutoCompactThreshold / 100,
	})
}

// projectEnv returns additional variables for a project's hooks. With them the hooks
// load what was approved: programs from places that are the same in every directory,
// and Python's compiled files from where the project cannot write.
func (l *Loader) projectEnv() []string {
	return append([]string{"PYTHONPYCACHEPREFIX=" + filepath.Join(l.told, "pycache")},
		project.AbsolutePlaces(l.Runner().Getenv)...)
}

// hookDirs returns the directories of Kodelet's hooks; env has additional variables for the hooks
// of the project. The names of the project's hooks begin with "kodelet:./".
func hookDirs(p project.Project, env []string) (list []kodelet.Dir) {
	if !p.Own {
		for _, place := range kodelet.HookDirs(p.Dir) {
			dir := p.Below(place.Path)
			place.Prefix, place.Env = guards.ProjectHook, env
			place.Look = func() func(string) error { return p.Approval.Look(dir) }
			list = append(list, place)
		}
	}
	if p.User != "" {
		for _, place := range kodelet.HookDirs(p.User) {
			place.Prefix = "kodelet:"
			list = append(list, place)
		}
	}
	return list
}

// lookHooks reads everything in the directories of Kodelet's hooks except data.
func lookHooks(p project.Project) (files []trust.Seen, err error) {
	for _, place := range kodelet.HookDirs(p.Dir) {
		if place.Skipped != "" {
			continue // loading it reports why
		}
		dir := p.Below(place.Path)
		hooks, problem := trust.Tree(p.Dir, dir)
		switch {
		case problem == nil:
			files = append(files, p.Approval.Pinned(dir, hooks)...)
		case err == nil:
			err = problem
		default:
			err = fmt.Errorf("%w; %w", err, problem)
		}
	}
	return files, err
}
