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
	"testing"
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

// maxFuzzTime is how long a target runs at most.
const maxFuzzTime = 10 * time.Minute

// attackByFuzzing runs one target.
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
	a.fuzz(tg, filepath.Join("../..", tg.dir), tests)
}

// fuzz runs a target of a package's compiled tests for the time of a target, with one worker and a
// bound on its memory. A case alone keeps no progress, and has the time of all.
func (a *attempt) fuzz(tg target, pkg, tests string) {
	dir := filepath.Join(cmp.Or(a.progress, a.dir), "fuzz", filepath.FromSlash(tg.dir), tg.name)
	limit := cmp.Or(a.fuzzTime, min(maxFuzzTime, time.Duration(a.minutes)*time.Minute))
	a.must(linkTestdata(dir, pkg))
	ctx, cancel := context.WithTimeout(context.Background(), limit+5*time.Minute)
	defer cancel()
	// The kernel refuses memory over 3 GiB of addresses, most of which are never used.
	cmd := exec.CommandContext(ctx, "sh", "-c", `ulimit -v 3145728; exec "$0" "$@"`, tests, "-test.run=^$",
		"-test.fuzz=^"+tg.name+"$", "-test.fuzztime="+limit.String(), "-test.parallel=1",
		"-test.fuzzcachedir="+filepath.Join(dir, "cache"))
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOMAXPROCS=1", "GOMEMLIMIT=1GiB")
	out, err := cmd.CombinedOutput()
	if m := regexp.MustCompile(`execs: (\d+)`).FindAllSubmatch(out, -1); m != nil {
		a.Tried, _ = strconv.Atoi(string(m[len(m)-1][1])) // inputs
	}
	switch {
	case ctx.Err() != nil:
		a.found(hung, "%s in %s:\n%s", tg.name, tg.dir, tail(out))
	case err != nil && !onlyRanOutOfTime(out):
		a.found(broken, "%s in %s: %v:\n%s\n%s", tg.name, tg.dir, err, tail(out), failingInput(dir, out))
	}
}

// linkTestdata makes the directory in which a target runs. It reads the files of its package's
// testdata there, and writes what it finds into a testdata/fuzz that is not the package's.
func linkTestdata(dir, pkg string) error {
	testdata := filepath.Join(dir, "testdata")
	source, err := filepath.Abs(filepath.Join(pkg, "testdata"))
	if err == nil {
		err = os.MkdirAll(testdata, 0o755)
	}
	files, _ := os.ReadDir(source) // most packages have none
	for _, f := range files {
		if link := filepath.Join(testdata, f.Name()); f.Name() != "fuzz" {
			os.Remove(link) // of a run that was stopped
			err = cmp.Or(err, os.Symlink(filepath.Join(source, f.Name()), link))
		}
	}
	return err
}

// onlyRanOutOfTime reports whether a target failed because its time ended while its worker was
// busy: Go's fuzzing takes that for a failure now and then, without a failing input.
func onlyRanOutOfTime(out []byte) bool {
	said := regexp.MustCompile(`(?m)^(fuzz|warning): .*\n`).ReplaceAll(out, nil)
	return regexp.MustCompile(`^--- FAIL: \w+ \(.*\)\n    context deadline exceeded\nFAIL\n$`).Match(said)
}

// failingInput is what a target failed with, for a progress directory does not live as long as
// what is said about it.
func failingInput(dir string, out []byte) []byte {
	m := regexp.MustCompile(`Failing input written to (\S+)`).FindSubmatch(out)
	if m == nil {
		return nil
	}
	input, _ := os.ReadFile(filepath.Join(dir, string(m[1])))
	return input[:min(len(input), 4<<10)]
}

func TestATargetReadsTestdataAndWritesNothingIntoItsPackage(t *testing.T) {
	const pkg = "testdata/target"
	tests := filepath.Join(t.TempDir(), "tests")
	if err := buildTests(tests, pkg); err != nil {
		t.Fatal(err)
	}
	a := &attempt{settings: &settings{minutes: fullMinutes}, dir: t.TempDir()}
	for range 2 { // as when it is continued
		a.fuzz(target{"target", "FuzzByte"}, pkg, tests)
	}
	if len(a.Findings) != 2 || !strings.Contains(a.Findings[0].Text, "another byte") ||
		!strings.Contains(a.Findings[0].Text, "go test fuzz v1\nbyte(") {
		t.Errorf("found %+v", a.Findings)
	}
	if _, err := os.Stat(filepath.Join(pkg, "testdata", "fuzz")); !os.IsNotExist(err) {
		t.Errorf("the package has a testdata/fuzz: %v", err)
	}
}

func TestTheEndOfATargetsTimeIsNoFinding(t *testing.T) {
	const begin = "warning: no coverage\nfuzz: elapsed: 7s, execs: 56065 (6401/sec)\n--- FAIL: FuzzRule (7.08s)\n"
	for out, want := range map[string]bool{
		begin + "    context deadline exceeded\nFAIL\n":                                                true,
		begin + "    x_test.go:1: context deadline exceeded\nFAIL\n":                                   false,
		begin + "    context deadline exceeded\n    \n    Failing input written to testdata/x\nFAIL\n": false,
		"panic: x\n" + begin + "    context deadline exceeded\nFAIL\n":                                 false,
		"": false,
	} {
		if got := onlyRanOutOfTime([]byte(out)); got != want {
			t.Errorf("%q: %t", out, got)
		}
	}
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
