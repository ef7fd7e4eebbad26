package app

import (
	"path/filepath"
	"slices"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/foreign"
	"github.com/chibi-host/chibi/internal/project"
	"github.com/chibi-host/chibi/internal/trust"
)

// HookFiles are the settings files of a project in which coding agents list hooks.
type HookFiles struct{ project project.Project }

// HookFilesOf returns those of a project.
func HookFilesOf(p project.Project) HookFiles { return HookFiles{p} }

// candidates lists the settings files of the project that an agent reads: those in the
// nearest directory, from the current one up to the project's root, that has any.
func (f HookFiles) candidates(d engine.Dialect) []foreign.Candidate {
	return foreign.Project(d, f.upward())
}

// upward lists the directories of the project from the current one to its root.
func (f HookFiles) upward() []string {
	p := f.project
	if p.Dir == "" {
		return nil
	}
	if p.Own {
		return []string{p.Dir}
	}
	dirs := p.Folders()
	slices.Reverse(dirs)
	return dirs
}

// mayUse returns a function that says why a settings file of the project must not be used;
// nil: it is approved, or needs no approval.
func (f HookFiles) mayUse(home string) func(foreign.File) error {
	p := f.project
	if p.Own {
		return func(foreign.File) error { return nil }
	}
	check := p.ApprovedContent(home)
	return func(f foreign.File) error { return check(f.Path, f.Text, f.Mode) }
}

// programs finds the files of the project that hooks name.
func (f HookFiles) programs() *foreign.Programs {
	topmost := f.project.Dir
	if dirs := f.upward(); len(dirs) > 0 {
		topmost = dirs[len(dirs)-1]
	}
	return foreign.NewPrograms(topmost)
}

// programsOf lists what of the project a hook of a settings file runs.
func (f HookFiles) programsOf(programs *foreign.Programs, in foreign.File, h engine.Handler) []string {
	return programs.All(h, slices.Compact([]string{in.Root, f.project.Dir}))
}

// asApproved returns why a file or directory of the project is not as it was approved; nil: it is.
func (f HookFiles) asApproved(home, path string) error {
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
	// Programs are the files of the project that each of the hooks names, relative to it.
	Programs [][]string
}

// List reads those that have hooks of any agent, or turn hooks off.
func (f HookFiles) List() (files []SettingsFile) {
	p := f.project
	if p.Own {
		return nil
	}
	programs := f.programs()
	for _, d := range engine.All() {
		found, _ := foreign.ReadAll(d, f.candidates(d)) // a file that cannot be read runs nothing
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

// look reads what an approval of the project covers of the agents' settings files: these, and
// the files that their hooks name.
func (f HookFiles) look() (files []trust.Seen) {
	for _, s := range f.List() {
		for _, path := range append([]string{s.Rel}, slices.Concat(s.Programs...)...) {
			files = append(files, trust.Code(f.project.Dir, f.project.Folders()[0], path)...)
		}
	}
	return files
}
