package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/keeper"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/resident"
	"github.com/tidwall/gjson"
)

// Host answers the events of one session of an agent, in a process that stays between them, so that
// resident plugins start once in the session. Nothing else stays: each event opens the home again, and sees the
// current plugins, configuration and trust. It is safe for concurrent use.
type Host struct {
	// Agent is the agent, Options open the home.
	Agent   engine.Dialect
	Options app.Options
	// Start is the Start of [Event].
	Start Starter

	plugins resident.Group
	place   place
	mu      sync.Mutex
	events  int      // how many are being answered
	notices []string // of plugins, between two events
}

// NewHost returns a host, which the caller must close.
func NewHost(opts app.Options, agent engine.Dialect) *Host {
	if home, err := app.Home(opts.Home); err == nil {
		opts.Home = home // as in Event.Answer
	}
	h := &Host{Agent: agent, Options: opts}
	h.place.first, _ = os.Getwd() // "": events without a directory happen in the last event's
	h.plugins.Identify = keeper.Identity
	h.plugins.Notify = func(n plugin.Notice) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.notices = append(h.notices, n.String())
	}
	h.Options.Plugins.Residents = &h.plugins
	return h
}

// Close ends the plugins.
func (h *Host) Close() { h.plugins.Close() }

// Asked is an event for a host.
type Asked struct {
	// Event is the agent's name of the event, Payload the agent's JSON.
	Event   string `json:"event"`
	Payload []byte `json:"payload"`
	// FailClosed is the FailClosed of [Event], DeadlineMS how long plugins may take together.
	FailClosed bool  `json:"fail_closed"`
	DeadlineMS int64 `json:"deadline_ms"`
	// Entry is the agent in whose settings the entry is; "": the host's.
	Entry string `json:"entry,omitzero"`
	// Failed is the Failed of [Event].
	Failed string `json:"failed,omitempty"`
}

// Answer answers an event.
func (h *Host) Answer(ctx context.Context, a Asked) engine.Output {
	said := h.begin()
	defer h.end()
	e := Event{Agent: h.agent(a), Name: a.Event, Options: h.Options, FailClosed: a.FailClosed, Start: h.Start,
		Deadline: time.Duration(a.DeadlineMS) * time.Millisecond, Said: said, Failed: a.Failed, place: &h.place}
	return e.Answer(ctx, bytes.NewReader(a.Payload))
}

// begin begins an event and returns the notices since the last one.
func (h *Host) begin() (said []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events++
	said, h.notices = h.notices, nil
	return said
}

// end ends an event, and with the last one the processes of plugins that have changed.
func (h *Host) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.events--; h.events == 0 {
		h.plugins.EndReplaced()
	}
}

// Serve answers the events of a session that chibi bridge run passes on, until the session ends, no
// event came for the duration keep, or ctx ends. args are the arguments of [keeper.Host].
func (h *Host) Serve(ctx context.Context, session string, args []string, keep time.Duration) error {
	home, err := app.Home(h.Options.Home)
	if err != nil {
		return err
	}
	key, err := keeper.KeyOf(os.Environ(), args)
	if err != nil {
		return err
	}
	dir := app.Bridge{Agent: h.Agent.Name, Session: session}.Dir(home)
	return keeper.Serve(ctx, keeper.Options{Home: dir, Keep: keep, Key: key, Answer: h.answer})
}

// answer answers an event that is JSON.
func (h *Host) answer(ctx context.Context, question json.RawMessage) (answer json.RawMessage, isLast bool) {
	var a Asked
	if err := strictjson.Decode(question, &a); err != nil {
		return nil, true
	}
	out := h.Answer(ctx, a)
	answer, _ = strictjson.Encode(out)
	event, _ := h.agent(a).Event(a.Event)
	return answer, event.Kind == engine.SessionEnd
}

// agent is the agent in whose settings the entry of an event is.
func (h *Host) agent(a Asked) engine.Dialect {
	if other, known := agents.ByName(a.Entry); known && a.Entry != h.Agent.Name {
		return other
	}
	return h.Agent
}

// askHost lets the session's host answer, if there is one.
func (r *run) askHost(ctx context.Context, payload []byte) error {
	host, found := r.host(payload)
	if !found {
		return nil
	}
	ctx, cancel := context.WithDeadline(ctx, r.bridge.Until.Add(grace))
	defer cancel()
	agent, event := r.entry()
	answer, isAsked, err := host.Ask(ctx, Asked{Entry: agent, Event: event, Payload: payload, FailClosed: r.FailClosed,
		DeadlineMS: time.Until(r.bridge.Until).Milliseconds()})
	if !isAsked {
		return nil
	}
	if err != nil {
		return r.unread(ctx, err)
	}
	var out engine.Output
	if err := strictjson.Decode(answer, &out); err != nil {
		return r.unread(ctx, err)
	}
	r.hostAnswer = &out
	return nil
}

// startWithin is how long the first event of a session waits for its host.
const startWithin = time.Second

// startHost starts the session's host if plugins would stay in it, and lets it answer.
func (r *run) startHost(ctx context.Context, payload []byte) error {
	if r.Globals == nil || r.event.Kind == engine.SessionEnd {
		return nil
	}
	keep := app.HostedFor(r.session)
	host, found := r.host(payload)
	if keep == 0 || !found || r.unusable != nil || disk.MkdirAll(disk.OS{}, host.Dir, 0o700) != nil {
		return nil
	}
	if err := host.Start("--keep", keep.String()); err != nil {
		if foreign := (*keeper.ForeignError)(nil); errors.As(err, &foreign) {
			r.told.say("resident plugins start at each event: " + err.Error())
		}
		return nil
	}
	for until := time.Now().Add(startWithin); r.hostAnswer == nil && time.Now().Before(until) && ctx.Err() == nil; {
		time.Sleep(2 * time.Millisecond)
		if err := r.askHost(ctx, payload); err != nil {
			return err
		}
	}
	return nil
}

// host is the way to the session's host.
func (r *run) host(payload []byte) (h keeper.Host, found bool) {
	isNested := app.Depth() > 0 // in a plugin, which may be in the host itself, with variables of its own
	if r.Globals == nil || r.home == "" || isNested || r.bridge.Run == noSession || len(payload) > maxHosted {
		return h, false
	}
	return keeper.Host{Dir: r.bridge.Dir(r.home), Args: hostArguments(r.Globals, r.home, r.Agent.Name, r.bridge.Session),
		Env: hostEnvironment(payload, r.Agent)}, true
}

// maxHosted bounds an event for the host, in bytes.
const maxHosted = 2 << 20

// hostArguments are the arguments that make this program a host. Of two homes the last one counts.
func hostArguments(globals []string, home, agent, session string) []string {
	return slices.Concat(globals, []string{"--home", home, "bridge", "serve", agent, "--session", session})
}

// hostEnvironment is the environment without the agent's variables about one event.
func hostEnvironment(payload []byte, agent engine.Dialect) []string {
	members := gjson.ParseBytes(payload)
	return slices.DeleteFunc(withoutHookVariables(os.Environ(), agent), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return members.Get(gjson.Escape(name)).Exists()
	})
}
