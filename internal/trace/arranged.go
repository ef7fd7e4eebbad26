package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/tidwall/gjson"
)

// arranged is a turn whose records are arranged by dispatch, and the dispatches by the
// request or call that they belong to.
type arranged struct {
	turn        Turn
	firings     []*firing
	requests    []*request
	calls       []*call
	permissions []*permission
	loaded      agent.LoadedEvent
	events      []event
	// now is the sub-agent in which the line that is arranged happened, "" outside of one.
	// What belongs together happened in the same one.
	now string
}

type firing struct {
	point hookpoints.Name
	agent string
	lines []Line
	// noEffect is the reason why what they asked for had no effect, "" if it had
	// one.
	noEffect string
	// taken is true once it was assigned to a request or a call.
	taken bool
}

// request is a request to the model with what plugins did before it; nil: none was
// asked.
type request struct {
	agent.RequestEvent
	filter, patch *firing
	agent         string
}

// call is a call of a tool with what plugins did before and after it; nil: none was
// asked.
type call struct {
	agent.CallEvent
	before, output, summary *firing
	permission              *permission
	request                 *request
	agent                   string
}

// permission says who allowed or denied a call, with what plugins did before it at each
// permission point at which some were asked.
type permission struct {
	agent.PermissionEvent
	asked []*firing
	agent string
}

type event struct {
	firing     *firing
	request    *request
	call       *call
	permission *permission
	step       *agent.Event
	agent      string
}

func arrange(t Turn) *arranged {
	s := &arranged{turn: t}
	last := map[string]*firing{} // of each sub-agent: what they do is mixed
	for _, l := range t.Lines {
		s.now = l.agent()
		switch {
		case l.Record != nil:
			f := last[s.now]
			if f == nil || f.lines[0].Dispatch != l.Dispatch || f.point != l.Point {
				f = s.begin(l.Point)
			}
			f.lines = append(f.lines, l)
			last[s.now] = f
		default:
			s.step(l.Step)
			last[s.now] = nil
		}
	}
	return s
}

// begin starts a firing. Firings after a call belong to it.
func (s *arranged) begin(point hookpoints.Name) *firing {
	f := &firing{point: point, agent: s.now}
	s.firings = append(s.firings, f)
	s.events = append(s.events, event{firing: f, agent: s.now})
	switch c := s.lastCall(); {
	case c == nil:
	case point == hookpoints.PreToolOutput.Name && c.output == nil:
		c.output, f.taken = f, true
	case point == hookpoints.PreCacheOutput.Name && c.summary == nil:
		c.summary, f.taken = f, true
	}
	return f
}

func (s *arranged) lastCall() *call {
	for _, c := range slices.Backward(s.calls) {
		if c.agent == s.now {
			return c
		}
	}
	return nil
}

func (s *arranged) lastRequest() *request {
	for _, r := range slices.Backward(s.requests) {
		if r.agent == s.now {
			return r
		}
	}
	return nil
}

func (s *arranged) step(step *agent.Event) {
	e := event{step: step, agent: s.now}
	switch {
	case step.Loaded != nil:
		s.loaded = *step.Loaded
	case step.Request != nil:
		e.request = &request{RequestEvent: *step.Request, agent: s.now, patch: s.take(hookpoints.PreAPIRequest.Name)}
		if step.Request.For == "" || len(step.Request.Tools) > 0 {
			e.request.filter = s.take(hookpoints.PreAPITools.Name)
		}
		s.requests = append(s.requests, e.request)
	case step.Call != nil:
		e.call = &call{CallEvent: *step.Call, before: s.takeOf(step.Call.ID, hookpoints.PreTool.Name),
			request: s.lastRequest(), agent: s.now}
		for _, p := range slices.Backward(s.permissions) {
			if p.agent == s.now && p.ID == step.Call.ID && p.To == "" && e.call.permission == nil {
				e.call.permission = p
			}
		}
		s.calls = append(s.calls, e.call)
	case step.Permission != nil:
		e.permission = &permission{*step.Permission, s.takePermissions(step.Permission.ID), s.now}
		s.permissions = append(s.permissions, e.permission)
	case step.Kind == agent.EventNotice && s.setNoEffect(step.Text):
		return
	}
	s.events = append(s.events, e)
}

// setNoEffect takes a notice that begins with a point as the reason why what plugins
// asked for there had no effect; false: it is another notice.
func (s *arranged) setNoEffect(notice string) bool {
	point, reason, _ := strings.Cut(notice, ": ")
	firings := s.at(hookpoints.Name(point))
	if len(firings) == 0 || !firings[len(firings)-1].hadEffect() {
		return false
	}
	firings[len(firings)-1].noEffect = reason
	return true
}

