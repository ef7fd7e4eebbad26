package main

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// What initialising the packages of the released program may allocate, in bytes: all of
// them, and chibi's own ones. It is a part of the time of every start, which is what counts and is
// measured as a whole; the bound finds a library that makes tables nobody asked for. It leaves room
// for those that spare code of our own: none is written again to save what it allocates.
const (
	mostAtStart = 400_000
	mostOfOurs  = 1_000
)

// initialised is what the runtime says about the initialisation of a package.
type initialised struct {
	name  string
	bytes int
}

func TestStartAllocatesLittle(t *testing.T) {
	all, ours := 0, 0
	packages := initialisations(t)
	for _, p := range packages {
		all += p.bytes
		if p.name == "main" || strings.HasPrefix(p.name, "github.com/chibi-host/") {
			ours += p.bytes
		}
	}
	if len(packages) < 20 {
		t.Fatalf("the program named only %d packages: %v", len(packages), packages)
	}
	if all <= mostAtStart && ours <= mostOfOurs {
		return
	}
	slices.SortFunc(packages, func(a, b initialised) int { return cmp.Compare(b.bytes, a.bytes) })
	var list strings.Builder
	for _, p := range packages[:20] {
		fmt.Fprintf(&list, "\n%7d %s", p.bytes, p.name)
	}
	t.Errorf("initialising packages allocates %d bytes, %d of them in our own; want at most %d and %d. Make values where "+
		"they are needed, and compare what a dependency costs: docs/internals/PERFORMANCE.md#dependencies. The largest:%s",
		all, ours, mostAtStart, mostOfOurs, list.String())
}

// initialisations builds the program as it is released, starts it, and returns what its
// packages did before it began.
func initialisations(t *testing.T) (list []initialised) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "chibi")
	build := exec.Command("sh", ".ci/build", program)
	build.Env = append(os.Environ(), "GOFLAGS=") // not the race detector of this test
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	start := exec.Command(program, "--version")
	start.Env = append(os.Environ(), "GODEBUG=inittrace=1", "HOME="+t.TempDir())
	said, err := start.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	line := regexp.MustCompile(`^init (\S+) @.* clock, (\d+) bytes`)
	for lines := bufio.NewScanner(bytes.NewReader(said)); lines.Scan(); {
		if m := line.FindStringSubmatch(lines.Text()); m != nil {
			n, err := strconv.Atoi(m[2])
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, initialised{m[1], n})
		}
	}
	return list
}
