package plugins

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/chibi-host/chibi/internal/workbench/cases"
)

// caseFiles lists the files with cases that a person means: files, those in
// directories, or those of plugins in the plugins directory.
func caseFiles(plugins string, args []string) (files []string, err error) {
	for _, arg := range args {
		info, err := os.Stat(arg)
		switch {
		case errors.Is(err, fs.ErrNotExist) && arg != plugins:
			own := ownCases(plugins, arg)
			if len(own) == 0 {
				return nil, fmt.Errorf("there is no file %s, and none %s%s in %s", arg, arg, cases.Suffix, plugins)
			}
			files = append(files, own...)
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, err
		case info.IsDir():
			for _, pattern := range []string{"*" + cases.Suffix, "*/*" + cases.Suffix} {
				found, err := filepath.Glob(filepath.Join(arg, pattern))
				if err != nil {
					return nil, err
				}
				files = append(files, found...)
			}
		default:
			files = append(files, arg)
		}
	}
	return files, nil
}

// ownCases lists the files with the cases of a plugin in the plugins directory: beside
// it, or in its directory.
func ownCases(plugins, name string) (files []string) {
	for _, path := range []string{filepath.Join(plugins, name+cases.Suffix),
		filepath.Join(plugins, name, name+cases.Suffix)} {
		if _, err := os.Stat(path); err == nil {
			files = append(files, path)
		}
	}
	return files
}

// pluginDir returns the directory that has the plugin of a file with cases: that of
// the file, the one above if the file is in the plugin's own directory, or the plugins
// directory.
func pluginDir(f cases.File, plugins string) (string, error) {
	beside, err := filepath.Abs(filepath.Dir(f.Path))
	if err != nil {
		return "", err
	}
	if filepath.Base(beside) == f.Plugin {
		if _, err := os.Stat(filepath.Join(beside, f.Plugin)); err == nil {
			return filepath.Dir(beside), nil
		}
	}
	if _, err := os.Stat(filepath.Join(beside, f.Plugin)); err != nil {
		return plugins, nil
	}
	return beside, nil
}
