package hooks

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/plugin"
)

// background has the handlers that this process asks and does not wait for.
type background struct {
	mu      sync.Mutex
	running sync.WaitGroup
	names   map[string]int // those that run
	ends    []context.CancelFunc
}

// start runs a handler without waiting for it.
func (b *background) start(ctx context.Context, name string, run func(context.Context)) {
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
		run(ctx)
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.names[name]--; b.names[name] == 0 {
			delete(b.names, name)
		}
	})
}

// Close waits for the handlers that this process asks in the background, at most for the given time, and ends the
// others. It returns their names.
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

// Job is a hook for the background, and its event.
type Job struct {
	// Hook is the plugin's name.
	Hook     string          `json:"hook"`
	Point    hookpoints.Name `json:"point"`
	Payload  json.RawMessage `json:"payload"`
	Identity plugin.Identity `json:"identity"`
}

// behind starts the handler in the background.
func (h *hook) behind(ctx context.Context, ev plugin.Event, m engine.Moment) (plugin.Answer, error) {
	started := plugin.Answer{How: "started in the background"}
	if k := h.opts.Memory.Keeping; k != nil && k.Start != nil {
		id := plugin.IdentityOf(ctx)
		id.Source = plugin.Source(m.Text(engine.Source))
		err := k.Start(Job{Hook: h.opts.Name, Point: ev.Point, Payload: ev.Payload, Identity: id})
		if err != nil {
			return plugin.Answer{}, h.failed(fmt.Errorf("it is not started in the background: %w", err))
		}
		return started, nil
	}
	ev = plugin.Event{Point: ev.Point, Payload: ev.Payload} // its answer does not belong to this event
	h.opts.Memory.background.start(ctx, h.opts.Name, func(ctx context.Context) { h.askBehind(ctx, ev, m) })
	return started, nil
}

// askBehind asks the handler and remembers its answer.
func (h *hook) askBehind(ctx context.Context, ev plugin.Event, m engine.Moment) error {
	eff, _, err := h.run(ctx, ev, m)
	said := Said{Context: clipped(eff.Context), Message: clipped(eff.SystemMessage)}
	for _, note := range newest(eff.Notes, maxNotes) {
		said.Notes = append(said.Notes, clipped(note))
	}
	switch {
	case err != nil:
		said.Notes = []string{clipped(fmt.Sprintf("%s failed in the background: %v", h.opts.Name, err))}
	case h.handler.AsyncRewake && eff.Decision == hookpoints.DecisionDeny:
		said = Said{Context: clipped(eff.Reason), Wakes: true}
	case said.Context == "" && said.Message == "" && said.Notes == nil:
		return nil
	}
	return h.opts.Memory.change(func(r *Remembered) { r.Said = newest(append(slices.Clone(r.Said), said), maxSaid) })
}

// clipped cuts a text that is longer than agents take.
func clipped(text string) string {
	if len(text) <= maxText {
		return text
	}
	return clip.Bytes(text, maxText) + "\n[cut]"
}

// Finish asks the hook of a job, for which nobody waits, and remembers its answer. p is the plugin with its name.
// The error says that p is not a hook.
func Finish(ctx context.Context, p plugin.Plugin, job Job) error {
	ctx = plugin.WithIdentity(ctx, func() plugin.Identity { return job.Identity })
	ev := plugin.Event{Point: job.Point, Payload: job.Payload}
	switch h := p.Handler.(type) {
	case *hook:
		if m, why := h.moment(ctx, ev); why == "" {
			return h.askBehind(ctx, ev, m)
		}
		return nil
	case *starter:
		m, _ := engine.MomentAt(ev.Point, engine.SessionStart, ev.Payload, h.hook.opts.about(ctx))
		return h.hook.askBehind(ctx, ev, m)
	}
	return fmt.Errorf("%s is not a hook of a coding agent", p.Name)
}

// NewBackground returns the plugin that passes on the answers of an agent's handlers from the background. In a run
// it does so with the next prompt, or, for an answer that wakes the model, when the turn would end. In a session of
// another agent it does so at the next event at which the agent takes a text for the model.
func NewBackground(d engine.Dialect, m *Memory) plugin.Plugin {
	points := []hookpoints.Name{hookpoints.PreMessage.Name, hookpoints.PreStop.Name}
	if m.Keeping != nil {
		points = append(points, hookpoints.PreToolOutput.Name)
	}
	return plugin.Plugin{Name: d.Name + ":background", Origin: plugin.Origin{Protocol: d.Name}, Hooks: points,
		Handler: plugin.HandlerFunc(m.handBackground)}
}

// handBackground passes on the answers that came since the last time.
func (m *Memory) handBackground(_ context.Context, ev plugin.Event) (answer plugin.Answer, err error) {
	isStop := ev.Point == hookpoints.PreStop.Name
	isFor := func(s Said) bool { // any answer, if the event takes a text for the model
		if m.Keeping != nil && !isStop {
			return m.Keeping.Hears
		}
		return s.Wakes == isStop
	}
	var said []Said
	if slices.ContainsFunc(m.read().Said, isFor) {
		err = m.change(func(r *Remembered) {
			rest := []Said{}
			for _, s := range r.Said {
				if isFor(s) {
					said = append(said, s)
				} else {
					rest = append(rest, s)
				}
			}
			r.Said = rest
		})
	}
	if err != nil || len(said) == 0 {
		answer.Skipped = "nothing came from the background"
		return answer, err
	}
	return passedOn(said, isStop)
}

// passedOn puts answers from the background together.
func passedOn(said []Said, isStop bool) (answer plugin.Answer, err error) {
	var contexts, messages []string
	for _, s := range said {
		contexts, messages = append(contexts, s.Context), append(messages, s.Message)
		answer.Notes = append(answer.Notes, s.Notes...)
	}
	fields := map[string]any{}
	none := func(text string) bool { return text == "" }
	if contexts = slices.DeleteFunc(contexts, none); len(contexts) > 0 && isStop {
		fields["follow_up_messages"] = contexts
	} else if len(contexts) > 0 {
		fields["context"] = strings.Join(contexts, "\n")
	}
	if messages = slices.DeleteFunc(messages, none); len(messages) > 0 {
		fields["system_message"] = strings.Join(messages, "\n")
	}
	if len(fields) > 0 {
		answer.Body, err = plugin.JSON(fields)
	}
	return answer, err
}
