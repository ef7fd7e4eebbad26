// Package settings reads the settings files in which coding agents list their hooks, of all shapes.
//
// An entry that it cannot read does not keep it from reading the others. It bounds what it reads, and each problem
// has its line. The package opens no files.
package settings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/tidwall/gjson"
)

// The bounds of a settings file. Handlers beyond MaxHandlers are problems.
const (
	MaxBytes    = 4 << 20
	MaxHandlers = 2000
	maxProblems = 100
)

// Settings are the hooks and the switches for hooks in a settings file of an agent.
type Settings struct {
	// Handlers are the handlers that Read can read, in the order of the file, also of events that the agent does
	// not have.
	Handlers []Handler
	// Problems are the parts that Read cannot read.
	Problems []Problem
	// Entries is how many entries each event has, with the entries that Read refuses, by the file's name for the
	// event.
	Entries map[string]int
	// Disabled says whether the file turns all hooks off; nil: it does not say.
	Disabled *bool
	// URLs are the only URLs that HTTP handlers may have, with * for any text. HeaderVariables are the only
	// variables in their headers. nil: the file does not limit them.
	URLs, HeaderVariables []string
	// DisabledNames are names and commands of hooks that it turns off.
	DisabledNames []string
}

// Problem is a part of a settings file that chibi does not use.
type Problem struct {
	// Line is where it stands; 0: it is about the whole file.
	Line int
	// Event is the event and Number is [Handler.Number] of the entry; "" and 0 if the problem is about more.
	Event  string
	Number int
	// Text says what is wrong and what would be right.
	Text string
}

// String returns the problem with its place in the file.
func (p Problem) String() string {
	text := p.Text
	switch {
	case p.Number > 0:
		text = fmt.Sprintf("entry %d of %s: %s", p.Number, p.Event, text)
	case p.Event != "":
		text = p.Event + ": " + text
	}
	if p.Line > 0 {
		text = fmt.Sprintf("line %d: %s", p.Line, text)
	}
	return text
}

// Read reads the text of a settings file. Format is the Format of its [Place]: "json", "jsonc" or
// "toml". An entry that Read cannot read does not keep it from reading the others.
func Read(d engine.Dialect, text []byte, format string) Settings {
	r := settingsReader{dialect: d, found: Settings{Entries: map[string]int{}}}
	if err := r.open(text, format); err != nil {
		r.problem(Problem{Text: err.Error()})
		return r.found
	}
	r.switches()
	if r.isReadable() {
		r.events()
	}
	return r.found
}

// settingsReader reads one file.
type settingsReader struct {
	dialect engine.Dialect
	root    gjson.Result
	lines   lines
	found   Settings
}

// problem adds a problem.
func (r *settingsReader) problem(p Problem) {
	if len(r.found.Problems) < maxProblems {
		r.found.Problems = append(r.found.Problems, p)
	}
}

// isReadable reports whether chibi can read this version of the file, and adds a problem if not.
func (r *settingsReader) isReadable() bool {
	version := r.root.Get("version")
	if want := r.dialect.Shape.Version; want > 0 && version.Exists() && version.Raw != fmt.Sprint(want) {
		r.problem(Problem{Text: fmt.Sprintf(`its "version" is %.40s, and %s reads version %d only`, version.Raw,
			r.dialect.Title, want)})
		return false
	}
	return true
}

// switches reads the members that turn hooks off.
func (r *settingsReader) switches() {
	shape := r.dialect.Shape
	for _, s := range []struct {
		path string
		off  bool
	}{{shape.Disable, true}, {shape.Enable, false}} {
		if value := member(r.root, s.path); value.IsBool() {
			off := value.Bool() == s.off
			r.found.Disabled = &off
		}
	}
	r.found.URLs, r.found.HeaderVariables = listAt(r.root, shape.URLs), listAt(r.root, shape.HeaderVariables)
	r.found.DisabledNames = listAt(r.root, shape.Disabled)
}

// listAt returns the strings of a list; nil: there is none.
func listAt(root gjson.Result, path string) (list []string) {
	value := gjson.Result{}
	if path != "" {
		value = member(root, path)
	}
	if value.IsArray() {
		list = []string{}
	}
	for _, one := range value.Array() {
		if one.Type == gjson.String {
			list = append(list, one.Str)
		}
	}
	return list
}

