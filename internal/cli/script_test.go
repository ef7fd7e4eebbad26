package cli_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/cli"
	"github.com/chibi-host/chibi/internal/keeper"
	"github.com/chibi-host/chibi/internal/sandbox"
	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"chibi": func() {
		if os.Getenv(withoutTerminal) != "" {
			syscall.Setsid()
		}
		os.Exit(cli.Main())
	}, "mcp-server": serveScript})
}

// withoutTerminal is the variable with which chibi leaves the terminal of whoever runs the
// tests, where it would ask.
const withoutTerminal = "CHIBI_TEST_WITHOUT_TERMINAL"

// TestScripts runs the stories in testdata. Each has a home of its own below
// $WORK; $EXAMPLES holds the example plugins, $RECIPES the example recipes. With
// CHIBI_SCHEMA_CACHE=off in the environment they run without remembered schemas, and with
// CHIBI_SCHEMA_CACHE=warm with those of all plugins that they install remembered, except those
// that are about them; otherwise they are cold, because plugins that have just been installed
// are asked.
func TestScripts(t *testing.T) {
	examples, err := filepath.Abs("../../examples/plugins")
	if err != nil {
		t.Fatal(err)
	}
	stories, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	runScripts(t, examples, stories...)
}

// runScripts runs stories; $EXAMPLES holds these plugins.
func runScripts(t *testing.T, examples string, stories ...string) {
	t.Helper()
	jq := jqFolder(t)
	recipes, err := filepath.Abs("../../examples/recipes")
	if err != nil {
		t.Fatal(err)
	}
	cache := goEnv(t, "GOCACHE")
	testscript.Run(t, testscript.Params{
		Files: stories,
		Setup: func(env *testscript.Env) error {
			env.Values[loginsKey{}] = &loginServers{t: env.T().(testing.TB)}
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Defer(func() { keeper.Stop(context.Background(), filepath.Join(env.WorkDir, "home", ".chibi")) })
			env.Setenv("CHIBI_HOME", "")
			env.Setenv("CHIBI_SCHEMA_CACHE", os.Getenv("CHIBI_SCHEMA_CACHE"))
			env.Setenv(withoutTerminal, "1")
			env.Setenv("EXAMPLES", examples)
			env.Setenv("RECIPES", recipes)
			env.Setenv("GOCACHE", cache)
			env.Setenv("LONG", strings.Repeat("long ", 220))
			env.Setenv("ADD_TIME_NOW", "2030-01-02 03:04")
			env.Setenv("PATH", env.Getenv("PATH")+string(filepath.ListSeparator)+jq)
			return os.MkdirAll(filepath.Join(env.WorkDir, "home", ".chibi", "plugins"), 0o755)
		},
		Condition: func(name string) (bool, error) {
			if name != "landlock" {
				return false, fmt.Errorf("unknown condition %q", name)
			}
			return sandbox.Rules{}.Check() == nil, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"model":  serveModel,
			"plugin": installPlugin,
			"hook":   installHook,
			"site":   serveSite,
			"logins": serveLogins,
			"browse": browse,
			"mode":   modeOf,
		},
	})
}

// serveModel is the command "model FILE...": a server that answers the first
// request with the first file, and so on; the last one answers all further
// ones. A file that begins with "HTTP <status>" is an error answer. Requests
// are kept as request-1.json and so on, and the home is configured to use it.
func serveModel(ts *testscript.TestScript, _ bool, files []string) {
	var mu sync.Mutex
	count := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		body, _ := io.ReadAll(req.Body)
		answer := ts.ReadFile(files[min(count, len(files)-1)])
		count++
		os.WriteFile(ts.MkAbs(fmt.Sprintf("request-%d.json", count)), body, 0o644)
		var status int
		if _, err := fmt.Sscanf(answer, "HTTP %d", &status); err == nil {
			w.WriteHeader(status)
		} else {
			w.Header().Set("Content-Type", "text/event-stream")
		}
		io.WriteString(w, answer)
	}))
	ts.Defer(server.Close)
	config := fmt.Sprintf("base_url = %q\nmodel = \"scripted\"\n", server.URL+"/v1")
	ts.Check(os.WriteFile(filepath.Join(ts.Getenv("HOME"), ".chibi", "config.toml"), []byte(config), 0o600))
}

// serveSite is the command "site": a web server, $SITE is its port. /page is a page, and
// /to?URL redirects.
func serveSite(ts *testscript.TestScript, _ bool, _ []string) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/to" {
			w.Header().Set("Location", req.URL.RawQuery)
			w.WriteHeader(http.StatusFound)
			return
		}
		io.WriteString(w, "<html><title>A page</title><script>script()</script><h1>Hello</h1>")
	}))
	ts.Defer(server.Close)
	ts.Setenv("SITE", server.URL[strings.LastIndexByte(server.URL, ':')+1:])
}

// installPlugin is the command "plugin FILE...": copies files into the plugins
// folder and makes them executable.
func installPlugin(ts *testscript.TestScript, neg bool, files []string) {
	installHook(ts, neg, append([]string{filepath.Join(ts.Getenv("HOME"), ".chibi", "plugins")}, files...))
}

// installHook is the command "hook FOLDER FILE...": copies files into a folder
// and makes them executable.
func installHook(ts *testscript.TestScript, _ bool, args []string) {
	folder := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(folder, 0o755))
	for _, file := range args[1:] {
		data, err := os.ReadFile(ts.MkAbs(file))
		ts.Check(err)
		ts.Check(os.WriteFile(filepath.Join(folder, filepath.Base(file)), data, 0o755))
	}
	if ts.Getenv("CHIBI_SCHEMA_CACHE") == "warm" {
		time.Sleep(2100 * time.Millisecond) // a file that has just changed is not remembered
		ts.Exec("chibi", "plugin", "list")
	}
}

// jqFolder is a folder with a jq for machines that have none.
func jqFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if _, err := exec.LookPath("jq"); err == nil {
		return dir
	}
	build := exec.Command("go", "build", "-cover=false", "-o", filepath.Join(dir, "jq"),
		"github.com/itchyny/gojq/cmd/gojq")
	build.Dir = "../../.ci/tools"
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building gojq: %v\n%s", err, out)
	}
	return dir
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out[:len(out)-1])
}
