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
	hooksDir   = ".kodelet/hooks"
	pluginsDir = ".kodelet/plugins"
)

// maxPlugins bounds how many plugins are read below one root.
const maxPlugins = 200

// HookDirs lists the directories below a person's home or a project that hold
// hooks, in Kodelet's order: .kodelet/hooks, then the hooks of its plugins,
// .kodelet/plugins/ORG@REPO/hooks.
func HookDirs(root string) []Dir {
	return append([]Dir{{Path: filepath.Join(root, hooksDir)}}, PluginDirs(root, "hooks")...)
}

// PluginDirs lists the directories of one kind, "hooks" or "recipes", that the
// plugins below a person's home or a project have, bytewise by plugin. A plugin is
// a directory ORG@REPO; its contents have names ORG/REPO/NAME. chibi follows no links, as Kodelet does not either.
func PluginDirs(root, kind string) (list []Dir) {
	plugins := filepath.Join(root, pluginsDir)
	entries, err := os.ReadDir(plugins)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return []Dir{{Path: plugins, Skipped: fmt.Sprintf("the directory cannot be read: %v", err)}}
	}
	for _, entry := range entries {
		dir := Dir{Path: filepath.Join(plugins, entry.Name(), kind), Plugin: pluginPrefix(entry.Name())}
		if _, err := os.Lstat(dir.Path); err != nil || strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		if !entry.IsDir() {
			dir.Skipped = fmt.Sprintf("%s is a link, and plugins are not looked for behind links; put the directory there "+
				"instead", filepath.Join(plugins, entry.Name()))
		}
		if len(list) == maxPlugins {
			return append(list, Dir{Path: plugins, Skipped: fmt.Sprintf("it has more than %d plugins with %s; the others "+
				"are skipped", maxPlugins, kind)})
		}
		list = append(list, dir)
	}
	return list
}

// pluginPrefix is the prefix of the names of a plugin's hooks and recipes.
func pluginPrefix(dir string) string { return strings.Replace(dir, "@", "/", 1) + "/" }

// FindHook says which hook a path is, given relative to a person's home or a project:
// name is its name ("guard", "org/repo/guard") and dir the directory of hooks that it is
// in. name is "" for a file further down in dir; both are "" for any other path. The
// mode of the file is not examined.
func FindHook(path string) (name, dir string) {
	prefix, rest := "", ""
	if below, ok := strings.CutPrefix(path, pluginsDir+"/"); ok {
		plugin, inPlugin, _ := strings.Cut(below, "/")
		dir, prefix = filepath.Join(pluginsDir, plugin, "hooks"), pluginPrefix(plugin)
		if rest, ok = strings.CutPrefix(inPlugin, "hooks/"); !ok {
			return "", ""
		}
	} else if rest, ok = strings.CutPrefix(path, hooksDir+"/"); ok {
		dir = hooksDir
	} else {
		return "", ""
	}
	if strings.Contains(rest, "/") {
		return "", dir
	}
	return prefix + rest, dir
}
