// Package theirs loads the hooks in the settings files of coding agents, so that they run here.
//
// A hook of a project runs only while its settings file, and the files of the project that its command names, are
// as the person approved them. While no agent is turned on, the package reads nothing. It names each hook that does
// not run here, with the reason.
package theirs

import (
	"context"
	"fmt"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/agents/hooks"
	"github.com/chibi-host/chibi/internal/foreign"
	"github.com/chibi-host/chibi/internal/project"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/process"
	"golang.org/x/sync/errgroup"
)

// Options say which hooks to load, and what they need to run.
type Options struct {
	// Home is chibi's home, Told is the home that hooks get.
	Home, Told string
	// Version is the program's.
	Version string
	Project project.Project
	// Agents are the agents whose hooks run, by their names.
	Agents map[string]Agent
	// In is the agent of the session, "": it is a session of chibi. chibi does not ask In's own hooks: the agent
	// runs them by itself.
	In string
	// Off turns the hooks of other programs off.
	Off bool
	// Runner runs hooks, and Overrides are the person's settings for single ones. chibi calls neither while no
	// agent's hooks are turned on.
	Runner    func() process.Runner
	Overrides func() map[string]plugin.Override
	// About returns the facts about the run. Ways say how to ask hooks that are not commands.
	About func(context.Context) engine.Run
	Ways  hooks.Ways
	// Keeping returns the keeper of what hooks of an agent share for later processes; nil: there is none.
	Keeping func(agent string) *hooks.Keeping
	// Left are the variables that hooks leave for later commands.
	Left *Variables
	// AtEnd takes a function for the end of the session.
	AtEnd func(func())
	// Notice shows the person a sentence, Waiting the text of a hook that works.
	Notice  func(string)
	Waiting func(string) (done func())
}

// Agent says which hooks of an agent run.
type Agent struct {
	// User turns on the hooks in the person's own settings files, Project those in the project's.
	User, Project bool
	// Files are further settings files, Plugins directories of the agent's plugins.
	Files, Plugins []string
	// Version is the agent's version that its hooks get; "": chibi's.
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
	// urls are the only URLs that hooks may have, headerVariables the only variables in their headers; nil: no
	// settings file limits them.
	urls, headerVariables []string
	// itself says which hooks the agent of the session runs by itself; nil: it is a session of chibi.
	itself *itself
	// memory is what the hooks share.
	memory *hooks.Memory
	// override are the person's settings for single hooks.
	override map[string]plugin.Override
	// runners run the hooks of the project (true) and other hooks.
	runners map[bool]process.Runner
	// ready are the hooks that run, unless chibi cannot read their matchers or they are twins.
	ready []hook
	plugin.Loaded
}

// Load finds the hooks of coding agents that are turned on, in the order of the agents.
// It reads nothing if none is.
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
	var run *itself
	if len(loaders) > 0 {
		run = itselfIn(o)
	}
	var all errgroup.Group
	for _, a := range loaders {
		a.itself = run
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

// Asked lists the agents whose hooks chibi asks in this session.
func (o Options) Asked() (names []string) {
	for _, a := range agents.Names() {
		if o.Agents[a].IsOn() && a != o.In {
			names = append(names, a)
		}
	}
	return names
}

// loadersOf returns the loaders of the agents that are turned on.
func loadersOf(o Options) (loaders []*loader) {
	for _, name := range o.Asked() {
		d, _ := agents.ByName(name)
		loaders = append(loaders, newLoader(o, d, o.Agents[name]))
	}
	return loaders
}

func newLoader(o Options, d engine.Dialect, set Agent) *loader {
	memory := &hooks.Memory{}
	if o.Keeping != nil {
		memory.Keeping = o.Keeping(d.Name)
	}
	return &loader{Options: o, settings: settings{dialect: d}, set: set,
		programs: FilesOf(o.Project).programs(), memory: memory,
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

// inTurn makes all hooks of an event sequential if one of them is.
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

// reportFiles reports problems of files, and entries that chibi cannot read. Nothing of these runs, so that they
// need no approval.
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
