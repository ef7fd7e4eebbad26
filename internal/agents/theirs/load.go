// Package theirs loads the hooks that coding agents have in their settings files, so that they
// run here.
//
// It promises that a hook of a project runs only while its settings file, and what its command
// names of the project, are as the person approved them; that nothing is read while no agent is
// turned on; and that a hook that does not run here is named with the reason.
package theirs

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/agents/hooks"
	agentsettings "github.com/chibi-host/chibi/internal/agents/settings"
	"github.com/chibi-host/chibi/internal/foreign"
	"github.com/chibi-host/chibi/internal/project"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/process"
	"golang.org/x/sync/errgroup"
)

// Options say which hooks are loaded, and with what they run.
type Options struct {
	// Home is chibi's home, Told the one that hooks are told.
	Home, Told string
	// Version is the program's.
	Version string
	Project project.Project
	// Agents are those whose hooks run, by their names.
	Agents map[string]Agent
	// Off says that no hooks of other programs are wanted.
	Off bool
	// Runner runs hooks, and Overrides are the person's settings for single ones. Neither is
	// asked for while no agent's hooks are turned on.
	Runner    func() process.Runner
	Overrides func() map[string]plugin.Override
	// About says what is known about the run, Ways how hooks are asked that are no commands.
	About func(context.Context) engine.Run
	Ways  hooks.Ways
	// Left are the variables that hooks leave for later commands.
	Left *Variables
	// AtEnd has a function called at the end of the session.
	AtEnd func(func())
	// Notice shows the person a sentence, Waiting what a hook says while it works.
	Notice  func(string)
	Waiting func(string) (done func())
}

// Agent says which hooks of an agent run.
type Agent struct {
	// User are those of the person's own settings files, Project those of the project's.
	User, Project bool
	// Files are further settings files, Plugins directories of the agent's plugins.
	Files, Plugins []string
	// Version is the agent's as its hooks are told; "": chibi's.
	Version string
}

// IsOn reports whether any of the agent's hooks run.
func (a Agent) IsOn() bool { return a.User || a.Project || len(a.Files) > 0 || len(a.Plugins) > 0 }

// loader loads the hooks of one agent.
type loader struct {
	Options
	settings
	set Agent
	// programs are the files of the project that hooks name.
	programs *foreign.Programs
	// urls are the only ones that hooks may be, headerVariables the only variables in headers; nil:
	// no settings file says so.
	urls, headerVariables []string
	// memory is what the hooks share.
	memory *hooks.Memory
	// override are the person's settings for single hooks.
	override map[string]plugin.Override
	// runners run the hooks: those of the project, and others.
	runners map[bool]process.Runner
	// ready are the hooks that run, unless their matchers cannot be read or they are twins.
	ready []hook
	plugin.Loaded
}

// Load finds the hooks of coding agents that are turned on, in the order of the agents.
// Without any, nothing is read.
func Load(o Options) (loaded plugin.Loaded) {
	for _, a := range loadAgents(o) {
		loaded.Add(a.Loaded)
	}
	return loaded
}

// loadAgents loads the hooks of the agents that are turned on.
func loadAgents(o Options) (loaders []*loader) {
	if o.Off {
		return nil
	}
	loaders = loadersOf(o)
	var all errgroup.Group
	for _, a := range loaders {
		all.Go(func() error {
			a.loadAll()
			return nil
		})
	}
	all.Wait()
	for _, a := range loaders {
		addBackground(a)
	}
	return loaders
}

// loadersOf returns those of the agents that are turned on.
func loadersOf(o Options) (loaders []*loader) {
	for _, name := range agents.Names() {
		if set := o.Agents[name]; set.IsOn() {
			d, _ := agents.ByName(name)
			loaders = append(loaders, newLoader(o, d, set))
		}
	}
	return loaders
}

func newLoader(o Options, d engine.Dialect, set Agent) *loader {
	return &loader{Options: o, settings: settings{dialect: d}, set: set,
		programs: FilesOf(o.Project).programs(), memory: &hooks.Memory{},
		override: o.Overrides(), runners: map[bool]process.Runner{}}
}

// loadAll loads the hooks of the agent.
func (a *loader) loadAll() {
	all := a.list()
	a.reportFiles()
	off := a.disabledBy()
	a.urls, a.headerVariables = a.allowed()
	var ready []hook
	for _, h := range a.recognise(all) {
		why, untrusted := a.leftOut(h, off), h.file.untrusted
		if untrusted == nil && why.Reason == "" {
			untrusted = a.programChanged(a.programs, h)
		}
		switch {
		case untrusted != nil && !h.IsBridge():
			a.skip(h, plugin.SkippedPlugin{Reason: untrusted.Error(), Reportable: true, Untrusted: true})
		case why.Reason != "":
			a.skip(h, why)
		case h.other != "" && a.override[h.name].Required():
			a.skip(h, plugin.SkippedPlugin{Reason: h.other, Reportable: true})
		default:
			ready = append(ready, h)
		}
	}
	a.ready, a.Plugins = inTurn(ready), make([]plugin.Plugin, 0, len(ready))
	for i, h := range a.ready {
		a.load(h, a.ready[:i])
	}
	a.reportUnused()
}

