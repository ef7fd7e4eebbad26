package clitest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// serveModel is the command "model FILE...": a server that answers the first
// request with the first file, and so on; the last one answers all further
// ones. A file that begins with "HTTP <status>" is an error answer. Requests
// are kept as request-1.json and so on in the directory of the command, and the home is configured
// to use it.
func serveModel(ts *testscript.TestScript, _ bool, files []string) {
	var mu sync.Mutex
	count, dir := 0, ts.MkAbs(".") // the story may be in another one when the server is asked
	answers := make([]string, len(files))
	for n, file := range files {
		answers[n] = ts.MkAbs(file)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		body, _ := io.ReadAll(req.Body)
		answer, err := os.ReadFile(answers[min(count, len(answers)-1)])
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		count++
		os.WriteFile(filepath.Join(dir, fmt.Sprintf("request-%d.json", count)), body, 0o644)
		var status int
		if _, err := fmt.Sscanf(string(answer), "HTTP %d", &status); err == nil {
			w.WriteHeader(status)
		} else {
			w.Header().Set("Content-Type", "text/event-stream")
		}
		w.Write(answer)
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

// modeOf is the command "mode FILE MODE".
func modeOf(ts *testscript.TestScript, _ bool, args []string) {
	info, err := os.Stat(filepath.Clean(ts.MkAbs(args[0])))
	ts.Check(err)
	if got := fmt.Sprintf("%04o", info.Mode().Perm()); got != args[1] {
		ts.Fatalf("%s has the mode %s", args[0], got)
	}
}
