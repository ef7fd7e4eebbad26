package trust

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
)

// Refused says why a hook in a directory of the folder is not run, whoever
// approves it; nil: it is, if it is approved.
func (s Seen) Refused(folder, dir string) error { return checkInterpreter(folder, dir, s.Text) }

// checkInterpreter refuses a script whose first line names code that depends on
// where one is, or that the approval does not cover. It cannot be approved.
func checkInterpreter(folder, dir string, text []byte) error {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	rest, isScript := strings.CutPrefix(string(line), "#!")
	words := strings.Fields(rest)
	if !isScript || len(words) == 0 {
		return nil
	}
	if word := relativeWord(words); word != "" {
		return fmt.Errorf("its first line names %q, which is another program in each folder; name the interpreter by its full path", word)
	}
	if rel, err := filepath.Rel(folder, words[0]); err == nil && folder != "/" && filepath.IsLocal(rel) && !strings.HasPrefix(rel, dir+"/") {
		return fmt.Errorf("its first line names %q, which came with this folder and is not among its hooks; name an interpreter of your own", words[0])
	}
	return nil
}

// relativeWord finds the word of a first line that is a relative path, or that
// changes where the program env looks for others; "" if there is none.
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
		changesPlace := strings.HasPrefix(word, "-C") || strings.HasPrefix(word, "--chdir") || strings.HasPrefix(word, "-P") || strings.HasPrefix(word, "PATH=")
		isRelative := strings.Contains(value, "/") && !filepath.IsAbs(value) || value == "." || value == ".."
		if isRelative || isEnv && changesPlace {
			return word
		}
	}
	return ""
}
