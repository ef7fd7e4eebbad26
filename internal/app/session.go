package app

import (
	"io"
	"slices"
	"sync"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/agents/theirs"
	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/confine"
	"github.com/chibi-host/chibi/internal/jobs"
	"github.com/chibi-host/chibi/internal/mcpservers"
	"github.com/chibi-host/chibi/internal/project"
	"github.com/chibi-host/chibi/internal/recipes"
	"github.com/chibi-host/chibi/internal/schemas"
	"github.com/chibi-host/chibi/internal/storage"
	"github.com/chibi-host/chibi/internal/trace"
	"github.com/chibi-host/chibi/llm/openai"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/chibi-host/chibi/plugin/resident"
	"github.com/chibi-host/chibi/store"
	"github.com/chibi-host/chibi/tools/coding"
)

// Session is an open home with one context: its configuration, the plugins and the
// agent that holds the conversation. It is not safe for concurrent use.
type Session struct {
	home
	*shared
	sources
	running

	// Store opens the contexts, by the limits of the configuration.
	Store *contexts.Store
	// Host is what the home keeps on this machine wherever the contexts are.
	Host contexts.Host
	// Context is the context of the conversation.
	Context *contexts.Context
	// Config is the configuration of the context.
	Config config.Config
	// Agent holds the conversation. It can ask the model after [Session.Connect].
	Agent *agent.Agent
	// Recipe is the recipe that the prompt comes from; nil: none.
	Recipe *recipes.Recipe

	opts     Options
	contents *storage.Contents // Store and Host, with their caches
	local    config.Local      // the context's local.toml as it was read last
	global   *config.Global    // config.toml as it was read to find the store; nil: it is read
	stamp    string            // what stampOf said before anything was read; "": it was not asked
	from     string            // the context that was current before
	isNew    bool              // the context has a new name
	started  bool              // on_start was fired
	owned    bool              // this session holds its context's lock
	closers  []io.Closer       // in the order of opening
}

// home is where a run works. Nothing changes it once it is open.
type home struct {
	// Home is the home's directory.
	Home string
	// Project is the current directory with the approval of its files.
	Project project.Project

	place  storage.Place // where the contexts are kept
	person person
}

// shared is what the sessions of a run share and change.
type shared struct {
	engine       *store.Engine // of a store that machines share, nil for files
	trace        io.Writer     // the file of Options.Trace, nil: none
	instructions instructionsText
	reads        coding.Reads     // what the model knows of files
	left         theirs.Variables // that hooks of agents leave for later commands
	jobs         jobs.Sessions    // of commands, which may have left something running
	watchers     confine.Watchers // of what commands in the sandbox must not change
	replaced     map[string]bool  // names of coding tools about which a notice said that a plugin brings its own
	unsaved      string           // the directory of outputs that end with the run; "": they are kept
	lending      sync.Mutex
	lender       *process.Lender // of the terminal
}

// sources are what the agent asks. A session has the sources of the one that it comes from until it
// loads its own.
type sources struct {
	// Loaded are the plugins, and those that were skipped.
	Loaded plugin.Loaded

	tracer     *trace.Tracer
	isBorrowed bool
}

// borrowed returns them for another session.
func (s sources) borrowed() sources {
	s.isBorrowed = true
	return s
}

// running is what a session itself has started.
type running struct {
	server *openai.Client // connected early; nil: it is not
	// residents are the processes of resident plugins; nil until they are loaded.
	residents *resident.Group
	// servers are the MCP servers whose tools the session offers; nil: there are none.
	// serverProblems are about others.
	servers        *mcpservers.Host
	serverProblems []error
	checks         *schemas.Checks // of what plugins answered, from the last Load; nil: none
}

// Close ends what the session started. It may be called more than once.
func (s *Session) Close() {
	s.checks.End()
	for _, c := range slices.Backward(s.closers) {
		c.Close()
	}
	s.closers = nil
}

// Name returns the name of the session's context.
func (s *Session) Name() string { return s.Context.Name() }

// IsNamed reports whether the options name the context, so that it is not just the current one.
func (s *Session) IsNamed() bool { return s.opts.Context != "" }

// newSession returns a session of which nothing is open.
func newSession(opts Options) *Session {
	return &Session{opts: opts, home: home{person: person(opts.Output)}, shared: &shared{replaced: map[string]bool{}}}
}

// closing is a function that is called at the end of a session.
type closing func()

// Close calls the function; its error is nil.
func (c closing) Close() error {
	c()
	return nil
}

// toldHome returns the home that plugins get.
func toldHome(s *Session) string {
	if s.opts.Plugins.Home != "" {
		return s.opts.Plugins.Home
	}
	return s.Home
}
