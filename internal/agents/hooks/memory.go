package hooks

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/agents/engine"
)

// Memory is what the hooks of one agent share in a run. It is safe for concurrent use; a nil
// *Memory remembers nothing.
type Memory struct {
	mu         sync.Mutex
	env        map[string]string
	background background
}

// setVariables adds variables for the hooks that run later.
func (m *Memory) setVariables(env map[string]string) {
	if m == nil || len(env) == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.env == nil {
		m.env = map[string]string{}
	}
	maps.Copy(m.env, env)
}

// variables returns the variables of earlier hooks as "NAME=value".
func (m *Memory) variables() (list []string) {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(m.env)) {
		list = append(list, name+"="+m.env[name])
	}
	return list
}

// background are the handlers of an agent for which nobody waits. What they say to the model
// and to the person arrives with the next prompt, or when the turn would end if it wakes the
// model.
type background struct {
	mu      sync.Mutex
	running sync.WaitGroup
	names   map[string]int // those that run
	ends    []context.CancelFunc
	said    []engine.Effect
	wakes   []string
}

// start runs a handler without waiting for it.
func (b *background) start(ctx context.Context, name string, run func(context.Context) engine.Effect, wakes bool) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.names == nil {
		b.names = map[string]int{}
	}
	b.names[name]++
	b.ends = append(b.ends, cancel)
	b.running.Go(func() {
		defer cancel()
		eff := run(ctx)
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.names[name]--; b.names[name] == 0 {
			delete(b.names, name)
		}
		if wakes && eff.Decision == hookpoints.DecisionDeny {
			b.wakes = append(b.wakes, eff.Reason)
		} else {
			b.said = append(b.said, eff)
		}
	})
}
