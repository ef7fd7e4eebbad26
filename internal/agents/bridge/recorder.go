package bridge

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/agents/drive"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/project"
)

// hookCopy copies the hooks of a settings file.
type hookCopy struct {
	*scratch
	dialect engine.Dialect
	shape   engine.Shape
	file    string
	scope   string
}

// of returns the hooks of the settings, with a recorder in place of each.
func (c hookCopy) of(all map[string]any) map[string]any {
	kept := map[string]any{}
	for _, name := range []string{"version", c.shape.Disable, c.shape.Enable, c.shape.Disabled} {
		carry(kept, all, strings.Split(name, "."))
	}
	var events any = all
	if c.shape.Root != "" {
		events = all[c.shape.Root]
	}
	switch events := events.(type) {
	case []any: // each says its event
		kept[c.shape.Root] = c.list("", "", events)
	case map[string]any:
		lists := map[string]any{}
		for _, event := range slices.Sorted(maps.Keys(events)) {
			if list, isList := events[event].([]any); isList && !slices.Contains(c.shape.NoEvents, event) {
				lists[event] = c.list(event, "", list)
			} else if slices.Contains(c.shape.NoEvents, event) {
				carry(lists, events, []string{event})
			}
		}
		if c.shape.Root == "" {
			return merged(kept, lists)
		}
		kept[c.shape.Root] = lists
	}
	return kept
}

// carry copies a switch, or a list of names, if it is there.
func carry(to, from map[string]any, path []string) {
	value, isThere := from[path[0]]
	if inner, is := value.(map[string]any); is && len(path) > 1 {
		below, _ := to[path[0]].(map[string]any)
		if below == nil {
			below = map[string]any{}
		}
		if carry(below, inner, path[1:]); len(below) > 0 {
			to[path[0]] = below
		}
		return
	}
	if isThere && len(path) == 1 && isPlain(value) {
		to[path[0]] = value
	}
}

// isPlain reports whether a value has no members.
func isPlain(value any) bool {
	list, isList := value.([]any)
	_, isObject := value.(map[string]any)
	return !isObject && (!isList || !slices.ContainsFunc(list, func(one any) bool { return !isPlain(one) }))
}

// list copies the groups and handlers of a list.
func (c hookCopy) list(event, matcher string, all []any) (list []any) {
	list = []any{}
	for _, one := range all {
		object, isObject := one.(map[string]any)
		if !isObject {
			continue
		}
		made := map[string]any{}
		for _, name := range copiedMembers() {
			carry(made, object, []string{name})
		}
		of, _ := object["matcher"].(string)
		if inner, isGroup := object["hooks"].([]any); isGroup {
			made["hooks"] = c.list(event, cmp.Or(of, matcher), inner)
		} else {
			c.record(made, object, event, cmp.Or(of, matcher))
		}
		list = append(list, made)
	}
	return list
}

// copiedMembers are the members of groups and handlers that say when and how they run, but not what.
func copiedMembers() []string {
	return []string{"matcher", "event", "name", "if", "timeout", "timeoutSec", "once", "async", "asyncRewake",
		"sequential", "failClosed", "loop_limit", "enabled"}
}

// record makes a handler a recorder. An entry of chibi also does its work after that, with the home of the copy.
func (c hookCopy) record(made, handler map[string]any, event, matcher string) {
	if of, is := handler[c.shape.Event].(string); is {
		event = of
	}
	command := ""
	names := c.shape.Command
	if names == nil {
		names = []string{"command"}
	}
	for _, name := range append(slices.Clone(names), "url", "prompt", "type") {
		text, _ := handler[name].(string)
		command = cmp.Or(command, text)
	}
	t := Tried{Agent: c.dialect.Name, Event: event, File: c.file, Matcher: matcher, Command: command}
	runs := ""
	if e, is := ParseEntry(command); is && e.Agent == c.dialect.Name {
		t.Own = filepath.Clean(cmp.Or(e.Home, c.DefaultHome)) == filepath.Clean(c.Home)
		if t.Own {
			runs, t.Runs = c.moved(e, command)
		}
	}
	known, isKnown := c.dialect.Event(event)
	t.Must = t.Own && isKnown && c.dialect.Name == c.Agent.Name && c.mustFire(known)
	if made[names[0]] = c.recorder(t) + runs; handler["type"] != nil {
		made["type"] = string(engine.CommandHandler)
	}
}

// recorder is the line with which a hook notes that it runs. Hooks with the same command at the same event have the
// same line, because agents run them once.
func (c hookCopy) recorder(t Tried) string {
	key := strings.Join([]string{t.Event, t.Command}, "\x00")
	n, isKnown := c.known[key]
	if !isKnown {
		n = len(c.tried)
		c.known[key], c.tried = n, append(c.tried, t)
	}
	return fmt.Sprintf("echo %d >> %s\n", n, quoteWord(c.fired()))
}

// moved returns the command line of an entry with the home of the copy; false: it differs from chibi's, so that it
// may do anything. Anybody can have written a project's entries. So their program must be this one, or one that the
// shell finds by its name.
func (c hookCopy) moved(e Entry, command string) (string, bool) {
	_, isKnown := c.dialect.Event(e.Event)
	isOwn := c.scope == engine.ScopeUser || e.Chibi == "" || project.IsSameFile(e.Chibi, c.program)
	if !isKnown || !isOwn || e.Command() != command {
		return "", false
	}
	if e.Home != "" {
		e.Home = c.chibi()
	}
	return e.Command(), true
}

// mustFire reports whether an event happens in every session with a call.
func (s *scratch) mustFire(e engine.Event) bool {
	how, _ := drive.ByName(s.Agent.Name)
	always := []engine.Kind{engine.SessionStart, engine.Prompt, engine.BeforeTool, engine.AfterTool, engine.ToolSucceeded,
		engine.Stop, engine.SessionEnd}
	return e.Bridged && slices.Contains(always, e.Kind) && !slices.Contains(how.Silent, e.Name)
}
