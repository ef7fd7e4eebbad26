package theirs

import (
	"path/filepath"
	"slices"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/engine"
	agentsettings "github.com/chibi-host/chibi/internal/agents/settings"
	"github.com/chibi-host/chibi/internal/foreign"
	"github.com/chibi-host/chibi/internal/project"
	"github.com/chibi-host/chibi/internal/trust"
)

// Files are the settings files of a project in which coding agents list hooks.
type Files struct{ project project.Project }

// FilesOf returns the files of a project.
func FilesOf(p project.Project) Files { return Files{p} }

// Candidates lists the settings files of the project that an agent reads: the files in the nearest directory, from
// the current one up to the project's root, that has any.
func (f Files) Candidates(d engine.Dialect) []foreign.Candidate {
	return foreign.Project(d, f.project.Upward())
}

// mayUse returns a function that says why chibi must not use a settings file of the project; nil: the person
// approved it, or it needs no approval.
func (f Files) mayUse(home string) func(foreign.File) error {
	p := f.project
	if p.Own {
		return func(foreign.File) error { return nil }
	}
	check := p.ApprovedContent(home)
	return func(f foreign.File) error { return check(f.Path, f.Text, f.Mode) }
}

// programs finds the files of the project that hooks name.
func (f Files) programs() *foreign.Programs {
	topmost := f.project.Dir
	if dirs := f.project.Upward(); len(dirs) > 0 {
		topmost = dirs[len(dirs)-1]
	}
	return foreign.NewPrograms(topmost)
}

// programsOf lists the files of the project that a hook of a settings file runs.
func (f Files) programsOf(programs *foreign.Programs, in foreign.File, h agentsettings.Handler) []string {
	return programs.All(h, slices.Compact([]string{in.Root, f.project.Dir}))
}

// asApproved says how a file or directory of the project differs from what the person approved; nil: it does not.
func (f Files) asApproved(home, path string) error {
	return f.project.Approves(home)(func(a trust.Approval) error {
		rel, err := filepath.Rel(a.Project, path)
		if err != nil {
			return err
		}
		for _, now := range trust.Code(a.Project, f.project.Folders()[0], rel) {
			if err := a.Same(now.File); err != nil {
				return err
			}
			if err := now.Refused(a.Project, "."); err != nil {
				return err
			}
		}
		return nil
	})
}

// SettingsFile is a settings file of a project in which an agent lists hooks.
type SettingsFile struct {
	// Agent and Title are the agent's names for configuration and for people.
	Agent, Title string
	foreign.File
	// Rel is its path relative to the project.
	Rel string
	// Programs are the files of the project that each hook names, relative to the project.
	Programs [][]string
}

// List reads the settings files that have hooks of any agent, or turn hooks off.
func (f Files) List() (files []SettingsFile) {
	p := f.project
	if p.Own {
		return nil
	}
	programs := f.programs()
	for _, d := range agents.All() {
		found, _ := foreign.ReadAll(d, f.Candidates(d)) // a file that chibi cannot read runs nothing
		for _, in := range found {
			if !in.HasEffect() {
				continue
			}
			one := SettingsFile{Agent: d.Name, Title: d.Title, File: in, Rel: p.Below(in.Path)}
			for _, h := range in.Handlers {
				var named []string
				for _, path := range f.programsOf(programs, in, h) {
					named = append(named, p.Below(path))
				}
				one.Programs = append(one.Programs, named)
			}
			files = append(files, one)
		}
	}
	return files
}

// Look reads the files that an approval of the project covers for the agents: their settings files, and the files
// that their hooks name.
func (f Files) Look() (files []trust.Seen) {
	for _, s := range f.List() {
		for _, path := range append([]string{s.Rel}, slices.Concat(s.Programs...)...) {
			files = append(files, trust.Code(f.project.Dir, f.project.Folders()[0], path)...)
		}
	}
	return files
}

// Expects reports whether hooks of an agent should be there. If only projects' hooks are
// turned on, it expects them where the project has settings of the agent, or had some at its approval.
func (f Files) Expects(agent string, set Agent) bool {
	d, ok := agents.ByName(agent)
	if !ok || !set.IsOn() || set.User || len(set.Files) > 0 || len(set.Plugins) > 0 {
		return true
	}
	wasApproved := slices.ContainsFunc(f.project.Stored.Files, func(stored trust.File) bool {
		return slices.ContainsFunc(d.Places, func(place engine.Place) bool {
			inProject := place.Scope == engine.ScopeProject || place.Scope == engine.ScopeLocal
			is, _ := filepath.Match(place.Path, stored.Path)
			return inProject && is
		})
	})
	return wasApproved || len(f.Candidates(d)) > 0
}