// take returns the latest firing of a point that is not assigned yet, nil if chibi asked no plugin there.
func (s *arranged) take(point hookpoints.Name) *firing {
	return s.takeLast(point, func(*firing) bool { return true })
}

func (s *arranged) takeLast(point hookpoints.Name, is func(*firing) bool) *firing {
	for _, f := range slices.Backward(s.firings) {
		if f.point == point && f.agent == s.now && is(f) {
			if f.taken {
				return nil
			}
			f.taken = true
			return f
		}
	}
	return nil
}

// takeOf returns the latest firing of a point for a call that is not assigned yet, nil if chibi
// asked no plugin there. Where a trace does not name the call, the latest firing is taken.
func (s *arranged) takeOf(call string, point hookpoints.Name) *firing {
	return s.takeLast(point, func(f *firing) bool { return f.callID() == call || f.callID() == "" })
}

// takePermissions returns the latest firings of the permission points for a call: for a tool
// of an MCP server there can be two.
func (s *arranged) takePermissions(call string) (list []*firing) {
	for _, name := range hookpoints.Names() {
		point := hookpoints.Name(name)
		if !hookpoints.AsksPermission(point) {
			continue
		}
		if f := s.takeOf(call, point); f != nil {
			list = append(list, f)
		}
	}
	return list
}

func (s *arranged) at(point hookpoints.Name) (list []*firing) {
	for _, f := range s.firings {
		if f.point == point {
			list = append(list, f)
		}
	}
	return list
}

func (s *arranged) pluginsWith(tool string) (names []string) {
	for _, p := range s.loaded.Plugins {
		if slices.Contains(p.Tools, tool) {
			names = append(names, p.Name)
		}
	}
	return names
}

// field returns a text in the payload of a firing, "" if it is not kept.
func (f *firing) field(name string) string {
	for _, l := range f.lines {
		if v := gjson.GetBytes(l.Payload, name); v.Exists() {
			return v.String()
		}
	}
	return ""
}

func (f *firing) callID() string { return f.field("tool_call_id") }

// did returns the lines of the plugins with this result, in order. f may be nil.
func (f *firing) did(result plugin.Result) (lines []Line) {
	if f == nil {
		return nil
	}
	for _, l := range f.lines {
		if l.Result == result {
			lines = append(lines, l)
		}
	}
	return lines
}

func (f *firing) blocker() (found *Line, number int) {
	if f == nil {
		return nil, 0
	}
	for i := range f.lines {
		l := &f.lines[i]
		if l.Result != plugin.Skipped {
			number++
		}
		if l.Blocks || f.blocked(l) {
			return l, number
		}
	}
	return nil, 0
}

// blocked reports whether a plugin blocked, in a trace that does not say which
// plugin was the first: a failure blocked if other plugins were not asked because
// of it.
func (f *firing) blocked(l *Line) bool {
	if slices.ContainsFunc(f.lines, func(l Line) bool { return l.Blocks }) {
		return false
	}
	because := fmt.Sprintf("plugin %q blocked", l.Plugin)
	return l.Result == plugin.Blocked || l.Result == plugin.Failed &&
		slices.ContainsFunc(f.lines, func(l Line) bool { return l.Result == plugin.Skipped && l.Why == because })
}

func with(about []Subject, more ...Subject) []Subject { return slices.Concat(about, more) }

func pluginsOf(lines []Line) (list []Subject) {
	for _, l := range lines {
		list = append(list, Subject{KindPlugin, l.Plugin})
	}
	return list
}

// byThem names plugins in order, and says whose value was used.
func byThem(lines []Line, what string) string {
	if len(lines) > 1 {
		return inOrder(lines) + ", whose " + what + " was used"
	}
	return inOrder(lines)
}

func (l Line) why() string {
	if l.Why == "" {
		return "the reason is not in the trace"
	}
	return strings.TrimSuffix(l.Why, ".")
}

// hadEffect reports whether a plugin changed, blocked or claimed something.
func (f *firing) hadEffect() bool {
	return f.noEffect == "" && slices.ContainsFunc(f.lines, func(l Line) bool {
		effects := []plugin.Result{plugin.Changed, plugin.Added, plugin.Blocked, plugin.Claimed}
		return l.Blocks || slices.Contains(effects, l.Result)
	})
}

func inOrder(lines []Line) string {
	names := make([]string, len(lines))
	for i, l := range lines {
		names[i] = fmt.Sprintf("plugin %q", l.Plugin)
	}
	return strings.Join(names, ", then ")
}
