package process

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// WithEnv returns the runner with another environment; nil: unchanged.
func (e Runner) WithEnv(env []string) Runner {
	if env != nil {
		e.Env = env
	}
	return e
}

// Getenv returns a variable of the environment that commands start from, "" if it is
// not set.
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

// LookPath finds a program in the PATH that commands start from. Relative directories
// of PATH are ignored, because what they contain depends on the working directory.
func (e Runner) LookPath(name string) (path string, ok bool) {
	for _, dir := range filepath.SplitList(e.Getenv("PATH")) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); filepath.IsAbs(dir) && err == nil && info.Mode().IsRegular() &&
			(info.Mode()&0o111 != 0 || runtime.GOOS == "windows") { // which has no such bits
			return path, true
		}
	}
	return "", false
}
