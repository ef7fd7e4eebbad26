package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

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
		s.project.approval.Files = s.project.files()
	}
	return nil
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
func (p project) hookFolders() (list []kodelet.Folder) {
	if !p.own {
		list = append(list, kodelet.Folder{Path: filepath.Join(p.dir, hooksFolder), Prefix: projectHook, Check: p.approval.Check})
	}
	if p.user != "" {
		list = append(list, kodelet.Folder{Path: filepath.Join(p.user, hooksFolder), Prefix: "kodelet:"})
	}
	return list
}

// recipeFolders are the places for recipes.
func (p project) recipeFolders(home string) (list []recipes.Folder) {
	if !p.own {
		for _, folder := range []string{recipesFolder, kodeletRecipes} {
			list = append(list, recipes.Folder{Path: filepath.Join(p.dir, folder), Check: p.approval.Check})
		}
	}
	if p.user != "" {
		list = append(list, recipes.Folder{Path: filepath.Join(p.user, kodeletRecipes)})
	}
	return append(list, recipes.Folder{Path: filepath.Join(home, recipesFolder)})
}

// files are the files of the project that an approval is about, as they are now.
// What cannot be read is left out: it cannot be run either.
func (p project) files() (list []trust.File) {
	for _, name := range kodelet.Executables(filepath.Join(p.dir, hooksFolder)) {
		list = p.add(list, filepath.Join(hooksFolder, name))
	}
	for _, folder := range []string{recipesFolder, kodeletRecipes} {
		for _, name := range recipes.Files(filepath.Join(p.dir, folder)) {
			list = p.add(list, filepath.Join(folder, name))
		}
	}
	return list
}

func (p project) add(list []trust.File, path string) []trust.File {
	if f, err := trust.Fingerprint(p.dir, path); err == nil {
		return append(list, f)
	}
	return list
}
