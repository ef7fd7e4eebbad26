package trace

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
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

// add adds a fact that is always shown.
func (all *facts) add(about []Subject, format string, args ...any) {
	all.list = append(all.list, fact{text: where(all.now) + fmt.Sprintf(format, args...), about: about})
}

// addQuiet adds a fact that is shown only in an answer about its subject.
func (all *facts) addQuiet(about []Subject, format string, args ...any) {
	all.list = append(all.list, fact{text: where(all.now) + fmt.Sprintf(format, args...), about: about, quiet: true})
}

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

func addName(names []string, more ...string) []string {
	for _, name := range more {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func asked(point hookpoints.Name, firings ...*firing) string {
	var names []string
	for _, f := range firings {
		if f == nil {
			continue
		}
		for _, l := range f.lines {
			if l.Result != plugin.Skipped {
				names = addName(names, strconv.Quote(l.Plugin))
			}
		}
	}
	switch len(names) {
	case 0:
		return "chibi asked no plugin at " + string(point)
	case 1:
		return fmt.Sprintf("chibi asked plugin %s at %s", names[0], point)
	}
	return fmt.Sprintf("chibi asked these %d plugins at %s: %s", len(names), point, strings.Join(names, ", "))
}
