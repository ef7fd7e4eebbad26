package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/trust"
	"github.com/chibi-host/chibi/plugin/kodelet"
	"github.com/chibi-host/chibi/recipes"
)

// project is the current folder, and what of it is approved.
type project struct {
	dir      string // its real path; "" if there is none
	user     string // the person's home folder, "" if there is none
	own      bool   // it is the person's home folder, or none: nothing in it needs approval
	approval trust.Approval
	stored   trust.Approval // what is approved for longer than this run
}

// The folders that hold hooks and recipes: of a project, of a person's home, and
// of chibi's home.
const (
	hooksFolder    = ".kodelet/hooks"
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
	if s.project.own {
		return nil
	}
	if s.project.stored, err = trust.Open(s.home).Find(s.project.dir); err != nil {
		s.notice(err.Error())
		s.project.stored = trust.Approval{Folder: s.project.dir}
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
	a := trust.Approval{Folder: p.dir, Format: trust.Format, Data: p.approval.Data}
	for _, f := range files {
		a.Files = append(a.Files, f.File)
	}
	return a
}

// approved says whether a file of the project was ever approved, whatever it is
// now.
func (p project) approved(path string) bool {
	return slices.ContainsFunc(p.stored.Files, func(f trust.File) bool { return f.Path == path })
}

// findProject describes a folder as a project. Nothing of it is approved yet.
func findProject(path string) (project, error) {
	dir, err := trust.Folder(path)
	if err != nil {
		return project{}, fmt.Errorf("finding the folder %q: %w; put -- before it if it is a prompt", path, err)
	}
	p := project{dir: dir, user: userHome(), approval: trust.Approval{Folder: dir}}
	if real, err := trust.Folder(p.user); err == nil && p.user != "" {
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
func (s *session) hookFolders() (list []kodelet.Folder) {
	p := s.project
	if !p.own {
		list = append(list, kodelet.Folder{
			Path: filepath.Join(p.dir, hooksFolder), Prefix: projectHook, Env: s.projectEnv(),
			Look: func() func(string) error { return p.approval.Look(hooksFolder) },
		})
	}
	if p.user != "" {
		list = append(list, kodelet.Folder{Path: filepath.Join(p.user, hooksFolder), Prefix: "kodelet:"})
	}
	return list
}

// projectEnv is what a project's hooks find in their environment besides, so that
// they load what was approved: programs from places that are the same in every
// folder, and Python's compiled files from where the project cannot write.
func (s *session) projectEnv() []string {
	env := []string{"PYTHONPYCACHEPREFIX=" + filepath.Join(s.home, "pycache")}
	for _, name := range []string{"PATH", "PYTHONPATH", "PERL5LIB", "RUBYLIB", "NODE_PATH", "LD_LIBRARY_PATH"} {
		places := filepath.SplitList(s.exec().Getenv(name))
		if absolute := slices.DeleteFunc(places, func(place string) bool { return !filepath.IsAbs(place) }); len(places) > 0 {
			env = append(env, name+"="+strings.Join(absolute, string(filepath.ListSeparator)))
		}
	}
	return env
}

// recipeFolders are the places for recipes.
func (p project) recipeFolders(home string) (list []recipes.Folder) {
	if !p.own {
		for _, folder := range []string{recipesFolder, kodeletRecipes} {
			list = append(list, recipes.Folder{Path: filepath.Join(p.dir, folder), Check: p.approval.Content})
		}
	}
	if p.user != "" {
		list = append(list, recipes.Folder{Path: filepath.Join(p.user, kodeletRecipes)})
	}
	return append(list, recipes.Folder{Path: filepath.Join(home, recipesFolder)})
}

// look reads the files of the project that an approval is about: recipes, and all
// that lies in the folder of hooks but for data. Files that cannot be read are left
// out where they are recipes. The error says why hooks cannot be approved.
func (p project) look() (files []trust.Seen, err error) {
	if files, err = trust.Tree(p.dir, hooksFolder); err != nil {
		files = nil
	}
	files = p.approval.Pinned(hooksFolder, files)
	for _, folder := range []string{recipesFolder, kodeletRecipes} {
		for _, name := range recipes.Files(filepath.Join(p.dir, folder)) {
			if f, err := trust.Read(p.dir, filepath.Join(folder, name)); err == nil {
				files = append(files, f)
			}
		}
	}
	return files, err
}
