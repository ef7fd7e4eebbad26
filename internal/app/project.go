package app

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/chibi-host/chibi/internal/recipes"
	"github.com/chibi-host/chibi/internal/trust"
	"github.com/chibi-host/chibi/plugin/kodelet"
)

// Project is the current directory with the approval of its files.
type Project struct {
	// Dir is its real path; "" if there is none.
	Dir string
	// Root is the directory of the project that it belongs to.
	Root string
	// User is the person's home directory, "" if there is none.
	User string
	// Own is true if it is the person's home directory or there is none: nothing in it
	// needs approval.
	Own bool
	// Approval is what is approved in this session.
	Approval trust.Approval

	stored   trust.Approval // what is approved for longer
	isOpened bool           // all of this is known
}

// The directories that hold recipes: chibi's in a project and in chibi's home,
// Kodelet's in a project and in a person's home. Kodelet's plugins have further ones.
const (
	RecipesDir        = "recipes"
	KodeletRecipesDir = ".kodelet/recipes"
)

// projectHook is the prefix of the names of a project's hooks.
const projectHook = "kodelet:./"

// openProject looks up what is approved in the current directory. Without a current
// directory, as when it was removed, there is no project.
func openProject(s *Session) (err error) {
	if s.Project, err = FindProject("."); err != nil {
		s.person.notice(err.Error())
		s.Project = Project{User: UserHome(), Own: true}
	}
	p := &s.Project
	p.Root, p.isOpened = projectRoot(p.Dir, os.Getenv), true
	if !p.Own {
		openApproval(s)
	}
	s.Agent.Settings.ProjectRoot, s.Agent.Settings.Instructions = p.Root, readInstructions(s)
	return nil
}

// openApproval looks up what is approved in the project.
func openApproval(s *Session) {
	p, err := &s.Project, error(nil)
	if p.stored, err = trust.Open(s.Home).Find(p.Dir); err != nil {
		s.person.notice(err.Error())
		p.stored = trust.Approval{Project: p.Dir}
	}
	p.Approval = p.stored
	if s.opts.TrustProject {
		files, _ := p.Look() // what cannot be pinned is not run
		p.Approval = p.Approve(files)
	}
}

// FindProject describes a directory as a project. Nothing of it is approved yet.
func FindProject(path string) (Project, error) {
	dir, err := trust.RealPath(path)
	if err != nil {
		return Project{}, fmt.Errorf("finding the directory %q: %w; put -- before it if it is a prompt", path, err)
	}
	p := Project{Dir: dir, User: UserHome(), Approval: trust.Approval{Project: dir}}
	if real, err := trust.RealPath(p.User); err == nil && p.User != "" {
		p.Own = real == dir
	}
	return p, nil
}

// UserHome returns the person's home directory, "" if there is none.
func UserHome() string {
	home, _ := os.UserHomeDir()
	return home
}

// Approve returns an approval of the project's files as they were read.
func (p Project) Approve(files []trust.Seen) trust.Approval {
	a := trust.Approval{Project: p.Dir, Format: trust.Format, Data: p.Approval.Data}
	for _, f := range files {
		a.Files = append(a.Files, f.File)
	}
	return a
}

// approved reports whether a hook of the project was ever approved, even if it has
// changed since.
func (p Project) approved(hook string) bool {
	return slices.ContainsFunc(p.stored.Files, func(f trust.File) bool {
		name, _ := kodelet.FindHook(f.Path)
		return name == hook
	})
}

// hookDirs returns the directories of Kodelet's hooks; env has additional variables for
// those of the project. The names of the project's hooks begin with "kodelet:./".
func (p Project) hookDirs(env []string) (list []kodelet.Dir) {
	if !p.Own {
		for _, place := range kodelet.HookDirs(p.Dir) {
			dir := p.below(place.Path)
			place.Prefix, place.Env = projectHook, env
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

// below returns a path of the project relative to its directory.
func (p Project) below(path string) string {
	rel, err := filepath.Rel(p.Dir, path)
	if err != nil {
		return path
	}
	return rel
}

// recipeDirs returns the directories of recipes.
func (p Project) recipeDirs(home string) (list []recipes.Dir) {
	if !p.Own {
		for _, place := range p.ownRecipeDirs() {
			place.Check = p.Approval.Content
			list = append(list, place)
		}
	}
	if p.User != "" {
		list = append(list, recipes.Dir{Path: filepath.Join(p.User, KodeletRecipesDir)})
		list = append(list, pluginRecipes(p.User)...)
	}
	return append(list, recipes.Dir{Path: filepath.Join(home, RecipesDir)})
}

// ownRecipeDirs returns those of the project.
func (p Project) ownRecipeDirs() (list []recipes.Dir) {
	for _, place := range []string{RecipesDir, KodeletRecipesDir} {
		list = append(list, recipes.Dir{Path: filepath.Join(p.Dir, place)})
	}
	return append(list, pluginRecipes(p.Dir)...)
}

// pluginRecipes returns the directories of recipes in Kodelet's plugins.
func pluginRecipes(root string) (list []recipes.Dir) {
	for _, place := range kodelet.PluginDirs(root, "recipes") {
		if place.Skipped == "" {
			list = append(list, recipes.Dir{Path: place.Path, Prefix: place.Plugin})
		}
	}
	return list
}

// Look reads the files of the project that an approval covers: recipes, everything in the
// directories of hooks except data, instructions, and what names and makes up MCP servers. Of all but hooks, what
// cannot be read is left out. The error says why hooks cannot be approved.
func (p Project) Look() (files []trust.Seen, err error) {
	for _, place := range kodelet.HookDirs(p.Dir) {
		if place.Skipped != "" {
			continue // loading it reports why
		}
		dir := p.below(place.Path)
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
	for _, place := range p.ownRecipeDirs() {
		for _, name := range recipes.Files(place.Path) {
			if f, err := trust.Read(p.Dir, p.below(filepath.Join(place.Path, name))); err == nil {
				files = append(files, f)
			}
		}
	}
	for _, f := range slices.Concat(p.lookInstructions(), ServerFilesOf(p).look(), HookFilesOf(p).look()) {
		if !slices.ContainsFunc(files, func(s trust.Seen) bool { return s.Path == f.Path }) {
			files = append(files, f)
		}
	}
	return files, err
}
