package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
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

// scene is one run of an agent whose hooks are recorded.
type scene struct {
	// name is the name of the files for payloads that belong to no call; "" is the usual run.
	name   string
	prompt string
	// steps are what the model answers, each with the kind of its call.
	steps func(use tools, project string) []step
	// settings is put before Codex's settings, files are written into the project.
	settings string
	files    map[string]string
	// then are the arguments of a second run in the same home.
	then func(h *home) []string
}

// captureAll writes for each agent, below the directory, what it gives to its hooks: a file
// EVENT.json, or EVENT.KIND.json for a kind of call or run, and environment.txt with the
// variables that the agent adds.
func captureAll(o options) error {
	for _, a := range o.agents {
		if a.variant != "" {
			continue
		}
		to := filepath.Join(o.capture, a.Name)
		if err := os.MkdirAll(to, 0o755); err != nil {
			return err
		}
		if o.seen {
			if err := seeAll(o, a, filepath.Join(to, "seen.txt")); err != nil {
				return err
			}
			continue
		}
		all := captured{files: map[string]string{}, variables: map[string]bool{}}
		scenes := append([]scene{{steps: everyTool}}, a.scenes...)
		for _, s := range scenes {
			if err := all.play(o, a, s); err != nil {
				return fmt.Errorf("%s: %w", a.Name, err)
			}
		}
		for name, text := range all.files {
			if err := os.WriteFile(filepath.Join(to, name), []byte(text), 0o644); err != nil {
				return err
			}
		}
		if err := seeAll(o, a, filepath.Join(to, "seen.txt")); err != nil {
			return err
		}
		names := slices.Sorted(maps.Keys(all.variables))
		text := strings.Join(names, "\n") + "\n"
		if err := os.WriteFile(filepath.Join(to, "environment.txt"), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// captured is what an agent's hooks were given, with placeholders.
type captured struct {
	files     map[string]string
	variables map[string]bool
}

// play runs an agent in a scene.
func (c captured) play(o options, a agent, s scene) error {
	h, err := newHome(o, a, nil)
	if err != nil {
		return err
	}
	defer h.done(o)
	if err := a.installed(o, h); err != nil {
		return err
	}
	h.script(a.script(s.steps, h.project))
	dir, self := filepath.Join(h.dir, "recorded"), h.notes()[0]
	if err := os.MkdirAll(filepath.Join(dir, "answers"), 0o755); err != nil {
		return err
	}
	recorder := func(event string) string { return self + " record " + dir + " " + event }
	if err := errors.Join(h.extend(s), a.hooks(h, recorder)); err != nil {
		return err
	}
	runs := [][]string{a.with(cmp.Or(s.prompt, "Please do what is to be done."))}
	if s.then != nil {
		runs = append(runs, s.then(h))
	}
	for _, args := range runs {
		said, err := run(h.project, h.env(a), cmp.Or(a.limit, time.Minute), a.path(o), args...)
		if err != nil {
			return err
		}
		fmt.Printf("%s %s: status %d, %d requests, %.0f s\n", a.Name, s.name, said.status, len(h.model.Requests()),
			said.took.Seconds())
		if said.status != 0 {
			fmt.Println(said.stderr)
		}
	}
	return c.keep(h, a, s, dir)
}

// extend writes the scene's settings and files.
func (h *home) extend(s scene) error {
	if s.settings != "" {
		path := ".codex/config.toml"
		text, err := os.ReadFile(filepath.Join(h.home, path))
		if err != nil {
			return err
		}
		if err := h.write(path, s.settings+string(text)); err != nil {
			return err
		}
	}
	for path, text := range s.files {
		if err := h.write(filepath.Join("../project", path), text); err != nil {
			return err
		}
	}
	return nil
}

// keep takes what was recorded.
func (c captured) keep(h *home, a agent, s scene, from string) error {
	recorded, err := filepath.Glob(filepath.Join(from, "*.json"))
	if err != nil {
		return err
	}
	calls := 0 // so far
	for _, path := range recorded {
		payload, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		env, err := os.ReadFile(strings.TrimSuffix(path, ".json") + ".env")
		if err != nil {
			return err
		}
		event := strings.Split(filepath.Base(path), ".")[1]
		if event == "PreToolUse" {
			calls++
		}
		name := strings.Join(slices.DeleteFunc([]string{event, kindOf(payload, calls, h.steps, s.name), "json"},
			func(part string) bool { return part == "" }), ".")
		c.add(name, h.settled(string(payload)))
		for _, variable := range h.added(a, string(env)) {
			c.variables[variable] = true
		}
	}
	return nil
}

// add adds a payload, unless the event had the same one before. What is new of a name that
// is there gets a number.
func (c captured) add(name, text string) {
	event := regexp.MustCompile(`^\w+`).FindString(name)
	for other, known := range c.files {
		if regexp.MustCompile(`^\w+`).FindString(other) == event && known == text {
			return
		}
	}
	stem := strings.TrimSuffix(name, ".json")
	for n := 2; c.files[name] != ""; n++ {
		name = fmt.Sprintf("%s-%d.json", stem, n)
	}
	c.files[name] = text
}

// kindOf is the kind of the call that a payload is about. Its identifier has the number of the step; without an
// identifier, the step is the number of calls so far. A start has the name of its source, others the scene's name.
func kindOf(payload []byte, calls int, steps []step, scene string) string {
	started := regexp.MustCompile(`"source":"(resume|compact|clear)"`).FindSubmatch(payload)
	if started != nil {
		return string(started[1])
	}
	found := regexp.MustCompile(`"(?:toolu|call)_(\d+)_0"`).FindSubmatch(payload)
	number := 0
	switch {
	case found != nil:
		fmt.Sscan(string(found[1]), &number)
	case bytes.Contains(payload, []byte(`"tool_name":`)):
		number = calls
	}
	if number < 1 || number > len(steps) {
		return scene
	}
	return steps[number-1].Kind
}

// everyTool is a script with a call of each kind of tool.
func everyTool(use tools, project string) []step {
	file := filepath.Join(project, "poem.txt")
	note := object{"title": "a title", "text": "a text"}
	return []step{
		{Kind: "shell", Text: "I begin.", Calls: []call{use("shell", object{"command": "echo one"})}},
		{Kind: "shell-failed", Calls: []call{use("shell", object{"command": "echo two; exit 3"})}},
		{Kind: "write", Calls: []call{use("write", object{"path": file, "content": "roses are red"})}},
		{Kind: "read", Calls: []call{use("read", object{"path": file})}},
		{Kind: "read-failed", Calls: []call{use("read", object{"path": file + "x"})}},
		{Kind: "edit", Calls: []call{use("edit", object{"path": file, "old": "roses are red", "new": "roses are blue"})}},
		{Kind: "mcp", Calls: []call{use("mcp", object{"server": "notes", "tool": "note", "args": note})}},
	}
}

// added lists the variables that the agent added, as NAME=VALUE with placeholders.
func (h *home) added(a agent, env string) (list []string) {
	ours := append(h.env(a), "PWD=", "OLDPWD=", "SHLVL=", "_=")
	for variable := range strings.Lines(env) {
		name, value, isVariable := strings.Cut(strings.TrimSpace(variable), "=")
		known := slices.ContainsFunc(ours, func(v string) bool { return strings.HasPrefix(v, name+"=") })
		if strings.HasSuffix(name, "_TOKEN") {
			value = "TOKEN"
		}
		if isVariable && !known {
			list = append(list, h.settled(name+"="+value))
		}
	}
	return list
}

// settled replaces what differs between runs: directories, identifiers and times.
func (h *home) settled(text string) string {
	if path, value, ok := strings.Cut(text, "="); ok && strings.HasSuffix(path, "_PID") && len(value) < 10 {
		return path + "=1000"
	}
	text = strings.NewReplacer(h.project, "CWD", h.home, "HOME", h.dir, "TMP", h.notes()[0], "PROGRAM", h.cache, "CACHE",
		strings.ReplaceAll(h.project, "/", "-"), "PROJECT", url.PathEscape(h.project), "PROJECT").Replace(text)
	var session struct {
		Session string `json:"session_id"`
	}
	if json.Unmarshal([]byte(text), &session) == nil && session.Session != "" {
		text = strings.ReplaceAll(text, session.Session, "SESSION")
	}
	for _, p := range [][2]string{
		{`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`, "UUID"},
		{`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(Z|\+00:00)`, "TIMESTAMP"},
		{`20\d\d-\d\d-\d\dT\d\d-\d\d-\d\d`, "TIMESTAMP"},
		{`sessions/20\d\d/\d\d/\d\d/`, "sessions/DATE/"},
		{`"(duration_ms|durationMs|duration|session_duration_ms|elapsed_time)":[0-9.]+`, `"$1":10`},
		{`\ba[0-9a-f]{16}\b`, "AGENT"},
		{`/\d+\.sock`, "/1000.sock"},
		{`/claude-\d+/`, "/claude-1000/"},
	} {
		text = regexp.MustCompile(p[0]).ReplaceAllString(text, p[1])
	}
	return text
}
