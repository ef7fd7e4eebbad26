package hooks

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/plugin"
)

// starter is a hook of the start of a session. It runs once for each start: at the first
// prompt, before the agent's hooks for prompts, and again after a compaction. chibi injects its text for the model
// into every system prompt until the next start.
type starter struct {
	hook *hook

	mu      sync.Mutex
	began   string // which start it ran for
	compact int    // compactions so far
	context string // its text for the model
}

// Handle runs the hook if a session has started, and injects its text.
func (s *starter) Handle(ctx context.Context, ev plugin.Event) (plugin.Answer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Contains(engine.PointsOf(engine.AfterCompact), ev.Point) {
		s.compact++
		return plugin.Answer{Skipped: "it runs before the next request, because chibi compacted the conversation"}, nil
	}
	about := s.hook.opts.about(ctx)
	if s.hook.opts.Memory.Keeping != nil {
		return s.startThere(ctx, ev, about)
	}
	if s.compact > 0 {
		about.Source = "compact"
	}
	if start := fmt.Sprintf("%s %s %d", about.Session, about.Source, s.compact); start != s.began {
		s.began = start
		return s.start(ctx, ev, about)
	}
	if ev.Point != hookpoints.PreSystemPrompt.Name || s.context == "" {
		return plugin.Answer{Skipped: "it has run for this session"}, nil
	}
	answer := s.hook.answer(ev.Point, engine.Moment{}, engine.Effect{Context: s.context}, plugin.Answer{})
	answer.How = "its text from the start of the session"
	return answer, nil
}

// startThere runs the hook when another agent says that a session starts: once at the start, however often the
// agent says so, and whenever the agent resumes, clears or compacts the conversation.
func (s *starter) startThere(ctx context.Context, ev plugin.Event, about engine.Run) (plugin.Answer, error) {
	about.Source = cmp.Or(about.Source, string(plugin.SourceStartup)) // not all agents say how it starts
	isStart := about.Source == string(plugin.SourceStartup)
	switch {
	case ev.Point != hookpoints.PreSystemPrompt.Name:
		return plugin.Answer{Skipped: "it runs when the agent says that a session starts"}, nil
	case isStart && !s.hook.opts.Memory.first(s.hook.key()):
		return plugin.Answer{Skipped: "it has run for this session"}, nil
	}
	return s.start(ctx, ev, about)
}

// start runs the hook. At a prompt, its text for the model waits for the system prompt.
func (s *starter) start(ctx context.Context, ev plugin.Event, about engine.Run) (plugin.Answer, error) {
	s.context = ""
	m, _ := engine.MomentAt(ev.Point, engine.SessionStart, ev.Payload, about)
	if value := s.hook.dialect.Matched(s.hook.event, m); !s.hook.matches(value) {
		return plugin.Answer{Skipped: fmt.Sprintf("its matcher %.60q does not match %.60q", s.hook.handler.Matcher,
			value)}, nil
	}
	if why := s.hook.opts.runsElsewhere(m); why != "" {
		return plugin.Answer{Skipped: why}, nil
	}
	if s.hook.handler.Async {
		return s.hook.behind(ctx, ev, m)
	}
	eff, answer, err := s.hook.run(ctx, ev, m)
	if err != nil {
		return answer, err
	}
	s.context = eff.Context
	if ev.Point == hookpoints.PreMessage.Name {
		eff.Context = ""
	}
	return s.hook.answer(ev.Point, m, eff, answer), nil
}
