package agents

import (
	"slices"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/plugin/toolnames"
	"github.com/chibi-host/chibi/tools"
)

// Bridged is an agent in which chibi's plugins work.
type Bridged struct{ engine.Dialect }

// PointsAt lists the hook points that fire in the bridge at an event of the agent, in order.
func (d Bridged) PointsAt(e engine.Event) []hookpoints.Name {
	switch e.Kind {
	case engine.SessionStart:
		return []hookpoints.Name{hookpoints.OnStart.Name, hookpoints.PostClear.Name, hookpoints.PreSystemPrompt.Name,
			hookpoints.PostSystemPrompt.Name}
	case engine.SessionEnd:
		return []hookpoints.Name{hookpoints.OnEnd.Name, hookpoints.PreClear.Name}
	case engine.BeforeTool:
		return d.pointsBeforeTool()
	case engine.AfterTool, engine.ToolSucceeded, engine.ToolFailed:
		return []hookpoints.Name{hookpoints.PreToolOutput.Name, hookpoints.PostToolOutput.Name, hookpoints.PostTool.Name}
	case engine.Stop:
		points := []hookpoints.Name{hookpoints.PostMessage.Name, hookpoints.PreStop.Name}
		if slices.Contains(e.Also, engine.TurnFailed) {
			points = append(points, hookpoints.OnTurnFailed.Name)
		}
		return points
	}
	return engine.PointsOf(e.Kind)
}

// pointsBeforeTool lists the points before a tool. Points for which the agent has a separate event fire there
// instead. pre_file_read does not fire if the agent reads files by commands.
func (d Bridged) pointsBeforeTool() []hookpoints.Name {
	reads := slices.ContainsFunc(d.Tools, func(t toolnames.Tool) bool {
		return t.Category == tools.CategoryRead || t.Category == tools.CategorySearch
	})
	points := []hookpoints.Name{hookpoints.PreAPITools.Name, hookpoints.PreTool.Name}
	for _, one := range []struct {
		point hookpoints.Name
		fires bool
	}{
		{hookpoints.PreFileRead.Name, reads && !d.asksAt(engine.BeforeRead)}, {hookpoints.PreFileWrite.Name, true},
		{hookpoints.PreShellExec.Name, !d.asksAt(engine.BeforeShell)}, {hookpoints.PreFetchURL.Name, true},
		{hookpoints.PreMCPCall.Name, !d.asksAt(engine.BeforeMCP)},
	} {
		if one.fires {
			points = append(points, one.point)
		}
	}
	return points
}

// asksAt reports whether the agent asks chibi at an event of a kind.
func (d Bridged) asksAt(kind engine.Kind) bool {
	return slices.ContainsFunc(d.Events, func(e engine.Event) bool { return e.Kind == kind && e.Bridged })
}

// TellsSessions reports whether the agent says that its sessions begin.
func (d Bridged) TellsSessions() bool { return d.asksAt(engine.SessionStart) }

// firing lists the agent's events at which a hook point fires in the bridge.
func (d Bridged) firing(point hookpoints.Name) (events []engine.Event) {
	for _, e := range d.Events {
		if e.Bridged && slices.Contains(d.PointsAt(e), point) {
			events = append(events, e)
		}
	}
	return events
}

// NeverFired lists the hook points that fire at no event of the agent, in the order of the
// documentation.
func (d Bridged) NeverFired() (points []hookpoints.Name) {
	for _, name := range hookpoints.Names() {
		if point := hookpoints.Name(name); d.firing(point) == nil {
			points = append(points, point)
		}
	}
	return points
}
