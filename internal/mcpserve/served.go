package mcpserve

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/tools"
)

// Options say which tools a session offers to other programs, besides the tools of plugins and the
// tools that read cached outputs.
type Options struct {
	// Coding offers the coding tools, Servers the tools of the configured MCP servers.
	Coding, Servers bool
	// Look is the time between two looks at the plugins folder and the configuration; 0: a
	// second.
	Look time.Duration
}

// kinds returns the kinds of the tools that are offered.
func (o Options) kinds() []tools.Kind {
	kinds := app.ServedKinds()
	if o.Coding {
		kinds = append(kinds, tools.Coding)
	}
	if o.Servers {
		kinds = append(kinds, tools.MCP)
	}
	return kinds
}

// Tools are the tools of a session that other programs can call, with every hook and
// permission of a call. It is safe for concurrent use: calls that come at the same time run at
// the same time, but calls of one plugin run one after another, unless a tool says that it can run
// in parallel. Nothing is stored in the conversation.
type Tools struct {
	opts  Options
	calls atomic.Int64
	turns turns

	mu     sync.Mutex
	now    *generation
	before sync.WaitGroup // generations that end
}

// Client is one program that calls the tools. It is safe for concurrent use.
type Client struct {
	served *Tools
	person permissions.Person

	mu   sync.Mutex
	gate *permissions.Gate // of the generation
	of   *generation
}

// Call is what a client asks for.
type Call struct {
	// Who names the client, for the trace.
	Who string
	// Tool is the tool's name, Arguments one JSON value; "": none.
	Tool, Arguments string
	// Waiting is called with what is being waited for; nil: it is not told.
	Waiting func(what string) (done func())
}

// Result is what a client gets.
type Result struct {
	// Text is what a model would see. Failed says that the call was refused or blocked, or
	// that it failed.
	Text   string
	Failed bool
}

// generation is what is served between two changes of the plugins: a session and what calls
// use of it.
type generation struct {
	session *app.Session
	first   bool // it belongs to the run, with whose files later ones write
	tools   *tools.Set
	refusal error // why no tool may be called, nil if they may
	users   sync.WaitGroup

	mu   sync.Mutex
	idle []*lane
	room chan struct{} // holds an element for each call
}

// lane is what one call at a time uses: so calls that run at the same time do not mix in the
// trace, where each lane is a run of its own.
type lane struct {
	agent   *agent.Agent
	refusal error
}

// turns make the calls of the tools of a plugin, or of a server, wait for each other: a script
// need not expect to run twice at the same time.
type turns struct {
	mu sync.Mutex
	of map[string]chan struct{} // holds an element while a tool of the plugin runs
}

// person is the person at the client whose call needs a decision.
type person struct{}
