// Package clitest runs the stories of the command line, scripts in internal/cli/testdata, with
// the programs and commands that they use. It is for tests only: the tests of package cli, and
// the tests of other programs with the same command line, such as chibi-cluster.
package clitest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/keeper"
	"github.com/chibi-host/chibi/internal/sandbox"
	"github.com/chibi-host/chibi/internal/systest"
	"github.com/chibi-host/chibi/store"
	"github.com/rogpeppe/go-internal/testscript"
)

// withoutTerminal is the variable with which chibi leaves the terminal of whoever runs the
// tests, where it would ask.
const withoutTerminal = "CHIBI_TEST_WITHOUT_TERMINAL"

// Program is chibi as a story starts it. It returns the exit status.
type Program func() int

// Main runs the tests of a package, or is one of the programs that stories start: "chibi", what a
// package has besides, by its name, or "mcp-server". It does not return.
func Main(m *testing.M, chibi Program, others map[string]Program) {
	programs := map[string]func(){"chibi": chibi.start, "mcp-server": serveScript}
	for name, other := range others {
		programs[name] = other.start
	}
	testscript.Main(systest.Processes{M: m}, programs)
}

// start runs the program in this process, and ends it.
func (p Program) start() {
	if os.Getenv(withoutTerminal) != "" {
		leaveTerminal()
	}
	os.Args = patient(os.Args)
	os.Exit(p())
}

// patient puts longer time limits for plugins before the arguments of chibi: a busy machine runs
// plugins too slowly for the usual ones, and a story is about a limit only if it sets one itself.
// The arguments stay as they are with --save, which would store the limits, where chibi starts chibi,
// and in a command of the model, which has the limits from the run around it.
func patient(args []string) []string {
	if slices.Contains(args, "--save") || len(args) > 1 && strings.HasPrefix(args[1], "__") ||
		os.Getenv("CHIBI_WITHIN") != "" || slices.Contains(args, "plugins.probe_timeout_ms=600000") {
		return args
	}
	return slices.Insert(args, 1, "--set", "plugins.probe_timeout_ms=600000", "--set", "plugins.hook_timeout_ms=600000")
}

// Stories are scripts, and where they run. Each has a home of its own below $WORK; $EXAMPLES
// holds the example plugins, $RECIPES the example recipes. With CHIBI_SCHEMA_CACHE=off in the
// environment they run without remembered schemas, and with CHIBI_SCHEMA_CACHE=warm with those
// of all plugins that they install remembered, except those that are about them; otherwise
// they are cold, because plugins that have just been installed are asked.
type Stories struct {
	// Root is the checkout of chibi, from the directory of the test.
	Root string
	// Files are the stories; nil: all that there are.
	Files []string
	// Examples is the directory of $EXAMPLES; "": the checkout's examples.
	Examples string
	// Store makes a store for one story, and returns its URL; nil: conversations are files.
	// The condition [files] holds in files, [shared] in a store.
	Store func(t testing.TB) (url string)
	// Drivers are the engines for those URLs.
	Drivers store.Drivers
}

// All returns the stories that there are.
func All(t testing.TB, root string) []string {
	t.Helper()
	stories, err := filepath.Glob(filepath.Join(root, "internal/cli/testdata/*.txtar"))
	if err != nil || len(stories) == 0 {
		t.Fatalf("no stories in %s: %v", root, err)
	}
	return stories
}

// Conditional counts the lines of stories that run in files only, or in a store only.
func Conditional(t testing.TB, stories []string) (files, shared int) {
	t.Helper()
	line := regexp.MustCompile(`(?m)^\s*\[(!?)(files|shared)\]`)
	for _, story := range stories {
		text, err := os.ReadFile(story)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range line.FindAllStringSubmatch(string(text), -1) {
			if (m[2] == "files") == (m[1] == "") {
				files++
			} else {
				shared++
			}
		}
	}
	return files, shared
}

// Run runs the stories, each as a parallel subtest.
func (s Stories) Run(t *testing.T) {
	t.Helper()
	if s.Files == nil {
		s.Files = All(t, s.Root)
	}
	root, err := filepath.Abs(s.Root)
	if err != nil {
		t.Fatal(err)
	}
	if s.Examples == "" {
		s.Examples = filepath.Join(root, "examples/plugins")
	}
	same := map[string]string{
		"CHIBI_HOME":         "",
		"CHIBI_SCHEMA_CACHE": os.Getenv("CHIBI_SCHEMA_CACHE"),
		withoutTerminal:      "1",
		"EXAMPLES":           s.Examples,
		"RECIPES":            filepath.Join(root, "examples/recipes"),
		"GOCACHE":            GoEnv(t, "GOCACHE"),
		"LONG":               strings.Repeat("long ", 220),
		"ADD_TIME_NOW":       "2030-01-02 03:04",
	}
	jq := JQ(t, s.Root)
	testscript.Run(t, testscript.Params{
		Files: s.Files,
		Setup: func(env *testscript.Env) error {
			for name, value := range same {
				env.Setenv(name, value)
			}
			env.Setenv("PATH", env.Getenv("PATH")+string(filepath.ListSeparator)+jq)
			return s.setup(env)
		},
		Condition: s.condition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"model":  serveModel,
			"plugin": installPlugin,
			"hook":   installHook,
			"site":   serveSite,
			"logins": serveLogins,
			"browse": browse,
			"mode":   modeOf,
			"local":  s.putLocal,
		},
	})
}

// setup prepares the home of one story.
func (s Stories) setup(env *testscript.Env) error {
	t := env.T().(testing.TB)
	env.Values[loginsKey{}] = &loginServers{t: t}
	home := filepath.Join(env.WorkDir, "home")
	env.Setenv("HOME", home)
	if s.Store != nil {
		env.Setenv("CHIBI_STORE", s.Store(t))
	}
	env.Defer(func() { keeper.Stop(context.Background(), filepath.Join(home, ".chibi")) })
	return os.MkdirAll(filepath.Join(home, ".chibi", "plugins"), 0o755)
}

// condition says whether a line that begins with [NAME] runs.
func (s Stories) condition(name string) (bool, error) {
	switch name {
	case "landlock":
		return sandbox.Rules{}.Check() == nil, nil
	case "supervision":
		return sandbox.Rules{}.Check() == nil && sandbox.Rules{}.Unsupervised() == nil, nil
	case "files":
		return s.Store == nil, nil
	case "shared":
		return s.Store != nil, nil
	}
	return false, fmt.Errorf("unknown condition %q", name)
}
