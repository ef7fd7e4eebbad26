package app

import (
	"fmt"
	"slices"

	"github.com/chibi-host/chibi/internal/agents/hooks"
	"github.com/chibi-host/chibi/internal/guards"
	"github.com/chibi-host/chibi/internal/instructions"
	"github.com/chibi-host/chibi/internal/project"
	"github.com/chibi-host/chibi/internal/recipes"
	"github.com/chibi-host/chibi/internal/trust"
	"github.com/chibi-host/chibi/plugin/kodelet"
)

// openProject looks up what is approved in the current directory.
func openProject(s *Session) error {
	o := project.Options{Home: s.Home, Notice: s.person.notice}
	if s.opts.TrustProject {
		o.Trusted = func(p project.Project) []trust.Seen {
			files, _ := Look(p) // what cannot be pinned is not run
			return files
		}
	}
	s.Project = project.Open(o)
	s.Agent.Settings.ProjectRoot, s.Agent.Settings.Instructions = s.Project.Root, readInstructions(s)
	return nil
}

// Look reads the files of a project that an approval covers: recipes, everything in the
// directories of hooks except data, instructions, and what names and makes up MCP servers. Of all but hooks, what
// cannot be read is left out. The error says why hooks cannot be approved.
func Look(p project.Project) (files []trust.Seen, err error) {
	files, err = lookHooks(p)
	for _, f := range slices.Concat(recipes.Look(p), instructions.Look(p), ServerFilesOf(p).Look(), hooks.FilesOf(p).Look()) {
		if !slices.ContainsFunc(files, func(s trust.Seen) bool { return s.Path == f.Path }) {
			files = append(files, f)
		}
	}
	return files, err
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

// hookDirs returns the directories of Kodelet's hooks; env has additional variables for
// those of the project. The names of the project's hooks begin with "kodelet:./".
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
