package bridge

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/agents/hooks"
	"github.com/chibi-host/chibi/internal/agents/settings"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/plugin"
	"github.com/google/uuid"
)

// Rehearsal tries hooks of other agents in an agent: each event happens, a hook answers, and the agent gets the
// answer of chibi bridge run. So it shows what will happen. It starts no process, and neither reads nor writes the
// person's home. It is not safe for concurrent use.
type Rehearsal struct {
	// In is the agent.
	In engine.Dialect

	all     []engine.Dialect
	session *app.Session
	remove  func()
}

// NewRehearsal returns a rehearsal, which the caller must close. set replaces defaults of the configuration, such
// as "bridge.allow=true".
func NewRehearsal(ctx context.Context, in engine.Dialect, set ...string) (*Rehearsal, error) {
	home, remove, err := disk.MkdirTemp("chibi-rehearsal-*")
	if err != nil {
		return nil, err
	}
	session, err := app.Open(ctx, app.Options{Home: home, Purpose: app.ToBridge, Context: in.Name, Transient: true,
		NoServers: true, Set: set, Bridge: &app.Bridge{Agent: in.Name},
		Plugins: app.PluginOptions{None: true, NoTerminal: true}, Trace: app.TraceOptions{Off: true}})
	if err != nil {
		remove()
		return nil, err
	}
	return &Rehearsal{in, agents.All(), session, remove}, nil
}

// Close removes what the rehearsal keeps.
func (r *Rehearsal) Close() {
	r.session.Close()
	r.remove()
}

// Hook is a hook of an agent at one of its events, and its answer there; without a row it has no opinion.
type Hook struct {
	Of    engine.Dialect
	Event engine.Event
	Row   *engine.Row
}

// Name is the name of the hook's plugin.
func (h Hook) Name() string { return fmt.Sprintf("%s:%s:1", h.Of.Name, h.Event.Name) }

// saying is the hook's answer at a moment.
func (h Hook) saying(m engine.Moment) []byte {
	return engine.Taker{Dialect: h.Of, Event: h.Event, Moment: m}.Saying(*h.Row)
}

// Passed says what became of a hook's answer.
type Passed struct {
	// Asked is the moment in the hook's payload, for its matchers; nil: chibi did not ask it.
	Asked *engine.Moment
	// Answer is the hook's answer. Says are its effects in the hook's own agent and Arrives its effects in this
	// agent, in the words of [engine.Member.Does].
	Answer        []byte
	Says, Arrives []string
	// Output is the answer to the agent. Told are the sentences for the person about lost effects.
	Output engine.Output
	Told   []string
}

// Fire makes a moment happen at an event of the agent.
func (r *Rehearsal) Fire(ctx context.Context, h Hook, at engine.Event, s Sample) (p Passed, err error) {
	one, err := hooks.NewPlugin(&h.Of, settings.Handler{Event: h.Event.Name, Kind: engine.CommandHandler}, hooks.Options{
		Name: h.Name(), Path: "/h/settings", Memory: &hooks.Memory{Keeping: nothingKept()},
		Agents: func() []engine.Dialect { return r.all },
		Run:    func(context.Context) engine.Run { return engine.Run{Cwd: "/p", Project: "/p", Home: "/h", Mode: "run"} },
		Instead: func(payload []byte) engine.Outcome {
			m, wrong := h.Of.Moment(h.Event, payload)
			if err = wrong; h.Row != nil {
				p.Answer = h.saying(m)
			}
			p.Asked = &m
			return engine.Outcome{Stdout: p.Answer}
		},
	})
	if err != nil {
		return p, err
	}
	r.session.Agent.Host = &plugin.Host{Plugins: []plugin.Plugin{one}}
	p.Output, p.Told = r.answer(ctx, at, s.Moment)
	if p.Asked == nil || err != nil {
		return p, err
	}
	p.Says = h.Of.Effect(h.Event, engine.Outcome{Stdout: p.Answer}).Does(h.Event.Kind)
	p.Arrives = r.arriving(at, s.Moment, p)
	return p, nil
}

// answer makes a moment happen, and answers it as [Event.Answer] does. told are further sentences for the person.
func (r *Rehearsal) answer(ctx context.Context, at engine.Event, m engine.Moment) (out engine.Output, told []string) {
	one := &run{Event: Event{Agent: r.In, Name: at.Name}, event: at, moment: m, session: r.session, leave: func() {}}
	one.bridge = app.Bridge{Agent: r.In.Name, Session: uuid.NewString(), Run: noSession}
	r.session.Agent.Host.Notify = func(n plugin.Notice) { one.told.say(n.String()) }
	effect, err := one.fire(ctx)
	if err != nil {
		effect = one.failure(err)
	}
	return one.output(effect), one.told.texts
}

// arriving lists the effects of an answer in the agent. It leaves out chibi's own message to the person about lost
// effects, and arguments and results that differ from the hook's.
func (r *Rehearsal) arriving(at engine.Event, m engine.Moment, p Passed) []string {
	out := engine.Outcome{Stdout: p.Output.Stdout, Stderr: p.Output.Stderr, Exit: p.Output.Exit}
	eff := r.In.Effect(at, out)
	meant := bytes.ReplaceAll(m.Values[engine.ToolInput], []byte(engine.Tried), []byte(engine.Said))
	taker := engine.Taker{Dialect: r.In, Event: at, Moment: m}
	if eff.Input != nil && !engine.IsSameCall(taker.Made(eff), meant) {
		eff.Input = nil
	}
	if eff.Output != nil && strings.TrimSpace(*eff.Output) != engine.Said {
		eff.Output = nil
	}
	return slices.DeleteFunc(eff.Does(at.Kind), func(does string) bool {
		return does == engine.ToPerson && !slices.Contains(p.Says, does)
	})
}

// nothingKept keeps nothing between events: each is the first of a session.
func nothingKept() *hooks.Keeping {
	return &hooks.Keeping{Read: func() hooks.Remembered { return hooks.Remembered{} },
		Change: func(step func(*hooks.Remembered)) error {
			step(&hooks.Remembered{})
			return nil
		}}
}
