package bridge

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/guards"
	"github.com/chibi-host/chibi/plugin"
)

// The times of an entry: its limit, which chibi bridge add writes beside it, and the deadline, at which a plugin
// that has not answered fails. Between the two chibi ends the plugins.
const (
	Limit    = 60 * time.Second
	Deadline = 50 * time.Second
)

// maxPayload bounds an agent's payload of an event, in bytes.
const maxPayload = 64 << 20

// Event is one event in another agent.
type Event struct {
	// Agent is the agent, Name its name for the event.
	Agent engine.Dialect
	Name  string
	// Options open the home. This package sets their purpose, context, output and terminal of plugins.
	Options app.Options
	// FailClosed denies what chibi cannot ask plugins about.
	FailClosed bool
	// Deadline is how long plugins may take together; 0: the constant Deadline.
	Deadline time.Duration
	// Start starts hooks in the background; nil: chibi waits for them at the end of the event.
	Start Starter
	// Globals are the arguments of this program before the command. A session whose plugins stay gets its own
	// process with them, see [Host]; nil: it gets none.
	Globals []string
	// Said are notices from before the event.
	Said []string
	// Failed says why another process failed to answer the event; chibi then asks no plugin. "": no process failed.
	Failed string

	place *place // where the process works; nil: it answers this event alone
}

// Starter starts a process that calls [Finish] for a job of an event, and outlives this one.
type Starter func(event, job string) error

// run is an event while chibi answers it.
type run struct {
	Event
	event   engine.Event
	moment  engine.Moment
	session *app.Session
	bridge  app.Bridge
	told    teller
	home    string // "": chibi cannot find it
	// unusable says why chibi can keep nothing of the session.
	unusable error
	// isForgotten says that the session has ended, and that chibi has removed what hooks left.
	isForgotten atomic.Bool
	// job is the file of a hook in the background; "": this is an event.
	job string
	// foreign is the entry, if it is another agent's that this agent starts too; nil: it is the agent's own.
	foreign    *foreignEntry
	leave      func()         // leaves the directory of the event
	hostAnswer *engine.Output // the answer of the session's own process; nil: chibi has not asked it
}

// Answer reads the agent's payload and returns the answer to it. A failure is an answer too.
func (e Event) Answer(ctx context.Context, in io.Reader) engine.Output {
	began := time.Now()
	home, _ := app.Home(e.Options.Home)           // opening it reports the error
	e.Options.Home = cmp.Or(home, e.Options.Home) // plugins may run in another directory
	r := &run{Event: e, home: home, leave: func() {}}
	defer func() { r.leave() }()
	r.told.texts = slices.Clone(e.Said)
	r.bridge = app.Bridge{Agent: e.Agent.Name, Until: began.Add(cmp.Or(e.Deadline, Deadline))}
	ctx, cancel := context.WithDeadline(ctx, r.bridge.Until.Add(grace))
	defer cancel()
	effect, err := r.ask(ctx, in)
	if err != nil {
		effect = r.failure(err)
	}
	if r.session != nil {
		defer r.session.Close()
	}
	if r.hostAnswer != nil {
		return *r.hostAnswer
	}
	return r.output(effect)
}

// grace is how long plugins may take to end after the deadline.
const grace = 3 * time.Second

// ask asks the plugins.
func (r *run) ask(ctx context.Context, in io.Reader) (effect engine.Effect, err error) {
	r.event, _ = r.Agent.Event(r.Name) // an event of a newer agent is the zero Event
	r.noteFired()
	payload, err := readAll(ctx, in)
	if err != nil {
		return effect, r.unread(ctx, err)
	}
	r.recognize(payload)
	if r.moment, err = r.Agent.Moment(r.event, payload); err != nil {
		return effect, r.unread(ctx, err)
	}
	r.bridge.Run, r.bridge.Session = sessionOf(r.moment)
	if r.isInside() {
		return effect, nil
	}
	if r.home != "" {
		r.told.dir = r.bridge.Dir(r.home)
		r.noteSession()
	}
	if depth := app.Depth(); depth > maxNested {
		return effect, &nestedError{depth}
	}
	leave, err := r.place.enter(r.moment.Text(engine.Cwd))
	if err != nil {
		r.told.say("plugins do not run where the agent works: " + err.Error())
	}
	r.leave = leave
	if r.Failed != "" {
		return effect, r.unread(ctx, errors.New(r.Failed))
	}
	if err := r.askHost(ctx, payload); err != nil || r.hostAnswer != nil {
		return effect, err
	}
	if r.session, err = r.open(ctx); err != nil {
		return effect, err
	}
	if err := app.GuardsOf(r.session).Admit(); err != nil {
		return effect, err
	}
	if err := r.startHost(ctx, payload); err != nil || r.hostAnswer != nil {
		return effect, err
	}
	if isServed(r.event, r.moment, r.session) {
		return effect, nil
	}
	if err := r.odd(); err != nil {
		return effect, err
	}
	app.ReportSkipped(r.session)
	return r.fire(ctx)
}

