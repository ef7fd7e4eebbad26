package engine

import (
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/plugin/toolnames"
	"github.com/chibi-host/chibi/tools"
)

// Agent is a coding agent, whose table is made when it is needed: tables are large.
type Agent struct {
	// Names are those that are accepted; the first is its name in chibi.
	Names []string
	Table func() Dialect
	// Starts are the agents whose hooks it starts too, as it reads their settings.
	Starts []Start
}

// Dialect returns the table of the agent.
func (a Agent) Dialect() Dialect {
	d := a.Table()
	d.Name, d.Aliases = a.Names[0], a.Names[1:]
	return d
}

// Dialect is what is known about one agent.
type Dialect struct {
	// Name is the agent's name in chibi, such as "claude"; Aliases are further ones that are
	// accepted; Title is the name of the product.
	Name    string
	Aliases []string
	Title   string
	// Facts says where they come from: the version that was driven, or which
	// documents were read, and the date.
	Facts Facts
	// Places are the settings files, in the order in which they are read.
	Places []Place
	// Reads are the settings files of other agents that it reads by itself.
	Reads []Reading
	// Shape is how a settings file lists hooks.
	Shape Shape
	// Sessions are the files of its own in which it keeps its sessions.
	Sessions SessionFiles
	// Servers are where the agent reads its MCP servers.
	Servers ServerPlaces
	// Carrier is the JavaScript by which chibi is a plugin of the agent, whose hooks are functions (see the
	// package carrier); "": they are commands.
	Carrier string
	// AfterAdd is what the person has to do after chibi bridge add, a sentence; "": nothing.
	AfterAdd string
	// Events are the agent's events, in the order of its documentation.
	Events []Event
	// Matcher is how a matcher is read.
	Matcher MatcherRule
	// Tools are the agent's tools. AbsolutePaths says that paths in their arguments are made
	// absolute. MCPName makes the name of an MCP server's tool of two %s: server and tool.
	Tools         toolnames.Table
	AbsolutePaths bool
	MCPName       string
	// AddressesIn is the argument of the fetching tool in which addresses stand among other words. The tool fetches
	// each of them, or its url. "": there is none.
	AddressesIn string
	// MCPInput is, of the arguments with which an MCP server's tool is called, the member that has the
	// tool's own, beside its name in tool_name; "": they are the tool's own.
	MCPInput string
	// Results are the shapes of tools' results, the first that fits is used; none: a string.
	Results []Result
	// Words are the agent's words for values that are one of a few.
	Words Words
	// Environment are the variables that a hook gets besides the person's.
	Environment []Variable
	// Shell starts a command: the program and its arguments before the command line.
	Shell []string
	// Newline says that a payload ends with a newline.
	Newline bool
	// Exits are what exit statuses mean, at events that do not say it themselves.
	Exits []Exit
	// Progress says that lines with objects of type "progress" are no part of an answer.
	Progress bool
	// Quoted says that an answer can be a JSON string that holds the object.
	Quoted bool
	// Typed says that an answer that breaks its schema is a failure as a whole: with a member
	// of another type than its rows say, or that lacks what they need. Otherwise that member
	// alone has no effect.
	// Strict says it too of unknown members, and of text that begins like JSON.
	Typed, Strict bool
	// NoReason is the reason of a denial that says none, "": chibi's own words.
	NoReason string
	// PlainText says what output that is not JSON means.
	PlainText TextRule
	// Extensions says that the agent fills ${extensionPath} and the like into the hooks of its plugins.
	Extensions bool
	// InTurn says that hooks of one event are asked one after another, not at once.
	InTurn bool
	// Dedup says when two handlers are the same: "command", "name and command", "" never.
	Dedup string
	// MaxContinuations is how often Stop hooks can continue a turn; 0: chibi's bound alone.
	MaxContinuations int
	// HasAsk says that the agent has a question of its own for "ask"; where it has
	// not, chibi's "ask" is a denial there. AskTrusts says that where nobody is asked before tools
	// run, the agent approves what a hook asks about, so that it is a denial there too.
	HasAsk, AskTrusts bool
	// Own are the forms that only this agent has, nil: none. Exceptions are what the table cannot say:
	// functions, each with its reason.
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
	// Driven is the version of the program that was run; "" if it was only read about.
	Driven string
	// Date is when, as 2006-01-02.
	Date string
	// Read are the documents or sources that were read.
	Read string
}

// Place is a settings file.
type Place struct {
	// Scope is whose file it is: ScopeSystem, ScopeUser, ScopeProject or ScopeLocal.
	Scope string
	// Path is relative to the person's home directory or to the project; that of
	// ScopeSystem is absolute. A pattern with * lists files of a directory.
	Path string
	// Variable, if it is set in the environment, is a directory that replaces the first
	// element of Path, or Moved, with which Path begins.
	Variable string
	Moved    string
	// Format is "json", "jsonc" (with comments), "toml", or "javascript" for a plugin.
	Format string
	// Write says that chibi bridge writes its entries there for this scope.
	Write bool
	// Whole says that the whole file is hooks: there is no other setting in it.
	Whole bool
	// Alone says that events stand at the top of the file, not below Shape.Root, and that where it has
	// some the agent does not read those of other files of the scope behind it.
	Alone bool
	// AtRoot says that its hooks run in the project's directory, those of a person's file in
	// that of the file; otherwise they run in the working directory.
	AtRoot bool
}

