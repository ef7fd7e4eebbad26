package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/jobs"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/process"
)

// Run calls do between the start and the end of a run: on_start fires, the context is
// entered (see [Session.Enter]), and on_end fires in any case.
func (s *Session) Run(ctx context.Context, do func() error) (err error) {
	err = s.Start(ctx)
	defer func() { err = errors.Join(err, s.End(ctx, err)) }()
	if err != nil {
		return err
	}
	if err := s.Enter(ctx); err != nil {
		return err
	}
	return do()
}

// Start starts a run: on_start fires. A run that asks the model or calls a tool does
// not start while a required guard is missing, nor if a plugin blocks it.
func (s *Session) Start(ctx context.Context) error {
	idle := s.opts.Purpose != ToWork
	if !idle {
		if err := GuardsOf(s).Admit(); err != nil {
			return err
		}
	}
	s.started = true
	if s.opts.InSession {
		return nil
	}
	err := s.Agent.Start(ctx)
	var stopped *plugin.StartError
	if idle && errors.As(err, &stopped) {
		s.person.notice(err.Error() + "; continued, because this run does not ask the model and calls no tool")
		return nil
	}
	return err
}

// End ends what [Session.Start] began: on_end fires, with the failure if there is one.
func (s *Session) End(ctx context.Context, failure error) error {
	if !s.started {
		return nil
	}
	s.started = false
	s.checks.Stop()
	endJobs(s)
	s.watchers.End(ctx)
	if s.opts.InSession {
		s.Agent.Host.Join(ctx)
		return nil
	}
	return s.Agent.End(ctx, failure)
}

// endJobs ends what commands of the model have left running, unless the configuration keeps it, and
// says what stays.
func endJobs(s *Session) {
	sessions, hasRun := s.jobs.Take()
	if !hasRun {
		return
	}
	if !s.Config.Tools.KeepJobs {
		process.EndLeft(sessions...)
	}
	for _, j := range jobs.Left() {
		if !s.Config.Tools.KeepJobs && slices.Contains(sessions, j.Session) {
			continue // it has just been killed, and may still be seen
		}
		s.person.notice(fmt.Sprintf("a command of the model left %q running; chibi jobs end %d ends it", j.Command, j.PID))
	}
}

// Enter makes the session's context the current one if the options name it, unless it
// is transient.
func (s *Session) Enter(ctx context.Context) error {
	if s.isNew {
		s.person.notice(fmt.Sprintf("the new context is %q", s.Name()))
	}
	if s.opts.Context != "" && !s.opts.Transient {
		if err := mayLeave(ctx, s); err != nil {
			return err
		}
		if _, err := s.Store.Switch(s.Name()); err != nil {
			return err
		}
	}
	return s.Agent.Switched(ctx, agent.Switch{From: s.from, Transient: s.opts.Transient})
}

// Ask sends a prompt to the model and connects to it first if needed.
func (s *Session) Ask(ctx context.Context, prompt string) error {
	return s.Answer(ctx, func(ctx context.Context) (string, error) { return s.Agent.Prompt(ctx, prompt) })
}

// Answer lets the agent answer while nobody else can use the context.
func (s *Session) Answer(ctx context.Context, answer func(context.Context) (string, error)) error {
	if err := s.Connect(); err != nil {
		return err
	}
	s.Context.ReadAhead(contexts.Ahead{Mail: !runFirst(s.Agent.Host), Reflection: s.Config.ReflectionEnabled})
	return s.WithLock(ctx, s.Name(), func(held context.Context, _ *Session) error {
		_, err := answer(held)
		if err != nil && agent.OutcomeOf(err) == "" || s.opts.Transient {
			return err
		}
		return cmp.Or(err, s.Context.Touch())
	})
}

// runFirst reports whether plugins run before a turn reads the mail and the reflection.
func runFirst(h *plugin.Host) bool { return h.IsHeard(hookpoints.PreMessage.Name) }

// IsDelivered reports whether an error of [AnswerMail] only says what the answer lacks: the mail is
// then part of the conversation.
func IsDelivered(err error) bool {
	lacks := agent.OutcomeOf(err)
	return lacks != "" && lacks != agent.Unanswered
}

// AnswerMail lets the model process the mail of the session's context while nobody else can
// use the context, and reports whether there was any. It looks into the inbox when it has
// the context's lock, so of several callers each message has one. If another process has the
// lock, the error is a *contexts.LockedError and some is false, unless the options say to wait.
// After another error the messages stay in the inbox, unless a part of the answer was stored.
func AnswerMail(ctx context.Context, s *Session) (some bool, err error) {
	s.Context.ReadAhead(contexts.Ahead{Mail: true, Reflection: s.Config.ReflectionEnabled && !runFirst(s.Agent.Host)})
	err = s.WithLock(ctx, s.Name(), func(held context.Context, s *Session) error {
		mail, err := s.Agent.Mail(held)
		if err != nil || len(mail) == 0 {
			return err
		}
		some = true
		s.person.detail("context %q: %d messages", s.Name(), len(mail))
		err = s.Answer(held, func(ctx context.Context) (string, error) { return s.Agent.AnswerMail(ctx, mail) })
		if agent.OutcomeOf(err) == agent.Unanswered {
			err = fmt.Errorf("%w; the messages stay in the inbox", err)
		}
		return err
	})
	return some, err
}
