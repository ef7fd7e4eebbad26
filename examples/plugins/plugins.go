// Package plugins holds chibi's example plugins, as files to copy and for `chibi demo`. Each
// works unchanged; a test runs each with the program. The package promises to list every
// file of every example and writes none.
package plugins

import (
	"embed"
	"io/fs"
	"path"
)

//go:embed logger add-time plain-output block-rm tool-filter temperature greet run_command
//go:embed logger-resident temperature-resident
//go:embed guard-push diff-policy fetch-allow-list approval-log
//go:embed summarize summarize-with-model word_count/word_count word_count/main.go word_count/schema.json
var files embed.FS

// Example is one example plugin.
type Example struct {
	// Name is the plugin's name: the name of its file or directory.
	Name string
	// Files are its files, relative to the plugins directory.
	Files []File
	// Needs lists the programs that it runs and that may not be installed.
	Needs []string
}

// needs lists the programs that an example runs, besides sh and other POSIX utilities.
func needs(name string) []string {
	switch name {
	case "block-rm", "fetch-allow-list", "tool-filter":
		return []string{"bash", "jq"}
	case "add-time", "approval-log", "diff-policy", "run_command", "summarize", "temperature",
		"temperature-resident":
		return []string{"python3"}
	case "plain-output":
		return []string{"node"}
	case "summarize-with-model":
		return []string{"python3", "chibi"}
	case "word_count":
		return []string{"go"}
	}
	return nil
}

// File is one file of a plugin.
type File struct {
	Path    string
	Content []byte
	Mode    fs.FileMode
}

// All lists the examples by name.
func All() ([]Example, error) {
	var list []Example
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		example := Example{Name: entry.Name(), Needs: needs(entry.Name())}
		err := fs.WalkDir(files, entry.Name(), func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			mode := fs.FileMode(0o644)
			if path.Ext(name) == "" {
				mode = 0o755
			}
			content, err := files.ReadFile(name)
			example.Files = append(example.Files, File{Path: name, Content: content, Mode: mode})
			return err
		})
		if err != nil {
			return nil, err
		}
		list = append(list, example)
	}
	return list, nil
}
