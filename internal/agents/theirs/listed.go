package theirs

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/agents/engine"
	agentsettings "github.com/chibi-host/chibi/internal/agents/settings"
	"github.com/chibi-host/chibi/plugin"
)

// Listed is a hook of an agent's settings files, for lists of where chibi asks it.
type Listed struct {
	// Name is its name, Path and Line say where it stands.
	Name, Path string
	Line       int
	// Handler is the hook and Limit its time limit; zero if chibi leaves it out.
	Handler agentsettings.Handler
	Limit   time.Duration
	// LeftOut says why chibi does not ask it; "": chibi does.
	LeftOut string
	// Elsewhere reports whether the agent of the session runs it by itself at a moment; nil: never.
	Elsewhere func(engine.Moment) bool
}

// List lists the hooks of an agent; hooks that chibi leaves out come last. Entries of chibi bridge are not hooks.
func List(o Options, agent string) (list []Listed) {
	o.Agents = map[string]Agent{agent: o.Agents[agent]}
	for _, a := range loadAgents(o) {
		for _, h := range a.ready {
			event, _ := a.dialect.Event(h.Event)
			one := Listed{Name: h.name, Path: h.file.Path, Line: h.Line, Handler: *h.Handler, Elsewhere: h.file.taken.runs(h),
				Limit: cmp.Or(a.override[h.name].Timeout, h.TimeLimit(a.dialect, event))}
			if i := slices.IndexFunc(a.Skipped, func(s plugin.SkippedPlugin) bool { return s.Name == h.name }); i >= 0 {
				one.LeftOut = a.Skipped[i].Reason
			}
			list = append(list, one)
		}
		for _, s := range a.Skipped {
			isListed := slices.ContainsFunc(list, func(l Listed) bool { return l.Name == s.Name })
			if !isListed && !strings.HasPrefix(s.Reason, ofBridge) {
				list = append(list, Listed{Name: s.Name, Path: s.Origin.Path, Line: s.Origin.Line, LeftOut: s.Reason})
			}
		}
	}
	return list
}
