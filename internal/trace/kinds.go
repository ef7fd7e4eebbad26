package trace

import (
	"strings"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/merge"
)

// noteKind is the kind of one of the record's notes. Traces of earlier versions have
// the sentence only.
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

// changeOf is what a step tells of contexts, "" if nothing, and of which. Traces of
// earlier versions have the sentence only, which tells a switch from other changes.
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
