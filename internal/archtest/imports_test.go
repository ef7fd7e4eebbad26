package archtest

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// A denial says that packages may not reach others, neither directly nor through what they import.
// "x/..." is x and what is below it.
type denial struct {
	from, except, to []string
	why              string
}

var denials = []denial{
	{[]string{"..."}, []string{".", "internal/cli/..."}, []string{"internal/cli/..."},
		"whoever embeds chibi, or serves it, has no command line"},
	{[]string{"..."}, []string{".", "internal/cli/...", "internal/agents/bridge", "internal/mcpserve",
		"internal/agentdoc"}, []string{"internal/app"},
		"a feature takes what it needs by its own Options; only what puts features together knows the home"},
	{[]string{"..."}, []string{".", "internal/cli/...", "internal/app", "internal/agents/bridge", "internal/mcpserve",
		"internal/keydoc", "internal/agentdoc"}, []string{"internal/config"},
		"a feature can be tried and embedded without a configuration file"},
	{[]string{"hookpoints"}, nil, []string{"agent", "cache", "contexts", "llm/...", "merge", "permissions/...",
		"plugin/...", "store", "tools/...", "internal/disk", "internal/term"},
		"the points are data, which every other package may know"},
	{[]string{"merge"}, nil, []string{"agent", "cache", "contexts", "llm/...", "permissions/...", "plugin/...",
		"store", "tools/...", "internal/disk", "internal/term"},
		"what several answers mean together is the same in every program and for every protocol"},
	{[]string{"plugin"}, nil, []string{"plugin/...", "agent", "contexts", "permissions/...", "llm/..."},
		"the host knows no protocol: protocols know the host"},
	{[]string{"plugin/..."}, nil, []string{"agent", "contexts", "permissions/...", "llm/..."},
		"plugins can be hosted without an agent"},
	{[]string{"plugin/process", "plugin/serve"}, nil, []string{"plugin", "tools/...", "hookpoints", "merge"},
		"a process is supervised the same whatever it says, and an author's plugin carries no host"},
	{[]string{"agent"}, nil, []string{"plugin/native", "plugin/kodelet", "plugin/kode", "internal/agents/...",
		"tools/builtin", "tools/coding/...", "tools/mcp/...", "llm/openai", "llm/demo", "internal/trace"},
		"a turn is the same whatever protocol, tool, server or trace takes part in it"},
	{[]string{"permissions/..."}, nil, []string{"agent", "plugin/native", "plugin", "llm/..."},
		"a call is judged by itself, not by who makes it"},
	{[]string{"tools/..."}, nil, []string{"agent", "plugin", "llm/..."},
		"a tool runs without an agent and without plugins"},
	{[]string{"contexts/...", "cache/...", "store/..."}, nil, []string{"agent", "plugin/...", "tools/...",
		"permissions/...", "llm/...", "hookpoints", "merge"},
		"what keeps conversations knows nothing of what is said in them"},
	{[]string{"internal/config"}, nil, []string{"agent", "contexts", "plugin/...", "tools/mcp/...", "tools/coding/...",
		"internal/agents/..."}, "keys are declared; whoever uses them takes values"},
	{[]string{"permissions/..."}, nil, []string{"contexts"}, "what is protected is a list of paths"},
	{[]string{"internal/agents/engine"}, nil, []string{"internal/agents/..."},
		"what one agent alone has is a method of that agent"},
	{[]string{"store"}, nil, []string{"internal/disk", "internal/jsonfile", "internal/jsonl", "contexts", "cache"},
		"others write engines: they get what this package has and nothing else"},
	{[]string{"llm/..."}, nil, []string{"agent", "plugin/...", "contexts", "permissions/...", "hookpoints"},
		"a client of models can be used alone"},
	{[]string{"internal/term"}, nil, []string{"agent", "plugin/...", "tools/...", "permissions/..."},
		"what makes text safe for a terminal is needed everywhere"},
	{[]string{"cluster/natsstore", "cluster/pgstore"}, nil, []string{"contexts", "cache", "agent", "tools"},
		"an engine stores; what is stored is decided above it"},
}

