// Package hooks makes plugins of the hooks that people wrote for coding agents. chibi asks each hook at the points
// at which its event happens, in the words of its agent, and turns its answer into chibi's.
//
// [NewPlugin] is one handler of a settings file. A handler runs only where its agent would run it, notes name the
// parts of its answer that have no effect here, and the package starts nothing but handlers.
package hooks

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/agents/settings"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/process"
)

// Options has everything that a handler needs to run in chibi. All but Name and Run may be zero.
type Options struct {
	// Name is the plugin's name, such as "claude:PreToolUse:2".
	Name string
	// Path is the settings file.
	Path string
	// Dir is where the hook runs.
	Dir string
	// Runner runs processes, in sessions of their own without a terminal.
	Runner process.Runner
	// Run returns the facts about the run in which an event fires.
	Run func(ctx context.Context) engine.Run
	// Agents returns all agents that chibi knows, so that a note can name the agent in whose form an answer is.
	// Their tables are large, and few answers need them.
	Agents func() []engine.Dialect
	// Ways say how to ask handlers that are not commands.
	Ways Ways
	// Memory is what the hooks of an agent share; nil: they share nothing, and chibi waits for each.
	Memory *Memory
	// Concerns reads the rules of handlers that have an "if"; nil: chibi leaves these handlers out.
	Concerns Concerning
	// Waiting shows a handler's text while it works, and returns a function that ends that; nil: chibi does not
	// show it.
	Waiting func(text string) (done func())
	// Leaves says how hooks leave variables for later commands; zero: they cannot.
	Leaves Leaving
	// URLs are the only ones that an HTTP handler may have, nil: any. HeaderVariables are the only
	// variables in its headers besides its own list, nil: any of it.
	URLs, HeaderVariables []string
	// Twins are earlier handlers of the event that do the same. chibi does not ask this one where the matcher of
	// one of them matches.
	Twins []settings.Handler
	// Elsewhere reports whether the agent in whose session the event happens runs the handler itself;
	// nil: it does not.
	Elsewhere func(engine.Moment) bool
	// Override are the person's settings for the plugin.
	Override plugin.Override
	// Check runs right before the process starts; its error prevents the start.
	Check func() error
	// Instead answers a payload in place of the handler, which then does not start; nil: the handler answers.
	Instead func(payload []byte) engine.Outcome
}

// Leaving says how a hook leaves variables for the commands that run after it.
type Leaving struct {
	// Dir returns a private directory of the run.
	Dir func() (string, error)
	// Add takes the variables.
	Add func(map[string]string)
	// Getenv looks up a variable that commands have now.
	Getenv func(string) string
}

// about returns the facts about the run, with the conversation of the event.
func (o Options) about(ctx context.Context) engine.Run {
	about, id := o.Run(ctx), plugin.IdentityOf(ctx)
	about.Session, about.Prompt = cmp.Or(id.Session, about.Session), cmp.Or(id.Prompt, about.Prompt)
	about.Transcript, about.Source = cmp.Or(id.Transcript, about.Transcript), cmp.Or(string(id.Source), about.Source)
	about.Model, about.Effort = cmp.Or(id.Model, about.Model), cmp.Or(id.Effort, about.Effort)
	about.Trusted = about.Trusted || id.Trusted
	return about
}

// runsElsewhere says why chibi does not ask a handler at a moment at which its agent runs it.
func (o Options) runsElsewhere(m engine.Moment) string {
	if o.Elsewhere == nil || !o.Elsewhere(m) {
		return ""
	}
	return "the agent of this session reads its settings file and runs it by itself"
}

// hook is a handler of a settings file as a [plugin.Handler].
type hook struct {
	dialect *engine.Dialect
	event   engine.Event
	handler settings.Handler
	opts    Options
	matches func(value string) bool
	// concerns is the handler's rule about calls, nil: it has none.
	concerns func(engine.Moment) bool
}

// command returns the process of an event.
func (h *hook) command(ev plugin.Event, m engine.Moment, payload []byte) (process.Command, error) {
	variables := h.dialect.Variables(h.event, m)
	c := process.Command{
		Dir: h.opts.Dir, Stdin: payload, NoTerminal: true, Check: h.opts.Check, Admit: ev.Admit,
		Env: slices.Concat(variables, h.opts.Memory.variables()),
		Timeout: cmp.Or(h.opts.Override.Hooks[ev.Point].Timeout, h.opts.Override.Timeout,
			h.handler.TimeLimit(*h.dialect, h.event)),
	}
	for _, name := range slices.Sorted(maps.Keys(h.handler.Env)) {
		c.Env = append(c.Env, name+"="+h.handler.Env[name])
	}
	if h.handler.Exec {
		c.Path = inPlace(h.handler.Command, variables)
		for _, arg := range h.handler.Args {
			c.Args = append(c.Args, inPlace(arg, variables))
		}
	} else {
		shell := h.dialect.Shell
		if h.handler.Shell != "" {
			shell = []string{h.handler.Shell, "-c"}
		}
		c.Path, c.Args = shell[0], append(slices.Clone(shell[1:]), h.handler.Command)
	}
	return c, find(&c, h.opts.Runner)
}

// find makes the path of a program absolute.
func find(c *process.Command, runner process.Runner) error {
	switch {
	case filepath.IsAbs(c.Path):
	case strings.Contains(c.Path, "/"):
		c.Path = filepath.Join(c.Dir, c.Path)
	default:
		path, found := runner.LookPath(c.Path)
		if !found {
			return fmt.Errorf("there is no program %q in PATH", c.Path)
		}
		c.Path = path
	}
	return nil
}

// inPlace replaces the agent's variables in a word of a command that no shell reads.
func inPlace(word string, variables []string) string {
	for _, variable := range variables {
		name, value, _ := strings.Cut(variable, "=")
		word = strings.ReplaceAll(word, "${"+name+"}", value)
	}
	return word
}
