package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// patience is the time limit of hooks in the checks with a plugin that hangs, and slack what
// an agent may take besides.
const (
	patience = "[plugins]\nhook_timeout_ms = 3000\n"
	slack    = 60 * time.Second
)

// checks are all of them.
func checks() []check {
	return []check{
		{
			name: "a blocked command does not run, and the model reads why", plugins: []string{"guard"},
			script:  shell("echo ran > forbidden.txt"),
			without: all(trial.ended, wrote("forbidden.txt", "ran"), told("rule 4711", false)),
			with:    all(trial.ended, wrote("forbidden.txt", ""), told("rule 4711", true)),
		},
		{
			name: "rewritten arguments are what runs", plugins: []string{"rewrite"},
			loss:    loss{"pre_tool", "ignores rewritten arguments"},
			script:  shell("echo original > out.txt"),
			without: all(trial.ended, wrote("out.txt", "original")),
			with:    all(trial.ended, wrote("out.txt", "rewritten")),
		},
		{
			name: "two plugins rewrite different arguments, and both hold", plugins: []string{"title", "text"},
			loss:    loss{"pre_tool", "ignores rewritten arguments"},
			script:  note,
			without: all(trial.ended, wrote("note.txt", "old title\nold text")),
			with:    all(trial.ended, wrote("note.txt", "new title\nnew text")),
		},
		{
			name: "a context beside the prompt reaches the model", plugins: []string{"hint"},
			loss:    loss{"pre_message", "ignores a context"},
			script:  silence,
			without: all(trial.ended, told("hint 4712", false)),
			with:    all(trial.ended, told("hint 4712", true)),
		},
		{
			name: "a hook makes the agent go on at its end", plugins: []string{"onward"},
			loss:    loss{"pre_stop", "cannot go on"},
			script:  silence,
			without: all(trial.ended, told("task 4713", false), asked(1)),
			with:    all(trial.ended, told("task 4713", true), asked(2)),
		},
		{
			name: "a changed result is what the model sees", plugins: []string{"redact"},
			loss:    loss{"pre_tool_output", "ignores a new result"},
			script:  shell("printf 'secret '; expr 4700 + 17"),
			without: all(trial.ended, told("secret 4717", true)),
			with:    all(trial.ended, told("secret 4717", false), told("redacted 4718", true)),
		},
		{
			name: "a context beside a result reaches the model", plugins: []string{"remark"},
			loss:    loss{"pre_tool_output", "ignores a context"},
			script:  shell("echo ran > out.txt"),
			without: all(trial.ended, told("remark 4719", false)),
			with:    all(trial.ended, wrote("out.txt", "ran"), told("remark 4719", true)),
		},
		{
			name: "a plugin ends the turn at a call, which does not run", plugins: []string{"enough"},
			loss:    loss{"pre_tool", "the turn goes on"},
			script:  shell("echo ran > out.txt"),
			without: all(wrote("out.txt", "ran"), asked(2)),
			with:    all(wrote("out.txt", ""), asked(1)),
		},
		{
			name: "a hook of its own runs once", config: ofClaude,
			script:  shell("echo ran > out.txt"),
			special: once,
		},
		{
			name: "a hook that was written for Claude Code denies", config: ofClaude, foreign: true,
			script:  shell("echo ran > forbidden.txt"),
			without: all(wrote("forbidden.txt", "ran"), told("rule 4720", false)),
			with:    all(wrote("forbidden.txt", ""), told("rule 4720", true)),
			special: written("PreToolUse", "Bash", "echo rule 4720 >&2; exit 2"),
		},
		{
			name: "a hook that was written for Claude Code rewrites", config: ofClaude, foreign: true,
			loss:    loss{"pre_tool", "ignores rewritten arguments"},
			script:  shell("echo original > out.txt"),
			without: all(trial.ended, wrote("out.txt", "original")),
			with:    all(trial.ended, wrote("out.txt", "rewritten")),
			special: written("PreToolUse", "Bash", rewriting),
		},
		{
			name: "a hook that was written for Claude Code adds context", config: ofClaude, foreign: true,
			loss:    loss{"pre_message", "ignores a context"},
			script:  silence,
			without: all(trial.ended, told("hint 4721", false)),
			with:    all(trial.ended, told("hint 4721", true)),
			special: written("UserPromptSubmit", "", "echo hint 4721: it is late"),
		},
		{
			name: "with Claude Code's entries beside its own a plugin is asked once", plugins: []string{"count"},
			script:  shell("echo ran > out.txt"),
			without: all(trial.ended, wrote("out.txt", "ran"), counted(0)),
			with:    all(trial.ended, wrote("out.txt", "ran"), counted(1)),
			special: beside,
		},
		{
			name: "a plugin's tool is called through MCP", plugins: []string{"magic"},
			script:  magic,
			without: all(trial.ended, told("xyzzy4714", false)),
			with:    all(trial.ended, told("xyzzy4714", true)),
		},
		{
			name: "a call of chibi's own tool is hooked once", plugins: []string{"magic", "count"},
			script:  magic,
			without: all(trial.ended, counted(0)),
			with:    all(trial.ended, told("xyzzy4714", true), counted(1)),
		},
		{
			name: "a question that nobody can answer is a denial", plugins: []string{"ask"},
			script:  shell("echo ran > out.txt"),
			without: all(trial.ended, wrote("out.txt", "ran")),
			with:    all(trial.ended, wrote("out.txt", ""), told("question 4715", true)),
		},
		{
			name: "a plugin that hangs is ended, and the agent goes on", plugins: []string{"hang"}, config: patience,
			script:  shell("echo ran > out.txt"),
			without: all(trial.ended, wrote("out.txt", "ran"), hung(false)),
			with:    all(trial.ended, wrote("out.txt", "ran"), hung(true), soon),
		},
		{
			name: "a required guard that hangs denies", plugins: []string{"hang-guard"}, config: patience,
			script:  shell("echo ran > out.txt"),
			without: all(trial.ended, wrote("out.txt", "ran"), hung(false)),
			with:    all(trial.ended, wrote("out.txt", ""), hung(true), soon),
		},
		{
			name: "the agent goes on when chibi is gone", plugins: []string{"guard"},
			script:  shell("echo ran > forbidden.txt"),
			special: gone,
		},
		{
			name: "with --fail-closed it denies when chibi is gone", plugins: []string{"guard"},
			script:  shell("echo ran > forbidden.txt"),
			special: goneClosed,
		},
		{
			name: "chibi bridge remove restores the settings", plugins: []string{"guard"},
			script:  shell("echo ran > forbidden.txt"),
			special: removed,
		},
	}
}

