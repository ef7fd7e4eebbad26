package agent

import (
	"context"
	"slices"
	"sync"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/plugin"
	"github.com/tidwall/gjson"
)

// session is what an agent knows of its conversation for plugins that ask which it is. Where
// no plugin asks, it reads nothing.
type session struct {
	mu     sync.Mutex
	id     string
	source plugin.Source
	known  bool // id is the id of the conversation as it is now
	view   string
	viewed bool // view is the path of the view as it is now
}

// identified returns a ctx for events and calls of the conversation, in which plugins are
// told which conversation it is, and which prompt is being answered. What happens inside
// another turn belongs to that.
func identified(ctx context.Context, a *Agent, prompt string) context.Context {
	isInside := a.inner != nil || prompt == "" && plugin.HasIdentity(ctx)
	if isInside || a.Host == nil || len(a.Host.Plugins) == 0 {
		return ctx
	}
	return plugin.WithIdentity(ctx, func() plugin.Identity { return a.session.identity(ctx, a, prompt) })
}

// identity says which conversation it is. If that cannot be read, plugins are not told, and
// what follows fails for that reason.
func (s *session) identity(ctx context.Context, a *Agent, prompt string) plugin.Identity {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.known {
		now, err := a.Context.Session(ctx)
		if err != nil {
			return plugin.Identity{}
		}
		s.set(now)
	}
	if !s.viewed {
		s.keepView(ctx, a)
	}
	return plugin.Identity{Session: s.id, Source: s.source, Prompt: prompt, Transcript: s.view, Model: a.Settings.Model,
		Effort: a.Settings.effort(), Trusted: a.Settings.TrustTools}
}

// keepView makes the context keep a view of the conversation, if a plugin wants one.
func (s *session) keepView(ctx context.Context, a *Agent) {
	s.viewed = true
	if !slices.ContainsFunc(a.Host.Plugins, func(p plugin.Plugin) bool { return p.Transcript }) {
		return
	}
	view, err := a.Context.KeepView(ctx, contexts.View{Cwd: a.Settings.Dir, Version: a.Settings.Version,
		Model: a.Settings.Model})
	if err != nil && ctx.Err() == nil {
		a.Output.notice("plugins do not get a view of the conversation: %v", err)
	}
	s.view = view
}

// begun notes which conversation a prompt belongs to, from the window with it.
func (s *session) begun(window []contexts.Entry, prompt string) {
	if len(window) == 0 {
		return
	}
	now := contexts.SessionOf(window)
	if len(window) > 1 && window[1].ID == prompt {
		now = contexts.SessionOf(window[:1])
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.set(now)
}

// set notes which conversation it is. How it began for this run stays as it is.
func (s *session) set(now contexts.Session) {
	s.known = true
	if s.id == now.ID {
		return
	}
	s.id = now.ID
	switch {
	case !now.Empty:
		s.source = plugin.SourceResume
	case now.Cleared:
		s.source = plugin.SourceClear
	default:
		s.source = plugin.SourceStartup
	}
}

// compacted notes that the conversation goes on after a compaction.
func (s *session) compacted() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.source = plugin.SourceCompact
}

// unknown makes the conversation be looked up again: it may be another one now.
func (s *session) unknown() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known, s.viewed = false, false
}

// goOn takes over what another agent knew of the same conversation.
func (s *session) goOn(other *session) {
	other.mu.Lock()
	defer other.mu.Unlock()
	s.id, s.source = other.id, other.source
}

// effort returns how much the model is asked to reason, "" if nothing is configured.
func (s Settings) effort() string {
	for _, o := range s.Options {
		if o.Name == "reasoning" {
			return gjson.GetBytes(o.Value, "effort").String()
		}
	}
	return ""
}
