// Package resident asks processes that stay: a [Resident] is started at its first
// question, answers one question after another, and ends with its [Group]. Questions and
// answers are JSON-RPC 2.0, one object a line. The package knows no protocol above that:
// its users define the meaning of the methods.
//
// A process that breaks the protocol (it writes something other than an answer, answers a
// request that is not under way, ends, takes too long or writes too much) is ended with its
// process group, and the questions under way fail. The next question starts it again, at
// most MaxRestarts times. A question is never asked twice here: [Answer.Written] tells the
// caller whether the process may have seen it.
package resident

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/process"
)

// MaxRestarts is how often a process that broke the protocol is started again.
const MaxRestarts = 3

// MaxAnswer bounds an answer in bytes, unless a question allows more.
const MaxAnswer = 8 << 20

// Argument is the argument that a resident plugin is started with.
const Argument = "--resident"

// The errors that callers can distinguish, besides the errors of package process.
var (
	// ErrGivenUp means that the process was ended too often, so chibi does not start it again.
	ErrGivenUp = errors.New("its resident process failed too often")
	// ErrEnded means that the group was closed.
	ErrEnded = errors.New("its resident process was ended with the session")
)

// Spec describes a process that stays.
type Spec struct {
	// Plugin is the plugin's name, for notices.
	Plugin string
	// Runner starts the process.
	Runner process.Runner
	// Command is the process. MaxOutput bounds each of its lines.
	Command process.Command
	// Concurrent is set if the process takes further questions before it has answered;
	// otherwise there is one at a time.
	Concurrent bool
	// Folder is the directory whose contents belong to the executable, "": none. Variables are the
	// names of the variables of its environment that it depends on; nil: all. Both are for
	// the group's Keeper.
	Folder    string
	Variables []string
}

// Keeper holds processes between runs. It must be safe for concurrent use. It is an interface
// because package keeper, whose client is the one there is, imports this package.
type Keeper interface {
	// Lend returns a process of the keeper's that nobody else uses, and whether it was there
	// before; nil: it has none to give, for whatever reason. It must not take long. The
	// process ends with ctx, unless it was released.
	Lend(ctx context.Context, spec Spec) (p *process.Process, wasThere bool)
}

// Question is one request.
type Question struct {
	// Method is the method, Params its parameters.
	Method string
	Params any
	// Long, if not 0, allows an answer of so many bytes, of which one string may be too
	// large for memory; otherwise 8 MiB are allowed. See Answer.Long.
	Long int64
	// Pure is set if the answer may be thrown away: if ctx ends, the process goes on, and
	// answers within Timeout, which must be set.
	Pure bool
	// Timeout bounds the time for the answer, the start of the process included but not
	// the time in which earlier questions are answered; 0: no bound.
	Timeout time.Duration
}

// Answer is the answer to a question; with an error, the part of it that is known.
type Answer struct {
	// Result is the result, as JSON.
	Result json.RawMessage
	// Long is a string of Result that is too large for memory; LongText stands there. With an
	// error it is the beginning of an answer that exceeds Question.Long. Nil: there is none.
	Long *Long
	// Refusal is the message of a JSON-RPC error; Result is then nil.
	Refusal *string
	// Started is set if the process was started for the question, Kept if the question is
	// the first one to a process that an earlier run started.
	Started bool
	Kept    bool
	// Written is set if the process may have seen a part of the question, Unread if it
	// cannot have seen all of it, or says that it has not looked.
	Written bool
	Unread  bool
}

// Resident is a process that stays. It is safe for concurrent use. [Group.Add] makes it.
type Resident struct {
	spec     Spec
	identity string
	keeper   Keeper // nil: none, or it was asked
	notify   func(plugin.Notice)
	turn     chan struct{} // holds an element while a question is under way

	mu       sync.Mutex
	now      *running // nil: it was never started
	failures int      // how many processes broke the protocol
	closed   bool
}

// running is a process with the connection to it.
type running struct {
	*conn
	process *process.Process
	isKept  bool               // an earlier run started it
	end     context.CancelFunc // ends the process and its group
	over    chan struct{}      // closed when nothing is read any more
	gone    chan struct{}      // closed when it broke the protocol, the notice is out, and it has ended
}

// Ask asks the process and starts it if none runs. If ctx ends while a question is under
// way that is not pure, the process is ended, because it is still busy; this does not count
// as breaking the protocol. Errors are ErrGivenUp, ErrEnded, process.ErrStart, process.ErrTimeout, the
// error of ctx, and how the process broke the protocol.
func (r *Resident) Ask(ctx context.Context, q Question) (Answer, error) {
	if !r.spec.Concurrent {
		select {
		case r.turn <- struct{}{}:
		case <-ctx.Done():
			return Answer{}, ctx.Err()
		}
	}
	if q.Pure {
		return r.askAside(ctx, q)
	}
	return r.ask(ctx, q)
}

// askAside asks while the process may take its time even if ctx ends.
func (r *Resident) askAside(ctx context.Context, q Question) (Answer, error) {
	type result struct {
		answer Answer
		err    error
	}
	done := make(chan result, 1)
	go func() {
		a, err := r.ask(context.WithoutCancel(ctx), q)
		done <- result{a, err}
	}()
	select {
	case r := <-done:
		return r.answer, r.err
	case <-ctx.Done():
		return Answer{}, ctx.Err()
	}
}

