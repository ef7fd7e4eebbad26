package theirs

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/chibi-host/chibi/internal/foreign"
	"github.com/chibi-host/chibi/internal/project"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/plugin"
)

// lookerOf finds the settings files of agents.
func lookerOf(l Options) foreign.Looker {
	return foreign.Looker{Home: l.Project.User, Getenv: l.Runner().Getenv}
}

// read reads the settings files that the configuration turns on, in the order in which the
// agent asks them: the person's, the files that the configuration names, the project's. It leaves out files that
// say nothing about hooks.
func (a *loader) read() {
	own := lookerOf(a.Options).Own(a.dialect)
	var mine []foreign.Candidate
	if a.set.User {
		if mine = append(mine, own...); a.Project.User == "" {
			a.Notices = append(a.Notices, plugin.Notice{Plugin: a.dialect.Name, Text: "HOME is not set, so chibi does not " +
				"find the hooks in your own settings files"})
		}
	}
	for _, path := range a.set.Files {
		mine = append(mine, foreign.Named(a.dialect, inHome(a.Home, path), a.Project.User))
	}
	for _, dir := range a.set.Plugins {
		mine = append(mine, foreign.OfPlugin(a.dialect, inHome(a.Home, dir)))
	}
	for _, path := range slices.Concat(a.set.Files, a.set.Plugins) {
		a.reportMissing(inHome(a.Home, path))
	}
	a.add(mine, nil)
	if !a.set.Project {
		return
	}
	ofProject := FilesOf(a.Project)
	files := ofProject.Candidates(a.dialect)
	files = slices.DeleteFunc(files, func(c foreign.Candidate) bool {
		return slices.ContainsFunc(own, func(o foreign.Candidate) bool { return o.Path == c.Path })
	})
	a.add(files, ofProject.mayUse(a.Home))
}

// add reads files. check, which only files of the project have, says why chibi must not use one.
func (a *loader) add(list []foreign.Candidate, check func(foreign.File) error) {
	files, problems := foreign.ReadAll(a.dialect, list)
	for _, f := range files {
		if !f.SaysSomething() {
			continue
		}
		one := &hookFile{File: f, isProject: check != nil}
		one.taken = a.itself.takes(one)
		if check != nil && f.HasEffect() {
			one.untrusted = check(f)
		}
		a.files = append(a.files, one)
	}
	for _, err := range problems {
		a.Notices = append(a.Notices, plugin.Notice{Plugin: a.dialect.Name, Text: err.Error() + "; its hooks do not run"})
	}
}

// reportMissing reports a file or directory that the configuration names and that is not there.
func (a *loader) reportMissing(path string) {
	if _, err := os.Stat(path); err != nil {
		a.Notices = append(a.Notices, plugin.Notice{Plugin: a.dialect.Name, Text: fmt.Sprintf("there is no %s, which "+
			"[foreign.%s] names", term.Name(path), a.dialect.Name)})
	}
}

// inHome returns the full path of a file that the configuration in a home names.
func inHome(home, path string) string {
	if path = project.InHome(path); filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(home, path)
}
