package archtest

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// room is a part of the program, as docs/internals/ARCHITECTURE.md explains it.
type room struct {
	name     string
	packages []string // each with what is below it, unless that is in another room
}

// rooms from the top down: a room imports only those below it.
var rooms = []room{
	{"command line", []string{".", "internal/cli", "internal/agentdoc", "internal/term/screen", "internal/term/editor",
		"internal/term/markdown"}},
	{"ways in", []string{"internal/agents/bridge", "internal/mcpserve", "internal/term/question"}},
	{"workbench", []string{"internal/workbench", "internal/hookdoc", "internal/keydoc",
		"internal/srcdoc"}},
	{"home", []string{"internal/app", "internal/config", "internal/project", "internal/guards",
		"internal/storage", "internal/confine", "internal/jobs", "internal/toolbox", "internal/mcpservers",
		"internal/mcpfile", "internal/mcplists", "internal/approved", "internal/agents/theirs",
		"internal/foreign", "internal/instructions", "internal/recipes", "internal/within",
		"internal/workbench/scratch", "internal/workbench/installed"}},
	{"turn", []string{"agent", "llm", "internal/trace"}},
	{"plugins", []string{"plugin", "internal/agents", "internal/schemas", "internal/keeper"}},
	{"tools and guards", []string{"tools", "permissions", "internal/sandbox", "internal/baseline",
		"internal/gitconfig", "internal/private", "internal/trust"}},
	{"memory", []string{"contexts", "cache", "store", "cluster"}},
	{"hook points", []string{"hookpoints", "merge"}},
	{"ground", []string{"internal/strictjson", "internal/clip", "internal/disk", "internal/jsonl", "internal/jsonfile",
		"internal/jsonedit", "internal/fileid", "internal/glob", "internal/term", "internal/usage", "plugin/process"}},
}

// beside are no rooms of the program: tests, their harnesses, and examples.
var beside = []string{"internal/archtest", "internal/campaign", "internal/childtest", "internal/fuzztest",
	"internal/systest", "internal/terminaltest", "examples/plugins", "examples/recipes"}

// roomOf returns the place in rooms of a package: that of its nearest parent.
func roomOf(pkg string) int {
	found, longest := -1, -1
	for i, r := range rooms {
		for _, p := range r.packages {
			if len(p) > longest && (pkg == p || strings.HasPrefix(pkg, p+"/")) {
				found, longest = i, len(p)
			}
		}
	}
	return found
}

func TestEveryPackageIsInARoom(t *testing.T) {
	graph := importsOfAll(t)
	for pkg := range graph {
		if roomOf(pkg) < 0 && !slices.Contains(beside, pkg) {
			t.Errorf("%s is in no room; put it into the table of rooms", pkg)
		}
	}
	for _, r := range rooms {
		for _, p := range r.packages {
			if !slices.ContainsFunc(keys(graph), func(pkg string) bool { return pkg == p || strings.HasPrefix(pkg, p+"/") }) {
				t.Errorf("%s of the room %q is gone; remove it from the table", p, r.name)
			}
		}
	}
}

func TestRoomsImportOnlyWhatIsBelowThem(t *testing.T) {
	for pkg, targets := range importsOfAll(t) {
		for _, target := range targets {
			from, to := roomOf(pkg), roomOf(target)
			if from >= 0 && to >= 0 && to < from {
				t.Errorf("%s (%s) imports %s (%s), which is above it", pkg, rooms[from].name, target, rooms[to].name)
			}
		}
	}
}

// TestThePictureOfThePageIsTrue: docs/internals/ARCHITECTURE.md has the rooms as they import each other;
// with CHIBI_DRAW=1 it is drawn anew.
func TestThePictureOfThePageIsTrue(t *testing.T) {
	const page, begin, end = "../../docs/internals/ARCHITECTURE.md", "```mermaid\n", "```\n"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	shown, after, closed := strings.Cut(rest, end)
	if !found || !closed || strings.Contains(after, begin) {
		t.Fatalf("%s has no picture, or several", page)
	}
	picture := drawRooms(t)
	if picture == shown {
		return
	}
	if os.Getenv("CHIBI_DRAW") == "" {
		t.Fatalf("the picture of %s is not what the imports are; CHIBI_DRAW=1 go test ./internal/archtest draws it", page)
	}
	if err := os.WriteFile(page, []byte(before+begin+picture+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// drawRooms draws the imports between rooms, but for those that follow from others.
func drawRooms(t *testing.T) string {
	below := make([][]bool, len(rooms))
	for i := range below {
		below[i] = make([]bool, len(rooms))
	}
	for pkg, targets := range importsOfAll(t) {
		for _, target := range targets {
			if from, to := roomOf(pkg), roomOf(target); from >= 0 && to > from {
				below[from][to] = true
			}
		}
	}
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	for i, r := range rooms {
		fmt.Fprintf(&b, "  r%d[%s]\n", i, r.name)
	}
	for from := range rooms {
		for to := range rooms {
			if below[from][to] && !throughOthers(below, from, to) {
				fmt.Fprintf(&b, "  r%d --> r%d\n", from, to)
			}
		}
	}
	return b.String()
}

// throughOthers reports whether a room reaches another one also without its own arrow to it.
func throughOthers(below [][]bool, from, to int) bool {
	for by := from + 1; by < to; by++ {
		if below[from][by] && (below[by][to] || throughOthers(below, by, to)) {
			return true
		}
	}
	return false
}
