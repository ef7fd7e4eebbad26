package trace

import (
	"fmt"
	"strings"
	"time"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/plugin"
)

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
	add(about, "The %s %s.", callNamed(p.Tool, p.ID), text)
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

func (all *facts) addSubagent(step *agent.Event) {
	a := step.Subagent
	if a == nil || a.Status == "" {
		return
	}
	about := []Subject{{KindTool, a.Tool}, pointOf(hookpoints.PreSpawnAgent.Name), pointOf(hookpoints.PostSpawnAgent.Name)}
	if a.Plugin != "" {
		about = with(about, Subject{KindPlugin, a.Plugin})
	}
	all.add(about, "Sub-agent %s (%s, model %s), which the %s asked for: %s.", a.ID, a.Type, a.Model,
		callNamed(a.Tool, a.CallID), a.Outcome())
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