func TestDeniedPackagesAreNotReached(t *testing.T) {
	graph := importsOfAll(t)
	for _, d := range denials {
		checkExceptions(t, graph, d)
		for _, pkg := range slices.Sorted(maps.Keys(graph)) {
			if !matches(d.from, pkg) || matches(d.except, pkg) || isTest(pkg) || slices.Contains(beside, pkg) {
				continue
			}
			way := reach(graph, pkg, func(target string) bool { return matches(d.to, target) && target != pkg })
			if way != nil {
				t.Errorf("%s may not be reached: %s (%s)", way[len(way)-1], strings.Join(way, " -> "), d.why)
			}
		}
	}
}

// checkExceptions checks that each exception of a denial is one.
func checkExceptions(t *testing.T, graph map[string][]string, d denial) {
	t.Helper()
	for _, except := range d.except {
		if !slices.ContainsFunc(keys(graph), func(pkg string) bool {
			return matches([]string{except}, pkg) && reach(graph, pkg, func(to string) bool { return matches(d.to, to) }) != nil
		}) {
			t.Errorf("%s reaches none of %v; it is no exception", except, d.to)
		}
	}
}

// TestProgramsHaveNoTests: packages that tests share are imported by tests only.
func TestProgramsHaveNoTests(t *testing.T) {
	for pkg, targets := range importsOfAll(t) {
		for _, target := range targets {
			if isTest(target) && !isTest(pkg) && !slices.Contains(beside, pkg) {
				t.Errorf("%s imports %s, which is for tests", pkg, target)
			}
		}
	}
}

// maxDepth is how many packages a chain of imports may have. It is to sink to 11.
const maxDepth = 12

func TestImportsAreNotDeep(t *testing.T) {
	graph, depths := importsOfAll(t), map[string]int{}
	var depth func(pkg string) int
	depth = func(pkg string) int {
		if depths[pkg] == 0 {
			deepest := 0
			for _, target := range graph[pkg] {
				deepest = max(deepest, depth(target))
			}
			depths[pkg] = deepest + 1
		}
		return depths[pkg]
	}
	if n := depth("."); n != maxDepth {
		at := "."
		for len(graph[at]) > 0 {
			t.Log(at)
			at = slices.MaxFunc(graph[at], func(a, b string) int { return depth(a) - depth(b) })
		}
		t.Errorf("the longest chain of imports has %d packages, want %d; where it is shorter, lower the bound", n, maxDepth)
	}
}

// importsOfAll returns what each of our packages imports of ours.
func importsOfAll(t *testing.T) map[string][]string {
	graph := map[string][]string{}
	for _, s := range sources(t) {
		graph[s.pkg] = slices.Grow(graph[s.pkg], 0)
		for _, target := range s.imports {
			if ours, ok := strings.CutPrefix(target, module); ok && !slices.Contains(graph[s.pkg], ours) {
				graph[s.pkg] = append(graph[s.pkg], ours)
			}
		}
	}
	return graph
}

// reach returns a way from a package to one that is wanted; nil if there is none.
func reach(graph map[string][]string, pkg string, wanted func(pkg string) bool) []string {
	from, queue := map[string]string{pkg: ""}, []string{pkg}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		if at != pkg && wanted(at) {
			way := []string{}
			for ; at != ""; at = from[at] {
				way = slices.Insert(way, 0, at)
			}
			return way
		}
		for _, target := range graph[at] {
			if _, seen := from[target]; !seen {
				from[target] = at
				queue = append(queue, target)
			}
		}
	}
	return nil
}

func matches(patterns []string, pkg string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		base, below := strings.CutSuffix(p, "...")
		return pkg == p || below && (pkg == strings.TrimSuffix(base, "/") || strings.HasPrefix(pkg, base))
	})
}

// isTest reports whether a package is a harness, which only tests import.
func isTest(pkg string) bool { return strings.HasSuffix(pkg, "test") }

func keys(graph map[string][]string) []string { return slices.Collect(maps.Keys(graph)) }

// pure packages may not even import what has effects.
func TestDataAndPureCodeHaveNoEffects(t *testing.T) {
	forbidden := []string{"os", "os/exec", "time", "log", "log/slog", "net", "net/http", "sync",
		"io", "context", "syscall"}
	for _, s := range sources(t) {
		if !s.in("hookpoints", "merge") {
			continue
		}
		for _, target := range s.imports {
			if slices.Contains(forbidden, target) {
				t.Errorf("%s imports %s; %s is data or pure code", s.path, target, s.pkg)
			}
		}
	}
}
