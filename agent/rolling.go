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

// exchange is a message of the user with everything up to the next one: answers,
// tool calls, results. It is removed from the window as a whole, so that no call
// loses its result.
type exchange []contexts.Entry

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

// exchanges splits a window into exchanges. Entries that are not conversation, such
// as anchors, belong to none.
func exchanges(window []contexts.Entry) []exchange {
	var list []exchange
	for _, e := range window {
		switch e.Type {
		case contexts.TypeMessage, contexts.TypeToolCall, contexts.TypeToolResult:
		default:
			continue
		}
		if len(list) == 0 || e.Type == contexts.TypeMessage && e.Role() == "user" {
			list = append(list, nil)
		}
		last := len(list) - 1
		list[last] = append(list[last], e)
	}
	return list
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
