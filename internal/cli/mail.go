package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
)

// mailOperations let the model deal with mail.
func mailOperations() []row {
	return []row{
		{&cmdline.Flag{Name: "check-all-inboxes", Letters: "b",
			About: "let the model deal with the mail that waits in every context",
			Command: &cmdline.Command{Names: []string{"check_all_inboxes"}, Answers: "entries, then a result",
				Data: "`contexts`: those whose mail was dealt with"}},
			operation{role: joins, phase: phaseMail, needs: needsAnswer,
				run: func(ctx context.Context, s *session, _ cmdline.Given) error { return s.processAllMail(ctx) }}},
		{&cmdline.Flag{Name: "check-inbox-for", Letters: "B",
			Command: &cmdline.Command{Names: []string{"check_inbox"}, Answers: "entries, then a result",
				Data: "`contexts`: the same, or none"},
			Takes: []cmdline.Value{{Word: "NAME", Kind: cmdline.Context, Member: "context"}}},
			operation{role: joins, phase: phaseMail, needs: needsAnswer,
				run: onNamed(func(ctx context.Context, s *session, name, _ string) error { return s.processOneMail(ctx, name) })}},
	}
}

// processAllMail lets the model deal with the mail of every context that has
// some.
func (s *session) processAllMail(ctx context.Context) error {
	names, err := s.Store.Names(ctx)
	if err != nil {
		return err
	}
	had, dealt := false, []string{}
	for _, name := range names {
		if !s.Store.HasMail(ctx, name) {
			continue
		}
		had = true
		some, err := s.processMail(ctx, name)
		var locked *contexts.LockedError
		if errors.As(err, &locked) {
			s.notice(err.Error()) // whoever uses it gets the mail with the next prompt
			continue
		}
		if err != nil {
			return err
		}
		if some {
			dealt = append(dealt, name)
		}
	}
	if !had {
		s.notice("no context has mail")
	}
	return s.dealtWith("check_all_inboxes", dealt)
}

// processOneMail is for the mail of one context.
func (s *session) processOneMail(ctx context.Context, name string) error {
	some, err := s.processMail(ctx, name)
	switch {
	case err != nil:
		return err
	case !some:
		return s.dealtWith("check_inbox", []string{})
	}
	return s.dealtWith("check_inbox", []string{name})
}

func (s *session) dealtWith(operation string, names []string) error {
	return s.done(operation, fields{"contexts": names}, fmt.Sprintf("Contexts whose mail was dealt with: %d", len(names)))
}

// processMail lets the model deal with the mail of one context, with that
// context's configuration and plugins, and reports whether there was some.
func (s *session) processMail(ctx context.Context, name string) (some bool, err error) {
	t := s.Session
	if name != s.Name() {
		if t, err = s.For(name); err != nil {
			return false, err
		}
		defer t.Close()
		if err := t.Load(ctx); err != nil {
			return false, err
		}
	}
	mail, err := t.Agent.Context.Mail(ctx)
	if err != nil {
		return false, err
	}
	if len(mail) == 0 {
		s.notice("context \"" + name + "\" has no mail")
		return false, nil
	}
	s.detail("context %q: %d messages", name, len(mail))
	if err := t.Connect(); err != nil {
		return false, err
	}
	return true, t.Ask(ctx, agent.MailPrompt)
}
