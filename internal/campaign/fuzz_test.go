//go:build linux

package campaign

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// target is a fuzz target: its package's directory from the root, and its name.
type target struct{ dir, name string }

// fuzzTargets finds all fuzz targets of both modules, in the order of their paths.
func fuzzTargets() (targets []target, err error) {
	pattern := regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)
	root := os.DirFS("../..")
	err = fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != "." || d.Name() == "testdata") {
			return cmp.Or(err, error(fs.SkipDir))
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := fs.ReadFile(root, path)
		for _, m := range pattern.FindAllSubmatch(text, -1) {
			targets = append(targets, target{filepath.Dir(path), string(m[1])})
		}
		return err
	})
	return targets, err
}

// attackByFuzzing runs one target for ten minutes with one worker and a bound on
// its memory.
func attackByFuzzing(a *attempt) {
	targets, err := fuzzTargets()
	if err != nil || a.number >= len(targets) {
		a.must(err)
		return
	}
	tg := targets[a.number]
	tests, err := compiled.get(tg.dir)
	if err != nil {
		a.found(broken, "%v", err)
		return
	}
	// A target may read its package's files, and writes what it finds below the
	// current directory.
	dir := filepath.Join(a.progress, "fuzz", filepath.FromSlash(tg.dir))
	a.must(os.MkdirAll(dir, 0o755))
	if seeds := filepath.Join("../..", tg.dir, "testdata", "fuzz"); exists(seeds) {
		os.CopyFS(filepath.Join(dir, "testdata", "fuzz"), os.DirFS(seeds))
	}
	ctx, cancel := context.WithTimeout(context.Background(), a.fuzzTime+5*time.Minute)
	defer cancel()
	// The kernel refuses memory over 3 GiB of addresses, most of which are never used.
	cmd := exec.CommandContext(ctx, "sh", "-c", `ulimit -v 3145728; exec "$0" "$@"`, tests, "-test.run=^$",
		"-test.fuzz=^"+tg.name+"$",
		"-test.fuzztime="+a.fuzzTime.String(), "-test.parallel=1", "-test.fuzzcachedir="+
			filepath.Join(a.progress, "fuzz", "cache"))
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOMAXPROCS=1", "GOMEMLIMIT=1GiB")
	out, err := cmd.CombinedOutput()
	if m := regexp.MustCompile(`execs: (\d+)`).FindAllSubmatch(out, -1); m != nil {
		a.Tried, _ = strconv.Atoi(string(m[len(m)-1][1])) // inputs
	}
	switch {
	case ctx.Err() != nil:
		a.found(hung, "%s in %s:\n%s", tg.name, tg.dir, tail(out))
	case err != nil:
		a.found(broken, "%s in %s: %v; what it found is in %s:\n%s", tg.name, tg.dir, err, dir, tail(out))
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// tail is the end of what was printed.
func tail(out []byte) []byte {
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	return bytes.Join(lines[max(0, len(lines)-20):], []byte("\n"))
}

// tests are the compiled tests of packages, each compiled once.
type tests struct {
	mu   sync.Mutex
	made map[string]string
}

var compiled = tests{made: map[string]string{}}

func (ts *tests) get(dir string) (string, error) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if path, ok := ts.made[dir]; ok {
		return path, nil
	}
	path := filepath.Join(filepath.Dir(binary), fmt.Sprintf("tests-%d", len(ts.made)))
	if err := buildTests(path, "../../"+dir); err != nil {
		return "", err
	}
	ts.made[dir] = path
	return path, nil
}