// shell is a script with one command.
func shell(command string) func(tools, string) []step {
	return func(use tools, _ string) []step {
		return []step{{Calls: []call{use("shell", object{"command": command})}}}
	}
}

// silence is a script without calls.
func silence(tools, string) []step { return nil }

// note calls the tool of the MCP server of the checks.
func note(use tools, _ string) []step {
	args := object{"title": "old title", "text": "old text"}
	return []step{{Calls: []call{use("mcp", object{"server": "notes", "tool": "note", "args": args})}}}
}

// magic calls the tool of a plugin.
func magic(use tools, _ string) []step {
	return []step{{Calls: []call{use("mcp", object{"server": "chibi", "tool": "magic", "args": object{"why": "to see"}})}}}
}

func all(looks ...func(trial) error) func(trial) error {
	return func(t trial) error {
		var err error
		for _, look := range looks {
			err = cmp.Or(err, look(t))
		}
		return err
	}
}

func wrote(name, want string) func(trial) error {
	return func(t trial) error { return t.wrote(name, want) }
}

func told(text string, want bool) func(trial) error {
	return func(t trial) error { return t.told(text, want) }
}

func asked(want int) func(trial) error {
	return func(t trial) error { return t.asked(want) }
}

// counted checks how many calls the plugin count received.
func counted(want int) func(trial) error {
	return func(t trial) error {
		text, _ := os.ReadFile(filepath.Join(t.home.home, ".chibi/counted"))
		if got := strings.Count(string(text), "\n"); got != want {
			return fmt.Errorf("the plugin count received %d calls, want %d", got, want)
		}
		return nil
	}
}

// hung says whether the plugin that hangs was started.
func hung(want bool) func(trial) error {
	return func(t trial) error {
		_, err := os.Stat(filepath.Join(t.home.home, ".chibi/hung"))
		if got := err == nil; got != want {
			return fmt.Errorf("the plugin that hangs was started: %t, want %t", got, want)
		}
		return nil
	}
}

func soon(t trial) error {
	if t.took > slack {
		return fmt.Errorf("it took %.0f s", t.took.Seconds())
	}
	return nil
}

