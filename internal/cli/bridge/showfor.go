package bridge

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/agents/bridge"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/agents/theirs"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/term"
)

// shownFor is what becomes of the hooks of one agent in another one. docs/JSON.md describes its members.
type shownFor struct {
	Agent   string `json:"agent"`
	HooksOf string `json:"hooks_of"`
	// On says that the configuration has these hooks answer there.
	On       bool                 `json:"on"`
	WithinMS int64                `json:"within_ms"`
	Events   []bridge.HookedEvent `json:"events"`
	in, of   engine.Dialect
}

// showFor describes what becomes of the hooks of an agent in another one.
func showFor(ctx context.Context, env *command.Env, in engine.Dialect, word string) (one shownFor, err error) {
	of, err := agentNamed(word)
	if err != nil {
		return one, err
	}
	if of.Name == in.Name {
		return one, command.Usage("%s runs its own hooks by itself; chibi asks them in other agents", in.Title)
	}
	i, err := anywhere(env)
	if err != nil {
		return one, err
	}
	within := deadline(i, in.Name)
	one = shownFor{Agent: in.Name, HooksOf: of.Name, Events: []bridge.HookedEvent{}, WithinMS: within.Milliseconds(),
		in: in, of: of}
	return one, env.With(ctx, app.ToRead, func(s *app.Session) error {
		o := s.Loader().HooksIn(in.Name)
		if one.On = slices.Contains(o.Asked(), of.Name); !one.On {
			o.Agents = map[string]theirs.Agent{of.Name: {User: true, Project: true}}
		}
		r, err := bridge.NewRehearsal(ctx, in, fmt.Sprintf("bridge.allow=%t", s.Config.Bridge.Allow))
		if err != nil {
			return err
		}
		defer r.Close()
		list, err := r.List(ctx, of, theirs.List(o, of.Name), within)
		one.Events = append(one.Events, list...)
		return err
	})
}

// deadline is how long hooks of an event may take together: the shortest that the entries of the home say.
func deadline(i bridge.Installer, agent string) (within time.Duration) {
	found, _ := i.FindAll() // what cannot be read, chibi bridge list says
	for _, f := range found {
		if own := cmp.Or(f.Deadline, bridge.Deadline); f.Own && f.Agent.Name == agent && (within == 0 || own < within) {
			within = own
		}
	}
	return cmp.Or(within, bridge.Deadline)
}

// String is the description for people.
func (s shownFor) String() string {
	var b strings.Builder
	how := "known from reading alone, so nobody has verified what it does with an answer"
	if s.in.Facts.Driven != "" {
		how = "driven as version " + s.in.Facts.Driven
	}
	fmt.Fprintf(&b, "Hooks of %s in %s (%s)\n", s.of.Title, s.in.Title, how)
	if !s.On {
		fmt.Fprintf(&b, "They do not answer there: [foreign.%s] user = true, or [bridge] foreign, turns them on.\n",
			s.HooksOf)
	}
	if len(s.Events) == 0 {
		fmt.Fprintf(&b, "There are none.\n")
	}
	for _, e := range s.Events {
		s.sayEvent(&b, e)
	}
	return b.String()
}

// sayEvent describes an event with its hooks.
func (s shownFor) sayEvent(b *strings.Builder, e bridge.HookedEvent) {
	var at []string
	for _, p := range e.Passages {
		at = append(at, p.At)
	}
	switch {
	case e.Event == "":
		fmt.Fprintf(b, "Left out:\n")
	case at == nil:
		fmt.Fprintf(b, "%s: chibi never asks it; %s has no such event.\n", e.Event, s.in.Title)
	default:
		fmt.Fprintf(b, "%s: chibi asks it at %s.\n", e.Event, strings.Join(at, ", "))
	}
	for _, p := range e.Passages {
		if len(e.Passages) > 1 {
			fmt.Fprintf(b, "  at %s:\n", p.At)
		}
		s.sayPassage(b, p)
	}
	for _, text := range e.Arguments {
		fmt.Fprintf(b, "  argument: %s\n", text)
	}
	for _, text := range e.Untold {
		fmt.Fprintf(b, "  not told: %s\n", text)
	}
	for _, h := range e.Hooks {
		where := fmt.Sprintf("%s:%d", term.Name(h.File), h.Line)
		if h.Matcher != "" {
			where += fmt.Sprintf(", %.60q", h.Matcher)
		}
		fmt.Fprintf(b, "  %s (%s)%s\n", h.Name, where, s.about(e, h))
	}
}

// sayPassage says what becomes of what hooks say at an event.
func (s shownFor) sayPassage(b *strings.Builder, p bridge.Passage) {
	var arrives, lost, unseen []string
	for _, o := range p.Becomes {
		about := ""
		if o.Values != nil {
			about = " (" + strings.Join(o.Values, ", ") + ")"
		}
		if o.Unseen && s.in.Facts.Driven != "" {
			unseen = append(unseen, o.Arrives+about)
		}
		switch why := strings.Join(append([]string{""}, o.Why...), "; "); {
		case o.Is():
			arrives = append(arrives, o.Says+about)
		case o.Arrives == "":
			lost = append(lost, "lost: "+o.Says+about+why)
		default:
			lost = append(lost, fmt.Sprintf("otherwise: %s%s becomes: %s%s", o.Says, about, o.Arrives, why))
		}
	}
	if arrives != nil {
		fmt.Fprintf(b, "  arrives: %s\n", strings.Join(arrives, ", "))
	}
	for _, text := range lost {
		fmt.Fprintf(b, "  %s\n", text)
	}
	if unseen != nil {
		fmt.Fprintf(b, "  not verified, as nobody has seen what %s does with it: %s\n", s.in.Title,
			strings.Join(unseen, ", "))
	}
}

// about says about what a hook is asked.
func (s shownFor) about(e bridge.HookedEvent, h bridge.HookIn) string {
	if h.LeftOut != "" {
		return ": " + h.LeftOut
	}
	var texts []string
	say := func(is bool, format string, args ...any) {
		if is {
			texts = append(texts, fmt.Sprintf(format, args...))
		}
	}
	if len(e.Passages) == 0 {
		return ""
	}
	named := func(list []string) string { return strings.Join(list, ", ") }
	event, _ := s.of.Event(e.Event)
	matches := event.Matches != ""
	say(matches && len(h.Asked) > 0, "asked about %s", named(h.Asked))
	say(len(h.Itself) > 0, "%s runs it by itself about %s", s.in.Title, named(h.Itself))
	say(matches && len(h.Never) > 0, "never about %s, which %s does not report", named(h.Never), s.in.Title)
	say(matches && len(h.Asked)+len(h.Itself)+len(h.Never) == 0, "chibi knows no name that its matcher means")
	say(h.LimitMS > 0, "may take %v, and an event has %v for all", ms(h.LimitMS), ms(s.WithinMS))
	if texts == nil {
		return ""
	}
	return ": " + strings.Join(texts, "; ")
}

func ms(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
