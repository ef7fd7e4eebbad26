package kodelet

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Where hooks and recipes are below a person's home or a project.
const (
	hooksFolder   = ".kodelet/hooks"
	pluginsFolder = ".kodelet/plugins"
)

// maxPlugins bounds how many plugin folders are looked through in one place.
const maxPlugins = 200

// HookFolders lists the folders below a person's home or a project that hold
// hooks, in Kodelet's order: .kodelet/hooks, then those of its plugins,
// .kodelet/plugins/ORG@REPO/hooks.
func HookFolders(root string) []Folder {
	return append([]Folder{{Path: filepath.Join(root, hooksFolder)}}, PluginFolders(root, "hooks")...)
}

// PluginFolders lists the folders of one kind, "hooks" or "recipes", that the
// plugins below a person's home or a project have, bytewise by plugin. A plugin is
// a folder ORG@REPO; what it holds is called ORG/REPO/NAME. Links are not
// followed, as Kodelet does not either.
func PluginFolders(root, kind string) (list []Folder) {
	plugins := filepath.Join(root, pluginsFolder)
	entries, err := os.ReadDir(plugins)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return []Folder{{Path: plugins, LeftOut: fmt.Sprintf("the folder cannot be read: %v", err)}}
	}
	for _, entry := range entries {
		folder := Folder{Path: filepath.Join(plugins, entry.Name(), kind), Plugin: pluginPrefix(entry.Name())}
		if _, err := os.Lstat(folder.Path); err != nil || strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		if !entry.IsDir() {
			folder.LeftOut = fmt.Sprintf("%s is a link, and plugins are not looked for behind links; put the folder there "+
				"instead", filepath.Join(plugins, entry.Name()))
		}
		if len(list) == maxPlugins {
			return append(list, Folder{Path: plugins, LeftOut: fmt.Sprintf("it has more than %d plugins with %s; the others "+
				"are left out", maxPlugins, kind)})
		}
		list = append(list, folder)
	}
	return list
}

// pluginPrefix is what the names of a plugin's hooks and recipes begin with.
func pluginPrefix(folder string) string { return strings.Replace(folder, "@", "/", 1) + "/" }

// FindHook says what a path, from a person's home or a project on, is: name is
// what the hook is called there ("guard", "org/repo/guard") if its mode lets it
// be one, and folder the folder of hooks in which it lies. name is "" for what
// lies deeper, folder is "" for what lies elsewhere.
func FindHook(path string) (name, folder string) {
	prefix, rest := "", ""
	if below, ok := strings.CutPrefix(path, pluginsFolder+"/"); ok {
		plugin, inPlugin, _ := strings.Cut(below, "/")
		folder, prefix = filepath.Join(pluginsFolder, plugin, "hooks"), pluginPrefix(plugin)
		if rest, ok = strings.CutPrefix(inPlugin, "hooks/"); !ok {
			return "", ""
		}
	} else if rest, ok = strings.CutPrefix(path, hooksFolder+"/"); ok {
		folder = hooksFolder
	} else {
		return "", ""
	}
	if strings.Contains(rest, "/") {
		return "", folder
	}
	return prefix + rest, folder
}
