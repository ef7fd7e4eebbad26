package bridge

import (
	"slices"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin/dialect"
)

// PointsAt lists the hook points that fire in the bridge at a moment of an agent, in order.
func PointsAt(d dialect.Dialect, e dialect.Event) (points []hookpoints.Name) {
	switch e.Kind {
	case dialect.SessionStart:
		return []hookpoints.Name{hookpoints.OnStart.Name, hookpoints.PostClear.Name, hookpoints.PreSystemPrompt.Name,
			hookpoints.PostSystemPrompt.Name}
	case dialect.SessionEnd:
		return []hookpoints.Name{hookpoints.OnEnd.Name, hookpoints.PreClear.Name}
	case dialect.BeforeTool:
		return beforeTool(d, e)
	case dialect.AfterTool, dialect.ToolSucceeded, dialect.ToolFailed:
		return []hookpoints.Name{hookpoints.PreToolOutput.Name, hookpoints.PostToolOutput.Name, hookpoints.PostTool.Name}
	case dialect.Stop:
		return []hookpoints.Name{hookpoints.PostMessage.Name, hookpoints.PreStop.Name}
	}
	return dialect.PointsOf(e.Kind)
}

// beforeTool lists the points before a tool; those for which the agent has an event of its own
// fire there.
func beforeTool(d dialect.Dialect, e dialect.Event) []hookpoints.Name {
	points := []hookpoints.Name{hookpoints.PreAPITools.Name, hookpoints.PreTool.Name}
	for _, one := range []struct {
		kind  dialect.Kind
		point hookpoints.Name
	}{
		{dialect.BeforeRead, hookpoints.PreFileRead.Name}, {"", hookpoints.PreFileWrite.Name},
		{dialect.BeforeShell, hookpoints.PreShellExec.Name}, {"", hookpoints.PreFetchURL.Name},
		{dialect.BeforeMCP, hookpoints.PreMCPCall.Name},
	} {
		if one.kind == "" || !hasOwn(d, one.kind) {
			points = append(points, one.point)
		}
	}
	return points
}

// hasOwn reports whether the agent has an event of a kind at which chibi is asked.
func hasOwn(d dialect.Dialect, kind dialect.Kind) bool {
	return slices.ContainsFunc(d.Events, func(e dialect.Event) bool { return e.Kind == kind && e.Bridged })
}

// NeverFired lists the hook points that fire at no event of an agent, in the order of the
// documentation.
func NeverFired(d dialect.Dialect) (points []hookpoints.Name) {
	fired := map[hookpoints.Name]bool{}
	for _, e := range d.Events {
		if !e.Bridged {
			continue
		}
		for _, point := range PointsAt(d, e) {
			fired[point] = true
		}
	}
	for _, name := range hookpoints.Names() {
		if point := hookpoints.Name(name); !fired[point] {
			points = append(points, point)
		}
	}
	return points
}
