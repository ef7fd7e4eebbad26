package trace

import (
	"strings"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/merge"
)

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
