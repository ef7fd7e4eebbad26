package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// check is one thing that must hold in every agent.
type check struct {
	name string
	// loss is what `chibi bridge show` says of an agent that cannot do it, at a hook point.
	loss loss
	// config and plugins are chibi's home, script what the model answers.
	config  string
	plugins []string
	// foreign says that there is a hook in Claude Code's settings, which some agents run by themselves.
	foreign bool
	script  func(use tools, project string) []step
	// without must hold before the bridge is added, with afterwards.
	without, with func(t trial) error
	// special is a check that goes another way.
	special func(c check, o options, a agent) error
}

// loss is a sentence, or the part of one that only an agent says that cannot do it at all, in
// what is lost at the events where a hook point fires.
type loss struct{ point, sentence string }

// tools makes calls in the words of an agent.
type tools func(kind string, args object) call

// trial is one run of an agent that has ended.
type trial struct {
	outcome
	*home
}

// verdict is a line of the result.
type verdict struct{ word, agent, version, check, detail string }

// String is the line.
func (v verdict) String() string {
	line := fmt.Sprintf("%-4s %-7s %s: %s", v.word, v.agent, v.version, v.check)
	if v.detail != "" {
		line += " - " + v.detail
	}
	return line
}

// firm is a failure that no loss of the agent explains.
type firm struct{ error }

// Unwrap returns the failure.
func (f firm) Unwrap() error { return f.error }

// before is what failed before the bridge was added, where nothing of it can be lost.
func before(err error) error { return firm{fmt.Errorf("without the bridge: %w", err)} }

// judge runs a check in an agent.
func (c check) judge(o options, a agent) verdict {
	v := verdict{word: "PASS", agent: a.Name, version: a.title(), check: c.name, detail: c.itself(o, a).how}
	if err := c.available(o, a); err != nil {
		v.word, v.detail = "SKIP", err.Error()
		return v
	}
	try := c.special
	if try == nil {
		try = check.compare
	}
	if err := try(c, o, a); err != nil {
		v.word, v.detail = "FAIL", strings.Join(strings.Fields(err.Error()), " ")
		if said := c.admitted(o, a); said != "" && !errors.As(err, new(firm)) {
			v.word, v.detail = "LOSS", said
		}
	}
	return v
}

func (c check) available(o options, a agent) error {
	h, err := newHome(o, a, nil)
	if err != nil {
		return err
	}
	defer h.done(options{})
	return a.installed(o, h)
}

// compare runs the agent without the bridge and with it.
func (c check) compare(o options, a agent) error {
	if err := c.try(o, a, c.without, nil); err != nil {
		return before(err)
	}
	return c.try(o, a, c.with, addBridge)
}

// try prepares the home, runs the agent once and looks at the outcome.
func (c check) try(o options, a agent, look func(trial) error, prepare func(*home, agent) error) error {
	h, err := newHome(o, a, nil)
	if err != nil {
		return err
	}
	defer h.done(o)
	h.script(a.script(c.script, h.project))
	if err := h.install(c.config, c.plugins...); err != nil {
		return err
	}
	if prepare != nil {
		if err := prepare(h, a); err != nil {
			return err
		}
	}
	said, err := a.run(o, h, "Please do what is to be done.")
	if err != nil {
		return err
	}
	if err := look(trial{said, h}); err != nil {
		return fmt.Errorf("%w (status %d, %d requests, %.0f s)", err, said.status, len(h.model.Requests()),
			said.took.Seconds())
	}
	return nil
}

// addBridge adds the bridge to the agent's settings.
func addBridge(h *home, a agent) error { return addBridgeWith(h, a) }

func addBridgeWith(h *home, a agent, flags ...string) error {
	before := h.files()
	_, err := h.chibi(a, append(append([]string{"bridge", "add"}, flags...), a.Name)...)
	if err == nil && len(h.changed(before)) == 0 {
		err = errors.New("chibi bridge add changed nothing")
	}
	return err
}

// says is what chibi says of an agent.
type says struct {
	Title  string
	Events []struct{ Points, Lost []string }
	Itself []owner `json:"runs_by_itself"`
}

// owner is an agent whose hooks another one runs by itself, and the files that it reads.
type owner struct {
	Agent string
	Files []string
	Names string `json:"tool_names"`
}

func (c check) shown(o options, a agent) (s says) {
	h, err := newHome(o, a, nil)
	if err != nil {
		return s
	}
	defer h.done(options{})
	shown, err := h.chibi(a, "bridge", "show", a.Name, "--json")
	if err == nil {
		json.Unmarshal([]byte(shown), &s)
	}
	return s
}

// admitted returns what chibi says is lost, if the agent cannot do it.
func (c check) admitted(o options, a agent) string {
	if c.loss.sentence == "" {
		return ""
	}
	for _, e := range c.shown(o, a).Events {
		for _, sentence := range e.Lost {
			if slices.Contains(e.Points, c.loss.point) && strings.Contains(sentence, c.loss.sentence) {
				return sentence
			}
		}
	}
	return ""
}

// ended says that the agent came to its end by itself.
func (t trial) ended() error {
	if t.status != 0 {
		return fmt.Errorf("it ended with status %d: %.300s", t.status, t.stderr+t.stdout)
	}
	return nil
}

// wrote says that a file of the project holds a text; "" is a file that is not there.
func (t trial) wrote(name, want string) error {
	text, _ := os.ReadFile(filepath.Join(t.project, name))
	if got := string(text); strings.TrimSpace(got) != want {
		return fmt.Errorf("%s holds %q, want %q", name, got, want)
	}
	return nil
}

// told checks whether the agent sent the model a text in the conversation.
func (t trial) told(text string, want bool) error {
	got := false
	for _, r := range t.model.Requests() {
		got = got || r.Main && strings.Contains(texts(r.Body), text)
	}
	if got != want {
		return fmt.Errorf("the model received %q: %t, want %t", text, got, want)
	}
	return nil
}

// asked says how many requests the conversation had.
func (t trial) asked(want int) error {
	got := 0
	for _, r := range t.model.Requests() {
		if r.Main {
			got++
		}
	}
	if got != want {
		return fmt.Errorf("the conversation had %d requests, want %d", got, want)
	}
	return nil
}
