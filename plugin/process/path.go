package process

import (
	"os"
	"path/filepath"
	"strings"
)

// WithEnv is the runner with another environment; nil: its own.
func (e Runner) WithEnv(env []string) Runner {
	if env != nil {
		e.Env = env
	}
	return e
}

// Getenv is the value of a variable that commands start with, "" if it is not
// set.
func (e Runner) Getenv(name string) (value string) {
	if e.Env == nil {
		return os.Getenv(name)
	}
	for _, pair := range e.Env {
		if v, ok := strings.CutPrefix(pair, name+"="); ok {
			value = v
		}
	}
	return value
}

// LookPath finds a program in the PATH that commands start with. Directories of the
// PATH that are relative do not count: what they hold depends on where one is.
func (e Runner) LookPath(name string) (path string, ok bool) {
	for _, dir := range filepath.SplitList(e.Getenv("PATH")) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); filepath.IsAbs(dir) && err == nil && info.Mode().IsRegular() &&
			info.Mode()&0o111 != 0 {
			return path, true
		}
	}
	return "", false
}
