package plugin

import (
	"cmp"
	"context"
	"fmt"

	"github.com/chibi-host/chibi/hookpoints"
	"golang.org/x/sync/errgroup"
)

// askAtOnce asks several plugins at once, the plugins of one sequence one after another,
// and adds their replies in order. The error is the end of ctx, or a [StartError].
func (d *dispatch) askAtOnce(ctx context.Context, plugins []*Plugin) error {
	if d.info.Mode == hookpoints.Observe {
		plugins = d.startAsync(ctx, plugins)
	}
	payload := d.merged.Next()
	replies := make([]*reply, len(plugins))
	d.host.atOnce(plugins, func(i int) { replies[i] = d.ask(ctx, plugins[i], payload) })
	d.replies = append(d.replies, replies...)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, r := range replies {
		d.add(r)
	}
	return stopped(replies)
}

// atOnce calls ask with the index of each plugin, concurrently, for the plugins of one
// sequence one after another, and returns when all calls have returned.
func (h *Host) atOnce(plugins []*Plugin, ask func(i int)) {
	var g errgroup.Group
	g.SetLimit(h.parallel())
	for _, sequence := range sequences(plugins) {
		g.Go(func() error {
			for _, i := range sequence {
				ask(i)
			}
			return nil
		})
	}
	g.Wait()
}

// sequences groups the indexes of plugins that are asked one after another;
// most plugins are alone.
func sequences(plugins []*Plugin) (groups [][]int) {
	of := map[string]int{}
	for i, p := range plugins {
		at, begun := of[p.Sequence]
		if p.Sequence != "" && begun {
			groups[at] = append(groups[at], i)
			continue
		}
		of[p.Sequence] = len(groups)
		groups = append(groups, []int{i})
	}
	return groups
}

func (h *Host) parallel() int { return cmp.Or(max(h.Parallel, 0), DefaultParallel()) }

// skip records plugins that were not asked, as one before them settled the dispatch.
func (d *dispatch) skip(plugins []*Plugin) {
	did := "blocked"
	if d.info.Mode == hookpoints.Claim {
		did = "claimed it"
	}
	for _, p := range plugins {
		r := d.newReply(p, nil)
		r.record.Result, r.record.Why = Skipped, fmt.Sprintf("plugin %q %s", d.merged.SettledBy(), did)
		d.replies = append(d.replies, r)
	}
}
