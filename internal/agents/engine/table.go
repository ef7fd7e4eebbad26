package engine

import (
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/plugin/toolnames"
	"github.com/chibi-host/chibi/tools"
)

// Agent is a coding agent. Tables are large, so a function makes the agent's table when it is needed.
type Agent struct {
	// Names are the names that chibi accepts; the first is its name in chibi.
	Names []string
	Table func() Dialect
	// Starts are the agents whose settings it reads, and whose hooks it starts too.
	Starts []Start
}

// Dialect returns the table of the agent.
func (a Agent) Dialect() Dialect {
	d := a.Table()
	d.Name, d.Aliases = a.Names[0], a.Names[1:]
	return d
}

// Dialect has the facts about one agent.
type Dialect struct {
	// Name is the agent's name in chibi, such as "claude"; Aliases are further names that chibi accepts; Title
	// is the name of the product.
	Name    string
	Aliases []string
	Title   string
	// Facts says where they come from: a version of the program or documents, and the date.
	Facts Facts
	// Places are the settings files, in the order in which the agent reads them.
	Places []Place
	// Reads are the settings files of other agents that it reads by itself.
	Reads []Reading
	// Shape is how a settings file lists hooks.
	Shape Shape
	// Sessions are the files in which the agent keeps its sessions.
	Sessions SessionFiles
	// SessionToo is another member that can have the session's id, as in a program that runs hooks of this agent; "":
	// there is none.
	SessionToo string
	// Servers are where the agent reads its MCP servers.
	Servers ServerPlaces
	// Carrier is the JavaScript that makes chibi a plugin of an agent whose hooks are functions (see the
	// package carrier); "": the hooks are commands.
	Carrier string
	// AfterAdd says what the person has to do after chibi bridge add, a sentence; "": nothing.
	AfterAdd string
	// Events are the agent's events, in the order of its documentation.
	Events []Event
	// Matcher says how the agent reads a matcher.
	Matcher MatcherRule
	// Tools are the agent's tools. AbsolutePaths says that paths in their arguments are absolute. MCPName makes
	// the name of an MCP server's tool of two %s: server and tool.
	Tools         toolnames.Table
	AbsolutePaths bool
	MCPName       string
	// AddressesIn is the argument of the fetching tool in which addresses stand among other words. The tool fetches
	// each of them, or its url. "": there is none.
	AddressesIn string
	// PathBegins are texts that the agent takes away from the beginning of a path, PathLoses characters that it takes
	// out or reads as others: then it uses another file than the path says.
	PathBegins []string
	PathLoses  string
	// MCPInput is the member that has the arguments of an MCP server's tool, beside its name in tool_name; "":
	// the arguments stand alone.
	MCPInput string
	// Results are the shapes of tools' results; the first that fits counts. Without one, a result is a string.
	Results []Result
	// Words are the agent's words for values that are one of a few.
	Words Words
	// Environment are the variables that a hook gets besides the person's.
	Environment []Variable
	// Shell starts a command: the program and its arguments before the command line.
	Shell []string
	// Newline says that a payload ends with a newline.
	Newline bool
	// Exits say what exit statuses mean at events that have no rows for them.
	Exits []Exit
	// Progress says that lines with objects of type "progress" are not part of an answer.
	Progress bool
	// Quoted says that an answer can be a JSON string that holds the object.
	Quoted bool
	// Typed says that an answer fails as a whole if a member has a different type than its rows say, or lacks
	// their needs. Otherwise only that member has no effect. Strict says that unknown members, and text that
	// begins like JSON, fail too.
	Typed, Strict bool
	// NoReason is the reason of a denial that gives none; "": chibi's own words.
	NoReason string
	// PlainText says what output that is not JSON means.
	PlainText TextRule
	// Extensions says that the agent fills ${extensionPath} and the like into the hooks of its plugins.
	Extensions bool
	// InTurn says that the agent runs hooks of one event one after another, not at once.
	InTurn bool
	// Dedup says when two handlers are the same: "command", "name and command", "" never.
	Dedup string
	// MaxContinuations is how often Stop hooks can continue a turn; 0: chibi's bound alone.
	MaxContinuations int
	// HasAsk says that the agent can ask the person itself; otherwise chibi turns an "ask" into a denial.
	// AskTrusts says that the agent approves an "ask" where tools run without a question, so that chibi denies
	// there too.
	HasAsk, AskTrusts bool
	// Own are the forms that only this agent has; nil: there are none. Exceptions are functions for facts that
	// the table cannot express, each with its reason.
	Own        Own
	Exceptions []Exception
}

// Event returns an event by its name or an alias.
func (d Dialect) Event(name string) (Event, bool) {
	for _, e := range d.Events {
		if e.isNamed(name, d.Shape.AnyCase) {
			return e, true
		}
	}
	return Event{}, false
}

