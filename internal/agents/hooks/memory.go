package hooks

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/plugin"
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

// Close waits for the handlers that run in the background, at most as long as given, and ends
// those that still run. It returns their names.
func (m *Memory) Close(wait time.Duration) (ended []string) {
	b := &m.background
	done := make(chan struct{})
	go func() {
		b.running.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(wait):
	}
	b.mu.Lock()
	for name := range b.names {
		ended = append(ended, name)
	}
	for _, end := range b.ends {
		end()
	}
	b.mu.Unlock()
	<-done
	slices.Sort(ended)
	return ended
}

// NewBackground returns the plugin that passes on what an agent's handlers said in the
// background.
func NewBackground(d engine.Dialect, m *Memory) plugin.Plugin {
	name := d.Name + ":background"
	return plugin.Plugin{Name: name, Origin: plugin.Origin{Protocol: d.Name},
		Hooks:   []hookpoints.Name{hookpoints.PreMessage.Name, hookpoints.PreStop.Name},
		Handler: plugin.HandlerFunc(m.handBackground)}
}

// handBackground answers with what was said since it was asked last.
func (m *Memory) handBackground(_ context.Context, ev plugin.Event) (plugin.Answer, error) {
	b := &m.background
	b.mu.Lock()
	defer b.mu.Unlock()
	fields := map[string]any{}
	var answer plugin.Answer
	if ev.Point == hookpoints.PreStop.Name {
		if len(b.wakes) > 0 {
			fields["follow_up_messages"] = b.wakes
		}
		b.wakes = nil
	} else {
		all := engine.Effect{}
		for _, eff := range b.said {
			all.Context = engine.Joined(all.Context, eff.Context)
			all.SystemMessage = engine.Joined(all.SystemMessage, eff.SystemMessage)
			answer.Notes = append(answer.Notes, eff.Notes...)
		}
		b.said = nil
		if all.Context != "" {
			fields["context"] = all.Context
		}
		if all.SystemMessage != "" {
			fields["system_message"] = all.SystemMessage
		}
	}
	if len(fields) == 0 {
		answer.Skipped = "nothing was said in the background"
		return answer, nil
	}
	body, err := plugin.JSON(fields)
	answer.Body = body
	return answer, err
}

// behind starts the handler in the background.
func (h *hook) behind(ctx context.Context, ev plugin.Event, m engine.Moment) plugin.Answer {
	ev = plugin.Event{Point: ev.Point, Payload: ev.Payload} // its answer is not one of this event
	h.opts.Memory.background.start(ctx, h.opts.Name, func(ctx context.Context) engine.Effect {
		eff, _, err := h.run(ctx, ev, m)
		if err != nil {
			eff = engine.Effect{Notes: []string{fmt.Sprintf("%s failed in the background: %v", h.opts.Name, err)}}
		}
		return eff
	}, h.handler.AsyncRewake)
	return plugin.Answer{How: "started in the background"}
}
