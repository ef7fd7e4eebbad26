package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
)

// Carried says how much of what plugins ask for an agent carries out.
type Carried string

// How much an agent carries out.
const (
	NotFired      Carried = "-"       // it has no such moment
	CarriedNot    Carried = "lost"    // nothing of it
	CarriedInPart Carried = "in part" // not always, or not all: chibi bridge show says what
	CarriedWhole  Carried = "yes"     // all of it
)

// Rewriting is a field with which plugins change what happens at a point.
type Rewriting struct {
	Point hookpoints.Name
	Field string
}

// Rewritings lists the fields with which plugins change what happens, in the order of the
// documentation.
func Rewritings() (list []Rewriting) {
	for _, info := range hookpoints.All() {
		list = append(list, rewritingsAt(info)...)
	}
	return list
}

// rewritingsAt lists those of a point.
func rewritingsAt(info hookpoints.Info) (list []Rewriting) {
	for _, f := range info.Fields {
		if f.Rule.Rewrites() {
			list = append(list, Rewriting{info.Name, f.Name})
		}
	}
	return list
}

// written are the members of effects by which agents are told of the field.
func (r Rewriting) written() []Member {
	switch r {
	case Rewriting{hookpoints.PreMessage.Name, "prompt"}:
		return []Member{SetPrompt}
	case Rewriting{hookpoints.PreTool.Name, "arguments"}:
		return []Member{SetInput, SetInputPatch}
	case Rewriting{hookpoints.PreToolOutput.Name, "output"}:
		return []Member{SetOutput}
	case Rewriting{hookpoints.PreAPIRequest.Name, "request_body"}:
		return []Member{SetRequest}
	}
	return nil
}

// Carries says how much of what plugins change the agent carries out.
func (d Bridged) Carries(r Rewriting) (carried Carried) {
	carried = NotFired
	for _, e := range d.firing(r.Point) {
		switch now := e.carries(r.written()); carried {
		case NotFired, now:
			carried = now
		default:
			carried = CarriedInPart
		}
	}
	return carried
}

// carries says how much the agent carries out at an event that is written by one of some members.
func (e Event) carries(members []Member) Carried {
	carried := CarriedNot
	for _, row := range e.Rows {
		if row.Reads || !slices.Contains(members, row.Set) {
			continue
		}
		if row.Form == "" && row.Categories == nil && row.Set != SetInputPatch && !e.hasPatches() {
			return CarriedWhole
		}
		carried = CarriedInPart
	}
	return carried
}

// hasPatches reports whether the agent changes files by patches, which chibi cannot always write.
func (e Event) hasPatches() bool {
	return slices.ContainsFunc(e.Fields, func(f Field) bool { return f.Form == AsPatch }) && e.Kind == BeforeTool
}

// refusesAt reports whether the agent obeys a plugin that blocks at a point.
func (d Bridged) refusesAt(point hookpoints.Name) bool {
	return slices.ContainsFunc(d.firing(point), func(e Event) bool {
		return !e.Kind.canRefuse() || slices.ContainsFunc(e.Rows, func(r Row) bool {
			return r.Set == SetDecision && r.To == string(hookpoints.DecisionDeny) && !r.Reads
		})
	})
}

// Loses says what of a plugin has no effect in the agent, "" for nothing: points that do not fire
// there, and what the plugin may change or refuse at others. What it asks for is not known before, so
// a plugin that only ever looks on is named too, unless its schema says that it is a guard.
func (d Bridged) Loses(p *plugin.Plugin) string {
	if p.Origin.Protocol == d.Name {
		return "" // the agent runs it itself
	}
	var silent, lost, partly, passed []string
	for _, at := range p.Hooks {
		info, known := hookpoints.Find(at)
		if !known {
			continue
		}
		if d.firing(at) == nil {
			silent = append(silent, string(at))
			continue
		}
		switch d.carriesAt(p, info) {
		case CarriedNot:
			lost = append(lost, string(at))
		case CarriedInPart:
			partly = append(partly, string(at))
		}
		if info.CanBlock() && !d.refusesAt(at) {
			passed = append(passed, string(at))
		}
	}
	var texts []string
	say := func(points []string, format string) {
		if len(points) > 0 {
			texts = append(texts, fmt.Sprintf(format, strings.Join(points, ", ")))
		}
	}
	say(silent, "points that never fire there: %s")
	say(lost, "what it changes at %s is lost")
	say(partly, "what it changes at %s is lost in part")
	say(passed, "what it refuses at %s happens all the same")
	return strings.Join(texts, "; ")
}

// carriesAt says how much of what a plugin can change at a point the agent carries out: all of it, if
// the plugin can change nothing.
func (d Bridged) carriesAt(p *plugin.Plugin, info hookpoints.Info) Carried {
	if p.GuardsAt(info.Name) {
		return CarriedWhole
	}
	own, isOfAgent := ByName(p.Origin.Protocol)
	for _, r := range rewritingsAt(info) {
		if carried := d.Carries(r); carried != CarriedWhole && !(isOfAgent && (Bridged{own}).Carries(r) == CarriedNot) {
			return carried
		}
	}
	return CarriedWhole
}