// isNamed reports whether a name is the event's.
func (e Event) isNamed(name string, anyCase bool) bool {
	if anyCase {
		plain := func(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }
		return plain(e.Name) == plain(name)
	}
	return e.Name == name || slices.Contains(e.Aliases, name)
}

// of returns the dialect as it is at an event.
func (e Event) of(d Dialect) Dialect {
	if e.Tools != nil {
		d.Tools = e.Tools
	}
	if e.Results != nil {
		d.Results = e.Results
	}
	if e.Matcher != nil {
		d.Matcher = *e.Matcher
	}
	if e.MCPName != "" {
		d.MCPName = e.MCPName
	}
	return d
}

// Facts says where facts come from.
type Facts struct {
	// Driven is the version of the program that gave the facts; "" if they come from reading.
	Driven string
	// Date is the day, as 2006-01-02.
	Date string
	// Read names the documents or sources.
	Read string
}

// Place is a settings file.
type Place struct {
	// Scope is whose file it is: ScopeSystem, ScopeUser, ScopeProject or ScopeLocal.
	Scope string
	// Path is relative to the person's home directory or to the project; in ScopeSystem it is absolute. A
	// pattern with * lists files of a directory.
	Path string
	// Variable, if it is set in the environment, is a directory that takes the place of the first element of
	// Path, or of Moved if Path begins with it.
	Variable string
	Moved    string
	// Format is "json", "jsonc" (with comments), "toml", or "javascript" for a plugin.
	Format string
	// Write says that chibi bridge writes its entries there for this scope.
	Write bool
	// Whole says that the whole file is hooks: there is no other setting in it.
	Whole bool
	// Alone says that events stand at the top of the file, not below Shape.Root. If it has some, the agent does
	// not read the events of later files of the scope.
	Alone bool
	// AtRoot says that hooks of a project's file run in the project's directory, and hooks of a person's file
	// in the directory of the file. Otherwise they run in the working directory.
	AtRoot bool
}

// ShapeOf returns the shape of this file, for an agent whose files have the shape s.
func (p Place) ShapeOf(s Shape) Shape {
	if p.Alone {
		s.Root = ""
	}
	return s
}

// The scopes of settings files.
const (
	ScopeSystem  = "system"  // the organisation's, for everybody on the machine
	ScopeUser    = "user"    // the person's
	ScopeProject = "project" // a project's
	ScopeLocal   = "local"   // the person's in a project, not shared
)

// Shape says how a settings file lists handlers.
type Shape struct {
	// Root is the path of the object that has a list for each event, such as "hooks".
	Root string
	// Event is the member of a handler that names its event, where Root is one list of all handlers; "":
	// it is an object.
	Event string
	// Groups says that the list has groups {matcher, hooks: [handler]}; otherwise it has
	// handlers, each with its own matcher.
	Groups bool
	// Command are the members that can have a handler's command. The first that is there counts, and chibi
	// bridge writes the first of the list; nil: "command".
	Command []string
	// Timeout is the handler's member that has its time limit, TimeoutAlias is a second name of it. Unit is its
	// unit; Seconds are kinds of handlers whose limits count seconds whatever Unit is.
	Timeout, TimeoutAlias string
	Unit                  time.Duration
	Seconds               []HandlerKind
	// OnFailure is the handler's member that is "block" if its failure denies a call; "": there is none.
	OnFailure string
	// Limits are the time limits, by kind, of handlers that have none. Kinds that are not here have the event's
	// limit.
	Limits map[HandlerKind]time.Duration
	// Disable is the path of a switch that turns all hooks off if it is true, Enable of a switch that does so
	// if it is false. Disabled is the path of a list with names of hooks that are off. "": there is none.
	Disable, Enable, Disabled string
	// NoEvents are members of the object at Root that are not events.
	NoEvents []string
	// Conditions says that handlers can have an "if", a rule about calls of tools.
	Conditions bool
	// HTTPS names a variable. If it is not "", HTTP handlers must have https URLs; with the value 1, http URLs
	// of this machine are allowed too.
	HTTPS string
	// URLs and HeaderVariables are lists at the top of the settings: the URLs that HTTP handlers may have, with
	// * for any text, and the variables that their headers may have; "": there are none.
	URLs, HeaderVariables string
	// Once says that a handler's "once" counts; NotRun are kinds that do not have the usual meaning: that a
	// model gives its verdict.
	Once   bool
	NotRun []HandlerKind
	// AnyCase says that names of events are the same in any case, with or without "_".
	AnyCase bool
	// Kinds are the types of handlers that the agent knows; the first is the default.
	Kinds []HandlerKind
	// Version is the only number that the file may have in its member "version"; 0: any.
	Version int
}

// HandlerKind is a type of handler, such as "command" or "http".
type HandlerKind string

// The kinds of handlers.
const (
	CommandHandler HandlerKind = "command"
	HTTPHandler    HandlerKind = "http"
	PromptHandler  HandlerKind = "prompt"
	AgentHandler   HandlerKind = "agent"
	MCPToolHandler HandlerKind = "mcp_tool"
)