// events reads the lists of all events.
func (r *settingsReader) events() {
	root := member(r.root, r.dialect.Shape.Root)
	switch {
	case !root.Exists() || root.Type == gjson.Null:
		return
	case r.dialect.Shape.Event != "" && root.IsArray():
		r.list(root)
		return
	case !root.IsObject():
		r.problem(Problem{Line: r.lines.of(root), Text: fmt.Sprintf("%q is %s; want an object with a list for each event",
			r.dialect.Shape.Root, strictjson.TypeOf([]byte(root.Raw)))})
		return
	}
	for _, m := range membersOf(root) {
		if slices.Contains(r.dialect.Shape.NoEvents, m.name) {
			continue
		}
		if e, known := r.dialect.Event(m.name); known {
			m.name = e.Name
		}
		r.event(m.name, m.value)
	}
}

// list reads a list of handlers that each name their event.
func (r *settingsReader) list(root gjson.Result) {
	for _, one := range elements(root) {
		event := member(one, r.dialect.Shape.Event).Str
		if e, known := r.dialect.Event(event); known {
			event = e.Name
		}
		r.handler(one, Handler{Event: event})
	}
}

// event reads the list of an event.
func (r *settingsReader) event(event string, list gjson.Result) {
	if !list.IsArray() {
		r.problem(Problem{Line: r.lines.of(list), Event: event,
			Text: "it is " + strictjson.TypeOf([]byte(list.Raw)) + "; want a list"})
		return
	}
	list.ForEach(func(_, one gjson.Result) bool {
		if r.dialect.Shape.Groups {
			r.group(event, one)
		} else {
			r.handler(one, Handler{Event: event})
		}
		return true
	})
}

// group reads {matcher, hooks: [handler]}.
func (r *settingsReader) group(event string, group gjson.Result) {
	handlers, matcher := member(group, "hooks"), member(group, "matcher")
	refuse := func(text string) {
		r.found.Entries[event]++
		r.problem(Problem{r.lines.of(group), event, r.found.Entries[event], text})
	}
	switch {
	case !group.IsObject():
		refuse("it is " + strictjson.TypeOf([]byte(group.Raw)) + `; want an object {"matcher": ..., "hooks": [...]}`)
	case !handlers.Exists() && isHandler(group):
		refuse(`the handler stands directly in the list of the event; want {"matcher": ..., "hooks": [HANDLER]}`)
	case !handlers.IsArray():
		refuse(`it has no list "hooks" of handlers`)
	case matcher.Exists() && matcher.Type != gjson.String && matcher.Type != gjson.Null:
		refuse("matcher: must be a string, is " + strictjson.TypeOf([]byte(matcher.Raw)))
	default:
		common := Handler{Event: event, Matcher: matcher.Str, Sequential: member(group, "sequential").Type == gjson.True}
		handlers.ForEach(func(_, one gjson.Result) bool {
			r.handler(one, common)
			return true
		})
	}
}

// isHandler reports whether an object looks like a handler.
func isHandler(object gjson.Result) bool {
	return slices.ContainsFunc([]string{"command", "type", "url", "prompt", "bash"}, func(name string) bool {
		return member(object, name).Exists()
	})
}

// handler reads one handler into h, which has the members of its group.
func (r *settingsReader) handler(object gjson.Result, h Handler) {
	r.found.Entries[h.Event]++
	h.Number, h.Line = r.found.Entries[h.Event], r.lines.of(object)
	if len(r.found.Handlers) >= MaxHandlers {
		r.problem(Problem{h.Line, h.Event, h.Number, fmt.Sprintf("the file has more than %d hooks", MaxHandlers)})
		return
	}
	if err := readEntry(r.dialect.Shape, object, &h); err != nil {
		r.problem(Problem{h.Line, h.Event, h.Number, err.Error()})
		return
	}
	r.found.Handlers = append(r.found.Handlers, h)
}

// named is a member of an object.
type named struct {
	name  string
	value gjson.Result
}

// membersOf lists the members of an object; of several with the same name the last.
func membersOf(object gjson.Result) (list []named) {
	at := map[string]int{}
	object.ForEach(func(key, value gjson.Result) bool {
		if i, again := at[key.Str]; again {
			list[i].value = value
			return true
		}
		at[key.Str] = len(list)
		list = append(list, named{key.Str, value})
		return true
	})
	return list
}

// member returns the member of an object at a path with dots; of several with the same name the last. "" is the
// object itself.
func member(object gjson.Result, path string) gjson.Result {
	if path == "" {
		return object
	}
	name, rest, _ := strings.Cut(path, ".")
	return member(strictjson.Member(object, name), rest)
}
