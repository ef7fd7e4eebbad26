package app

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/internal/mcplists"
	"github.com/chibi-host/chibi/internal/within"
	"github.com/chibi-host/chibi/plugin/native"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/chibi-host/chibi/tools/mcp"
	"github.com/chibi-host/chibi/tools/mcp/oauth"
)

// serverHost has the MCP servers of a session: what is remembered of what they offer, and the
// connections to those that were used. It is safe for concurrent use.
type serverHost struct {
	servers []MCPServer
	memory  *mcplists.Memory
	logins  oauth.Logins
	pool    *mcp.Pool
	files   ServerFiles
	home    string
	environ []string // that servers of a project are filled in from, and programs get
	runner  process.Runner
	mark    func() within.Mark // for the programs of servers
	cache   func() cache.Cache
	person  person

	// askLater asks a server in the background; what it returns is closed when that is done.
	// close ends that, and everything else.
	askLater func(mcp.Server) chan struct{}
	close    func()

	mu       sync.Mutex
	closed   bool
	begun    bool                // the background work of the run
	changed  bool                // lists, since the tools of the session were made of them
	renewals map[string]*renewal // by the names of servers that said that their tools have changed
}

// newServerHost returns the host of servers. Nothing is started, and nothing connected to.
func newServerHost(s *Session, servers []MCPServer) *serverHost {
	loader := s.Loader()
	h := &serverHost{servers: servers, memory: mcplists.Open(s.Home), logins: oauth.In(s.Home, s.person.notice),
		files: ServerFilesOf(s.Project), home: s.Home,
		environ: loader.env.list(true), mark: sync.OnceValue(func() within.Mark { return loader.mark("mcp") }),
		cache: s.Cache, person: s.person, renewals: map[string]*renewal{}}
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
	h.runner = process.Runner{Env: h.environ, Drop: native.PerCall(),
		MaxStderr: int64(s.Config.Limits.PluginStderrBytes)}
	if s.opts.Verbose {
		h.runner.Stderr = loader.Runner().Stderr
	}
	h.pool = mcp.NewPool(mcp.PoolConfig{Version: s.opts.Version, Runner: h.runner, Fill: h.fill, Notify: s.person.notice,
		Changed: h.listChanged, Keep: h.keep, HTTP: mcp.HTTP{Authorize: h.logins.Handler}, Elicit: filler(s),
		Spool: func() (process.Spool, error) { return h.cache().SpillFile() }})
	return h
}

// Close ends the connections, and the servers that are programs.
func (h *serverHost) Close() error {
	h.close()
	return nil
}

// save keeps what was found out for later runs.
func (h *serverHost) save() {
	if err := h.memory.Save(); err != nil {
		h.person.notice(err.Error())
	}
}

// find returns a server by its name.
func (h *serverHost) find(name string) (MCPServer, bool) {
	for _, s := range h.servers {
		if s.Name == name {
			return s, true
		}
	}
	return MCPServer{}, false
}

// fill returns a server as it is started or connected to now. Variables of what a project
// says are those that its programs get: not the key for the model's server.
func (h *serverHost) fill(server mcp.Server) (mcp.Server, error) {
	known, _ := h.find(server.Name)
	if !known.OfProject {
		filled, err := server.Filled(os.LookupEnv)
		return h.marked(filled, false), err
	}
	lookup := lookupIn(h.environ)
	if err := h.files.asApproved(h.home, server, lookup); err != nil {
		return server, err
	}
	filled, err := server.Filled(lookup)
	return h.marked(filled, true), err
}

// marked returns a server whose program is told that the model commands it. It is not where the
// program is this one, which holds what it runs itself, or where the person's settings for the
// server say what the variable is.
func (h *serverHost) marked(server mcp.Server, ofProject bool) mcp.Server {
	_, isSet := server.Env[within.Variable]
	if server.Command == "" || isSet && !ofProject || isChibi(h.runner, server.Command) {
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
	return err == nil && strings.HasPrefix(filepath.Base(command), "chibi") && isSameFile(own, command)
}

// keep saves a part of a result that is no text in the cache.
func (h *serverHost) keep(part mcp.Kept) (place string, err error) {
	entry, err := h.cache().PutText(mcp.ToolName(part.Server, part.Tool), part.Arguments, string(part.Data))
	if err != nil {
		return "", err
	}
	return "kept in the cache as " + entry.ID, nil
}
