package trust

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Refused returns why a hook in a directory of the project must not be run, even if
// it is approved; nil: it may be run if it is approved.
func (s Seen) Refused(project, dir string) error { return checkInterpreter(project, dir, s.Text) }

// checkInterpreter rejects a script whose first line names code that depends on the
// current directory or that the approval does not cover. It cannot be approved.
func checkInterpreter(project, dir string, text []byte) error {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	rest, isScript := strings.CutPrefix(string(line), "#!")
	words := strings.Fields(rest)
	if !isScript || len(words) == 0 {
		return nil
	}
	if word := relativeWord(words); word != "" {
		return fmt.Errorf("its first line names %q, which is a different program in each directory; name the interpreter "+
			"by its full path", word)
	}
	program := words[programOf(words)]
	all := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(rest), words[0])) // what Linux passes as one argument
	for _, word := range append(words, all) {
		inPath := word == program && !strings.Contains(word, "/")
		if !inPath && slices.ContainsFunc(namesIn(word),
			func(name string) bool { return isProjectsOwn(project, dir, name) }) {
			return fmt.Errorf("its first line names %q, which came with this directory and is not among its hooks; name an "+
				"interpreter of your own", word)
		}
	}
	return nil
}

// programOf returns the index of the program that env looks up in PATH, or of the
// interpreter itself.
func programOf(words []string) int {
	if filepath.Base(words[0]) != "env" {
		return 0
	}
	for i, word := range words[1:] {
		if !strings.HasPrefix(word, "-") && !strings.Contains(word, "=") {
			return i + 1
		}
	}
	return 0
}

// namesIn lists the possible names of files in a word of a first line: the word, the value
// that it assigns, and the value attached to an option.
func namesIn(word string) []string {
	names := []string{word}
	if _, value, assigns := strings.Cut(word, "="); assigns {
		names = append(names, value)
	}
	if len(word) > 2 && word[0] == '-' {
		names = append(names, word[2:])
	}
	return names
}

// isProjectsOwn reports whether a name refers to a file of the project that is not among its
// hooks. Hooks run in the project's directory, so a relative name is looked up there.
func isProjectsOwn(project, dir, name string) bool {
	if project == "/" || name == "" {
		return false
	}
	path, isAbsolute := name, filepath.IsAbs(name)
	if !isAbsolute {
		path = filepath.Join(project, name)
	}
	real, err := filepath.EvalSymlinks(path) // /proc/self/cwd is a link
	if err != nil && !isAbsolute {
		return false
	}
	for _, path := range []string{path, real} {
		rel, err := filepath.Rel(project, path)
		if err == nil && path != "" && filepath.IsLocal(rel) && !strings.HasPrefix(rel, dir+"/") {
			return true
		}
	}
	return false
}

// relativeWord returns the word of a first line that is a relative path, or that changes
// where env looks up programs; "" if there is none.
func relativeWord(words []string) string {
	if !filepath.IsAbs(words[0]) {
		return words[0]
	}
	isEnv := filepath.Base(words[0]) == "env"
	for _, word := range words[1:] {
		value := strings.TrimPrefix(word, "-S")
		if _, after, assigns := strings.Cut(value, "="); assigns {
			value = after
		}
		changesPlace := strings.HasPrefix(word, "-C") || strings.HasPrefix(word, "--chdir") ||
			strings.HasPrefix(word, "-P") || strings.HasPrefix(word, "PATH=")
		isRelative := strings.Contains(value, "/") && !filepath.IsAbs(value) || value == "." || value == ".."
		if isRelative || isEnv && changesPlace {
			return word
		}
	}
	return ""
}
