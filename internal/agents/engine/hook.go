package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/process"
)

// HookOptions is what a handler needs to run in chibi. All but Name and Run may be zero.
type HookOptions struct {
	// Name is the plugin's name, such as "claude:PreToolUse:2".
	Name string
	// Path is the settings file.
	Path string
	// Dir is where the hook runs.
	Dir string
	// Runner runs processes, in sessions of their own without a terminal.
	Runner process.Runner
	// Run returns what is known about the run in which an event is fired.
	Run func(ctx context.Context) Run
	// Ways are how handlers are asked that are not commands.
	Ways Ways
	// Memory is what the hooks of an agent share in a run; nil: nothing.
	Memory *Memory
	// Concerns reads rules of handlers that have an "if"; nil: these are left out.
	Concerns Concerning
	// Waiting is called with what a handler wants shown while it works, and returns what ends
	// that; nil: it is not shown.
	Waiting func(text string) (done func())
	// Leaves is how hooks leave variables for later commands; zero: they cannot.
	Leaves Leaving
	// URLs are the only ones that an HTTP handler may have, nil: any. HeaderVariables are the only
	// variables in its headers besides its own list, nil: any of it.
	URLs, HeaderVariables []string
	// Twins are earlier handlers of the event that do the same: where the matcher of one of
	// them matches, this one is not asked.
	Twins []Handler
	// Override are the person's settings for the plugin.
	Override plugin.Override
	// Check is called right before the process starts; its error prevents that.
	Check func() error
}

// NewPlugin returns the plugin that runs a handler at the points of its event. The error says
// why chibi does not run it.
func NewPlugin(d *Dialect, h Handler, o HookOptions) (plugin.Plugin, error) {
	e, known := d.Event(h.Event)
	if !known {
		return plugin.Plugin{}, fmt.Errorf("unknown event %q", h.Event)
	}
	points := e.Points()
	if points == nil {
		return plugin.Plugin{}, fmt.Errorf("chibi never fires %s", e.Name)
	}
	if lacks := cmp.Or(o.Ways.Lacks(h.Kind), refuses(*d, e, h, o)); lacks != "" {
		return plugin.Plugin{}, errors.New(lacks)
	}
	p := plugin.Plugin{Name: o.Name, Origin: plugin.Origin{Protocol: d.Name, Path: o.Path},
		Hooks: points, Events: map[hookpoints.Name]string{}}
	if e.Kind == SessionStart {
		p.Hooks = append(p.Hooks, PointsOf(AfterCompact)...)
	}
	for _, point := range p.Hooks {
		p.Events[point] = e.Name
	}
	switch {
	case d.InTurn || h.Sequential:
		p.Sequence = d.Name + ":" + e.Name
	default:
		p.Round = d.Name + ":" + e.Name
	}
	p.Transcript = tells(*d, e, Transcript)
	if h.FailClosed {
		p.OnFailure = plugin.Block
	}
	matches, err := matchesAlone(*d, e, h, o.Twins)
	if err != nil {
		return plugin.Plugin{}, err
	}
	concerns, err := h.condition(*d, e, o.Concerns)
	if err != nil {
		return plugin.Plugin{}, err
	}
	one := &hook{dialect: d, event: e, handler: h, opts: o, matches: matches, concerns: concerns}
	p.Handler = one
	if e.Kind == SessionStart {
		p.Handler = &starter{hook: one}
	}
	return p, nil
}

// about returns what is known about the run, with the conversation that the event is in.
func (o HookOptions) about(ctx context.Context) Run {
	about, id := o.Run(ctx), plugin.IdentityOf(ctx)
	about.Session, about.Prompt = cmp.Or(id.Session, about.Session), cmp.Or(id.Prompt, about.Prompt)
	about.Transcript, about.Source = cmp.Or(id.Transcript, about.Transcript), cmp.Or(string(id.Source), about.Source)
	about.Model, about.Effort = cmp.Or(id.Model, about.Model), cmp.Or(id.Effort, about.Effort)
	about.Trusted = about.Trusted || id.Trusted
	return about
}

// tells reports whether an agent's hooks get a value at an event.
func tells(d Dialect, e Event, v Value) bool {
	return slices.ContainsFunc(e.Fields, func(f Field) bool { return f.Value == v }) ||
		slices.ContainsFunc(d.Environment, func(of Variable) bool { return of.Value == v })
}