// once gives the agent a hook of its own at each event, which chibi may ask too, and compares how often
// each runs without the bridge and with it.
func once(c check, o options, a agent) error {
	c.config = fmt.Sprintf("[foreign.%s]\nuser = true\n", a.Name)
	var runs [2]map[string]int
	for i, bridge := range []func(*home, agent) error{nil, addBridge} {
		look := func(t trial) error {
			files, err := filepath.Glob(filepath.Join(t.dir, "recorded", "*.json"))
			runs[i] = map[string]int{}
			for _, f := range files {
				if event := strings.Split(filepath.Base(f), ".")[1]; event != "MessageDisplay" { // as the text comes
					runs[i][event]++
				}
			}
			return cmp.Or(err, t.ended(), t.wrote("out.txt", "ran"))
		}
		err := c.try(o, a, look, func(h *home, a agent) error {
			dir, self := filepath.Join(h.dir, "recorded"), h.notes()[0]
			err := a.hooks(h, func(event string) string { return self + " record " + dir + " " + event })
			err = cmp.Or(os.MkdirAll(dir, 0o755), err)
			if err == nil && bridge != nil {
				err = bridge(h, a)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	if len(runs[0]) < 3 || !maps.Equal(runs[0], runs[1]) {
		return fmt.Errorf("its own hooks run %v without the bridge, %v with it", runs[0], runs[1])
	}
	return nil
}

// gone takes chibi away after the bridge was added. With chibi there, the command is blocked.
func gone(c check, o options, a agent) error {
	if err := c.try(o, a, wrote("forbidden.txt", ""), addBridge); err != nil {
		return fmt.Errorf("with chibi: %w", err)
	}
	return c.try(o, a, all(trial.ended, wrote("forbidden.txt", "ran")), func(h *home, a agent) error {
		return cmp.Or(addBridge(h, a), os.Remove(h.chibiPath()))
	})
}

func goneClosed(c check, o options, a agent) error {
	if err := c.try(o, a, wrote("forbidden.txt", "ran"), nil); err != nil {
		return before(err)
	}
	return c.try(o, a, wrote("forbidden.txt", ""), func(h *home, a agent) error {
		return cmp.Or(addBridgeWith(h, a, "--fail-closed"), os.Remove(h.chibiPath()))
	})
}

// removed adds and removes the bridge, and compares all files before and after.
func removed(c check, o options, a agent) error {
	return c.try(o, a, all(trial.ended, wrote("forbidden.txt", "ran")), func(h *home, a agent) error {
		before := h.files()
		if err := addBridge(h, a); err != nil {
			return err
		}
		ofSettings := func(path string) bool { return strings.HasPrefix(path, a.settings) }
		if differs := h.changed(before); !slices.ContainsFunc(differs, ofSettings) {
			return fmt.Errorf("with the bridge %s is as before; changed: %q", a.settings, differs)
		}
		if _, err := h.chibi(a, "bridge", "remove", a.Name); err != nil {
			return err
		}
		return h.restored(a, before)
	})
}

// restored says which files are other than before, and which state has other servers.
func (h *home) restored(a agent, before map[string]string) error {
	isState := func(path string) bool {
		return slices.ContainsFunc(a.state, func(s string) bool { return strings.HasPrefix(path, s) })
	}
	differs := slices.DeleteFunc(h.changed(before), isState)
	after := h.files()
	for path, text := range before {
		if isState(path) && servers(text) != servers(after[path]) {
			differs = append(differs, path)
		}
	}
	if len(differs) > 0 {
		return fmt.Errorf("after remove other than before: %q", differs)
	}
	return nil
}

// servers is the list of MCP servers in a state file.
func servers(state string) string {
	var all struct {
		Servers map[string]any `json:"mcpServers"`
	}
	json.Unmarshal([]byte(state), &all)
	text, _ := json.Marshal(all.Servers)
	return string(text)
}

// files reads all files of the person's home, except chibi's.
func (h *home) files() map[string]string {
	files := map[string]string{}
	filepath.WalkDir(h.home, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(h.home, path)
		switch {
		case err != nil:
		case name == ".chibi":
			return fs.SkipDir
		case d.Type().IsRegular():
			text, _ := os.ReadFile(path)
			files[name] = string(text)
		}
		return nil
	})
	return files
}

// changed names the files that are not as before.
func (h *home) changed(before map[string]string) (names []string) {
	after := h.files()
	for name, text := range before {
		if after[name] != text {
			names = append(names, name)
		}
	}
	for name := range after {
		if _, there := before[name]; !there {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
