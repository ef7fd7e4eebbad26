package systest

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Interpreters runs the tests M with python3 and node themselves in PATH, where the first one
// there is a script that finds the right version, as version managers have them: that takes
// ten times as long as python3 does, and the tests of plugins start a thousand of them.
type Interpreters struct{ M interface{ Run() int } }

// Run runs the tests and returns the exit status.
func (i Interpreters) Run() int {
	dir, err := os.MkdirTemp("", "interpreters-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	path := os.Getenv("PATH")
	for _, name := range []string{"python3", "node"} {
		if program := behindScript(name, filepath.SplitList(path)); program != "" {
			if err := os.Symlink(program, filepath.Join(dir, name)); err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
		}
	}
	os.Setenv("PATH", dir+string(filepath.ListSeparator)+path)
	return i.M.Run()
}

// behindScript returns the first program of a name that is not a script, if a script is before it.
func behindScript(name string, path []string) string {
	hidden := false
	for _, dir := range path {
		program := filepath.Join(dir, name)
		switch begin := beginOf(program); {
		case begin == "#!":
			hidden = true
		case begin != "" && hidden:
			return program
		case begin != "":
			return ""
		}
	}
	return ""
}

// beginOf returns the first two bytes of an executable file, or nothing.
func beginOf(path string) string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	begin := make([]byte, 2)
	n, _ := io.ReadFull(f, begin)
	return string(begin[:n])
}
