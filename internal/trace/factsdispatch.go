package trace

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/merge"
	"github.com/chibi-host/chibi/plugin"
	"github.com/tidwall/gjson"
)

// addFiring adds what the plugins did in one dispatch, except what addRequests and
// addCall add.
func (all *facts) addFiring(f *firing) {
	topic := topicOf(f)
	for _, l := range f.lines {
		about := slices.Concat([]Subject{{KindPlugin, l.Plugin}}, topic)
		for _, call := range l.Discarded { // calls of a pure plugin before its turn, whose answers were not used
			all.add(about[:2], "Plugin %q at %s: %s.", l.Plugin, l.where(), discardedText(call))
		}
		all.addResult(about, f, l)
		for _, did := range l.Did {
			all.add(about, "Plugin %q at %s %s.", l.Plugin, l.where(), strings.TrimSuffix(did, "."))
		}
		if l.Result == plugin.Ignored {
			continue
		}
		for i, note := range l.Notes {
			kind := l.noteKind(i)
			if kind == merge.NoteNotOffered {
				about = about[:2] // only the plugin and the point: other tools are not affected
			}
			if kind != merge.NoteBlockedFirst {
				all.add(about, "Plugin %q at %s: %s.", l.Plugin, l.where(), strings.TrimSuffix(note, "."))
			}
		}
	}
	all.addTexts(f, topic)
	if !f.taken {
		all.addUnassigned(f, topic)
	}
}

func (all *facts) addResult(about []Subject, f *firing, l Line) {
	switch l.Result {
	case plugin.Failed:
		all.add(about, "Plugin %q failed at %s: %s.", l.Plugin, l.where(), l.why())
	case plugin.Skipped:
		if slices.ContainsFunc(l.Discarded, func(c plugin.DiscardedCall) bool { return c.Why == l.Why }) {
			return // it was asked before its turn
		}
		all.add(about, "chibi did not ask plugin %q at %s: %s.", l.Plugin, l.where(), l.why())
	case plugin.Ignored:
		why := cmp.Or(strings.TrimSuffix(strings.Join(l.Notes, "; "), "."), l.why())
		all.add(about, "The answer of plugin %q at %s had no effect: %s.", l.Plugin, l.where(), why)
	case plugin.Claimed:
		via := gjson.GetBytes(l.Answer, "via").String()
		if via != "" {
			via = ", via " + via
		}
		all.add(about, "Plugin %q delivered the message to %q itself%s.", l.Plugin, f.field("to"), via)
	case plugin.Blocked:
		if first, _ := f.blocker(); first != nil && first.Plugin != l.Plugin {
			id := f.callID()
			if id != "" {
				id = " (" + id + ")"
			}
			all.add(about, "Plugin %q would have blocked at %s too%s: %s.", l.Plugin, l.where(), id, l.why())
		}
	case plugin.NoOpinion:
		if isRewrite(f.point, l) {
			if f.point == hookpoints.PreAPIRequest.Name {
				about = about[:2] // the plugin and the point; alreadyThere describes places
			}
			all.addQuiet(about, "The answer of plugin %q at %s was already there and changed nothing.", l.Plugin, l.where())
		}
	}
}

func isRewrite(point hookpoints.Name, l Line) bool {
	info, _ := hookpoints.Find(point)
	return slices.ContainsFunc(info.Fields, func(field hookpoints.AnswerField) bool {
		return field.Rule.Rewrites() && gjson.GetBytes(l.Answer, field.Name).Exists()
	})
}

