package foreign_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/foreign"
)

// TestWhatOfTheProjectACommandRuns: files that it names (as they are), and directories that it
// loads (with a slash). Other directories are data, which changes every day.
func TestWhatOfTheProjectACommandRuns(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"server.js", "sub/lib.py", "a b.sh", "srv.py", "pkg/__main__.py",
		"src/other/__init__.py", "web/index.js", "docs/a.md", "x.js", "srv/pyproject.toml", "one.py"} {
		path := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(t.TempDir(), "link")
	linked := os.Symlink(root, link) == nil
	for line, want := range map[string]string{
		"node server.js":      "server.js",
		root + "/server.js":   "server.js",
		"sh|a b.sh|server.js": "a b.sh server.js",
		"sh|-c|cd . && 'python3' ./sub/lib.py;node server.js": "server.js sub/lib.py",
		"/bin/sh -c true ../x missing.js":                     "",
		"python3 ./pkg":                                       "pkg/",
		"python3.12 -u ./pkg --data docs":                     "pkg/",
		"node ./web/":                                         "web/",
		"node web docs":                                       "web/",
		"node --inspect=0.0.0.0:9229 web":                     "web/",
		"node -r ./x.js web":                                  "web/ x.js",
		"node --require ./x.js --import=./sub/lib.py web":     "sub/lib.py web/ x.js",
		"python3 -m pkg":                                      "pkg/",
		"python3 -m pkg.server":                               "pkg/",
		"python3 -Im pkg":                                     "pkg/",
		"python3 -u -mpkg.x":                                  "pkg/",
		"tsx web":                                             "web/",
		"go test ./srv":                                       "",
		"cargo web":                                           "",
		"deno web":                                            "",
		"uv sync docs":                                        "",
		"go run -mod=mod ./srv":                               "srv/",
		"python3 -m other":                                    "src/other/",
		"python3 -m one":                                      "one.py",
		"python3 -X dev -m pkg":                               "pkg/",
		"uv --directory ./srv run server":                     "srv/",
		"uv --directory=srv run server":                       "srv/",
		"uv run python -m pkg":                                "pkg/",
		"uv run ./pkg":                                        "pkg/",
		"npm --prefix ./web start":                            "web/",
		"go run ./srv":                                        "srv/",
		"ruby -I./sub -e x":                                   "sub/",
		"sh -c|exec python3 ./pkg":                            "pkg/",
		"node .":                                              "./",
		"/proc/self/cwd/srv.py":                               "srv.py",
		"python3 /proc/self/cwd/pkg":                          "pkg/",
		"python3 /proc/thread-self/cwd/srv.py":                "srv.py",
		"python3 /proc/self/root" + root + "/srv.py":          "srv.py",
		"npx -y server-filesystem ./docs":                     "",
		"node node_modules/fs.js docs":                        "",
		"node server.js docs":                                 "server.js",
		"server-files docs ./web":                             "",
		"PYTHONPATH=./sub python3 -m x":                       "sub/",
		"PYTHONPATH=sub: server":                              "./ sub/",
		"PYTHONUSERBASE=./sub server":                         "sub/",
		"NODE_OPTIONS=--require=./x.js node":                  "x.js",
		"DATA=./docs server":                                  "",
		link + "/srv.py":                                      "srv.py",
	} {
		if !linked && strings.HasPrefix(line, link) || strings.HasPrefix(line, "/proc") && os.PathSeparator != '/' {
			continue
		}
		h := engine.Handler{Exec: true, Env: map[string]string{}}
		words := strings.Split(line, "|")
		if len(words) == 1 {
			words = strings.Fields(line)
		}
		for len(words) > 1 && strings.Contains(words[0], "=") {
			name, value, _ := strings.Cut(words[0], "=")
			h.Env[name], words = value, words[1:]
		}
		h.Command, h.Args = words[0], words[1:]
		programs, got := foreign.NewPrograms(root), []string{}
		programs.OfServers = true
		for _, path := range programs.All(h, []string{root}) {
			rel, _ := filepath.Rel(root, path)
			if info, err := os.Stat(path); err == nil && info.IsDir() {
				rel += "/"
			}
			got = append(got, filepath.ToSlash(rel))
		}
		slices.Sort(got)
		if text := strings.Join(slices.Compact(got), " "); text != want {
			t.Errorf("%s: %q, want %q", line, text, want)
		}
	}
}

// TestWhereAHookWorksIsData: it checks what is edited there.
func TestWhereAHookWorksIsData(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "web"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"npm --prefix web run lint", "make -C web check", "git -C . status", "npx prettier web",
		"go vet web", "cd web && node --version", "python3 -m pytest web"} {
		words := strings.Fields(line)
		h := engine.Handler{Command: words[0], Args: words[1:]}
		if got := foreign.NewPrograms(root).All(h, []string{root}); len(got) > 0 {
			t.Errorf("%s: %q", line, got)
		}
	}
}
