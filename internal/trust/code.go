package trust

import (
	"os"
	"path/filepath"
	"strings"
)

// The modes of what an approval pins besides files.
const (
	// Directory is the kind of a directory whose files are pinned one by one. Its hash is the hash of
	// their names.
	Directory = "directory"
	// NotCovered is the kind of a directory whose files are not pinned. Its hash is the hash of the reason.
	NotCovered = "not covered"
	// Values is the kind of values that variables stood for. Its hash is the hash of the values.
	Values = "values"
)

// Code reads what a command runs of a project: a file, or all files of a directory and of those
// below it, at most 1000 files and 64 MiB, and the directory itself. Of what cannot be pinned
// there is only that, with the reason as its text, and so of the project itself and of root, in
// which it is. What Python compiles is left out.
func Code(project, root, path string) []Seen {
	path = filepath.Clean(path)
	if info, err := os.Stat(filepath.Join(project, path)); err != nil || !info.IsDir() {
		f, err := Read(project, path)
		if err != nil {
			f = notCovered(path, err.Error())
		}
		return []Seen{f}
	}
	t := tree{project: project, isCode: true}
	if path == "." || filepath.Join(project, path) == root {
		return []Seen{notCovered(path, "it is the whole project")}
	}
	if err := t.read(path); err != nil {
		return []Seen{notCovered(path, err.Error())}
	}
	var names strings.Builder
	for _, f := range t.files {
		names.WriteString(strings.TrimPrefix(f.Path, path) + "\x00")
	}
	return append(t.files, Entry(path, Directory, names.String()))
}

// Entry is what an approval pins by its content only, under a path and with a mode that says
// what it is.
func Entry(path, mode, content string) Seen {
	return Seen{File: File{Path: path, Mode: mode, SHA256: hash([]byte(content))}}
}

func notCovered(path, why string) Seen {
	s := Entry(path, NotCovered, why)
	s.Text = []byte(why)
	return s
}