func (all *facts) addTexts(f *firing, topic []Subject) {
	changed := f.did(plugin.Changed)
	about := with(topic, pluginsOf(changed)...)
	switch f.point {
	case hookpoints.PreMessage.Name:
		if len(changed) > 0 {
			all.add(about, "The prompt was changed by %s%s.", byThem(changed, "text"), becameOf(changed, "prompt", "it"))
		}
		if l, _ := f.blocker(); l != nil {
			all.add(with(topic, Subject{KindPlugin, l.Plugin}), "Plugin %q refused the prompt: %s.", l.Plugin, l.why())
		}
	case hookpoints.PreCompact.Name, hookpoints.PreRollingCompact.Name:
		if l, _ := f.blocker(); l != nil {
			all.add(with(topic, Subject{KindPlugin, l.Plugin}), "Plugin %q refused the compaction: %s.", l.Plugin, l.why())
		}
	case hookpoints.PreSystemPrompt.Name, hookpoints.PostSystemPrompt.Name:
		if len(changed) > 0 {
			where := "begins"
			if f.point == hookpoints.PostSystemPrompt.Name {
				where = "ends"
			}
			all.add(about, "The system prompt %s with what was added by %s.", where, inOrder(changed))
		}
	case hookpoints.PostTurn.Name, hookpoints.PreStop.Name:
		for _, l := range changed {
			about := with(topic, Subject{KindPlugin, l.Plugin})
			if f.noEffect != "" {
				all.add(about, "The request of plugin %q at %s had no effect: %s.", l.Plugin, l.where(),
					strings.TrimSuffix(f.noEffect, "."))
				continue
			}
			all.add(about, "Plugin %q %s at %s%s.", l.Plugin, didWhat(l), l.where(), l.ending())
		}
	}
}

// becameOf returns what the last of those that changed a text made of it, "" if that is not kept.
func becameOf(changed []Line, field, it string) string {
	text := gjson.GetBytes(changed[len(changed)-1].Answer, field)
	if !text.Exists() {
		return ""
	}
	return "; " + it + " became " + shown([]byte(text.Raw))
}

// didWhat returns what a plugin asked for at post_turn or pre_stop.
func didWhat(l Line) string {
	var did []string
	for _, path := range l.Changed {
		switch {
		case strings.HasPrefix(path, "/messages"):
			did = append(did, "replaced the conversation")
		case path == "/recipe":
			did = append(did, fmt.Sprintf("asked for the recipe %q to be run on the conversation",
				gjson.GetBytes(l.Answer, "recipe").String()))
		case path == "/follow_up_messages":
			did = append(did, "continued the turn with "+shown([]byte(gjson.GetBytes(l.Answer, "follow_up_messages").Raw)))
		}
	}
	if len(did) == 0 {
		return "changed the conversation"
	}
	return strings.Join(slices.Compact(did), " and ")
}

// addUnassigned adds changes at a dispatch that belongs to no request and no call.
func (all *facts) addUnassigned(f *firing, topic []Subject) {
	if all.turn.Bridged && f.point == hookpoints.PreAPITools.Name {
		addFilters(all, f)
		return
	}
	switch f.point {
	case hookpoints.PreAPITools.Name, hookpoints.PreAPIRequest.Name, hookpoints.PreTool.Name,
		hookpoints.PreToolOutput.Name, hookpoints.PreCacheOutput.Name:
	default:
		return
	}
	became := "the trace does not say what became of that"
	if all.turn.Bridged { // a change that the agent does not take has no effect
		became = all.turn.Context + " got the change, and uses the parts that it can"
	}
	for _, l := range f.did(plugin.Changed) {
		all.add(with(topic, Subject{KindPlugin, l.Plugin}), "Plugin %q changed %s at %s; %s.", l.Plugin,
			strings.Join(namesOf(l.Changed), ", "), l.where(), became)
	}
}

// addFilters adds what filters did to a call of another agent: it offers its tools itself, and what
// plugins filter out is refused when it is called.
func addFilters(all *facts, f *firing) {
	tool := f.field("tools.0.name")
	listed := &request{RequestEvent: agent.RequestEvent{Tools: []string{tool}, Configured: []string{tool}}, filter: f}
	for _, l := range f.did(plugin.Changed) {
		about := []Subject{{KindPlugin, l.Plugin}, pointOf(f.point), {KindTool, tool}}
		if exclude, include := listed.names(l, "exclude"), listed.names(l, "include"); slices.Contains(exclude, tool) ||
			include != nil && !slices.Contains(include, tool) {
			all.add(about, "Plugin %q filters %s out at %s: a call of it was refused.", l.Plugin, tool, l.where())
			continue
		}
		all.addQuiet(about, "The answer of plugin %q at %s does not filter %s out.", l.Plugin, l.where(), tool)
	}
}

// namesOf returns places as people write them.
func namesOf(paths []string) (names []string) {
	for _, path := range paths {
		names = append(names, strings.TrimPrefix(dotted(path), "request_body."))
	}
	return names
}
