package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/merge"
	"github.com/chibi-host/chibi/plugin"
)

// Line is one line of a trace: what one plugin did at a hook, or a step of a
// turn.
type Line struct {
	// Run identifies a run of chibi. Turn counts its prompts from 1; lines before
	// the first prompt have 0.
	Run  string `json:"run"`
	Turn int    `json:"turn"`
	// Context names the conversation.
	Context string `json:"context"`
	// At is when the line was written.
	At time.Time `json:"at"`
	// Step is set for a step of the turn, Record for what a plugin did at a hook.
	Step *agent.Event `json:"step,omitempty"`
	*plugin.Record
	// PayloadAs names the plugin whose line of the same dispatch has the payload, where
	// it is kept only once. [Read] puts it into each line.
	PayloadAs string `json:"payload_as,omitempty"`
	// Messages are the messages that the plugin changed at pre_api_request.
	Messages []MessageChange `json:"messages,omitempty"`
	// Options are the members other than messages and tools that a patch of a
	// request sets, if the patch is too large to be kept as a whole; [left out]
	// stands for large values.
	Options json.RawMessage `json:"options,omitempty"`
	// Withheld are the texts of the line that plugins changed: the line has the
	// final text in place of the original.
	Withheld []Withheld `json:"withheld,omitempty"`
	// Removed is true if words that plugins removed elsewhere in the turn are left
	// out of the line.
	Removed bool `json:"removed,omitempty"`
}

// agent returns the id of the sub-agent in which it happened, "" outside of one.
func (l Line) agent() string {
	switch {
	case l.Step != nil:
		return l.Step.Agent
	case l.Record != nil:
		return l.Record.Agent
	}
	return ""
}

// IsWhole reports whether the line has everything that the plugin received and
// answered.
func (l Line) IsWhole() bool { return len(l.Withheld) == 0 && !l.Removed }

func (l Line) without(gone *removed) Line {
	cut := func(text string) string {
		after := gone.value(text, 0)
		l.Removed = l.Removed || after != text
		return after
	}
	if l.Step != nil {
		step := *l.Step
		if step.Kind != agent.EventContext { // it only has names of contexts
			step.Text = cut(step.Text)
		}
		if step.Call != nil {
			call := *step.Call
			call.Why, call.Failure = cut(call.Why), cut(call.Failure)
			call.Converted = slices.Clone(call.Converted)
			for i := range call.Converted {
				call.Converted[i] = cut(call.Converted[i])
			}
			step.Call = &call
		}
		step.Subagent = subagentWith(step.Subagent, cut)
		step.Permission = permissionWith(step.Permission, cut)
		l.Step = &step
		return l
	}
	r := *l.Record
	r.Why = cut(r.Why)
	r.Discarded = slices.Clone(r.Discarded)
	for i := range r.Discarded {
		r.Discarded[i].Failure = cut(r.Discarded[i].Failure)
	}
	r.Notes = slices.Clone(r.Notes)
	for i := range r.Notes {
		r.Notes[i] = cut(r.Notes[i])
	}
	r.Did = slices.Clone(r.Did)
	for i := range r.Did {
		r.Did[i] = cut(r.Did[i])
	}
	r.Changed, r.Lost = slices.Clone(r.Changed), slices.Clone(r.Lost)
	for i := range r.Changed {
		r.Changed[i] = gone.path(r.Changed[i])
	}
	for i := range r.Lost {
		r.Lost[i].Path = gone.path(r.Lost[i].Path)
	}
	for _, doc := range []*json.RawMessage{&r.Payload, &r.Answer, &l.Options} {
		after := gone.json(*doc)
		l.Removed = l.Removed || !bytes.Equal(after, *doc)
		*doc = after
	}
	l.Record = &r
	return l
}

func (l Line) withoutTexts() Line {
	l.Removed = true
	if l.Step != nil {
		step := *l.Step
		step.Text = ""
		if step.Call != nil {
			call := *step.Call
			call.Why, call.Failure, call.Converted = "", "", nil
			step.Call = &call
		}
		step.Permission = permissionWith(step.Permission, func(string) string { return "" })
		step.Subagent = subagentWith(step.Subagent, func(string) string { return "" })
		l.Step = &step
		return l
	}
	r := *l.Record
	r.Why, r.Notes, r.NoteKinds, r.Payload, r.Answer, l.Options = "", nil, nil, nil, nil, nil
	r.Discarded = slices.Clone(r.Discarded)
	for i := range r.Discarded {
		r.Discarded[i].Failure = ""
	}
	l.Record = &r
	return l
}

// noteKind returns the kind of one of the record's notes. Traces of earlier
// versions have only the sentence.
func (l Line) noteKind(i int) merge.NoteKind {
	switch {
	case i < len(l.NoteKinds):
		return l.NoteKinds[i]
	case strings.Contains(l.Notes[i], "is not offered here"):
		return merge.NoteNotOffered
	case strings.HasSuffix(l.Notes[i], "blocked first"):
		return merge.NoteBlockedFirst
	}
	return ""
}

// changeOf returns what a step says about contexts, "" if nothing, and about which
// contexts. Traces of earlier versions have only the sentence, by which a switch
// differs from other changes.
func changeOf(step *agent.Event) (change agent.ContextChange, contexts []string) {
	switch {
	case step == nil || step.Kind != agent.EventContext:
		return "", nil
	case step.Change != "":
		return step.Change, step.Contexts
	}
	for i, name := range strings.Split(step.Text, `"`) {
		if i%2 == 1 {
			contexts = append(contexts, name)
		}
	}
	if strings.HasPrefix(step.Text, "the run went") {
		return agent.ContextSwitched, contexts
	}
	return agent.ContextReplaced, contexts
}

// where returns the point of a record, by the name that the plugin knows.
func (l Line) where() string {
	if l.Event != "" {
		return l.Event
	}
	return string(l.Point)
}

// ending returns which plugin replaced the result of another one, "" if none did.
func (l Line) ending() string {
	if len(l.Lost) == 0 {
		return ""
	}
	return fmt.Sprintf(", which plugin %q replaced", l.Lost[len(l.Lost)-1].Winner)
}

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

func subagentWith(a *agent.AgentEvent, change func(string) string) *agent.AgentEvent {
	if a == nil {
		return nil
	}
	changed := *a
	changed.Why = change(a.Why)
	return &changed
}

// Withheld describes a text that the trace does not keep as it was: plugins changed
// it, and only the final text is kept.
type Withheld struct {
	// Path is the JSON Pointer to the text in the payload or the answer.
	Path string `json:"path"`
	// Was and Is are the lengths of the text before and after, in characters; of
	// texts that are JSON, in bytes.
	Was int `json:"was"`
	Is  int `json:"is"`
}

// MessageChange is a message of a request that a plugin changed.
type MessageChange struct {
	// Role is the message's role. Index is its place among the messages that the
	// plugin received, for an added one among those that it answered.
	Role  string `json:"role"`
	Index int    `json:"index"`
	// How is "changed", "added" or "removed".
	How string `json:"how"`
	// Latest is true for the last message of the user.
	Latest bool `json:"latest,omitempty"`
}
