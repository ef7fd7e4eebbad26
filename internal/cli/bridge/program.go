package bridge

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/agents/bridge"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/plugin/process"
)

// program returns the path of this program: the path by which the person's shell finds it, which
// stays when a newer program replaces this one, or else the path of the file.
func program() (string, error) {
	own, err := os.Executable()
	if err != nil {
		return "", err
	}
	found, ok := (process.Runner{}).LookPath("chibi")
	if !ok {
		return own, nil
	}
	a, errA := os.Stat(own)
	b, errB := os.Stat(found)
	if errA == nil && errB == nil && os.SameFile(a, b) && filepath.IsAbs(found) {
		return found, nil
	}
	return own, nil
}

// stays refuses to write entries by a program that is soon gone: what they guard would then pass.
func stays(i bridge.Installer) error {
	path, err := program()
	if err != nil {
		return err
	}
	if where := passing(path); where != "" {
		return fmt.Errorf("this program is %s, which is in %s; entries for %s would soon name nothing: go install . first, "+
			"then run the installed chibi", path, where, i.Agent.Title)
	}
	return nil
}

// passing says in which directory a file is that is emptied now and then; "": in none.
func passing(path string) string {
	places := []string{path}
	for _, one := range []string{path, filepath.Dir(path)} {
		if real, err := filepath.EvalSymlinks(one); err == nil {
			places = append(places, real)
		}
	}
	for _, place := range places {
		switch {
		case slices.ContainsFunc(strings.Split(filepath.ToSlash(place), "/"), isOfBuild), isIn(buildCache(), place):
			return "Go's build cache"
		case isIn(os.TempDir(), place):
			return "a directory for temporary files"
		}
	}
	return ""
}

// isOfBuild reports whether a name belongs to a directory in which go builds programs.
func isOfBuild(name string) bool {
	number, is := strings.CutPrefix(name, "go-build")
	return is && number != "" && strings.Trim(number, "0123456789") == ""
}

// buildCache is where go keeps what it has built; "": nowhere that is known.
func buildCache() string {
	if dir := os.Getenv("GOCACHE"); dir != "" {
		return dir
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "go-build")
}

// isIn reports whether a path is in a directory, by its name or by where that leads to.
func isIn(dir, path string) bool {
	if dir == "" {
		return false
	}
	real, err := filepath.EvalSymlinks(dir)
	return disk.IsBelow(filepath.Clean(dir), path) || err == nil && disk.IsBelow(real, path)
}
