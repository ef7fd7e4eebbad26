package foreign

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/agents/engine"
)

// All lists what of the project a command runs: the files that it names, see [Programs.Of], and
// what it loads besides, see [Programs.Trees].
func (p *Programs) All(h engine.Handler, dirs []string) []string {
	paths := p.Of(h, dirs)
	for _, path := range p.Trees(h, dirs) {
		if !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// Trees lists what else of the project a command loads, as absolute paths: the directory that an
// interpreter is given in the place of a script, those that options and variables name as places
// of code, and the package or file of a Python module. Other directories are data.
func (p *Programs) Trees(h engine.Handler, dirs []string) (paths []string) {
	t := trees{programs: p, dirs: p.bases(h, wordsOf(h), dirs)}
	for _, text := range append([]string{h.Command}, h.Args...) {
		if t.isPath(text) {
			t.word(text)
			continue
		}
		for _, word := range strings.FieldsFunc(markProject(text), isBetweenArguments) {
			t.word(word)
		}
	}
	for _, value := range CodeVariables(h.Env) {
		t.places(markProject(value))
		if value != "" && slices.Contains(strings.Split(value, ":"), "") {
			t.add(".") // an empty part of a list is where the program works
		}
	}
	slices.Sort(t.paths)
	return slices.Compact(t.paths)
}

// trees reads the words of a command from left to right.
type trees struct {
	programs *Programs
	dirs     []string
	paths    []string

	waits    bool // an interpreter has not had its script
	isPython bool // that interpreter is Python
	isTool   bool // a bare word behind it is what it does, as in go test
	isValue  bool // the next word is a place of code
	isModule bool // the next word is a module
}

// word reads a word. An option does not end the wait for a script, whatever its value.
func (t *trees) word(word string) {
	isValue, isModule := t.isValue, t.isModule
	t.isValue, t.isModule = false, false
	switch {
	case isModule:
		t.module(word)
	case isValue:
		t.places(word)
	case strings.HasPrefix(word, "-"):
		t.option(word)
	case isRunner(word):
		t.waits, t.isPython = true, strings.HasPrefix(filepath.Base(word), "py")
		t.isTool = slices.Contains([]string{"bun", "deno", "uv", "poetry", "pdm", "rye", "hatch", "go", "cargo", "dotnet"},
			filepath.Base(word))
	case t.waits && t.isTool && !strings.ContainsAny(word, "/.\\"+projectMark):
		t.waits, t.isTool = isSubcommand(word), false
	case t.waits:
		t.add(word)
		t.waits = false
	}
}

// option reads an option, whose value may be attached to it.
func (t *trees) option(word string) {
	name, value, isAttached := strings.Cut(word, "=")
	module, hasModule := moduleOf(word)
	switch {
	case hasModule && t.waits && t.isPython:
		t.isModule = module == ""
		t.module(module)
	case t.isPlace(name) && isAttached:
		t.places(value)
	case t.isPlace(name):
		t.isValue = true
	case len(word) > 2 && isCodeOption(word[:2]): // -I./lib
		t.places(word[2:])
	}
}

// moduleOf returns the module that an option of Python names, as in -m, -Im or -mNAME; it is ""
// if the next word is the module.
func moduleOf(word string) (name string, ok bool) {
	flags, name, ok := strings.Cut(strings.TrimPrefix(word, "-"), "m")
	return name, ok && strings.Trim(flags, "bBdEhiIOPqsSuvVx") == ""
}

// places adds the directories of a list of places of code.
func (t *trees) places(list string) {
	for _, word := range append([]string{list}, strings.FieldsFunc(list, isBetweenWords)...) {
		t.add(word)
	}
}

// isBetweenArguments reports whether a character ends an argument of a command line.
func isBetweenArguments(r rune) bool { return strings.ContainsRune(" \t\r\n'\"`;&|<>(){}", r) }

// isPath reports whether a word is a file or a directory of the project.
func (t *trees) isPath(word string) bool {
	return slices.ContainsFunc(t.dirs, func(begin string) bool {
		path := t.programs.path(begin, word)
		return word != "" && t.programs.isBelow(path) && (t.programs.isFile(path) || t.programs.isDirectory(path))
	})
}

// add adds the directories that a word may be.
func (t *trees) add(word string) {
	for _, begin := range t.dirs {
		if path := t.programs.path(begin, word); t.programs.isBelow(path) && t.programs.isDirectory(path) {
			t.paths = append(t.paths, path)
		}
	}
}

// module adds the package or the file in which Python finds a module.
func (t *trees) module(name string) {
	t.waits = name == ""
	first, _, _ := strings.Cut(name, ".")
	for _, begin := range t.dirs {
		for _, dir := range []string{begin, filepath.Join(begin, "src")} {
			path := filepath.Join(dir, first)
			if first != "" && t.programs.isBelow(path) && t.programs.isDirectory(path) {
				t.paths = append(t.paths, path)
			}
			if path += ".py"; t.programs.isBelow(path) && t.programs.isFile(path) {
				t.paths = append(t.paths, path)
			}
		}
	}
}

// isRunner reports whether a program runs what the first path behind it names.
func isRunner(word string) bool {
	if isInterpreter(word) {
		return true
	}
	switch strings.TrimRight(filepath.Base(word), "0123456789.") {
	case "deno", "tsx", "ts-node", "uv", "poetry", "pdm", "rye", "hatch", "go", "cargo", "java", "dotnet",
		"julia", "lua", "Rscript", "elixir", "pypy":
		return true
	}
	return false
}

// isSubcommand reports whether a word behind a runner is what it does.
func isSubcommand(word string) bool {
	return slices.Contains([]string{"run", "exec", "start"}, word)
}

// isPlace reports whether the value of an option is a place of code.
func (t *trees) isPlace(option string) bool {
	return isCodeOption(option) || t.programs.OfServers && slices.Contains([]string{"--directory", "--project", "--prefix",
		"--cwd", "--dir", "--with-editable", "--from", "--manifest-path", "--package", "-C"}, option)
}

// isCodeOption reports whether programs load code from where the value of an option says.
func isCodeOption(word string) bool {
	return slices.Contains([]string{"--require", "--import", "--loader", "--experimental-loader", "-I", "-r", "-L", "-cp",
		"-classpath", "--class-path", "--module-path", "-X", "-W"}, word)
}

// CodeVariables returns those variables of a command that say where programs load code from.
func CodeVariables(env map[string]string) map[string]string {
	code := map[string]string{}
	for name, value := range env {
		if isCodeVariable(name) {
			code[name] = value
		}
	}
	return code
}

// isCodeVariable reports whether programs load code from where a variable says.
func isCodeVariable(name string) bool {
	return slices.Contains([]string{
		"PYTHONPATH", "PYTHONHOME", "PYTHONUSERBASE", "PYTHONSTARTUP", "NODE_PATH", "NODE_OPTIONS", "PERL5LIB", "PERL5OPT",
		"RUBYLIB", "RUBYOPT", "GEM_HOME", "GEM_PATH", "LD_AUDIT", "CLASSPATH", "LUA_PATH", "LUA_CPATH", "LD_LIBRARY_PATH",
		"LD_PRELOAD", "DYLD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "PATH", "BASH_ENV", "ENV", "ZDOTDIR", "BUN_OPTIONS",
		"JULIA_LOAD_PATH", "JULIA_PROJECT", "UV_PROJECT", "GOFLAGS", "VIRTUAL_ENV",
	}, name)
}
