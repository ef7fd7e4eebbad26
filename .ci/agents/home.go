package main

import (
	"embed"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/agents/drive"
)

// pluginFiles are the plugins of the checks: ordinary plugins of chibi.
//
//go:embed plugins
var pluginFiles embed.FS

// home is where one run of an agent happens: a person's home with chibi's in it, a project
// with git, and a scripted model.
type home struct {
	dir, home, project, bin string
	cache                   string
	model                   *drive.Model
	steps                   []step // what the model answers
}

// newHome makes the directories and writes the agent's settings.
func newHome(o options, a agent, steps []step) (*home, error) {
	dir, err := os.MkdirTemp("", "chibi-agents-")
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	h := &home{dir: dir, home: filepath.Join(dir, "home"), project: filepath.Join(dir, "project"),
		bin: filepath.Join(dir, "bin"), cache: o.cache, model: drive.Serve(l, a.Speak, steps), steps: steps}
	for _, d := range []string{h.home, h.project, h.bin, filepath.Join(dir, "tmp")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return nil, err
		}
	}
	// A link, because a file that was just written cannot be started while another check forks.
	if err := os.Link(o.chibi, h.chibiPath()); err != nil {
		return nil, err
	}
	git := "git init -q . && git -c user.name=a -c user.email=a@example.com commit -q --allow-empty -m start"
	if _, err := run(h.project, h.env(a), time.Minute, "/bin/sh", "-c", git); err != nil {
		return nil, err
	}
	return h, a.prepare(h)
}

// script sets what the model answers.
func (h *home) script(steps []step) {
	h.steps = steps
	h.model.Script(steps)
}

func (h *home) chibiPath() string { return filepath.Join(h.bin, "chibi") }

// done removes everything, or says where it is.
func (h *home) done(o options) {
	h.model.Close()
	if o.keep {
		h.keepRequests()
		fmt.Println("  kept:", h.dir)
		return
	}
	os.RemoveAll(h.dir)
}

// keepRequests writes what the model was asked, beside the rest.
func (h *home) keepRequests() {
	var lines strings.Builder
	for _, r := range h.model.Requests() {
		line, _ := json.Marshal(r)
		lines.Write(append(line, '\n'))
	}
	os.WriteFile(filepath.Join(h.dir, "requests.jsonl"), []byte(lines.String()), 0o644)
}

// env is the whole environment of an agent.
func (h *home) env(a agent) []string {
	path := h.bin + ":" + filepath.Join(h.cache, "node22/node_modules/.bin") + ":" +
		filepath.Join(h.cache, a.Name, "node_modules/.bin") + ":" + os.Getenv("PATH")
	env := []string{"HOME=" + h.home, "PATH=" + path, "TMPDIR=" + filepath.Join(h.dir, "tmp"), "LANG=C.UTF-8",
		"SHELL=/bin/bash", "TERM=dumb", "USER=ada"}
	if proxy := os.Getenv("CHIBI_AGENTS_PROXY"); proxy != "" {
		for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"} {
			env = append(env, name+"="+proxy)
		}
		env = append(env, "NO_PROXY=127.0.0.1,localhost", "no_proxy=127.0.0.1,localhost")
	}
	return append(env, a.At(h.model.URL, h.project).Env...)
}

// write writes a file below the person's home.
func (h *home) write(path, text string) error {
	path = filepath.Join(h.home, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// writeJSON writes a settings file below the person's home.
func (h *home) writeJSON(path string, value any) error {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return h.write(path, string(data)+"\n")
}

// install puts plugins into chibi's home.
func (h *home) install(config string, plugins ...string) error {
	for _, name := range plugins {
		text, err := pluginFiles.ReadFile("plugins/" + name)
		if err != nil {
			return err
		}
		if err := h.write(".chibi/plugins/"+name, string(text)); err != nil {
			return err
		}
		if err := os.Chmod(filepath.Join(h.home, ".chibi/plugins", name), 0o755); err != nil {
			return err
		}
	}
	return h.write(".chibi/config.toml", config)
}

// chibi runs chibi as the person would, and fails if it does.
func (h *home) chibi(a agent, args ...string) (string, error) {
	said, err := run(h.project, h.env(a), time.Minute, h.chibiPath(), args...)
	if err == nil && said.status != 0 {
		text := strings.TrimSpace(said.stderr + said.stdout)
		err = fmt.Errorf("chibi %s: status %d: %s", strings.Join(args, " "), said.status, text)
	}
	return said.stdout, err
}

// notes is the command line of the MCP server of the checks.
func (h *home) notes() []string {
	self, _ := os.Executable()
	return []string{self, "mcp", h.project}
}
