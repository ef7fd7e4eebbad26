package theirs

import (
	"path/filepath"
	"slices"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/agents/hooks"
	agentsettings "github.com/chibi-host/chibi/internal/agents/settings"
	"github.com/chibi-host/chibi/internal/foreign"
	"github.com/chibi-host/chibi/plugin"
)

// load makes the plugin of a hook. before are the hooks that chibi asks before it.
func (a *loader) load(h hook, before []hook) {
	twins := twinsOf(a.dialect, h, before)
	for _, twin := range twins {
		if twin.Matcher == h.Matcher {
			a.skip(h, plugin.SkippedPlugin{Disabled: true, Reason: "it is the same as " + twin.name + ", and runs once"})
			return
		}
	}
	override := a.override[h.name]
	p, err := hooks.NewPlugin(&a.dialect, ofPlugin(a, h), hooks.Options{
		Name: h.name, Path: h.file.Path, Dir: a.dirOf(h), Runner: a.runner(h.file),
		Run: a.runOf(h.file), Override: override, Check: a.hookCheck(h), Memory: a.memory, Ways: a.Ways, Agents: agents.All,
		Concerns: concerningOf(a.Options), Waiting: a.Waiting, Leaves: leavingOf(a.Options),
		URLs: a.urls, HeaderVariables: a.headerVariables,
		Twins: handlersOf(twins), Elsewhere: h.file.taken.runs(h),
	})
	if err != nil {
		a.skip(h, plugin.SkippedPlugin{Reason: err.Error(), Reportable: true})
		return
	}
	p.Origin, p.Note = a.origin(h.file, h.Line), h.note()
	if h.other != "" {
		a.Notices = append(a.Notices, plugin.Notice{Plugin: h.name, Text: h.other})
	}
	a.Notices = append(a.Notices, append(override.Apply(&p), override.NoStdin(p.Name)...)...)
	a.Plugins = append(a.Plugins, p)
}

// note describes a hook for lists.
func (h hook) note() string { return foreign.Describe(*h.Handler) + h.aboutName() + h.aboutKnown() }

// twinsOf returns the earlier hooks that are the same for the agent, whatever their matchers.
func twinsOf(d engine.Dialect, h hook, before []hook) (twins []hook) {
	for _, b := range before {
		if d.Dedup != "" && b.Event == h.Event && b.Kind == h.Kind && b.If == h.If && b.Title() == h.Title() &&
			slices.Equal(b.Args, h.Args) && (d.Dedup == "command" || b.Name == h.Name) && b.root() == h.root() {
			twins = append(twins, b)
		}
	}
	return twins
}

func handlersOf(hooks []hook) (list []agentsettings.Handler) {
	for _, h := range hooks {
		list = append(list, *h.Handler)
	}
	return list
}

// rootOf returns the directory that is the project's for the hooks of a file.
func (a *loader) rootOf(f *hookFile) string {
	if f.isProject {
		return f.Root
	}
	return a.Project.Dir
}

// dirOf returns where a hook runs; "": in the working directory.
func (a *loader) dirOf(h hook) string {
	dir := a.Project.Dir
	if h.file.AtRoot {
		dir = a.rootOf(h.file)
		if !h.file.isProject {
			dir = filepath.Dir(h.file.Path)
		}
	}
	if h.Dir == "" {
		return dir
	}
	if filepath.IsAbs(h.Dir) {
		return h.Dir
	}
	return filepath.Join(dir, h.Dir)
}
