package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/agent"
)

// facts are what happened in a turn, a sentence each, in order.
type facts struct {
	*arranged
	list []fact
}

type fact struct {
	text  string
	about []Subject
	// quiet is true if the sentence says that something was not changed, and is shown
	// only in an answer about its subject.
	quiet bool
}

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
			all.now = "" // what is said of a request names it
			all.addRequests()
		}
	}
	return all
}

// add adds a fact that is always shown.
func (all *facts) add(about []Subject, format string, args ...any) {
	all.list = append(all.list, fact{text: where(all.now) + fmt.Sprintf(format, args...), about: about})
}

// addQuiet adds a fact that is shown only in an answer about its subject.
func (all *facts) addQuiet(about []Subject, format string, args ...any) {
	all.list = append(all.list, fact{text: where(all.now) + fmt.Sprintf(format, args...), about: about, quiet: true})
}

// where returns in which sub-agent something happened, as the beginning of a sentence.
func where(agent string) string {
	if agent == "" {
		return ""
	}
	return fmt.Sprintf("In sub-agent %s: ", agent)
}

func (all *facts) sentences(subject Subject) (texts []string) {
	for _, f := range all.list {
		if slices.ContainsFunc(f.about, func(about Subject) bool { return about.covers(subject) }) {
			texts = addName(texts, f.text)
		}
	}
	return texts
}

// addStep adds what happened apart from plugins, requests and calls.
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
