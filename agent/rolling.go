package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/plugin"
)

// maybeCompact warns when the window fills up, and compacts its oldest part if that
// is configured. The prompt is answered in any case: a failure is reported, and the
// conversation continues as it is. It returns the window.
func (c compaction) maybeCompact(ctx context.Context, window []contexts.Entry) ([]contexts.Entry, error) {
	limit, size := c.agent.Settings.contextWindow(), tokens(window)
	used := float64(size) * 100 / float64(limit)
	if warn := c.agent.Settings.WarnPercent; warn > 0 && used >= warn {
		c.agent.Output.notice("the context window of %q is %.0f%% full, about %d tokens are left",
			c.agent.Context.Name(), used, max(0, limit-size))
	}
	if !c.agent.Settings.AutoCompact || used < c.agent.Settings.CompactPercent {
		return window, nil
	}
	if err := c.compactRolling(ctx, window); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		c.agent.Output.notice("context %q could not be compacted and continues as it is: %v", c.agent.Context.Name(), err)
		return window, nil
	}
	return c.agent.Context.Window(ctx)
}

// tokens estimates the tokens of entries as the original does: four bytes are one
// token.
func tokens(entries []contexts.Entry) int {
	sum := 0
	for _, e := range entries {
		sum += (len(e.Content) + len(e.Role())) / 4
	}
	return sum
}

// keptExchanges is how many of the latest exchanges always stay in the window: that
// of the current prompt, and the last complete one.
const keptExchanges = 2

// compactRolling replaces exchanges that the model chooses by a summary. It fires
// pre_rolling_compact and, when it is done, post_rolling_compact.
func (c compaction) compactRolling(ctx context.Context, window []contexts.Entry) error {
	all := exchanges(window)
	if len(all) <= keptExchanges {
		return nil
	}
	before, err := contextPayload(ctx, c.agent.Context)
	if err != nil {
		return err
	}
	answer, err := plugin.Fire(ctx, c.agent.Host, hookpoints.PreRollingCompact, hookpoints.PreRollingCompactPayload{
		ContextName: before.ContextName, MessageCount: before.MessageCount, NonSystemCount: before.MessageCount,
		Summary: before.Summary,
	})
	if err = cmp.Or(err, refusedCompaction(answer)); err != nil {
		return err
	}
	drop, keep := c.partition(ctx, all)
	summary, err := c.summarize(ctx, drop)
	if err != nil {
		return err
	}
	if err := c.agent.Context.Compact(summary, keep); err != nil {
		return err
	}
	after, err := contextPayload(ctx, c.agent.Context)
	if err != nil {
		return err
	}
	emitChange(c.agent, ContextCompacted, "context %q was compacted: a summary replaced its oldest part",
		c.agent.Context.Name())
	c.emitCompacted(len(drop), fmt.Sprintf("into a summary, %d stay", len(keep)))
	_, err = plugin.Fire(ctx, c.agent.Host, hookpoints.PostRollingCompact, hookpoints.PostRollingCompactPayload{
		ContextName: after.ContextName, MessageCount: after.MessageCount,
		MessagesArchived: before.MessageCount - after.MessageCount, Summary: after.Summary,
	})
	return err
}

// partition decides which entries are removed from the window. The latest exchanges
// stay in any case. If the model makes no valid choice, the oldest are removed.
func (c compaction) partition(ctx context.Context, all []exchange) (drop, keep []contexts.Entry) {
	candidates := all[:len(all)-keptExchanges]
	target := int(math.Round(float64(len(all)) * c.agent.Settings.CompactDropPercent / 100))
	target = min(max(target, 1), len(candidates))
	chosen := c.choose(ctx, candidates, target)
	for i, x := range all {
		if i < len(candidates) && chosen[i] {
			drop = append(drop, x...)
		} else {
			keep = append(keep, x...)
		}
	}
	return drop, keep
}

// choose asks the model which exchanges matter least, and returns their indexes.
func (c compaction) choose(ctx context.Context, candidates []exchange, target int) map[int]bool {
	chosen := map[int]bool{}
	if reply, err := c.askModel(ctx, "choice of what to drop", choicePrompt(candidates, target)); err == nil {
		ids := chosenIDs(reply.Text)
		for i, x := range candidates {
			if slices.ContainsFunc(x, func(e contexts.Entry) bool { return ids[e.ID] }) {
				chosen[i] = true
			}
		}
	}
	if len(chosen) > 0 {
		return chosen
	}
	c.agent.Output.detail("the model made no valid choice of what to drop; the oldest exchanges are dropped")
	for i := range target {
		chosen[i] = true
	}
	return chosen
}

// maxChoiceText bounds, in bytes, the part of a message that the model sees when it
// chooses.
const maxChoiceText = 500

func choicePrompt(candidates []exchange, target int) string {
	type listed struct {
		ID      string `json:"id"`
		Content string `json:"content"`
	}
	var list []listed
	for _, x := range candidates {
		var texts []string
		for _, e := range x {
			if e.Type == contexts.TypeMessage {
				texts = append(texts, strings.ToUpper(e.Role())+": "+excerpt(e.Content, maxChoiceText))
			}
		}
		list = append(list, listed{x[0].ID, strings.Join(texts, "\n")})
	}
	data, _ := json.MarshalIndent(list, "", "  ")
	return fmt.Sprintf("A conversation has become too long. Some of its exchanges will be replaced by a "+
		"summary.\n\n%s\n\n"+
		"Select approximately %d of these exchanges to be summarized: those that later work depends on least, as a rule "+
		"older ones. "+
		"Answer with a JSON array of their ids and nothing else.", data, target)
}

// chosenIDs parses the model's choice: a JSON array, perhaps with other text around
// it.
func chosenIDs(answer string) map[string]bool {
	begin, end := strings.IndexByte(answer, '['), strings.LastIndexByte(answer, ']')
	if begin < 0 || end < begin {
		return nil
	}
	var ids []string
	if strictjson.Decode([]byte(answer[begin:end+1]), &ids) != nil {
		return nil
	}
	chosen := map[string]bool{}
	for _, id := range ids {
		chosen[id] = true
	}
	return chosen
}
