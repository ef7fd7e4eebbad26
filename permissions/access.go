package permissions

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/permissions/internal/commandline"
	"github.com/chibi-host/chibi/tools"
)

// AccessOf returns what a call would do, for a tool that does not say so itself. It reads the argument that the
// tool's subject names, or else the arguments with usual names for one; of commands, it reads all. dir is the
// directory that relative paths begin at.
func AccessOf(spec tools.Spec, arguments json.RawMessage, dir string) tools.Access {
	var values map[string]json.RawMessage
	if strictjson.Decode(arguments, &values) != nil {
		values = nil
	}
	names := subjectsOf(spec)
	switch kindOf(spec.Category) {
	case aboutCommands:
		access := tools.Access{Command: strings.Join(texts(values, names), "\n"), Dir: dir}
		if cwd := first(values, []string{"cwd", "workdir", "working_directory", "directory"}); cwd != "" {
			access.Dir = filepath.Clean(absolutePath(cwd, dir))
		}
		return access
	case aboutFiles:
		name := first(values, names)
		if name == "" && spec.Category == tools.CategorySearch {
			name = dir
		}
		return fileAccess(name, dir)
	case aboutDomains:
		return tools.Access{URL: first(values, names)}
	}
	return tools.Access{}
}

// CheckSubject returns an error if a call has an argument whose name differs only in letters'
// case, "-" or "_" from the one that says what it is about: the tool may take the one for the
// other, so the rules would decide about something else than it does.
func CheckSubject(spec tools.Spec, arguments json.RawMessage) error {
	var values map[string]json.RawMessage
	names := subjectsOf(spec)
	if len(names) == 0 || strictjson.Decode(arguments, &values) != nil {
		return nil
	}
	for _, given := range slices.Sorted(maps.Keys(values)) {
		for _, name := range names {
			if !slices.Contains(names, given) && tools.SameArgument(given, name) {
				return fmt.Errorf("the argument %q must be written %q", given, name)
			}
		}
	}
	return nil
}

// subjectsOf returns the arguments that can say what a call of a tool is about: the one that
// its subject names, or the usual ones, of which the tool's parameters may tell which it has.
func subjectsOf(spec tools.Spec) (names []string) {
	if kindOf(spec.Category) != aboutNothing && spec.Subject != "" {
		return []string{spec.Subject}
	}
	names = tools.UsualSubjects(spec.Category)
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if strictjson.Decode(spec.Parameters, &schema) != nil {
		return names
	}
	has := func(name string) bool { _, ok := schema.Properties[name]; return ok }
	if !slices.ContainsFunc(names, has) {
		return names
	}
	return slices.DeleteFunc(names, func(name string) bool { return !has(name) })
}

// first returns the first text of these arguments that there is.
func first(values map[string]json.RawMessage, names []string) string {
	for _, text := range texts(values, names) {
		return text
	}
	return ""
}

// texts returns what these arguments say. A list of texts is taken as the words of a command.
func texts(values map[string]json.RawMessage, names []string) (list []string) {
	for _, name := range names {
		var text string
		if strictjson.Decode(values[name], &text) == nil && text != "" {
			list = append(list, text)
			continue
		}
		var words []string
		if strictjson.Decode(values[name], &words) == nil && len(words) > 0 {
			for i, word := range words {
				words[i] = commandline.Quote(word)
			}
			list = append(list, strings.Join(words, " "))
		}
	}
	return list
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
