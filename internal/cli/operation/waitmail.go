package operation

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
)

// The pauses after an answer to mail that failed, when it is tried again: the first one, and
// the longest, as each is twice as long as the one before.
const (
	firstMailPause   = time.Second
	longestMailPause = 5 * time.Minute
)

// The pauses between two looks at an inbox that has mail while another process uses the
// context, which grow alike.
const (
	firstBusyPause   = 50 * time.Millisecond
	longestBusyPause = time.Second
)

// lookAnyway is how often chibi looks into an inbox without an announcement.
const lookAnyway = time.Minute

// WaitingForMail are the flags of a run that waits for mail.
type WaitingForMail struct {
	// Asked is --wait-for-mail, Loop is --loop.
	Asked, Loop bool
}

// Rows returns the rows of the flags, which fill w.
func (w *WaitingForMail) Rows() []Row {
	return []Row{
		{&cmdline.Flag{Name: "wait-for-mail",
			About: "wait until the context has mail, let the model process it, and end; several may wait for one context",
			Command: &cmdline.Command{Names: []string{"wait_for_mail"},
				Answers: "entries, then a result; with `loop`, that again and again", Data: "`contexts`: the run's own"},
			Into: cmdline.Switch(&w.Asked)},
			Operation{Role: Joins, Phase: PhaseMail, Needs: NeedsAnswer, Run: w.run}},
		{Flag: &cmdline.Flag{Name: "loop",
			About:   "after --wait-for-mail has processed mail, wait again, until Ctrl-C or SIGTERM; try failed mail again",
			Members: []string{"flags.loop"}, Into: cmdline.Switch(&w.Loop)}},
	}
}

func (w *WaitingForMail) run(ctx context.Context, run Run, _ cmdline.Given) error {
	m := &mailWaiter{Run: run, name: run.Session.Name(), pause: firstMailPause}
	for {
		err := m.one(ctx)
		switch {
		case w.Loop && errors.Is(err, errEndedWaiting):
			return nil
		case errors.Is(err, errEndedWaiting):
			return ctx.Err()
		case !w.Loop:
			return err
		case ctx.Err() != nil:
			return err
		case err != nil && !app.IsDelivered(err):
			m.rest(ctx, err)
		default:
			if err != nil {
				m.Out.Notice(err.Error())
			}
			m.pause = firstMailPause
			sleep(ctx, firstBusyPause) // for a person who waits for the context
		}
	}
}

type mailWaiter struct {
	Run
	name     string
	arrivals <-chan struct{} // nil: the inbox is not watched
	pause    time.Duration   // after the next failure
	untidy   bool            // there was an answer since the last cleanup
}

var errEndedWaiting = errors.New("no mail has come")

// one waits until there is mail that nobody else has taken, and lets the model process it.
// While another process uses the context it looks into the inbox again and again, and does
// not wait for the lock: that process mostly answers the mail.
func (m *mailWaiter) one(ctx context.Context) error {
	for busy := firstBusyPause; ctx.Err() == nil; {
		err := m.watch(ctx)
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return err
		}
		some, err := m.take(ctx)
		pause, arrivals := lookAnyway, m.arrivals
		var locked *contexts.LockedError
		switch {
		case some && (err == nil || app.IsDelivered(err)):
			m.untidy = true
			return cmp.Or(dealtWith(m.Run, "wait_for_mail", []string{m.name}), err)
		case some:
			return err
		case errors.As(err, &locked):
			pause, busy = busy, min(2*busy, longestBusyPause)
			arrivals = nil // are that process' too: twenty waiters need not all look at each
		case err != nil && ctx.Err() == nil:
			return err
		default:
			busy = firstBusyPause
		}
		if err := m.wait(ctx, pause, arrivals); err != nil {
			return err
		}
	}
	return errEndedWaiting
}

func (m *mailWaiter) watch(ctx context.Context) (err error) {
	if m.arrivals == nil {
		m.arrivals, err = m.Session.Store.WatchMail(ctx, m.name)
	}
	return err
}

// take lets the model process mail, if there is any, and reports whether it began to. The
// lock of the context is only asked for if there may be some.
func (m *mailWaiter) take(ctx context.Context) (some bool, err error) {
	if !m.Session.Store.HasMail(ctx, m.name) {
		return false, nil
	}
	return app.AnswerMail(ctx, m.Session)
}

// wait waits until something has come, the pause is over, or ctx ends.
func (m *mailWaiter) wait(ctx context.Context, pause time.Duration, arrivals <-chan struct{}) error {
	if m.untidy {
		app.Cleanup(ctx, m.Session)
		m.untidy = false
	}
	defer m.Out.Screen.Waiting("mail for context " + m.name)()
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case _, isWatched := <-arrivals:
		if !isWatched && ctx.Err() == nil {
			m.arrivals = nil
			return errors.New("the store no longer reports mail")
		}
	case <-ctx.Done():
	}
	return nil
}

func (m *mailWaiter) rest(ctx context.Context, failure error) {
	m.Out.Notef("mail for context %q got no answer; chibi tries again in %v: %v", m.name, m.pause, failure)
	sleep(ctx, m.pause)
	m.pause = min(2*m.pause, longestMailPause)
}

func sleep(ctx context.Context, pause time.Duration) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
