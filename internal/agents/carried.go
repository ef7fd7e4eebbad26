package agents

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/plugin"
)

// Carried says how much of the plugins' answers an agent carries out.
type Carried string

// How much an agent carries out.
const (
	NotFired      Carried = "-"       // it has no such moment
	CarriedNot    Carried = "lost"    // nothing of it
	CarriedInPart Carried = "in part" // not always, or not all: chibi bridge show has details
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

// rewritingsAt lists these fields of a point.
func rewritingsAt(info hookpoints.Info) (list []Rewriting) {
	for _, f := range info.Fields {
		if f.Rule.Rewrites() {
			list = append(list, Rewriting{info.Name, f.Name})
		}
	}
	return list
}

// written are the members of effects that carry the field to agents.
func (r Rewriting) written() []engine.Member {
	switch r {
	case Rewriting{hookpoints.PreMessage.Name, "prompt"}:
		return []engine.Member{engine.SetPrompt}
	case Rewriting{hookpoints.PreTool.Name, "arguments"}:
		return []engine.Member{engine.SetInput, engine.SetInputPatch}
	case Rewriting{hookpoints.PreToolOutput.Name, "output"}:
		return []engine.Member{engine.SetOutput}
	case Rewriting{hookpoints.PreAPIRequest.Name, "request_body"}:
		return []engine.Member{engine.SetRequest}
	}
	return nil
}

// Carries says how much of a change the agent carries out.
func (d Bridged) Carries(r Rewriting) (carried Carried) {
	carried = NotFired
	for _, e := range d.firing(r.Point) {
		switch now := carries(e, r.written()); carried {
		case NotFired, now:
			carried = now
		default:
			carried = CarriedInPart
		}
	}
	return carried
}

// carries says how much of a change the agent carries out at an event, if one of the members carries the change.
func carries(e engine.Event, members []engine.Member) Carried {
	carried := CarriedNot
	for _, row := range e.Rows {
		if row.Reads || !slices.Contains(members, row.Set) {
			continue
		}
		if row.Form == "" && row.Categories == nil && row.Set != engine.SetInputPatch && !hasPatches(e) {
			return CarriedWhole
		}
		carried = CarriedInPart
	}
	return carried
}

// hasPatches reports whether the agent changes files by patches. chibi cannot always write those.
func hasPatches(e engine.Event) bool {
	return slices.ContainsFunc(e.Fields, func(f engine.Field) bool { return f.Form == engine.AsPatch }) &&
		e.Kind == engine.BeforeTool
}

// refusesAt reports whether the agent obeys a plugin that blocks at a point.
func (d Bridged) refusesAt(point hookpoints.Name) bool {
	return slices.ContainsFunc(d.firing(point), func(e engine.Event) bool {
		return !e.Kind.CanRefuse() || slices.ContainsFunc(e.Rows, func(r engine.Row) bool {
			return r.Set == engine.SetDecision && r.To == hookpoints.DecisionDeny && !r.Reads
		})
	})
}

// Loses says which parts of a plugin have no effect in the agent, "" for none: points that do not fire there, and
// changes and refusals that the agent does not carry out. chibi does not know a plugin's answers before, so Loses
// also names a plugin that only looks on, unless the plugin's schema says that it is a guard.
func (d Bridged) Loses(p *plugin.Plugin) string {
	if p.Origin.Protocol == d.Name {
		return "" // the agent runs it itself
	}
	var silent, lost, partly, refused, passed []string
	for _, at := range p.Hooks {
		info, known := hookpoints.Find(at)
		if !known {
			continue
		}
		if d.firing(at) == nil {
			silent = append(silent, string(at))
			continue
		}
		carried := d.carriesAt(p, info)
		switch carried {
		case CarriedNot:
			lost = append(lost, string(at))
		case CarriedInPart:
			partly = append(partly, string(at))
		}
		if carried != CarriedWhole && p.FailureAt(at) == plugin.Block {
			refused = append(refused, d.refusing(at)...)
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
	say(lost, "its changes at %s are lost")
	say(partly, "its changes at %s are lost in part")
	say(refused, "its failure blocks, so chibi refuses each prompt or call whose change would be lost (%s)")
	say(passed, "its refusals at %s have no effect")
	return strings.Join(texts, "; ")
}

// refusing lists the events at which a point fires and a denial keeps a prompt or call from happening.
func (d Bridged) refusing(point hookpoints.Name) (events []string) {
	for _, e := range d.firing(point) {
		if e.Kind.Refuses() {
			events = append(events, e.Name)
		}
	}
	return events
}

// carriesAt says how much of a plugin's possible changes at a point the agent carries out: all, if there are none.
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
