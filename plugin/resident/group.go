package resident

import (
	"slices"
	"sync"
	"time"

	"github.com/chibi-host/chibi/plugin"
)

// patience is how long a process may take to end after its standard input was closed.
const patience = 2 * time.Second

// Group holds the processes of a session. The zero value is ready for use. Notify must be
// set before the first use; a Group is safe for concurrent use after that.
type Group struct {
	// Notify receives what a person should know about processes that nobody waits for. It
	// must be safe for concurrent use. Nil: nobody gets it.
	Notify func(plugin.Notice)
	// Keeper has processes of earlier runs, and gets the processes of this run back; nil: none.
	Keeper Keeper
	// Identify returns what a process depends on, for a group that outlives the session that loaded
	// its plugins: a plugin that is added again with another identity has a new process, and the one
	// before it ends with [Group.EndReplaced]. Nil: all have the same.
	Identify func(Spec) string

	mu     sync.Mutex
	all    []*Resident
	closed bool
	// replaced are processes in whose place others came, and ends waits for their ends.
	replaced []*Resident
	ends     sync.WaitGroup
}

// Add adds a process to the group. It is started at its first question, or by [Group.Start]. A plugin that is added
// again, because it was loaded for another context, has one process for both: their differences are in the questions.
func (g *Group) Add(spec Spec) *Resident {
	identity := ""
	if g.Identify != nil {
		identity = g.Identify(spec)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	r := &Resident{spec: spec, identity: identity, keeper: g.Keeper, notify: g.Notify, turn: make(chan struct{}, 1),
		closed: g.closed}
	at := slices.IndexFunc(g.all, func(r *Resident) bool {
		return r.spec.Plugin == spec.Plugin && r.spec.Command.Path == spec.Command.Path
	})
	switch {
	case at < 0:
		g.all = append(g.all, r)
	case g.all[at].identity == identity:
		return g.all[at]
	default:
		g.replaced = append(g.replaced, g.all[at])
		g.all[at] = r
	}
	return r
}

// EndReplaced ends the processes of plugins that were added again with another identity, once nobody
// asks the process from before. It does not wait for their end.
func (g *Group) EndReplaced() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, r := range g.replaced {
		g.ends.Go(r.close)
	}
	g.replaced = nil
}

// Start starts the processes of these plugins that were never started, for questions that
// will come. Failures of a process before its first question do not count: its first
// question then starts it, and reports what is wrong with it.
func (g *Group) Start(plugins ...string) {
	g.mu.Lock()
	all := slices.Clone(g.all)
	g.mu.Unlock()
	for _, r := range all {
		if slices.Contains(plugins, r.spec.Plugin) {
			r.startEarly()
		}
	}
}

// startEarly starts the process, if it was never started and none could be.
func (r *Resident) startEarly() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || r.now != nil || r.failures > 0 {
		return
	}
	if now, err := r.start(); err == nil { // else the first question says why not
		r.now = now
	}
}

// Close ends all processes, at once, except those that a keeper gets back: standard input is
// closed, two seconds later the process group gets SIGTERM, and SIGKILL after the runner's
// grace period. It returns when all have ended. It may be called more than once; its error is nil.
func (g *Group) Close() error {
	g.mu.Lock()
	g.closed = true
	all := slices.Concat(g.all, g.replaced)
	g.mu.Unlock()
	var ends sync.WaitGroup
	for _, r := range all {
		ends.Go(r.close)
	}
	ends.Wait()
	g.ends.Wait()
	return nil
}

// close gives the process back to the keeper that it is from, or ends it, if one runs.
func (r *Resident) close() {
	r.mu.Lock()
	r.closed = true
	now := r.now
	r.mu.Unlock()
	if now != nil {
		if !now.isIdle() || !now.process.Release() {
			now.process.Close(patience)
		}
		<-now.process.Done()
		now.end()
		select {
		case <-now.over:
		case <-time.After(patience): // it is busy with a very long answer
		}
		discard(now.process)
	}
}
