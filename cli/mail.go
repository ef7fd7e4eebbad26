package cli

import (
	"context"
	"errors"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/contexts"
)

// processAllMail lets the model deal with the mail of every context that has
// some.
func (s *session) processAllMail(ctx context.Context) error {
	names, err := s.store.Names()
	if err != nil {
		return err
	}
	count := 0
	for _, name := range names {
		if !s.store.HasMail(name) {
			continue
		}
		count++
		err := s.processMail(ctx, name)
		var locked *contexts.LockedError
		if errors.As(err, &locked) {
			s.notice(err.Error()) // whoever uses it gets the mail with the next prompt
			continue
		}
		if err != nil {
			return err
		}
	}
	if count == 0 {
		s.notice("no context has mail")
	}
	return nil
}

// processMail lets the model deal with the mail of one context, with that
// context's configuration and plugins.
func (s *session) processMail(ctx context.Context, name string) error {
	t, err := s.openFor(ctx, name)
	if err != nil {
		return err
	}
	if t != s {
		defer t.close()
	}
	mail, err := t.agent.Context.Mail()
	if err != nil {
		return err
	}
	if len(mail) == 0 {
		s.notice("context \"" + name + "\" has no mail")
		return nil
	}
	s.detail("context %q: %d messages", name, len(mail))
	if err := t.connect(); err != nil {
		return err
	}
	return t.ask(ctx, agent.MailPrompt)
}

// openFor is a session for another context, with its configuration and plugins;
// for the context of this run it is this session.
func (s *session) openFor(ctx context.Context, name string) (*session, error) {
	if name == s.agent.Context.Name() {
		return s, nil
	}
	other := *s.program
	other.opts.switchTo, other.opts.transient = nil, []string{name}
	other.opts.trace = ""
	other.opts.recipe, other.opts.args = nil, nil // it is for this run's prompt
	other.opts.runSystemPrompt = nil
	t, err := other.open(ctx)
	if err == nil {
		t.tracer = s.tracer
	}
	return t, err
}
