package trace

import (
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/plugin"
)

func factsOf(t Turn) *facts {
	all := &facts{arranged: arrange(t)}
	hasRequests := false
	for _, e := range all.events {
		all.now = e.agent
		switch {
		case e.firing != nil:
			all.addFiring(e.firing)
		case e.call != nil:
			all.addCall(e.call)
		case e.permission != nil:
			all.addPermission(e.permission)
		case e.request == nil:
			all.addStep(e.step)
		case !hasRequests: // all requests are described where the first one was sent
			hasRequests = true
			all.now = "" // sentences about a request name it
			all.addRequests()
		}
	}
	return all
}

func (all *facts) addStep(step *agent.Event) {
	text := strings.TrimSuffix(step.Text, ".")
	switch step.Kind {
	case agent.EventError:
		all.add([]Subject{{Kind: KindPrompt}}, "The prompt was not answered: %s.", text)
	case agent.EventContext:
		var about []Subject
		change, contexts := changeOf(step)
		for _, name := range contexts {
			about = with(about, Subject{KindContext, name})
		}
		add := all.add
		if change == agent.ContextSwitched { // at the person's request
			add = all.addQuiet
		}
		add(about, "%s.", strings.ToUpper(text[:min(1, len(text))])+text[min(1, len(text)):])
	case agent.EventAgent:
		all.addSubagent(step)
	case agent.EventNotice:
		add := all.add
		if all.turn.Bridged && strings.HasPrefix(text, `plugin "`) { // its record says it
			add = all.addQuiet
		}
		add([]Subject{{KindContext, all.turn.Context}}, "Notice: %s.", text)
	}
}

func (all *facts) addCall(c *call) {
	about := []Subject{{KindTool, c.Tool}}
	called := callNamed(c.Tool, c.ID)
	what := "The " + called
	before := with(about, pointOf(hookpoints.PreTool.Name))
	changed := c.before.did(plugin.Changed)
	if len(changed) > 0 {
		all.add(with(before, pluginsOf(changed)...), "The arguments of the %s were changed: %s%s.", called,
			argumentsBy(changed), becameOf(changed, "arguments", "they"))
	}
	if len(c.Converted) > 0 {
		all.add(before, "In the %s these arguments were strings and were converted to the types of "+
			"the tool's parameters: %s.", called, strings.Join(c.Converted, ", "))
	}
	l, number := c.before.blocker()
	if l == nil && !c.Ran && c.before != nil { // an older trace, which does not say whose failure blocked
		if failed := c.before.did(plugin.Failed); len(failed) > 0 && strings.Contains(c.Why, failed[0].Plugin) {
			l, number = &failed[0], len(c.before.lines)
		}
	}
	switch {
	case l != nil && !c.Ran:
		how := "blocked by plugin %q, asked in position %d: %s"
		if l.Result == plugin.Failed {
			how = "blocked because plugin %q, asked in position %d, failed: %s"
		}
		all.add(with(before, Subject{KindPlugin, l.Plugin}), "%s was "+how+".", what, l.Plugin, number, l.why())
	case !c.Ran && c.permission != nil && c.permission.Decision == permissions.Deny: // addPermission says so
	case !c.Ran:
		all.add(about, "%s did not run: %s.", what, c.whyNot())
	case c.Exit != 0:
		all.add(about, "%s %s.", what, failureOf(c.CallEvent))
	}
	if c.Ran && len(changed) == 0 {
		as := " as the model wrote it"
		if len(c.Converted) > 0 {
			as = ""
		}
		all.addQuiet(about, "%s ran%s: no plugin changed or blocked it; %s.", what, as,
			asked(hookpoints.PreTool.Name, c.before))
	}
	if c.Served != nil {
		all.addQuiet(about, "%s was answered by MCP server %s: %s.", what, c.Served.Server, servedText(c.Served))
	}
	all.addOutput(c, about)
}

// callNamed names a call of a tool. Some agents give it no id.
func callNamed(tool, id string) string {
	if id == "" {
		return "call of " + tool
	}
	return fmt.Sprintf("call of %s (%s)", tool, id)
}

// failureOf says how a call failed that ran. Traces of earlier versions have only an exit status.
func failureOf(c agent.CallEvent) string {
	why, _, _ := strings.Cut(strings.TrimPrefix(c.Failure, "Error: "), "\n")
	if why == "" {
		return fmt.Sprintf("failed with exit status %d", c.Exit)
	}
	return "failed: " + strings.TrimSuffix(term.Clip(why, longestShown), ".")
}

// whyNot returns why a call that no plugin blocked did not run.
func (c *call) whyNot() string {
	why := strings.TrimSuffix(strings.TrimPrefix(c.Why, "Error: "), ".")
	if why == "" {
		return "the reason is not in the trace"
	}
	if c.request != nil { // a tool that is left out is refused for that, whatever else is wrong
		if reason, _ := c.request.leftOut(c.Tool); reason != "" {
			why += "; " + reason
		}
	}
	return why
}

func argumentsBy(changed []Line) string {
	by := map[string][]Line{}
	var names []string
	for _, l := range changed {
		for _, path := range l.Changed {
			name := strings.TrimPrefix(strings.TrimPrefix(path, "/arguments"), "/")
			if name = dotted(name); name == "" {
				name = "all of them"
			}
			names = addName(names, name)
			by[name] = append(by[name], l)
		}
	}
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = name + " by " + byThem(by[name], "value")
	}
	return strings.Join(parts, "; ")
}

func (all *facts) addOutput(c *call, about []Subject) {
	what := "the output of the " + callNamed(c.Tool, c.ID)
	point := with(about, pointOf(hookpoints.PreToolOutput.Name))
	changed := c.output.did(plugin.Changed)
	if len(changed) > 0 {
		all.add(with(point, pluginsOf(changed)...), "T%s was changed by %s.", what[1:], byThem(changed, "text"))
	}
	switch l, _ := c.output.blocker(); {
	case l != nil:
		all.add(with(point, Subject{KindPlugin, l.Plugin}), "Plugin %q withheld %s: %s.", l.Plugin, what, l.why())
	case len(changed) == 0 && c.Ran:
		all.addQuiet(about, "T%s is unchanged: no plugin changed it; %s.", what[1:],
			asked(hookpoints.PreToolOutput.Name, c.output))
	}
	if c.summary == nil {
		return
	}
	point = with(about, pointOf(hookpoints.PreCacheOutput.Name))
	changed = c.summary.did(plugin.Changed)
	if len(changed) == 0 {
		all.addQuiet(about, "No plugin summarized %s, which was cached; %s.", what,
			asked(hookpoints.PreCacheOutput.Name, c.summary))
		return
	}
	all.add(with(point, pluginsOf(changed)...), "Plugin %q summarized %s, which was cached.", changed[0].Plugin, what)
}
