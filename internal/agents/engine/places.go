package engine

import (
	"encoding/json"
	"slices"

	"github.com/chibi-host/chibi/internal/strictjson"
)

// Reading says which settings files of another agent an agent reads by itself. It also runs the hooks in them.
type Reading struct {
	// Agent is the other agent. Scopes says whose files of it the agent reads; of a project it reads files in
	// the root of the repository only.
	Agent  string
	Scopes []string
	// Kinds are the types of handlers that it runs. Names says, for people, whose names of tools these handlers
	// get. The agent refuses a file that has a handler of a different type at an event that the agent has.
	Kinds []HandlerKind
	Names string
	// Variable tells hooks the directory in which the session began; "": no variable does.
	Variable string
	// Trusted is a file whose member Folders lists directories. The agent reads nothing elsewhere.
	Trusted Place
	Folders string
	// If says, for people, what turns the reading on if chibi cannot see it; "": it is always on.
	If string
}

// Start says how an agent starts hooks of another agent.
type Start struct {
	// Agent is the other agent.
	Agent string
	// Marks show that a payload is its own and not the other agent's; one of them is enough.
	Marks []Mark
	// TakesTheirs says that it takes answers in the other agent's form, not in its own.
	TakesTheirs bool
}

// Mark describes a payload by members at its top: those that it has, and those that it lacks.
type Mark struct{ Has, Lacks []string }

// Fits reports whether a payload with these members fits the mark.
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
	// Add and Remove are the program with its arguments; chibi's own command follows the arguments of Add.
	Add, Remove []string
}

// Server returns the file's entry for a server that is a program.
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
