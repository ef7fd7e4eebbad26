package trace

import (
	"fmt"
	"slices"
)

// account describes a turn in sentences.
type account struct {
	*story
	facts []fact
}

// newAccount describes the lines of a turn.
func newAccount(t Turn) *account {
	a := &account{story: newStory(t)}
	a.tell()
	return a
}

// fact is a sentence with its subjects.
type fact struct {
	text  string
	about []Subject
	// quiet is true if the sentence says that something was not changed, and is shown
	// only in an answer about its subject.
	quiet bool
}

// say adds a fact that is always shown.
func (a *account) say(about []Subject, format string, args ...any) {
	a.facts = append(a.facts, fact{text: fmt.Sprintf(format, args...), about: about})
}

// sayIfAsked adds a fact that is shown only in an answer about its subject.
func (a *account) sayIfAsked(about []Subject, format string, args ...any) {
	a.facts = append(a.facts, fact{text: fmt.Sprintf(format, args...), about: about, quiet: true})
}

// told returns the sentences about a subject.
func (a *account) told(subject Subject) (texts []string) {
	for _, f := range a.facts {
		if slices.ContainsFunc(f.about, func(about Subject) bool { return about.covers(subject) }) {
			texts = addName(texts, f.text)
		}
	}
	return texts
}
