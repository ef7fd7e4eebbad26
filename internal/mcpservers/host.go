package mcpservers

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/internal/mcplists"
	"github.com/chibi-host/chibi/internal/project"
	"github.com/chibi-host/chibi/internal/within"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/chibi-host/chibi/tools/mcp"
	"github.com/chibi-host/chibi/tools/mcp/oauth"
)

// Host has the MCP servers of a session: what is remembered of what they offer, and the
// connections to those that were used. It is safe for concurrent use.
type Host struct {
	Options
	Servers []Server
	memory  *mcplists.Memory
	logins  oauth.Logins
	pool    *mcp.Pool
	mark    func() within.Mark

	// askLater asks a server in the background; the channel that it returns is closed when that is done.
	// close ends that, and everything else.
	askLater func(mcp.Server) chan struct{}
	close    func()

	mu       sync.Mutex
	closed   bool
	begun    bool                // the background work of the run
	changed  bool                // lists, since the tools of the session were made of them
	renewals map[string]*renewal // by the names of servers that said that their tools have changed
}

// Options say how the servers of a run are started and asked.
type Options struct {
	// Home is where chibi keeps the servers' answers.
	Home string
	// Version is the program's.
	Version string
	Files   Files
	// Runner starts servers that are programs. Its environment has no key for the model's server.
	Runner process.Runner
	// Mark is what the programs of servers get.
	Mark func() within.Mark
	// Cache receives what does not fit into an answer.
	Cache func() cache.Cache
	// Elicit asks the person for a server; nil: nobody can be asked.
	Elicit func(context.Context, mcp.Question) (mcp.Answer, error)
	// Notice shows the person a sentence, Waiting what is being waited for.
	Notice  func(string)
	Waiting func(what string) (done func())
}

// NewHost returns the host of servers. Nothing is started, and nothing connected to.
func NewHost(o Options, servers []Server) *Host {
	h := &Host{Options: o, Servers: servers, memory: mcplists.Open(o.Home), logins: oauth.In(o.Home, o.Notice),
		mark: sync.OnceValue(o.Mark), renewals: map[string]*renewal{}}
	ctx, cancel := context.WithCancel(context.Background())
	var working sync.WaitGroup
	h.askLater = func(server mcp.Server) chan struct{} {
		done := make(chan struct{})
		working.Go(func() {
			defer close(done)
			if _, err := h.ask(ctx, server); err != nil && ctx.Err() != nil { // other failures are remembered
				return
			}
			h.save()
		})
		return done
	}
	h.close = sync.OnceFunc(func() {
		h.mu.Lock() // nothing begins after this
		h.closed = true
		h.mu.Unlock()
		cancel()
		h.pool.Close()
		working.Wait()
	})
	h.pool = mcp.NewPool(mcp.PoolConfig{Version: o.Version, Runner: o.Runner, Fill: h.fill, Notify: o.Notice,
		Changed: h.listChanged, Keep: h.keep, HTTP: mcp.HTTP{Authorize: h.logins.Handler}, Elicit: o.Elicit,
		Spool: func() (process.Spool, error) { return h.Cache().SpillFile() }})
	return h
}

// Close ends the connections, and the servers that are programs.
func (h *Host) Close() error {
	h.close()
	return nil
}

// save keeps what was found out for later runs.
func (h *Host) save() {
	if err := h.memory.Save(); err != nil {
		h.Notice(err.Error())
	}
}

// find returns a server by its name.
func (h *Host) find(name string) (Server, bool) {
	for _, s := range h.Servers {
		if s.Name == name {
			return s, true
		}
	}
	return Server{}, false
}

// fill returns a server as it is started or connected to now. Variables of what a project
// says are those that its programs get: not the key for the model's server.
func (h *Host) fill(server mcp.Server) (mcp.Server, error) {
	known, _ := h.find(server.Name)
	if !known.OfProject {
		filled, err := server.Filled(os.LookupEnv)
		return h.marked(filled, false), err
	}
	lookup := lookupIn(h.Runner.Env)
	if err := h.Files.asApproved(h.Home, server, lookup); err != nil {
		return server, err
	}
	filled, err := server.Filled(lookup)
	return h.marked(filled, true), err
}

// marked returns a server whose program learns that the model commands it. It does not learn it
// where the program is this one, which holds what it runs itself, or where the person's settings for the
// server say what the variable is.
func (h *Host) marked(server mcp.Server, ofProject bool) mcp.Server {
	_, isSet := server.Env[within.Variable]
	if server.Command == "" || isSet && !ofProject || isChibi(h.Runner, server.Command) {
		return server
	}
	server.Env = maps.Clone(server.Env)
	if server.Env == nil {
		server.Env = map[string]string{}
	}
	mark := h.mark()
	mark.Tool = "mcp__" + server.Name
	server.Env["CHIBI_HOME"], server.Env[within.Variable] = mark.Home, mark.Value()
	return server
}

// isChibi reports whether a command is this program, by its own name.
func isChibi(runner process.Runner, command string) bool {
	if !strings.ContainsRune(command, filepath.Separator) {
		command, _ = runner.LookPath(command)
	}
	own, err := os.Executable()
	return err == nil && strings.HasPrefix(filepath.Base(command), "chibi") && project.IsSameFile(own, command)
}

// keep saves a part of a result that is not text in the cache.
func (h *Host) keep(part mcp.Kept) (place string, err error) {
	entry, err := h.Cache().PutText(mcp.ToolName(part.Server, part.Tool), part.Arguments, string(part.Data))
	if err != nil {
		return "", err
	}
	return "kept in the cache as " + entry.ID, nil
}

// lookupIn looks variables up in an environment, in which the last one of a name counts.
func lookupIn(env []string) lookup {
	return func(name string) (string, bool) {
		for _, pair := range slices.Backward(env) {
			if value, ok := strings.CutPrefix(pair, name+"="); ok {
				return value, true
			}
		}
		return "", false
	}
}
