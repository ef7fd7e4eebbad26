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

// Options say which hooks are loaded, and with what they run.
type Options struct {
	// Home is chibi's home, Told the one that hooks get.
	Home, Told string
	// Version is the program's.
	Version string
	Project project.Project
	// Agents are those whose hooks run, by their names.
	Agents map[string]Agent
	// In is the agent in whose sessions the hooks are asked, "": in chibi's own. Its own hooks are not:
	// it runs them by itself.
	In string
	// Off says that no hooks of other programs are wanted.
	Off bool
	// Runner runs hooks, and Overrides are the person's settings for single ones. Neither is
	// asked for while no agent's hooks are turned on.
	Runner    func() process.Runner
	Overrides func() map[string]plugin.Override
	// About says what is known about the run, Ways how hooks are asked that are no commands.
	About func(context.Context) engine.Run
	Ways  hooks.Ways
	// Keeping returns what keeps what hooks of an agent share for later processes; nil: nothing does.
	Keeping func(agent string) *hooks.Keeping
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
	// itself is what the agent runs in whose sessions the hooks are asked; nil: there is none.
	itself *itself
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

// Asked lists the agents whose hooks are turned on where these are asked.
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
