package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/recipes"
	"github.com/chibi-host/chibi/internal/trust"
	"github.com/chibi-host/chibi/plugin/kodelet"
)

// project is the current folder, and what of it is approved.
type project struct {
	dir      string // its real path; "" if there is none
	root     string // of what it belongs to; see projectRoot
	user     string // the person's home folder, "" if there is none
	own      bool   // it is the person's home folder, or none: nothing in it needs approval
	approval trust.Approval
	stored   trust.Approval // what is approved for longer than this run
}

// The folders that hold recipes: of a project and of chibi's home, of a project
// and of a person's home. Kodelet's plugins have some besides.
const (
	recipesFolder  = "recipes"
	kodeletRecipes = ".kodelet/recipes"
)

// projectHook is what the names of a project's hooks begin with.
const projectHook = "kodelet:./"

// openProject looks up what of the current folder is approved. Without a current
// folder, as when it was removed, there is no project.
func (s *session) openProject(context.Context) (err error) {
	if s.project, err = findProject("."); err != nil {
		s.notice(err.Error())
		s.project = project{user: userHome(), own: true}
	}
	s.project.root = projectRoot(s.project.dir, os.Getenv)
	s.agent.Settings.ProjectRoot = s.project.root
	if s.project.own {
		return nil
	}
	if s.project.stored, err = trust.Open(s.home).Find(s.project.dir); err != nil {
		s.notice(err.Error())
		s.project.stored = trust.Approval{Project: s.project.dir}
	}
	s.project.approval = s.project.stored
	if s.opts.trustProject {
		files, _ := s.project.look() // what cannot be pinned is not run
		s.project.approval = s.project.as(files)
	}
	return nil
}

// as is an approval of the project's files as they were read.
func (p project) as(files []trust.Seen) trust.Approval {
	a := trust.Approval{Project: p.dir, Format: trust.Format, Data: p.approval.Data}
	for _, f := range files {
		a.Files = append(a.Files, f.File)
	}
	return a
}

// approved reports whether a hook of the project was ever approved, whatever it is
// now.
func (p project) approved(hook string) bool {
	return slices.ContainsFunc(p.stored.Files, func(f trust.File) bool {
		name, _ := kodelet.FindHook(f.Path)
		return name == hook
	})
}

// findProject describes a folder as a project. Nothing of it is approved yet.
func findProject(path string) (project, error) {
	dir, err := trust.RealPath(path)
	if err != nil {
		return project{}, fmt.Errorf("finding the folder %q: %w; put -- before it if it is a prompt", path, err)
	}
	p := project{dir: dir, user: userHome(), approval: trust.Approval{Project: dir}}
	if real, err := trust.RealPath(p.user); err == nil && p.user != "" {
		p.own = real == dir
	}
	return p, nil
}

// userHome is the person's home folder, "" if there is none.
func userHome() string {
	home, _ := os.UserHomeDir()
	return home
}

// hookFolders are the places for Kodelet's hooks. Names of hooks of the project
// begin with "kodelet:./".
func (s *session) hookFolders() (list []kodelet.Dir) {
	p := s.project
	if !p.own {
		env := s.projectEnv()
		for _, folder := range kodelet.HookDirs(p.dir) {
			dir := p.below(folder.Path)
			folder.Prefix, folder.Env = projectHook, env
			folder.Look = func() func(string) error { return p.approval.Look(dir) }
			list = append(list, folder)
		}
	}
	if p.user != "" {
		for _, folder := range kodelet.HookDirs(p.user) {
			folder.Prefix = "kodelet:"
			list = append(list, folder)
		}
	}
	return list
}

// below is a path of the project's, from its folder on.
func (p project) below(path string) string {
	rel, err := filepath.Rel(p.dir, path)
	if err != nil {
		return path
	}
	return rel
}

// projectEnv is what a project's hooks find in their environment besides, so that
// they load what was approved: programs from places that are the same in every
// folder, and Python's compiled files from where the project cannot write.
func (s *session) projectEnv() []string {
	env := []string{"PYTHONPYCACHEPREFIX=" + filepath.Join(s.toldHome(), "pycache")}
	for _, name := range []string{"PATH", "PYTHONPATH", "PERL5LIB", "RUBYLIB", "NODE_PATH", "LD_LIBRARY_PATH"} {
		places := filepath.SplitList(s.runner().Getenv(name))
		if absolute := slices.DeleteFunc(places, func(place string) bool { return !filepath.IsAbs(place) }); len(places) > 0 {
			env = append(env, name+"="+strings.Join(absolute, string(filepath.ListSeparator)))
		}
	}
	return env
}

// recipeFolders are the places for recipes.
func (p project) recipeFolders(home string) (list []recipes.Dir) {
	if !p.own {
		for _, folder := range p.ownRecipeFolders() {
			folder.Check = p.approval.Content
			list = append(list, folder)
		}
	}
	if p.user != "" {
		list = append(list, recipes.Dir{Path: filepath.Join(p.user, kodeletRecipes)})
		list = append(list, pluginRecipes(p.user)...)
	}
	return append(list, recipes.Dir{Path: filepath.Join(home, recipesFolder)})
}

// ownRecipeFolders are those of the project.
func (p project) ownRecipeFolders() (list []recipes.Dir) {
	for _, folder := range []string{recipesFolder, kodeletRecipes} {
		list = append(list, recipes.Dir{Path: filepath.Join(p.dir, folder)})
	}
	return append(list, pluginRecipes(p.dir)...)
}

// pluginRecipes are the folders of recipes that Kodelet's plugins have.
func pluginRecipes(root string) (list []recipes.Dir) {
	for _, folder := range kodelet.PluginDirs(root, "recipes") {
		if folder.LeftOut == "" {
			list = append(list, recipes.Dir{Path: folder.Path, Prefix: folder.Plugin})
		}
	}
	return list
}

// look reads the files of the project that an approval is about: recipes, and all
// that lies in the folders of hooks but for data. Files that cannot be read are left
// out where they are recipes. The error says why hooks cannot be approved.
func (p project) look() (files []trust.Seen, err error) {
	for _, folder := range kodelet.HookDirs(p.dir) {
		if folder.LeftOut != "" {
			continue // loading it says why
		}
		dir := p.below(folder.Path)
		hooks, problem := trust.Tree(p.dir, dir)
		switch {
		case problem == nil:
			files = append(files, p.approval.Pinned(dir, hooks)...)
		case err == nil:
			err = problem
		default:
			err = fmt.Errorf("%w; %w", err, problem)
		}
	}
	for _, folder := range p.ownRecipeFolders() {
		for _, name := range recipes.Files(folder.Path) {
			if f, err := trust.Read(p.dir, p.below(filepath.Join(folder.Path, name))); err == nil {
				files = append(files, f)
			}
		}
	}
	return files, err
}