// matchesAlone returns what the matcher of a handler says, where those of its twins do not
// match.
func matchesAlone(d Dialect, e Event, h Handler, twins []Handler) (func(value string) bool, error) {
	matches, err := d.Matches(e, h.Matcher)
	if err != nil || len(twins) == 0 {
		return matches, err
	}
	var others []func(string) bool
	for _, twin := range twins {
		if other, err := d.Matches(e, twin.Matcher); err == nil {
			others = append(others, other)
		}
	}
	return func(value string) bool {
		isTwins := slices.ContainsFunc(others, func(other func(string) bool) bool { return other(value) })
		return matches(value) && !isTwins
	}, nil
}

// hook is a handler of a settings file as a [plugin.Handler].
type hook struct {
	dialect *Dialect
	event   Event
	handler Handler
	opts    HookOptions
	matches func(value string) bool
	// concerns is the handler's rule about calls, nil: it has none.
	concerns func(Moment) bool
	// ran says that it has run, of a handler that runs once.
	ran atomic.Bool
}

// Handle runs the handler at an event that it is for.
func (h *hook) Handle(ctx context.Context, ev plugin.Event) (plugin.Answer, error) {
	m, why := h.moment(ctx, ev)
	if why != "" {
		return plugin.Answer{Skipped: why}, nil
	}
	if h.handler.Async && h.opts.Memory != nil {
		return h.behind(ctx, ev, m), nil
	}
	eff, answer, err := h.run(ctx, ev, m)
	if err != nil {
		return answer, err
	}
	return h.answer(ev.Point, m, capped(h, m, eff), answer), nil
}

// moment returns what happens, or why the hook is not for it.
func (h *hook) moment(ctx context.Context, ev plugin.Event) (m Moment, why string) {
	m, is := h.event.momentAt(ev.Point, ev.Payload, h.opts.about(ctx))
	m.set(HookDir, filepath.Dir(h.opts.Path))
	if !is {
		return m, fmt.Sprintf("this is no moment for %s", h.event.Name)
	}
	if value := h.dialect.Matched(h.event, m); !h.matches(value) {
		return m, fmt.Sprintf("its matcher %.60q does not match %.60q", h.handler.Matcher, value)
	}
	if h.concerns != nil && !h.concerns(m) {
		return m, fmt.Sprintf("its rule %.60q is not about this call", h.handler.If)
	}
	if h.handler.Once && h.dialect.Shape.Once && h.ran.Swap(true) {
		return m, "it runs once in a session"
	}
	if h.event.Kind == BeforeRead {
		m.set(FileContent, contentOf(m.Text(Path)))
	}
	return m, ""
}

// run asks the handler about a moment.
func (h *hook) run(ctx context.Context, ev plugin.Event, m Moment) (Effect, plugin.Answer, error) {
	if h.opts.Waiting != nil && h.handler.StatusMessage != "" {
		defer h.opts.Waiting(h.handler.StatusMessage)()
	}
	variables, err := envFile(h, m)
	if err != nil {
		return Effect{}, plugin.Answer{}, err
	}
	payload, err := h.dialect.Payload(h.event, m)
	if err != nil {
		return Effect{}, plugin.Answer{}, err
	}
	eff, answer, err := h.ask(ctx, ev, m, payload)
	eff.Notes = append(eff.Notes, variables()...)
	return eff, answer, err
}

// command returns the process of an event.
func (h *hook) command(ev plugin.Event, m Moment, payload []byte) (process.Command, error) {
	variables := h.dialect.Variables(h.event, m)
	c := process.Command{
		Dir: h.opts.Dir, Stdin: payload, NoTerminal: true, Check: h.opts.Check, Admit: ev.Admit,
		Env: slices.Concat(variables, h.opts.Memory.variables()),
		Timeout: cmp.Or(h.opts.Override.Hooks[ev.Point].Timeout, h.opts.Override.Timeout,
			h.dialect.TimeLimit(h.event, h.handler)),
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

// answer returns the answer that an effect is at a point.
func (h *hook) answer(at hookpoints.Name, m Moment, eff Effect, answer plugin.Answer) plugin.Answer {
	body, notes := answerAt(*h.dialect, at, m, eff)
	h.opts.Memory.setVariables(eff.Env)
	answer.Body, answer.Notes = body, append(answer.Notes, notes...)
	return answer
}

// inPlace replaces the agent's variables in a word of a command that no shell reads.
func inPlace(word string, variables []string) string {
	for _, variable := range variables {
		name, value, _ := strings.Cut(variable, "=")
		word = strings.ReplaceAll(word, "${"+name+"}", value)
	}
	return word
}
