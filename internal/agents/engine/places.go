package engine

import (
	"encoding/json"
	"slices"

	"github.com/chibi-host/chibi/internal/strictjson"
)

// ServerPlace is where an agent is told of MCP servers: a settings file, or a program.
type ServerPlace struct {
	// Place is the file; its path is "" if a program is told.
	Place
	// Root is the object of the servers in the file, Extra the first members of a server, as
	// JSON.
	Root, Extra string
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
	list, _ := strictjson.Encode(args) // it is a list of texts
	return json.RawMessage("{" + text + `"command":` + string(strictjson.Quote(program)) + `,"args":` + string(list) + "}")
}

// ServerPlaces are where an agent is told of MCP servers, for each scope.
type ServerPlaces []ServerPlace

// In returns the place of a scope.
func (s ServerPlaces) In(scope string) (ServerPlace, bool) {
	i := slices.IndexFunc(s, func(p ServerPlace) bool { return p.Scope == scope })
	if i < 0 {
		return ServerPlace{}, false
	}
	return s[i], true
}
