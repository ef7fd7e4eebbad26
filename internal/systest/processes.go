package systest

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
)

// Processes runs the tests M of a package whose tests start other processes. They have python3
// and node themselves in PATH, where the first one there is a script that finds the right
// version, as version managers have them: that takes ten times as long as python3 does, and the
// tests of plugins start a thousand of them. They wait most of the time, so four times as many
// run at once as there are processors, unless the command line says otherwise.
type Processes struct{ M interface{ Run() int } }

// Run runs the tests and returns the exit status.
func (p Processes) Run() int {
	flag.Set("test.parallel", strconv.Itoa(4*runtime.NumCPU()))
	dir, err := interpreters()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	return p.M.Run()
}

// interpreters puts a new directory with them first into PATH, or nothing if they are there; a
// test that runs itself as a child finds its parent's interpreters.
func interpreters() (dir string, err error) {
	path := os.Getenv("PATH")
	for _, name := range []string{"python3", "node"} {
		program := behindScript(name, filepath.SplitList(path))
		if program == "" {
			continue
		}
		if dir == "" {
			if dir, err = os.MkdirTemp("", "interpreters-"); err != nil {
				return "", err
			}
			os.Setenv("PATH", dir+string(filepath.ListSeparator)+path)
		}
		if err := os.Symlink(program, filepath.Join(dir, name)); err != nil {
			return dir, err
		}
	}
	return dir, nil
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
