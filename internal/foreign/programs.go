package foreign

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/agents/settings"
)

// The bounds of what is looked at of a hook: words of its command, arguments and variables, and
// directories in which they may be files.
const (
	maxWords       = 500
	maxDirectories = 20
)

// Programs finds the files of a project that hooks name. It remembers what it has looked at.
type Programs struct {
	// OfServers says that the commands start servers: servers load code from the directory that their
	// arguments name, as by uv --directory. Hooks check the files there, which change with every edit.
	OfServers bool

	root  string
	isDir map[string]bool
	known map[string]bool // regular files
}

// NewPrograms finds files in a directory and below it.
func NewPrograms(root string) *Programs {
	return &Programs{root: root, isDir: map[string]bool{}, known: map[string]bool{}}
}

// Of lists the regular files of the project that the command of a hook, its arguments and its
// variables name: as a whole, behind a "=", or as a word of a command line; with a variable
// for the project's directory, or relative to dirs and to directories that the command names.
// The paths are absolute.
func (p *Programs) Of(h settings.Handler, dirs []string) (paths []string) {
	words := wordsOf(h)
	dirs = p.bases(h, words, dirs)
	for _, word := range words {
		for _, begin := range dirs {
			if path := p.path(begin, word); p.isBelow(path) && !slices.Contains(paths, path) && p.isFile(path) {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// bases returns the directories in which the words of a hook may be files: dirs, where the hook
// runs, and those that it names.
func (p *Programs) bases(h settings.Handler, words, dirs []string) []string {
	dirs = slices.Clone(dirs)
	for _, begin := range dirs[:len(dirs):len(dirs)] {
		if h.Dir != "" {
			dirs = append(dirs, under(begin, h.Dir))
		}
	}
	for _, word := range words {
		for _, begin := range dirs[:len(dirs):len(dirs)] {
			dir := p.path(begin, word)
			if len(dirs) < maxDirectories && p.isBelow(dir) && !slices.Contains(dirs, dir) && p.isDirectory(dir) {
				dirs = append(dirs, dir)
			}
		}
	}
	return dirs
}

// path returns the path that a word is from a directory, which is also what variables for the
// project's directory mean. A way around by links, such as /proc/self/cwd, leads where it leads.
func (p *Programs) path(begin, word string) string {
	word = strings.ReplaceAll(word, projectMark, begin)
	for _, link := range []string{"/proc/self/cwd", "/proc/thread-self/cwd", "/proc/$$/cwd"} {
		if rest, ok := strings.CutPrefix(word, link); ok && (rest == "" || rest[0] == '/') {
			word = begin + rest
		}
	}
	path := under(begin, strings.TrimPrefix(word, "/proc/self/root"))
	if !p.isBelow(path) && filepath.IsAbs(word) {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return real
		}
	}
	return path
}

func under(begin, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(begin, path)
}

func (p *Programs) isBelow(path string) bool {
	rel, err := filepath.Rel(p.root, path)
	return err == nil && filepath.IsLocal(rel)
}

func (p *Programs) isDirectory(path string) bool {
	p.look(path)
	return p.isDir[path]
}

func (p *Programs) isFile(path string) bool {
	p.look(path)
	return p.known[path]
}

// look remembers what a path is.
func (p *Programs) look(path string) {
	if _, looked := p.known[path]; looked {
		return
	}
	info, err := os.Stat(path)
	p.known[path] = err == nil && info.Mode().IsRegular()
	p.isDir[path] = err == nil && info.IsDir()
}

// HasTooManyWords reports whether a hook has more words than are looked at, so that Of may not
// find all files that it names.
func HasTooManyWords(h settings.Handler) bool { return len(wordsOf(h)) >= maxWords }

// wordsOf lists the words of a hook that may name files, without those that occur again.
func wordsOf(h settings.Handler) (words []string) {
	texts := append([]string{h.Command}, h.Args...)
	for _, value := range h.Env {
		texts = append(texts, value)
	}
	for _, text := range texts {
		text = markProject(text)
		plain := strings.NewReplacer(`"`, "", "'", "", `\`, "").Replace(text)
		quoted := strings.FieldsFunc(text, func(r rune) bool { return r == '"' || r == '\'' })
		for _, word := range slices.Concat([]string{text}, strings.FieldsFunc(text, isBetweenWords),
			strings.FieldsFunc(plain, isBetweenWords), quoted) {
			if word != "" && !slices.Contains(words, word) {
				words = append(words, word)
			}
			if len(words) == maxWords {
				return words
			}
		}
	}
	return words
}

// isBetweenWords reports whether a character ends a word of a command line.
func isBetweenWords(r rune) bool { return strings.ContainsRune(" \t\r\n'\"`=;&|<>(){},:", r) }

// projectMark stands for the project's directory in a word.
const projectMark = "\x01"

// markProject replaces what means the project's directory in a command by projectMark: variables
// such as $CLAUDE_PROJECT_DIR, and usual commands.
func markProject(text string) string {
	for _, command := range []string{"$(pwd)", "`pwd`", "$(git rev-parse --show-toplevel)",
		"`git rev-parse --show-toplevel`"} {
		text = strings.ReplaceAll(text, command, projectMark)
	}
	var out strings.Builder
	for {
		before, after, found := strings.Cut(text, "$")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		braced := strings.HasPrefix(after, "{")
		name := strings.TrimPrefix(after, "{")
		end := strings.IndexFunc(name, func(r rune) bool { return !isOfName(r) })
		if end < 0 {
			end = len(name)
		}
		rest := name[end:]
		if closing := strings.IndexByte(rest, '}'); braced && closing >= 0 {
			rest = rest[closing+1:]
		}
		if isProjectVariable(name[:end]) {
			out.WriteString(projectMark)
			text = rest
		} else {
			out.WriteByte('$')
			text = after
		}
	}
}

func isOfName(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
}

// isProjectVariable reports whether a variable has the project's directory, by its name.
func isProjectVariable(name string) bool {
	return name == "PWD" || strings.HasSuffix(name, "_PROJECT_DIR") || strings.HasSuffix(name, "_CWD")
}

// Script returns the script or program that a hook's command starts, if the command names it by
// a path: the first word, or the one behind a shell or an interpreter; "" if it does not, or
// if a variable is in it that is not the project's directory. isProgram says that it is the
// first word, which must be executable.
func Script(h settings.Handler, root, dir string) (path string, isProgram bool) {
	words := strings.Fields(markProject(h.Command))
	if h.Exec {
		words = append([]string{markProject(h.Command)}, h.Args...)
	}
	isProgram = true
	for len(words) > 0 {
		word := strings.NewReplacer(`"`, "", "'", "").Replace(words[0])
		switch {
		case strings.Contains(word, "=") && isProgram && !h.Exec: // VARIABLE=value command
			words = words[1:]
			continue
		case isProgram && isInterpreter(word) && len(words) > 1 && !strings.HasPrefix(words[1], "-"):
			words, isProgram = words[1:], false
			continue
		case !strings.ContainsAny(word, "/"+projectMark), strings.ContainsAny(word, "$`*?;&|<>(){}~\\"):
			return "", false
		}
		return under(dir, strings.ReplaceAll(word, projectMark, root)), isProgram
	}
	return "", false
}

// isInterpreter reports whether a program runs a script that its first argument names.
func isInterpreter(word string) bool {
	switch strings.TrimRight(filepath.Base(word), "0123456789.") {
	case "sh", "bash", "zsh", "dash", "python", "node", "ruby", "perl", "bun", "php":
		return true
	}
	return false
}
