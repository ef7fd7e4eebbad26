package trace

import (
	"fmt"
	"strings"
	"time"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/plugin"
	"github.com/tidwall/gjson"
)

// permissionWith returns a permission with changed texts; nil stays nil.
func permissionWith(p *agent.PermissionEvent, change func(string) string) *agent.PermissionEvent {
	if p == nil {
		return nil
	}
	changed := *p
	changed.To, changed.By, changed.Reason = change(p.To), change(p.By), change(p.Reason)
	if p.Asked != nil {
		asked := *p.Asked
		asked.By, asked.Reason = change(asked.By), change(asked.Reason)
		changed.Asked = &asked
	}
	return &changed
}

func permissionRow(row Row, p *agent.PermissionEvent) Row {
	row.Who, row.Text = p.Tool, decidedText(p)
	if p.Asked != nil {
		row.Took = time.Duration(p.Asked.DurationMS) * time.Millisecond
	}
	if p.Decision != permissions.Allow {
		row.Mark = "blocked"
	}
	return row
}

// decidedText returns what was decided, by whom and why, as the end of a sentence.
func decidedText(p *agent.PermissionEvent) string {
	text := "allowed by "
	if p.Decision != permissions.Allow {
		text = "denied by "
	}
	text += nameOr(p.By)
	if asked := p.Asked; asked != nil {
		if asked.Scope != "" {
			text += fmt.Sprintf(" (%s)", scopeText(asked.Scope))
		}
		text += ", who was asked because of " + nameOr(asked.By)
		if asked.Reason != "" {
			text += " (" + strings.TrimSuffix(asked.Reason, ".") + ")"
		}
	}
	if p.Reason != "" {
		text += ": " + strings.TrimSuffix(p.Reason, ".")
	}
	if p.To != "" {
		text = fmt.Sprintf("the redirect to %s was %s", p.To, text)
	}
	return text
}

func nameOr(by string) string {
	if by == "" {
		return "somebody whom the trace does not name"
	}
	return by
}

func scopeText(scope permissions.Scope) string {
	switch scope {
	case permissions.ThisRun:
		return "for this run"
	case permissions.Always:
		return "always"
	}
	return string(scope)
}

// addPermission adds who allowed or denied a call. That a rule or a default allowed it is
// said only in an answer about the tool.
func (all *facts) addPermission(p *permission) {
	about := []Subject{{KindTool, p.Tool}}
	for _, f := range p.asked {
		about = with(about, pointOf(f.point))
	}
	for _, name := range []string{p.Plugin, p.askedFor()} {
		if name != "" {
			about = with(about, Subject{KindPlugin, name})
		}
	}
	add := all.add
	if p.Decision == permissions.Allow && p.Asked == nil && p.Plugin == "" {
		add = all.addQuiet
	}
	text := decidedText(&p.PermissionEvent)
	if p.To == "" {
		text = "was " + text
	} else {
		text = "was redirected: " + text
	}
	add(about, "The call of %s (%s) %s.", p.Tool, p.ID, text)
	all.addUnused(p, about)
}

func (p *permission) askedFor() string {
	if p.Asked == nil {
		return ""
	}
	return p.Asked.Plugin
}

// addUnused adds a plugin's decision that somebody other than a plugin overruled. What
// other plugins overruled is noted in its record.
func (all *facts) addUnused(p *permission, about []Subject) {
	by := p.By
	if p.Asked != nil {
		by = p.Asked.By
	}
	for _, l := range p.decisions() {
		if l.Plugin == p.Plugin || l.Plugin == p.askedFor() {
			continue
		}
		all.add(with(about, Subject{KindPlugin, l.Plugin}), "The decision of plugin %q at %s, %q, was not used: %s came "+
			"first.", l.Plugin, l.where(), decisionOf(l.Record), nameOr(by))
	}
}

func (p *permission) decisions() (lines []Line) {
	for _, f := range p.asked {
		lines = append(lines, f.did(plugin.Changed)...)
	}
	return lines
}

// decisionOf returns what a plugin decided at a permission point, "" for other records.
func decisionOf(r *plugin.Record) string {
	if r.Result != plugin.Changed || !hookpoints.AsksPermission(r.Point) {
		return ""
	}
	return gjson.GetBytes(r.Answer, "decision").String()
}

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

// servedText says how long the parts of a call of an MCP server took. A start is one that a
// person could notice: of a server that is connected to, it is nearly nothing.
func servedText(s *agent.ServedEvent) string {
	text := ""
	ms := func(n float64) string { return milliseconds(time.Duration(n * float64(time.Millisecond))) }
	if s.StartMS >= 1 {
		text = "start " + ms(s.StartMS) + ", "
	}
	if s.WaitMS > 0 {
		text += "waited for you " + ms(s.WaitMS) + ", "
	}
	return text + "call " + ms(s.CallMS)
}
