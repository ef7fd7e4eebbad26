package trace

import (
	"fmt"
	"time"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/hookpoints"
)

// subagentWith returns a sub-agent with changed texts; nil stays nil.
func subagentWith(a *agent.AgentEvent, change func(string) string) *agent.AgentEvent {
	if a == nil {
		return nil
	}
	changed := *a
	changed.Why = change(a.Why)
	return &changed
}

func (r Row) in(agent string) Row {
	if agent != "" {
		r.Point = agent + " " + r.Point
	}
	return r
}

func subagentRow(row Row, s *agent.Event) Row {
	a := s.Subagent
	row.Who = a.ID
	switch a.Status {
	case "":
		row.Text = fmt.Sprintf("begins (%s): %s", a.Type, s.Text)
		return row
	case hookpoints.SpawnFailed:
		row.Mark = "failed"
	case hookpoints.SpawnBlocked:
		row.Mark = "blocked"
	}
	row.Took = time.Duration(a.DurationMS) * time.Millisecond
	row.Text = a.Outcome()
	return row
}

func (all *facts) addSubagent(step *agent.Event) {
	a := step.Subagent
	if a == nil || a.Status == "" {
		return
	}
	about := []Subject{{KindTool, a.Tool}, pointOf(hookpoints.PreSpawnAgent.Name), pointOf(hookpoints.PostSpawnAgent.Name)}
	if a.Plugin != "" {
		about = with(about, Subject{KindPlugin, a.Plugin})
	}
	all.add(about, "Sub-agent %s (%s, model %s), which the call of %s (%s) asked for: %s.",
		a.ID, a.Type, a.Model, a.Tool, a.CallID,
		a.Outcome())
}