// list reads the settings files and lists their hooks.
func (a *loader) list() []hook {
	a.read()
	a.number()
	return a.named(a.hooks())
}

// inTurn makes all hooks of an event sequential of which one is.
func inTurn(list []hook) []hook {
	sequential := map[string]bool{}
	for _, h := range list {
		sequential[h.Event] = sequential[h.Event] || h.Sequential
	}
	for i, h := range list {
		list[i].Sequential = sequential[h.Event]
	}
	return list
}

// backgroundWait is how long the end of a run waits for hooks that nobody has waited for.
const backgroundWait = 5 * time.Second

// addBackground adds the plugin that passes on what hooks say for which nobody waits. At the end
// of the run those that still run are ended, and named.
func addBackground(a *loader) {
	if !slices.ContainsFunc(a.ready, func(h hook) bool { return h.Async }) {
		return
	}
	a.Plugins = append(a.Plugins, hooks.NewBackground(a.dialect, a.memory))
	a.AtEnd(func() {
		if ended := a.memory.Close(backgroundWait); len(ended) > 0 {
			a.Notice(fmt.Sprintf("ended with the run, %s after its end, as they still ran in the background: %s",
				backgroundWait, strings.Join(ended, ", ")))
		}
	})
}

// skip leaves a hook out.
func (a *loader) skip(h hook, why plugin.SkippedPlugin) {
	why.Name, why.Origin, why.Note = h.name, a.origin(h.file, h.Line), h.note()
	a.Skipped = append(a.Skipped, why)
}

// leftOut says why a hook does not run, if something can be said without looking at its
// matcher.
func (a *loader) leftOut(h hook, off switchedOff) plugin.SkippedPlugin {
	event, known := a.dialect.Event(h.Event)
	title := a.dialect.Title
	switch why := off.why(h); {
	case h.IsBridge():
		return plugin.SkippedPlugin{Reason: ofBridge + " for " + title + "; it does not run in chibi"}
	case why != "":
		return plugin.SkippedPlugin{Reason: why, Disabled: true}
	case a.override[h.name].Disabled && h.other == "":
		return plugin.SkippedPlugin{Disabled: true,
			Reason: fmt.Sprintf("disabled by enabled = false in [plugins.%q] of the configuration", h.name)}
	case !known:
		return plugin.SkippedPlugin{Reason: unknownEvent(a.dialect, h.Event)}
	case len(event.Points()) == 0:
		return plugin.SkippedPlugin{Reason: "chibi never fires " + event.Name}
	case h.Kind == "":
		return plugin.SkippedPlugin{Reason: fmt.Sprintf("%s has no handlers of type %q", title, clipped(h.Type))}
	case a.Ways.Lacks(h.Kind) != "":
		return plugin.SkippedPlugin{Reason: a.Ways.Lacks(h.Kind)}
	case h.Shell == "powershell" && runtime.GOOS != "windows":
		return plugin.SkippedPlugin{Reason: "it is for powershell, which runs on Windows only"}
	}
	return plugin.SkippedPlugin{}
}

// maxShown is how much of a name in a settings file is shown.
const maxShown = 60

func clipped(name string) string {
	if len(name) > maxShown {
		name = name[:maxShown] + "..."
	}
	return strings.ToValidUTF8(name, "?")
}

// reportFiles reports what is wrong with files and with entries that cannot be read. Nothing of
// these runs, so that it does not matter whether they are approved.
func (a *loader) reportFiles() {
	for _, f := range a.files {
		for _, p := range f.Problems {
			name := term.Name(f.Path)
			if p.Number > 0 {
				name = a.nameOf(f, p.Event, p.Number)
			}
			a.Skipped = append(a.Skipped, plugin.SkippedPlugin{Name: name, Origin: a.origin(f, p.Line), Reportable: true,
				Reason: fmt.Sprintf("%s: %s", place(f.Path, p.Line), p.Text)})
		}
	}
}

// place returns FILE:LINE.
func place(path string, line int) string {
	if line == 0 {
		return term.Name(path)
	}
	return fmt.Sprintf("%s:%d", term.Name(path), line)
}

// load makes the plugin of a hook. before are those that are asked before it.
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
		Run: a.runOf(h.file), Override: override, Check: a.hookCheck(h), Memory: a.memory, Ways: a.Ways, Agents: agents.All(),
		Concerns: concerningOf(a.Options), Waiting: a.Waiting, Leaves: leavingOf(a.Options),
		URLs: a.urls, HeaderVariables: a.headerVariables,
		Twins: handlersOf(twins),
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
