package engine

import (
	"encoding/json"
	"slices"

	"github.com/chibi-host/chibi/internal/strictjson"
)

// Reading says which settings files of another agent an agent reads by itself: their hooks it runs too.
type Reading struct {
	// Agent is the other agent, Scopes are whose files of it are read; of the project's those in the
	// root of its repository.
	Agent  string
	Scopes []string
	// Kinds are the types of handlers that it runs, Names are whose names of tools these get, a sentence
	// for people. A file with a handler of an event of its own that is of another type it refuses.
	Kinds []HandlerKind
	Names string
	// Variable names the directory in which the session began, for hooks; "": nothing does.
	Variable string
	// Trusted is a file whose member Folders lists directories: elsewhere it reads nothing.
	Trusted Place
	Folders string
	// If is what turns it on and cannot be seen from outside, for people; "": nothing does.
	If string
}

// Start is how an agent starts hooks that were written for another one.
type Start struct {
	// Agent is the other agent.
	Agent string
	// Marks are what shows that a payload is its own, not the other agent's: one of them is enough.
	Marks []Mark
	// TakesTheirs says that it takes answers in the other agent's form, not in its own.
	TakesTheirs bool
}

// Mark is what a payload looks like: the members at its top that are there, and those that are not.
type Mark struct{ Has, Lacks []string }

// Fits reports whether a payload with these members looks like it.
func (m Mark) Fits(members []string) bool {
	isThere := func(name string) bool { return slices.Contains(members, name) }
	isMissing := func(name string) bool { return !isThere(name) }
	return !slices.ContainsFunc(m.Has, isMissing) && !slices.ContainsFunc(m.Lacks, isThere)
}

// ServerPlace is where an agent reads its MCP servers: a settings file, or a program.
type ServerPlace struct {
	// Place is the file; its path is "" if a program takes them.
	Place
	// Root is the object of the servers in the file, Extra the first members of a server, as
	// JSON.
	Root, Extra string
	// InOne says that the program and its arguments are one list, "command".
	InOne bool
	// Add and Remove are the program with its arguments; chibi's own command follows those of
	// Add.
	Add, Remove []string
}

// Server returns what the file says of a server that is a program.
func (p ServerPlace) Server(program string, args ...string) json.RawMessage {
	text := p.Extra
	if text != "" {
		text += ","
	}
	if p.InOne {
		list, _ := strictjson.Encode(append([]string{program}, args...)) // it is a list of texts
		return json.RawMessage("{" + text + `"command":` + string(list) + "}")
	}
	list, _ := strictjson.Encode(args) // so is this
	return json.RawMessage("{" + text + `"command":` + string(strictjson.Quote(program)) + `,"args":` + string(list) + "}")
}

// ServerPlaces are where an agent reads its MCP servers, for each scope.
type ServerPlaces []ServerPlace

// In returns the place of a scope.
func (s ServerPlaces) In(scope string) (ServerPlace, bool) {
	i := slices.IndexFunc(s, func(p ServerPlace) bool { return p.Scope == scope })
	if i < 0 {
		return ServerPlace{}, false
	}
	return s[i], true
}
