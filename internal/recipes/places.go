package recipes

import (
	"path/filepath"

	"github.com/chibi-host/chibi/internal/project"
	"github.com/chibi-host/chibi/internal/trust"
	"github.com/chibi-host/chibi/plugin/kodelet"
)

// The directories that hold recipes: chibi's in a project and in chibi's home, Kodelet's in a
// project and in a person's home. Kodelet's plugins have further ones.
const (
	HomeDir    = "recipes"
	KodeletDir = ".kodelet/recipes"
)

// DirsOf returns the directories of recipes of a project, of the person and of chibi's home.
func DirsOf(p project.Project, home string) (list []Dir) {
	if !p.Own {
		for _, place := range projectDirs(p) {
			place.Check = p.Approval.Content
			list = append(list, place)
		}
	}
	if p.User != "" {
		list = append(list, Dir{Path: filepath.Join(p.User, KodeletDir)})
		list = append(list, pluginDirs(p.User)...)
	}
	return append(list, Dir{Path: filepath.Join(home, HomeDir)})
}

// projectDirs returns the directories of the project.
func projectDirs(p project.Project) (list []Dir) {
	for _, place := range []string{HomeDir, KodeletDir} {
		list = append(list, Dir{Path: filepath.Join(p.Dir, place)})
	}
	return append(list, pluginDirs(p.Dir)...)
}

// pluginDirs returns the directories of recipes in Kodelet's plugins.
func pluginDirs(root string) (list []Dir) {
	for _, place := range kodelet.PluginDirs(root, "recipes") {
		if place.Skipped == "" {
			list = append(list, Dir{Path: place.Path, Prefix: place.Plugin})
		}
	}
	return list
}

// Look reads the recipes of a project that an approval covers.
func Look(p project.Project) (files []trust.Seen) {
	for _, place := range projectDirs(p) {
		for _, name := range Files(place.Path) {
			if f, err := trust.Read(p.Dir, p.Below(filepath.Join(place.Path, name))); err == nil {
				files = append(files, f)
			}
		}
	}
	return files
}
