// Package recipes holds chibi's example recipes, as files to copy and for `chibi demo`. Each is
// a prompt, and an agent for spawn_agent; a test runs each. The package promises to list every
// file of every example and writes none.
package recipes

import "embed"

//go:embed *.md
var files embed.FS

// File is an example recipe.
type File struct {
	// Name is the name of its file.
	Name string
	// Content is what the file has.
	Content []byte
}

// All lists the examples by name.
func All() ([]File, error) {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil, err
	}
	var list []File
	for _, entry := range entries {
		content, err := files.ReadFile(entry.Name())
		if err != nil {
			return nil, err
		}
		list = append(list, File{Name: entry.Name(), Content: content})
	}
	return list, nil
}
