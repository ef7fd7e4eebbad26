package plugin

import (
	"context"
	"fmt"

	"github.com/chibi-host/chibi/merge"
)

// roundChain asks the plugins of a chain in which some form rounds: those of a round are
// asked at the turn of the first of them, and their answers are used at their own turn.
type roundChain struct {
	dispatch *dispatch
	// rounds has the first plugin of each round, with the round.
	rounds map[*Plugin][]*Plugin
	basis  *merge.Round // of the round whose turn it is
}

// askRounds lets the rounds among plugins be asked as such.
func (d *dispatch) askRounds(plugins []*Plugin) *roundChain {
	c := &roundChain{dispatch: d, rounds: rounds(plugins)}
	if c.rounds != nil {
		d.askNext = c.ask
	}
	return c
}

// rounds returns the rounds of plugins, nil if there are none.
func rounds(plugins []*Plugin) map[*Plugin][]*Plugin {
	var found map[*Plugin][]*Plugin
	for begin := 0; begin < len(plugins); {
		end := begin + 1
		for end < len(plugins) && plugins[begin].Round != "" && plugins[end].Round == plugins[begin].Round {
			end++
		}
		if end-begin > 1 {
			if found == nil {
				found = map[*Plugin][]*Plugin{}
			}
			found[plugins[begin]] = plugins[begin:end]
		}
		begin = end
	}
	return found
}

// ask returns the reply of the plugin whose turn it is.
func (c *roundChain) ask(ctx context.Context, p *Plugin, payload []byte) *reply {
	d := c.dispatch
	if round := c.rounds[p]; round != nil {
		c.basis = merge.NewRound(d.info, payload)
		d.round = c.askAll(ctx, round, payload)
	}
	if len(d.round) == 0 {
		return d.ask(ctx, p, payload)
	}
	r := d.round[0]
	d.round = d.round[1:]
	if r.body != nil {
		r.body = c.basis.Rebase(r.body, payload)
	}
	r.noteBlocked(d.merged.SettledBy())
	return r
}

// askAll asks the plugins of a round at the same time, all with the same payload.
func (c *roundChain) askAll(ctx context.Context, round []*Plugin, payload []byte) []*reply {
	replies := make([]*reply, len(round))
	c.dispatch.host.atOnce(round, func(i int) {
		replies[i] = c.dispatch.ask(ctx, round[i], payload)
		replies[i].record.Round = round[i].Round
	})
	return replies
}

// end adds the replies whose turn did not come to the dispatch: the run was interrupted.
func (c *roundChain) end() {
	c.dispatch.replies = append(c.dispatch.replies, c.dispatch.round...)
	c.dispatch.round = nil
}

// noteBlocked notes that a reply has no effect because a plugin before it in its round
// blocked. What blocks too gets its note when it is added.
func (r *reply) noteBlocked(by string) {
	if by != "" && r.body != nil && !r.refuses() {
		r.record.Result, r.record.Why = Ignored, fmt.Sprintf("plugin %q blocked", by)
	}
}
