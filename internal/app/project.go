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

// Project is the current directory, and what of it is approved.
type Project struct {
	// Dir is its real path; "" if there is none.
	Dir string
	// Root is the directory of the project that it belongs to.
	Root string
	// User is the person's home directory, "" if there is none.
	User string
	// Own says that it is the person's home directory, or none: nothing in it needs
	// approval.
	Own bool
	// Approval is what counts in this session.
	Approval trust.Approval

	stored trust.Approval // what is approved for longer
}

// The directories that hold recipes: of a project and of chibi's home, of a project
// and of a person's home. Kodelet's plugins have some besides.
const (
	RecipesDir        = "recipes"
	KodeletRecipesDir = ".kodelet/recipes"
)

// projectHook is what the names of a project's hooks begin with.
const projectHook = "kodelet:./"

// openProject looks up what of the current directory is approved. Without a current
// directory, as when it was removed, there is no project.
func openProject(s *Session) (err error) {
	if s.Project, err = FindProject("."); err != nil {
		s.person.notice(err.Error())
		s.Project = Project{User: UserHome(), Own: true}
	}
	p := &s.Project
	p.Root = projectRoot(p.Dir, os.Getenv)
	s.Agent.Settings.ProjectRoot = p.Root
	if p.Own {
		return nil
	}
	if p.stored, err = trust.Open(s.Home).Find(p.Dir); err != nil {
		s.person.notice(err.Error())
		p.stored = trust.Approval{Project: p.Dir}
	}
	p.Approval = p.stored
	if s.opts.TrustProject {
		files, _ := p.Look() // what cannot be pinned is not run
		p.Approval = p.Approve(files)
	}
	return nil
}

// FindProject describes a directory as a project. Nothing of it is approved yet.
func FindProject(path string) (Project, error) {
	dir, err := trust.RealPath(path)
	if err != nil {
		return Project{}, fmt.Errorf("finding the folder %q: %w; put -- before it if it is a prompt", path, err)
	}
	p := Project{Dir: dir, User: UserHome(), Approval: trust.Approval{Project: dir}}
	if real, err := trust.RealPath(p.User); err == nil && p.User != "" {
		p.Own = real == dir
	}
	return p, nil
}

// UserHome is the person's home directory, "" if there is none.
func UserHome() string {
	home, _ := os.UserHomeDir()
	return home
}

// Approve is an approval of the project's files as they were read.
func (p Project) Approve(files []trust.Seen) trust.Approval {
	a := trust.Approval{Project: p.Dir, Format: trust.Format, Data: p.Approval.Data}
	for _, f := range files {
		a.Files = append(a.Files, f.File)
	}
	return a
}

// approved reports whether a hook of the project was ever approved, whatever it is
// now.
func (p Project) approved(hook string) bool {
	return slices.ContainsFunc(p.stored.Files, func(f trust.File) bool {
		name, _ := kodelet.FindHook(f.Path)
		return name == hook
	})
}

// hookDirs are the places for Kodelet's hooks; env is what those of the project
// find in their environment besides. Names of hooks of the project begin with
// "kodelet:./".
func (p Project) hookDirs(env []string) (list []kodelet.Dir) {
	if !p.Own {
		for _, folder := range kodelet.HookDirs(p.Dir) {
			dir := p.below(folder.Path)
			folder.Prefix, folder.Env = projectHook, env
			folder.Look = func() func(string) error { return p.Approval.Look(dir) }
			list = append(list, folder)
		}
	}
	if p.User != "" {
		for _, folder := range kodelet.HookDirs(p.User) {
			folder.Prefix = "kodelet:"
			list = append(list, folder)
		}
	}
	return list
}

// below is a path of the project's, from its directory on.
func (p Project) below(path string) string {
	rel, err := filepath.Rel(p.Dir, path)
	if err != nil {
		return path
	}
	return rel
}

// recipeDirs are the places for recipes.
func (p Project) recipeDirs(home string) (list []recipes.Dir) {
	if !p.Own {
		for _, folder := range p.ownRecipeDirs() {
			folder.Check = p.Approval.Content
			list = append(list, folder)
		}
	}
	if p.User != "" {
		list = append(list, recipes.Dir{Path: filepath.Join(p.User, KodeletRecipesDir)})
		list = append(list, pluginRecipes(p.User)...)
	}
	return append(list, recipes.Dir{Path: filepath.Join(home, RecipesDir)})
}

// ownRecipeDirs are those of the project.
func (p Project) ownRecipeDirs() (list []recipes.Dir) {
	for _, folder := range []string{RecipesDir, KodeletRecipesDir} {
		list = append(list, recipes.Dir{Path: filepath.Join(p.Dir, folder)})
	}
	return append(list, pluginRecipes(p.Dir)...)
}

// pluginRecipes are the directories of recipes that Kodelet's plugins have.
func pluginRecipes(root string) (list []recipes.Dir) {
	for _, folder := range kodelet.PluginDirs(root, "recipes") {
		if folder.LeftOut == "" {
			list = append(list, recipes.Dir{Path: folder.Path, Prefix: folder.Plugin})
		}
	}
	return list
}

// Look reads the files of the project that an approval is about: recipes, and all
// that lies in the directories of hooks but for data. Files that cannot be read are
// left out where they are recipes. The error says why hooks cannot be approved.
func (p Project) Look() (files []trust.Seen, err error) {
	for _, folder := range kodelet.HookDirs(p.Dir) {
		if folder.LeftOut != "" {
			continue // loading it says why
		}
		dir := p.below(folder.Path)
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
	for _, folder := range p.ownRecipeDirs() {
		for _, name := range recipes.Files(folder.Path) {
			if f, err := trust.Read(p.Dir, p.below(filepath.Join(folder.Path, name))); err == nil {
				files = append(files, f)
			}
		}
	}
	return files, err
}
