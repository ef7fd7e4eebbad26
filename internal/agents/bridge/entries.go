package bridge

import (
	"slices"
	"strconv"
	"time"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/jsonedit"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// entry is the entry for an event.
func (i Installer) entry(event string) Entry {
	e := Entry{Agent: i.Agent.Name, Event: event, Chibi: i.Chibi, Home: i.namedHome(), FailClosed: i.FailClosed}
	if limit := i.limitAt(event); limit != Limit {
		e.Deadline = deadlineOf(limit)
	}
	return e
}

// limitAt is the time limit of the entry for an event: no longer than the agent takes.
func (i Installer) limitAt(event string) time.Duration {
	if e, ok := i.Agent.Event(event); ok && e.Longest > 0 {
		return min(e.Longest, i.limit())
	}
	return i.limit()
}

// addEntries adds the entries of all events.
func (i Installer) addEntries(doc *jsonedit.Doc) error {
	shape := i.Agent.Shape
	if shape.Version > 0 && !doc.Get("version").Exists() {
		if err := doc.Set([]byte(strconv.Itoa(shape.Version)), "version"); err != nil {
			return err
		}
	}
	for _, e := range i.Agent.Events {
		if !e.Bridged {
			continue
		}
		handler := HandlerEntry(shape, i.entry(e.Name).Command(), i.limitAt(e.Name))
		if i.FailClosed && shape.OnFailure != "" && e.Kind == engine.BeforeTool {
			handler, _ = sjson.SetBytes(handler, "hooks.0."+shape.OnFailure, "block") // it is a group with a handler
		}
		if err := doc.Append(handler, below(shape.Root, e.Name)...); err != nil {
			return err
		}
	}
	return nil
}

// below is a path in the object of events. root is the path of the object; "" is the whole file.
func below(root string, names ...string) []string {
	if root == "" {
		return names
	}
	return append([]string{root}, names...)
}

// removeEntries removes the entries of this home.
func (i Installer) removeEntries(doc *jsonedit.Doc) {
	root, removed := i.Agent.Shape.Root, 0
	for _, event := range doc.Names(below(root)...) {
		gone := i.removeFrom(doc, root, event)
		if removed += gone; gone > 0 && len(doc.Get(below(root, event)...).Array()) == 0 {
			doc.Remove(below(root, event)...)
		}
	}
	if removed > 0 && root != "" && len(doc.Names(root)) == 0 {
		doc.Remove(root)
	}
}

// removeFrom removes the entries of this home from the list of an event: handlers, and groups
// that have no other handlers.
func (i Installer) removeFrom(doc *jsonedit.Doc, root, event string) (removed int) {
	if !i.Agent.Shape.Groups {
		return doc.RemoveElements(i.isOwnHandler, below(root, event)...)
	}
	for n, group := range doc.Get(below(root, event)...).Array() {
		if !i.isOwnGroup(group) {
			removed += doc.RemoveElements(i.isOwnHandler, below(root, event, strconv.Itoa(n), "hooks")...)
		}
	}
	return removed + doc.RemoveElements(i.isOwnGroup, below(root, event)...)
}

// isOwnGroup reports whether a group has entries of this home and nothing else.
func (i Installer) isOwnGroup(group gjson.Result) bool {
	handlers := group.Get("hooks").Array()
	isOther := func(h gjson.Result) bool { return !i.isOwnHandler(h) }
	return len(handlers) > 0 && !slices.ContainsFunc(handlers, isOther)
}

// isOwnHandler reports whether a handler is an entry of this home.
func (i Installer) isOwnHandler(handler gjson.Result) bool {
	return i.isOwn(commandOf(i.Agent.Shape, handler))
}

// commandOf returns the command line of a handler.
func commandOf(shape engine.Shape, handler gjson.Result) string {
	names := shape.Command
	if names == nil {
		names = []string{"command"}
	}
	for _, name := range names {
		if command := handler.Get(name); command.Type == gjson.String {
			return command.Str
		}
	}
	return ""
}

// commands lists the command lines of the handlers of an event.
func (i Installer) commands(doc *jsonedit.Doc, event string) (list []string) {
	for _, one := range doc.Get(below(i.Agent.Shape.Root, event)...).Array() {
		handlers := []gjson.Result{one}
		if i.Agent.Shape.Groups {
			handlers = one.Get("hooks").Array()
		}
		for _, handler := range handlers {
			list = append(list, commandOf(i.Agent.Shape, handler))
		}
	}
	return list
}
