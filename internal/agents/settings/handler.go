package settings

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/agents/engine"
)

// Handler is one hook of a settings file. Members that its kind does not have are zero.
type Handler struct {
	// Event is the event's name; [Dialect.Event] may not know it.
	Event string
	// Number counts the entries of the event in the file from 1, with the entries that Read refuses. Line is where
	// the entry begins.
	Number, Line int
	// Matcher says for which values of the event the hook runs, see [Dialect.Matches].
	Matcher string
	// If is a rule for tool calls besides the matcher.
	If string
	// Kind is its type. If the agent has no such type, Kind is "", Type is the file's word for it, and nothing else
	// is known.
	Kind engine.HandlerKind
	Type string
	// Name is the agent's name for it. The person sees StatusMessage while it works.
	Name, StatusMessage string
	// Command is the command line; with Exec it is the program, which gets Args without a shell.
	Command string
	Exec    bool
	Args    []string
	// Shell is the shell that the file names, such as "bash" or "powershell"; "": the agent's.
	Shell string
	// Dir is where it runs, relative to the project; "": where the agent runs hooks.
	Dir string
	// Env are further variables.
	Env map[string]string
	// URL, Headers and AllowedEnv are for an HTTP handler. AllowedEnv names the variables that headers may contain.
	URL        string
	Headers    map[string]string
	AllowedEnv []string
	// Prompt and Model are for a prompt or agent handler.
	Prompt, Model string
	// Server, Tool and Input are for an mcp_tool handler.
	Server, Tool string
	Input        json.RawMessage
	// Timeout is its time limit; 0: it has none of its own, see [Handler.TimeLimit].
	Timeout time.Duration
	// Async says that nobody waits for it. AsyncRewake says that its exit status 2 then continues the turn.
	Async, AsyncRewake bool
	// Once says that it runs once in a session.
	Once bool
	// FailClosed says that its failure blocks.
	FailClosed bool
	// LoopLimit is how often it can continue a turn; nil: the agent's limit.
	LoopLimit *int
	// Sequential says that the hooks of its event run one after another.
	Sequential bool
	// ContinueOnBlock says that the turn goes on after a denial of a prompt handler.
	ContinueOnBlock bool
}

// IsBridge reports whether it is an entry of chibi bridge, which never runs in chibi.
func (h Handler) IsBridge() bool {
	if h.Kind != engine.CommandHandler {
		return false
	}
	words := strings.FieldsFunc(h.Command, func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'`;&|(){}", r) })
	return runsBridge(append(words, h.Args...), h.Event)
}

// Title names a handler by what it runs, for messages.
func (h Handler) Title() string {
	switch h.Kind {
	case engine.HTTPHandler:
		return h.URL
	case engine.PromptHandler, engine.AgentHandler:
		return h.Prompt
	case engine.MCPToolHandler:
		return h.Server + " " + h.Tool
	}
	return h.Command
}

// TimeLimit returns how long a handler may take: its own limit, its kind's or its event's.
func (h Handler) TimeLimit(d engine.Dialect, e engine.Event) time.Duration {
	switch limit := d.Shape.Limits[h.Kind]; {
	case h.Timeout > 0:
		return h.Timeout
	case limit > 0:
		return limit
	}
	return e.Timeout
}

// InExtension returns a handler of an agent's plugin with the placeholders of its texts filled in: the plugin's
// directory, the project's directory, and the separator of names in a path.
func (h Handler) InExtension(d engine.Dialect, dir, project string) Handler {
	if !d.Extensions {
		return h
	}
	const separator = string(filepath.Separator)
	fill := strings.NewReplacer("${extensionPath}", dir, "${workspacePath}", project, "${/}", separator,
		"${pathSeparator}", separator).Replace
	h.Command, h.Args, h.Env = fill(h.Command), slices.Clone(h.Args), maps.Clone(h.Env)
	for i, arg := range h.Args {
		h.Args[i] = fill(arg)
	}
	for name, value := range h.Env {
		h.Env[name] = fill(value)
	}
	return h
}

// runsBridge reports whether the words of a hook's command run an entry of chibi bridge: any program with "bridge
// run", an agent and the hook's event, or a program named chibi with "bridge run".
func runsBridge(words []string, event string) bool {
	for i := 1; i+1 < len(words); i++ {
		if words[i] != "bridge" || words[i+1] != "run" {
			continue
		}
		about := argumentsOf(words[i+2:])
		if slices.ContainsFunc(words[:i], isChibi) || len(about) > 1 && sameEvent(about[1], event) {
			return true
		}
	}
	return false
}

// argumentsOf leaves out the flags of chibi bridge run.
func argumentsOf(words []string) (arguments []string) {
	for i := 0; i < len(words); i++ {
		switch {
		case words[i] == "--deadline":
			i++ // its value
		case !strings.HasPrefix(words[i], "-"):
			arguments = append(arguments, words[i])
		}
	}
	return arguments
}

// sameEvent reports whether two names are spellings of one event.
func sameEvent(a, b string) bool {
	return strings.EqualFold(strings.ReplaceAll(a, "_", ""), strings.ReplaceAll(b, "_", ""))
}

// isChibi reports whether a word is this program, by its name or its path.
func isChibi(word string) bool {
	name := filepath.Base(strings.ReplaceAll(word, `\`, "/"))
	return name == "chibi" || name == "chibi.exe"
}
