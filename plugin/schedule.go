package plugin

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/merge"
)

// schedule asks the plugins of a chain and some of them before their turn: neighbouring ones of a
// round, and neighbouring pure ones. Both are called at the same time, with the payload
// of the first of them.
//
// The result of the dispatch is the same for pure plugins as without it, because an answer is used
// only at its turn, and only if the plugin would then receive the same payload. It asks plugins of
// a round once whatever the others answer; their rewrites are differences.
type schedule struct {
	dispatch  *dispatch
	plugins   []*Plugin
	next      int                // the index of the plugin whose turn it is
	payload   []byte             // what the plugin before it received
	calls     map[int]*earlyCall // of pure plugins whose turn has not come
	stop      func()             // ends calls and waits for their end; nil if none was begun
	discarded map[int][]DiscardedCall
	round     []*reply     // of the round whose turn it is, those whose own turn has not come
	basis     *merge.Round // what that round received
}

// prepare waits for events of the plugins that nobody has waited for, and lets the rounds
// and the pure plugins of a chain be called before their turn. The function that it returns is called
// when all have been asked.
func (d *dispatch) prepare(ctx context.Context, inTurn, atOnce []*Plugin) (end func()) {
	d.settle(ctx, slices.Concat(inTurn, atOnce))
	if d.info.Mode != hookpoints.Chain || !slices.ContainsFunc(inTurn, (*Plugin).isAskedWithOthers) {
		return func() {}
	}
	d.early = &schedule{dispatch: d, plugins: inTurn, calls: map[int]*earlyCall{}, discarded: map[int][]DiscardedCall{}}
	d.askNext = d.early.ask
	return d.early.end
}

// isCalledEarly reports whether a plugin is called before its turn although its answer may
// be discarded.
func (p *Plugin) isCalledEarly() bool { return p.Pure && p.Round == "" }

// isInRound reports whether others of the round whose turn it is are still to come.
func (s *schedule) isInRound() bool { return s != nil && len(s.round) > 0 }

// ask returns the reply of the plugin whose turn it is.
func (s *schedule) ask(ctx context.Context, p *Plugin, payload []byte) *reply {
	s.compare(payload)
	i := s.next
	s.next, s.payload = i+1, payload
	if p.Round != "" {
		return s.askInRound(ctx, i)
	}
	if s.calls[i] == nil {
		s.begin(ctx, i)
	}
	call := s.calls[i]
	if call == nil {
		return s.dispatch.ask(ctx, p, payload)
	}
	delete(s.calls, i)
	early := *p
	early.Handler = call
	r := s.dispatch.ask(ctx, &early, payload)
	switch {
	case call.repeated:
		s.discarded[i] = append(s.discarded[i], call.discarded("the answers of the plugins called with it left no room "+
			"for it"))
	case !call.began.IsZero():
		r.record.Time, r.record.DurationMS = call.began, call.milliseconds()
	}
	return r
}

// group returns the plugin at an index with the neighbours behind it that get the question with it.
func (s *schedule) group(first int, isAsked func(*Plugin) bool) []*Plugin {
	end := first
	for end < len(s.plugins) && isAsked(s.plugins[end]) {
		end++
	}
	return s.plugins[first:end]
}

// askInRound returns the reply of a plugin of a round, as if it had received the present
// payload. At the turn of the first of them it asks all.
func (s *schedule) askInRound(ctx context.Context, i int) *reply {
	if len(s.round) == 0 {
		own := s.plugins[i].Round
		round := s.group(i, func(p *Plugin) bool { return p.Round == own })
		if len(round) < 2 {
			return s.dispatch.ask(ctx, s.plugins[i], s.payload)
		}
		s.basis, s.round = merge.NewRound(s.dispatch.info, s.payload), make([]*reply, len(round))
		s.dispatch.host.atOnce(round, func(i int) {
			s.round[i] = s.dispatch.ask(ctx, round[i], s.payload)
			s.round[i].record.Round = own
		})
	}
	r := s.round[0]
	s.round = s.round[1:]
	if r.body != nil {
		r.body = s.basis.Rebase(r.body, s.payload)
	}
	r.noteBlocked(s.dispatch.merged.SettledBy())
	return r
}

// noteBlocked notes that a reply has no effect because a plugin before it in its round
// blocked. A reply that blocks too gets its note when it is added.
func (r *reply) noteBlocked(by string) {
	if by != "" && r.body != nil && !r.refuses() {
		r.record.Result, r.record.Why = Ignored, fmt.Sprintf("plugin %q blocked", by)
	}
}

// compare discards the calls that were begun with another payload than the present one. A
// plugin that changed it is called alone for the rest of the run: that bounds what is
// discarded.
func (s *schedule) compare(payload []byte) {
	if s.next == 0 || bytes.Equal(s.payload, payload) {
		return
	}
	by := s.plugins[s.next-1]
	s.dispatch.host.changers.Store(by.Name, true)
	s.discard(fmt.Sprintf("plugin %q changed the payload", by.Name))
}

// begin calls the plugin at an index and its neighbours, unless it is called alone.
func (s *schedule) begin(ctx context.Context, first int) {
	group := s.group(first, func(p *Plugin) bool { return p.isCalledEarly() && !s.changes(p) })
	if len(group) < 2 {
		return
	}
	s.discard("") // the calls of an earlier group have all been used
	room := max(0, s.dispatch.left.Load()) / int64(len(group))
	calls := make([]*earlyCall, len(group))
	for i, p := range group {
		calls[i] = s.dispatch.earlyCall(p, s.payload, room)
		s.calls[first+i] = calls[i]
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.dispatch.host.atOnce(group, func(i int) { calls[i].run(ctx) })
	}()
	s.stop = func() {
		cancel()
		<-ended
	}
}

// changes reports whether a plugin has changed a payload in this run.
func (s *schedule) changes(p *Plugin) bool {
	_, found := s.dispatch.host.changers.Load(p.Name)
	return found
}

// discard ends the calls whose turn has not come and notes why their answers are not used.
func (s *schedule) discard(why string) {
	if s.stop == nil {
		return
	}
	s.stop()
	s.stop = nil
	for i, call := range s.calls {
		if !call.began.IsZero() {
			s.discarded[i] = append(s.discarded[i], call.discarded(why))
		}
	}
	clear(s.calls)
}

// end discards what is left when the dispatch is settled or has ended, and adds to the
// records what was discarded, and the replies whose turn did not come because the run was
// interrupted.
func (s *schedule) end() {
	s.compare(s.dispatch.merged.Next())
	asked := len(s.dispatch.replies) // with those that were not asked, if one has blocked
	interrupted := asked <= s.next && s.next < len(s.plugins)
	why := "the run was interrupted"
	if !interrupted {
		why = fmt.Sprintf("plugin %q blocked", s.plugins[s.next-1].Name)
	}
	s.discard(why)
	for i, p := range s.plugins {
		if s.discarded[i] == nil {
			continue
		}
		if i >= asked {
			r := s.dispatch.newReply(p, nil)
			r.record.Result, r.record.Why = Skipped, why
			s.dispatch.replies = append(s.dispatch.replies, r)
			r.record.Discarded = s.discarded[i]
			continue
		}
		s.dispatch.replies[i].record.Discarded = s.discarded[i]
	}
	s.dispatch.replies = append(s.dispatch.replies, s.round...)
}
