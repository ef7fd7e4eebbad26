package hooks

import (
	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/engine"
)

// NoMeaning is part of the note about an answer in the form of another agent.
const NoMeaning = "means nothing in a file of"

// foreignNote says that an answer is in the form of another agent; "" if it is not.
func foreignNote(d engine.Dialect, e engine.Event, out engine.Outcome) string {
	title := Foreign(d, e, out)
	if title == "" {
		return ""
	}
	return "its answer is one for " + title + ", which " + NoMeaning + " " + d.Title + "; it has no opinion"
}

// Foreign says that a hook's answer is another agent's: that it means nothing at an event here,
// and something at the same moment there. It returns the title of that agent, "" if it is not.
func Foreign(d engine.Dialect, e engine.Event, out engine.Outcome) string {
	answer, isObject := d.AnswerIn(out.Stdout)
	if !isObject || d.Says(e, answer) {
		return ""
	}
	for _, other := range agents.All() {
		for _, there := range other.Events {
			if other.Name != d.Name && there.Kind == e.Kind && other.Says(there, answer) {
				return other.Title
			}
		}
	}
	return ""
}
