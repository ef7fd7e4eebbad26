package engine

import (
	"encoding/json"
	"time"
)

// Handler is one hook of a settings file. What its kind does not have is zero.
type Handler struct {
	// Event is the event's name; [Dialect.Event] may not know it.
	Event string
	// Number counts the entries of the event in the file from 1, those that are refused
	// included; Line is where the entry begins.
	Number, Line int
	// Matcher says at which values of the event it is asked, see [Dialect.Matches].
	Matcher string
	// If is a rule for tool calls besides the matcher.
	If string
	// Kind says what it is. Type is what the file calls a kind that the agent does not have;
	// then nothing else is known.
	Kind HandlerKind
	Type string
	// Name is what the agent calls it, StatusMessage is shown while it works.
	Name, StatusMessage string
	// Command is the command line, or with Exec the program, which then gets Args and no
	// shell reads it.
	Command string
	Exec    bool
	Args    []string
	// Shell is the shell that it asks for, such as "bash" or "powershell"; "": the agent's.
	Shell string
	// Dir is where it runs, relative to the project; "": where the agent runs hooks.
	Dir string
	// Env are further variables.
	Env map[string]string
	// URL, Headers and AllowedEnv are of an HTTP handler: AllowedEnv names the variables
	// that may be filled into headers.
	URL        string
	Headers    map[string]string
	AllowedEnv []string
	// Prompt and Model are of a prompt or agent handler.
	Prompt, Model string
	// Server, Tool and Input are of an mcp_tool handler.
	Server, Tool string
	Input        json.RawMessage
	// Timeout is its time limit; 0: it has none of its own, see [Dialect.TimeLimit].
	Timeout time.Duration
	// Async says that nobody waits for it, AsyncRewake that its exit status 2 continues the
	// turn then.
	Async, AsyncRewake bool
	// Once says that it is asked once in a session.
	Once bool
	// FailClosed says that its failure blocks.
	FailClosed bool
	// LoopLimit is how often it can continue a turn; nil: the agent's limit.
	LoopLimit *int
	// Sequential says that the hooks of its event are asked one after another.
	Sequential bool
	// ContinueOnBlock says that the turn goes on after a denial of a prompt handler.
	ContinueOnBlock bool
}

// IsBridge reports whether it is an entry of chibi bridge, which never runs in chibi.
func (h Handler) IsBridge() bool {
	if h.Exec && bridgeWords(append([]string{h.Command}, h.Args...)) {
		return true
	}
	return h.Kind == CommandHandler && BridgeEntry(h.Command)
}

// TimeLimit returns how long a handler may take: its own limit, or that of its kind or of its
// event.
func (d Dialect) TimeLimit(e Event, h Handler) time.Duration {
	switch limit := d.Shape.Limits[h.Kind]; {
	case h.Timeout > 0:
		return h.Timeout
	case limit > 0:
		return limit
	}
	return e.Timeout
}
