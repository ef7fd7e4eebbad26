package app

import (
	"context"
	"errors"

	"github.com/chibi-host/chibi/agent"
)

// errMailStays is the error of an answer that delivers no mail.
var errMailStays = errors.New("the model answered nothing, so the messages stay in the inbox")

// AnswerMail lets the model process the mail of the session's context while nobody else can
// use the context, and reports whether there was any. It looks into the inbox when it has
// the context's lock, so of several callers each message has one. If another process has the
// lock, the error is a *contexts.LockedError and some is false, unless the options say to wait.
// After another error the messages stay in the inbox, unless a part of the answer was stored.
func AnswerMail(ctx context.Context, s *Session) (some bool, err error) {
	err = s.WithLock(ctx, s.Name(), func(held context.Context, s *Session) error {
		mail, err := s.Context.Mail(held)
		if err != nil || len(mail) == 0 {
			return err
		}
		some = true
		s.person.detail("context %q: %d messages", s.Name(), len(mail))
		if err := s.Ask(held, agent.MailPrompt); err != nil {
			return err
		}
		unanswered, err := s.Context.Unanswered(held)
		if err == nil && len(unanswered) > 0 {
			err = errMailStays
		}
		return err
	})
	return some, err
}