// ask asks when it is this question's turn, and ends the turn.
func (r *Resident) ask(ctx context.Context, q Question) (a Answer, err error) {
	if !r.spec.Concurrent {
		defer func() { <-r.turn }()
	}
	limited := ctx
	if q.Timeout > 0 {
		var cancel context.CancelFunc
		late := fmt.Errorf("%w after %s", process.ErrTimeout, q.Timeout)
		limited, cancel = context.WithTimeoutCause(ctx, q.Timeout, late)
		defer cancel()
	}
	now, started, err := r.connect(limited)
	switch {
	case err != nil && ctx.Err() != nil:
		return a, ctx.Err()
	case err != nil:
		return a, err
	}
	a.Started, a.Kept = started && !now.isKept, now.isKept && !now.wasAsked()
	answer, written := now.ask(limited, q)
	a.Written, a.Unread, a.Long = written, answer.unread, answer.long
	switch {
	case answer.err != nil && ctx.Err() != nil:
		go discard(now.process)
		return a, ctx.Err()
	case r.isCut(answer.err, q.Long):
		a.Long = cut(now.process, r.spec.Command.Spool)
		return a, answer.err
	case answer.err != nil:
		return a, answer.err
	case answer.response.Error != nil:
		a.Refusal, a.Unread = &answer.response.Error.Message, string(answer.response.Error.Code) == codeUnread
	}
	a.Result = answer.response.Result
	return a, nil
}

// isCut reports whether the beginning of a long answer is kept: if it is known which
// request it belongs to.
func (r *Resident) isCut(err error, long int64) bool {
	return !r.spec.Concurrent && long > 0 && errors.Is(err, process.ErrOutputLimit)
}

// connect returns the process, and whether it was started or borrowed just now. It waits for the end
// of one that is being ended, so that there is one at a time, and until whoever should know of that was
// told: an answer of the next one must not hide it.
func (r *Resident) connect(ctx context.Context) (now *running, started bool, err error) {
	for {
		now, started, err = r.current()
		if err != nil || now.why() == nil {
			return now, started, err
		}
		select {
		case <-now.gone:
		case <-ctx.Done():
			return nil, false, fmt.Errorf("its resident process, which is being ended: %w", whyOver(ctx))
		}
	}
}

// current returns the newest process. If that has ended or there is none, it starts one, or
// borrows it.
func (r *Resident) current() (now *running, started bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.closed:
		return nil, false, ErrEnded
	case r.now != nil && r.now.why() == nil:
		return r.now, false, nil
	case r.failures > MaxRestarts:
		return nil, false, ErrGivenUp
	case r.now != nil && !r.now.isGone():
		return r.now, false, nil // connect waits for its end
	}
	if r.now, err = r.start(); err != nil {
		r.failed()
		return nil, false, fmt.Errorf("its resident process %w", err)
	}
	return r.now, true, nil
}

// obtain returns a process of the keeper or a new one. It asks the keeper once: if a
// process of the keeper's has failed, this run's own process takes its place.
func (r *Resident) obtain(ctx context.Context) (p *process.Process, isKept bool, err error) {
	if keeper := r.keeper; keeper != nil {
		r.keeper = nil
		if p, isKept = keeper.Lend(ctx, r.spec); p != nil {
			return p, isKept, nil
		}
	}
	p, err = r.spec.Runner.Start(ctx, r.spec.Command)
	return p, false, err
}

// start starts a process. It ends by end or by the group, not by the context of the question
// that needed it first, because it answers others too.
func (r *Resident) start() (*running, error) {
	ctx, end := context.WithCancel(context.Background())
	p, isKept, err := r.obtain(ctx)
	if err != nil {
		end()
		return nil, err
	}
	now := &running{process: p, isKept: isKept, end: end, over: make(chan struct{}), gone: make(chan struct{})}
	now.conn = newConn(p, func(why error, underWay []pending) {
		end()
		if len(underWay) != 1 || !r.isCut(why, underWay[0].long) {
			go discard(p)
		}
		r.broke(why, len(underWay), now.wasAsked())
		go func() {
			<-p.Done()
			close(now.gone)
		}()
	})
	now.conn.spool = r.spec.Command.Spool
	go func() {
		defer close(now.over)
		now.read(ctx)
	}()
	return now, nil
}

func (now *running) isGone() bool {
	select {
	case <-now.gone:
		return true
	default:
		return false
	}
}

// broke counts a process that broke the protocol, unless it was started early and never
// asked. Who waits for an answer reports why; where nobody does, it is reported here.
func (r *Resident) broke(why error, underWay int, wasAsked bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || errors.Is(why, errInterrupted) || !wasAsked {
		return
	}
	if underWay == 0 {
		r.report(why.Error() + "; it was not being asked, so nothing is lost")
	}
	r.failed()
}

// failed counts a failure and reports when it was the last one.
func (r *Resident) failed() {
	r.failures++
	if r.failures == MaxRestarts+1 {
		r.report(fmt.Sprintf("its resident process failed %d times; for the rest of this run the plugin is started "+
			"for each event", r.failures))
	}
}

func (r *Resident) report(text string) {
	if r.notify != nil {
		r.notify(plugin.Notice{Plugin: r.spec.Plugin, Text: text})
	}
}