// ShapeOf is how the file lists hooks, where the agent's files do so in a shape.
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

// Shape is how handlers are listed in a settings file.
type Shape struct {
	// Root is the path of the object that has a list for each event, such as "hooks".
	Root string
	// Event is the member of a handler that names its event, where Root is one list of all handlers; "":
	// it is an object.
	Event string
	// Groups says that the list has groups {matcher, hooks: [handler]}; otherwise it has
	// handlers, each with its own matcher.
	Groups bool
	// Command are the members that can have a handler's command, the first that is there
	// is meant, and chibi bridge writes the first; nil: "command".
	Command []string
	// Timeout is the handler's member that has its time limit, TimeoutAlias is another name
	// of it. Unit is what it counts; Seconds are kinds of handlers whose limits count
	// seconds whatever Unit is.
	Timeout, TimeoutAlias string
	Unit                  time.Duration
	Seconds               []HandlerKind
	// OnFailure is the handler's member that is "block" if its failure denies a call; "": there is none.
	OnFailure string
	// Limits are the time limits, by kind, of handlers that have none; of kinds that are not
	// here it is the event's.
	Limits map[HandlerKind]time.Duration
	// Disable is the path of a switch that turns all hooks off if it is true, Enable of one
	// that does so if it is false, Disabled of a list with names of hooks that are off; ""
	// if there is none.
	Disable, Enable, Disabled string
	// NoEvents are members of the object at Root that are no events.
	NoEvents []string
	// Conditions says that handlers can have an "if", a rule about calls of tools.
	Conditions bool
	// HTTPS says that HTTP handlers have https URLs only; http ones of this machine are allowed if
	// the variable that it names is 1.
	HTTPS string
	// URLs and HeaderVariables are lists at the top of the settings: which URLs HTTP handlers may
	// have, with * for any text, and which variables their headers; "": there are none.
	URLs, HeaderVariables string
	// Once says that a handler's "once" counts; NotRun are kinds that mean something else than
	// that a model gives its verdict.
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
	// are accepted there.
	Name    string
	Aliases []string
	// Kind is what happens, Also are further kinds of moments at which it fires.
	Kind Kind
	Also []Kind
	// Fields are the payload, in order.
	Fields []Field
	// Needs are conditions that a payload fulfils; otherwise it is no such moment.
	Needs []Condition
	// Repeats says that it fires again, as if the person had said it, for the text by which a hook at
	// the agent's stop made the turn go on.
	Repeats bool
	// Tools, Results, Matcher and MCPName, if set, take the place of the dialect's here: some agents
	// have two spellings of an event.
	Tools   toolnames.Table
	Results []Result
	Matcher *MatcherRule
	MCPName string
	// Matches is the value that a matcher is compared with; "": matchers are ignored.
	Matches Value
	// Rows are what the members of an answer mean. DenyReplaces says that a denial after a
	// tool replaces its result by the reason.
	Rows         []Row
	DenyReplaces bool
	// PlainText, if set, takes the place of the dialect's here.
	PlainText TextRule
	// Exits come before those of the dialect here.
	Exits []Exit
	// Timeout is the time limit of a handler that has none; Longest is the longest that the
	// agent takes here, 0 if there is none.
	Timeout, Longest time.Duration
	// Handlers are the types of handlers that the agent runs at the event; nil: all.
	Handlers []HandlerKind
	// Lost is what chibi's plugins cannot do at this event in the agent, a sentence each,
	// for chibi bridge show; Bridged says that chibi bridge add writes an entry for it.
	Lost    []string
	Bridged bool
}

// Field is a member of a payload.
type Field struct {
	// Name is its name, with dots for members of objects.
	Name string
	// Value is what it holds, Form is how; "": something that no moment has, which is kept in
	// Moment.Extra.
	Value Value
	Form  Form
	// Const is the JSON that it always is, if Value is empty, and what it is if the value is
	// not known.
	Const string
	// Optional says that it is absent if the value is not known; otherwise it is then null.
	Optional bool
	// Reads says that the value is only read, and what is written is Const; Writes that it is
	// only written, because another field says it too.
	Reads, Writes bool
	// Each are the members of each element with the form AsCalls.
	Each []Field
}

// Form is how a value is written in a payload.
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
	AsPatch      Form = "patch"       // as AsInput, what writes or edits a file as a patch of apply_patch
)

// MatcherRule is how a matcher is compared.
type MatcherRule struct {
	// Names are the characters, besides letters and digits, of a matcher that is a list of
	// exact names; Separators split it. Names "" and Separators "": always a pattern.
	Names, Separators string
	// Whole says that a pattern must match the whole value, Lookaround that the agent's
	// patterns can look around, as those of JavaScript.
	Whole, Lookaround bool
	// Literal says that a pattern that cannot be compiled is compared as a text; otherwise it
	// matches nothing, or the entry is left out.
	Literal bool
	// Exact are events whose matcher is compared as a text.
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

// Exception is what a table cannot say.
type Exception struct {
	// Function is the name of the function that does it, Reason why a table cannot say it.
	Function, Reason string
}

// Result is the shape of a tool's result in payloads.
type Result struct {
	// Categories are the categories of the tools that it is for; nil: all.
	Categories []tools.Category
	// Fields are its members; the one with the value ToolOutput is the result's text.
	Fields []Field
}
