package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// record is a hook that keeps what it is given in a directory, and answers what the file
// answers/EVENT there holds: a line with the exit status, standard output, and after a line
// "--" standard error.
func record(args []string) int {
	dir, event := args[0], args[1]
	payload, _ := io.ReadAll(os.Stdin)
	name := filepath.Join(dir, fmt.Sprintf("%d.%s", time.Now().UnixNano(), event))
	env := os.Environ()
	slices.Sort(env)
	os.WriteFile(name+".json", payload, 0o644)
	os.WriteFile(name+".env", []byte(strings.Join(env, "\n")+"\n"), 0o644)
	answer, err := os.ReadFile(filepath.Join(dir, "answers", event))
	if err != nil {
		return 0
	}
	status, rest, _ := strings.Cut(string(answer), "\n")
	out, errs, _ := strings.Cut(rest, "\n--\n")
	io.WriteString(os.Stdout, out)
	io.WriteString(os.Stderr, errs)
	code := 0
	fmt.Sscan(status, &code)
	return code
}

// captureAll writes for each agent, below the directory, what it gives to its hooks: one
// file EVENT.json for each event, with one line for each kind of payload, and environment.txt
// with the variables that the agent adds.
func captureAll(o options) error {
	for _, a := range o.agents {
		h, err := newHome(o, a, nil)
		if err != nil {
			return err
		}
		defer h.done(o)
		if err := a.installed(o, h); err != nil {
			return err
		}
		h.model.steps = everyTool(a.call, h.project)
		dir, self := filepath.Join(h.dir, "recorded"), h.notes()[0]
		if err := os.MkdirAll(filepath.Join(dir, "answers"), 0o755); err != nil {
			return err
		}
		if err := a.hooks(h, func(event string) string { return self + " record " + dir + " " + event }); err != nil {
			return err
		}
		said, err := a.run(o, h, "Please do what is to be done.")
		if err != nil {
			return err
		}
		fmt.Printf("%s: status %d, %d requests, %.0f s\n%s", a.name, said.status, len(h.model.requests()),
			said.took.Seconds(), said.stderr)
		if err := h.keepCaptured(a, dir, filepath.Join(o.capture, a.name)); err != nil {
			return err
		}
	}
	return nil
}

// everyTool is a script with a call of each kind of tool.
func everyTool(use tools, project string) []step {
	file := filepath.Join(project, "poem.txt")
	note := object{"title": "a title", "text": "a text"}
	return []step{
		{text: "I begin.", calls: []call{use("shell", object{"command": "echo one"})}},
		{calls: []call{use("shell", object{"command": "echo two; exit 3"})}},
		{calls: []call{use("write", object{"path": file, "content": "roses are red"})}},
		{calls: []call{use("read", object{"path": file})}},
		{calls: []call{use("edit", object{"path": file, "old": "roses are red", "new": "violets are blue"})}},
		{calls: []call{use("mcp", object{"server": "notes", "tool": "note", "args": note})}},
	}
}

// keepCaptured writes what was recorded, with placeholders for what differs between runs.
func (h *home) keepCaptured(a agent, from, to string) error {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	recorded, err := filepath.Glob(filepath.Join(from, "*.json"))
	if err != nil {
		return err
	}
	events, added := map[string][]string{}, map[string]bool{}
	for _, path := range recorded {
		payload, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		event := strings.Split(filepath.Base(path), ".")[1]
		line := h.settled(strings.TrimRight(string(payload), "\n"))
		if !slices.Contains(events[event], line) {
			events[event] = append(events[event], line)
		}
		env, _ := os.ReadFile(strings.TrimSuffix(path, ".json") + ".env")
		for _, variable := range h.added(a, string(env)) {
			added[variable+"\t"+event] = true
		}
	}
	for event, lines := range events {
		if err := os.WriteFile(filepath.Join(to, event+".json"), []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(to, "environment.txt"), []byte(environment(added, events)), 0o644)
}

// added lists the variables that the agent added, as NAME=VALUE with placeholders.
func (h *home) added(a agent, env string) (list []string) {
	ours := h.env(a)
	for variable := range strings.Lines(env) {
		variable = strings.TrimSpace(variable)
		name, _, isVariable := strings.Cut(variable, "=")
		known := slices.ContainsFunc(ours, func(v string) bool { return strings.HasPrefix(v, name+"=") })
		if isVariable && !known && !slices.Contains([]string{"PWD", "OLDPWD", "SHLVL", "_"}, name) {
			list = append(list, h.settled(variable))
		}
	}
	return list
}

// environment lists variables in order; those that not every event has say which do.
func environment(added map[string]bool, events map[string][]string) string {
	where := map[string][]string{}
	for key := range added {
		variable, event, _ := strings.Cut(key, "\t")
		where[variable] = append(where[variable], event)
	}
	var lines []string
	for variable, in := range where {
		if len(in) < len(events) {
			slices.Sort(in)
			variable += "  # " + strings.Join(in, ", ")
		}
		lines = append(lines, variable)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n") + "\n"
}

// settled replaces what differs between runs: directories, identifiers and times.
func (h *home) settled(text string) string {
	self := h.notes()[0]
	text = strings.NewReplacer(h.project, "CWD", h.home, "HOME", h.dir, "TMP", self, "PROGRAM",
		strings.ReplaceAll(h.project, "/", "-"), "PROJECT").Replace(text)
	var session struct {
		Session string `json:"session_id"`
	}
	if json.Unmarshal([]byte(text), &session) == nil && session.Session != "" {
		text = strings.ReplaceAll(text, session.Session, "SESSION")
	}
	for pattern, with := range map[string]string{
		`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`: "UUID",
		`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z`:                        "2026-11-22T12:00:00.000Z",
		`"(duration_ms|duration)":[0-9.]+`:                             `"$1":12`,
	} {
		text = regexp.MustCompile(pattern).ReplaceAllString(text, with)
	}
	return text
}