// Event is one event of an agent.
type Event struct {
	// Name is its name in settings files and payloads, Aliases are other spellings that
	// the agent accepts there.
	Name    string
	Aliases []string
	// Kind is what happens. Also are further kinds of moments at which it fires.
	Kind Kind
	Also []Kind
	// Fields are the payload, in order.
	Fields []Field
	// Needs are conditions that a payload of the event fulfils. A payload that does not is not such a moment.
	Needs []Condition
	// Repeats says that the event fires again for the text by which a hook at the agent's stop made the turn go
	// on, as if the person had said it.
	Repeats bool
	// Tools, Results, Matcher and MCPName, if set, take the place of the dialect's here: some agents
	// have two spellings of an event.
	Tools   toolnames.Table
	Results []Result
	Matcher *MatcherRule
	MCPName string
	// Matches is the value that the agent compares a matcher with; "": it ignores matchers.
	Matches Value
	// Rows say what the members of an answer mean. DenyReplaces says that a denial after a tool replaces its
	// result by the reason.
	Rows         []Row
	DenyReplaces bool
	// PlainText, if set, takes the place of the dialect's here.
	PlainText TextRule
	// Exits come before the dialect's here.
	Exits []Exit
	// Timeout is the time limit of a handler that has none. Longest is the longest limit that the agent takes
	// here; 0: any.
	Timeout, Longest time.Duration
	// Handlers are the types of handlers that the agent runs at the event; nil: all.
	Handlers []HandlerKind
	// Lost has, for chibi bridge show, a sentence for each thing that chibi's plugins cannot do at this event
	// in the agent. Bridged says that chibi bridge add writes an entry for it.
	Lost    []string
	Bridged bool
}

// Field is a member of a payload.
type Field struct {
	// Name is its name, with dots for members of objects.
	Name string
	// Value is what the member holds, Form is how. With "" no moment has the value, and it goes to
	// Moment.Extra.
	Value Value
	Form  Form
	// Const is the JSON of the member if Value is empty, or if the value is not known.
	Const string
	// Optional says that it is absent if the value is not known; otherwise it is then null.
	Optional bool
	// Reads says that chibi only reads the value, and writes Const. Writes says that chibi only writes it,
	// because a different field has it too.
	Reads, Writes bool
	// Each are the members of each element with the form AsCalls.
	Each []Field
}

// Form is the form of a value in a payload.
type Form string

// The forms. The zero value is the value as it is.
const (
	AsTool       Form = "tool"        // the tool's name there
	AsInput      Form = "input"       // the arguments by their names there
	AsInputText  Form = "input text"  // the same, as a string that holds the JSON
	AsResult     Form = "result"      // the result in the agent's shape
	AsMillis     Form = "ms"          // a time as milliseconds since 1970
	AsTrimmed    Form = "trimmed"     // a text without its last newline
	AsListOfOne  Form = "list"        // a list with the value in it
	AsJSONString Form = "json string" // a string that holds the JSON of the value
	AsResultText Form = "result text" // as AsResult, as a string that holds the JSON
	AsCalls      Form = "calls"       // a list of calls with their results
	AsTextBlocks Form = "text blocks" // a list of one block {"type":"text","text":...}
	AsSubject    Form = "subject"     // the argument that the tool is about; not read
	AsMCPResult  Form = "MCP result"  // a text as an MCP server's result, as a string that holds the JSON
	AsPatch      Form = "patch"       // as AsInput, but a call that writes or edits a file as a patch of apply_patch
)

// MatcherRule says how the agent compares a matcher.
type MatcherRule struct {
	// Names are the characters, besides letters and digits, of a matcher that is a list of
	// exact names; Separators split it. Names "" and Separators "": always a pattern.
	Names, Separators string
	// Whole says that a pattern must match the whole value, Lookaround that the agent's
	// patterns can look around, as in JavaScript.
	Whole, Lookaround bool
	// Literal says that the agent compares a pattern that it cannot compile as a text. Otherwise such a pattern
	// matches nothing, or the agent leaves the entry out.
	Literal bool
	// Exact are events at which the agent compares a matcher as a text.
	Exact []string
}

// Variable is an environment variable of a hook.
type Variable struct {
	// Name is its name, Value what it holds, Const the text that it always is. Input is the
	// argument of the tool that it holds, by the agent's name for it.
	Name  string
	Value Value
	Const string
	Input string
	// Words, if set, take the place of the dialect's.
	Words Words
	// Events are where it is set; nil: everywhere.
	Events []string
}

// Exception is a fact that a table cannot express.
type Exception struct {
	// Function is the name of the function that does it. Reason says why a table cannot.
	Function, Reason string
}

// Result is the shape of a tool's result in payloads.
type Result struct {
	// Categories are the categories of the tools that it is for; nil: all.
	Categories []tools.Category
	// Fields are its members; the one with the value ToolOutput is the result's text.
	Fields []Field
}