// fire asks the plugins of the open session.
func (r *run) fire(ctx context.Context) (engine.Effect, error) {
	ctx = plugin.WithIdentity(ctx, r.identity)
	ctx = plugin.WithRequest(ctx, sync.OnceValue(r.request))
	return judging{r}.once(ctx, func() (engine.Effect, error) { return points{r}.fire(ctx) })
}

// readAll reads the agent's payload, to the end or until ctx ends.
func readAll(ctx context.Context, in io.Reader) ([]byte, error) {
	type result struct {
		payload []byte
		err     error
	}
	done := make(chan result, 1)
	go func() {
		payload, err := io.ReadAll(io.LimitReader(in, maxPayload+1))
		done <- result{payload, err}
	}()
	select {
	case <-ctx.Done():
		return nil, fmt.Errorf("reading the event: %w", ctx.Err())
	case r := <-done:
		if r.err == nil && len(r.payload) > maxPayload {
			r.err = &disk.TooLargeError{Path: "the event", Max: maxPayload}
		}
		return bytes.TrimPrefix(r.payload, []byte("\ufeff")), r.err // Cursor writes one
	}
}

// open opens the home for the event.
func (r *run) open(ctx context.Context) (*app.Session, error) {
	opts := r.Options
	if r.home != "" {
		if r.unusable = disk.CheckOwn(r.bridge.Dir(r.home)); r.unusable != nil {
			r.told.dir, opts.Trace.Off = "", true
			r.told.say("chibi keeps nothing of the session: " + r.unusable.Error())
		}
	}
	r.bridge.Keeping = r.keeping
	opts.Purpose, opts.Bridge = app.ToBridge, &r.bridge
	opts.Context, opts.Transient, opts.NoServers = r.Agent.Name, true, true
	opts.Permissions.Ask, opts.Permissions.Fill = nil, nil
	opts.Plugins.Terminal, opts.Plugins.Lend, opts.Plugins.NoTerminal = nil, nil, true
	opts.Plugins.Stderr, opts.Plugins.RawStderr = nil, nil
	opts.Plugins.Environ = r.pluginEnvironment()
	opts.Output = agent.Output{Notice: r.told.say}
	opts.Trace.Failed, opts.Trace.Record = r.told.say, nil
	return app.Open(ctx, opts)
}

// failure is the effect of an error: none, or a denial if a required guard is missing, no guard could judge the
// call, or the entry asks for it.
func (r *run) failure(err error) (effect engine.Effect) {
	var guards *guards.MissingError
	var stopped *plugin.StartError
	var unread *unreadError
	var nested *nestedError
	var unclear *engine.UnclearError
	isGuard := errors.As(err, &guards) || errors.As(err, &stopped) || errors.As(err, &unread) ||
		errors.As(err, &nested) || errors.As(err, &unclear) || isStarved(err)
	if (isGuard || r.FailClosed) && r.event.Kind.Refuses() {
		return engine.Effect{Decision: hookpoints.DecisionDeny, Reason: "chibi: " + err.Error()}
	}
	r.told.say(fmt.Sprintf("chibi does not ask its plugins: %v", err))
	return effect
}

// isStarved reports whether the machine has no open files or memory left. A command of the model may have used them up.
func isStarved(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.ENOMEM)
}

// output writes the effect as the agent's answer, with the message for the person.
func (r *run) output(effect engine.Effect) engine.Output {
	out := r.form(effect)
	for _, text := range append(effect.Notes, out.Lost...) {
		r.told.say(text)
	}
	r.keepTrace()
	message := r.told.message(r.event.Kind)
	if message == "" {
		return out
	}
	effect.SystemMessage = strings.TrimSpace(effect.SystemMessage + "\n" + message)
	told := r.form(effect)
	if len(told.Lost) > len(out.Lost) { // the agent shows no messages here
		out.Stderr = strings.TrimSpace(out.Stderr+"\n"+message) + "\n"
		return out
	}
	return told
}

// keepTrace writes the trace, with the message for the person.
func (r *run) keepTrace() {
	if r.session == nil {
		return
	}
	trace := app.BridgedTraceOf(r.session)
	for _, text := range r.told.texts {
		trace.Step(agent.Event{Kind: agent.EventNotice, Text: text})
	}
	trace.Keep()
}
