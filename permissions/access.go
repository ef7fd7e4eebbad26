package permissions

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/permissions/internal/commandline"
	"github.com/chibi-host/chibi/tools"
)

// AccessOf returns what a call of a tool would do that does not say so itself, from the
// argument that the tool's subject names. Where it names none, the usual names of such
// arguments are tried. dir is the directory that relative paths begin at.
func AccessOf(spec tools.Spec, arguments json.RawMessage, dir string) tools.Access {
	var values map[string]json.RawMessage
	if strictjson.Decode(arguments, &values) != nil {
		values = nil
	}
	switch kindOf(spec.Category) {
	case aboutCommands:
		access := tools.Access{Command: subject(spec, values, "command", "cmd", "script"), Dir: dir}
		if cwd := subject(tools.Spec{}, values, "cwd", "workdir", "working_directory", "directory"); cwd != "" {
			access.Dir = filepath.Clean(absolutePath(cwd, dir))
		}
		return access
	case aboutFiles:
		name := subject(spec, values, "path", "file_path", "filename", "file")
		if name == "" && spec.Category == tools.CategorySearch {
			name = dir
		}
		return fileAccess(name, dir)
	case aboutDomains:
		return tools.Access{URL: subject(spec, values, "url", "uri")}
	}
	return tools.Access{}
}

// subject returns the argument that a tool's subject names, or the first of the usual names
// that there is. A list of texts is taken as the words of a command.
func subject(spec tools.Spec, values map[string]json.RawMessage, usual ...string) string {
	if spec.Subject != "" {
		usual = []string{spec.Subject}
	}
	for _, name := range usual {
		var text string
		if strictjson.Decode(values[name], &text) == nil && text != "" {
			return text
		}
		var words []string
		if strictjson.Decode(values[name], &words) == nil && len(words) > 0 {
			for i, word := range words {
				words[i] = commandline.Quote(word)
			}
			return strings.Join(words, " ")
		}
	}
	return ""
}

// fileAccess describes the use of a file. Whether a tool takes ~ for the home directory is
// not known: the file is then judged under both of its possible paths.
func fileAccess(name, dir string) tools.Access {
	if name == "" {
		return tools.Access{}
	}
	path := absolutePath(name, dir)
	access := tools.Access{Path: filepath.Clean(path), Real: Real(path)}
	if rest, ok := strings.CutPrefix(name, "~"); ok && (rest == "" || rest[0] == '/') {
		if home, err := os.UserHomeDir(); err == nil {
			access.Real = Real(filepath.Join(home, rest))
		}
	}
	_, err := os.Lstat(access.Real)
	access.Exists = err == nil
	return access
}

// absolutePath returns a path as it begins in a directory, not cleaned.
func absolutePath(name, dir string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return dir + string(filepath.Separator) + name
}
