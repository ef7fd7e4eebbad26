package bridge

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/jsonedit"
	"github.com/chibi-host/chibi/internal/strictjson"
)

// listed is an entry of a settings file.
type listed struct{ event, command string }

// listedIn lists the handlers of a TOML text that has them all in one list.
func (i Installer) listedIn(text []byte) (list []listed, err error) {
	all, err := readTOML(text)
	for _, one := range tablesOf(all[i.Agent.Shape.Root]) {
		event, _ := one[i.Agent.Shape.Event].(string)
		command, _ := one["command"].(string)
		list = append(list, listed{event, command})
	}
	return list, err
}

// refused says why the agent runs no hook of a TOML text, for example because of an entry that it does not know;
// "": it runs them.
func (i Installer) refused(text []byte) string {
	all, _ := readTOML(text)
	shape, agent := i.Agent.Shape, i.Agent.Title+" "+i.Agent.Facts.Driven
	for n, one := range tablesOf(all[shape.Root]) {
		event, _ := one[shape.Event].(string)
		_, isEvent := i.Agent.Event(event)
		for key := range one {
			if !slices.Contains([]string{shape.Event, "matcher", "command", shape.Timeout}, key) {
				return fmt.Sprintf("element %d of [[%s]] has the key %q, for which %s runs no hooks", n+1, shape.Root, key, agent)
			}
		}
		if !isEvent {
			return fmt.Sprintf("element %d of [[%s]] is for the event %q, for which %s runs no hooks", n+1, shape.Root, event,
				agent)
		}
	}
	return ""
}

// tablesOf returns the tables of a list. An element that is not a table becomes an empty one.
func tablesOf(value any) (tables []map[string]any) {
	list, _ := value.([]any)
	for _, one := range list {
		table, _ := one.(map[string]any)
		tables = append(tables, table)
	}
	return tables
}

// withList returns a TOML text with an element for each event at the end of the list. An element has only keys that
// the agent knows: Kimi Code drops all hooks for an unknown key.
func (e editing) withList(text []byte) ([]byte, []jsonedit.Insert, error) {
	shape := e.Agent.Shape
	var added strings.Builder
	for _, event := range e.Agent.Events {
		if !event.Bridged {
			continue
		}
		quoted := func(text string) string { return string(strictjson.Quote(text)) }
		fmt.Fprintf(&added, "\n[[%s]]\n%s = %s\ncommand = %s\n%s = %d\n", shape.Root, shape.Event, quoted(event.Name),
			quoted(e.entry(event.Name).Command()), shape.Timeout, e.limitAt(event.Name)/time.Second)
	}
	elements := added.String()
	switch {
	case len(text) == 0:
		elements = elements[1:]
	case text[len(text)-1] != '\n':
		elements = "\n" + elements
	}
	after := append(slices.Clone(text), elements...)
	if _, err := readTOML(after); err != nil {
		return nil, nil, fmt.Errorf("chibi cannot add elements [[%s]]: %w", shape.Root, err) // such as a list on one line
	}
	return after, []jsonedit.Insert{{At: len(text), Length: len(elements)}}, nil
}

// withoutList returns a TOML text without the elements of this home.
func (e editing) withoutList(text []byte) ([]byte, error) {
	root := e.Agent.Shape.Root
	entries, err := e.listedIn(text)
	if err != nil {
		return nil, err
	}
	isOwn := func(one listed) bool { return e.isOwn(one.command) }
	if !slices.ContainsFunc(entries, isOwn) {
		return text, nil
	}
	at := -1
	after := cutTables(text, func(header string) bool {
		if strings.HasPrefix(header, "[["+root+"]]") {
			at++
			return at < len(entries) && isOwn(entries[at])
		}
		return false
	})
	all, err := readTOML(text)
	left, errAfter := readTOML(after)
	before, _ := all[root].([]any)
	var rest []any
	for n, one := range before {
		if !isOwn(entries[n]) {
			rest = append(rest, one)
		}
	}
	if all[root] = rest; rest == nil {
		delete(all, root)
	}
	if err = errors.Join(err, errAfter); err != nil || !reflect.DeepEqual(all, left) {
		return nil, fmt.Errorf("chibi cannot tell its elements [[%s]] from the rest; take them out yourself", root)
	}
	return after, nil
}
