package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/plugin"
)

// exchange is what the user said, and all that followed until they spoke again:
// answers, tool calls, results. It leaves the window as a whole, so that no
// call loses its result.
type exchange []contexts.Entry

// keptExchanges is how many of the latest exchanges never leave the window: the
// prompt that was just typed, and the last one that is complete.
const keptExchanges = 2

// compactOldest takes exchanges out of the window, as the model chooses, and
// puts a summary in their place. It fires pre_rolling_compact and, when it is
// done, post_rolling_compact.
func (r *round) compactOldest(ctx context.Context, window []contexts.Entry) error {
	all := exchanges(window)
	if len(all) <= keptExchanges {
		return nil
	}
	before, err := r.size()
	if err != nil {
		return err
	}
	if _, err := plugin.Fire(ctx, r.Host, hookpoints.PreRollingCompact, hookpoints.PreRollingCompactPayload{
		ContextName: before.ContextName, MessageCount: before.MessageCount, NonSystemCount: before.MessageCount,
		Summary: before.Summary,
	}); err != nil {
		return err
	}
	leave, stay := r.divide(ctx, all)
	summary, err := r.summarize(ctx, leave)
	if err != nil {
		return err
	}
	if err := r.Context.Compact(summary, stay); err != nil {
		return err
	}
	after, err := r.size()
	if err != nil {
		return err
	}
	r.changed("context %q was compacted: a summary took the place of its oldest part", r.Context.Name())
	r.compacted(len(leave), fmt.Sprintf("into a summary, %d stay", len(stay)))
	_, err = plugin.Fire(ctx, r.Host, hookpoints.PostRollingCompact, hookpoints.PostRollingCompactPayload{
		ContextName: after.ContextName, MessageCount: after.MessageCount,
		MessagesArchived: before.MessageCount - after.MessageCount, Summary: after.Summary,
	})
	return err
}

// exchanges cuts a window into exchanges. What is not conversation, as anchors,
// belongs to none.
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

// divide decides which entries leave the window. The latest exchanges stay,
// whatever the model says; if it says nothing that makes sense, the oldest
// leave.
func (r *round) divide(ctx context.Context, all []exchange) (leave, stay []contexts.Entry) {
	candidates := all[:len(all)-keptExchanges]
	target := int(math.Round(float64(len(all)) * r.Settings.CompactDropPercent / 100))
	target = min(max(target, 1), len(candidates))
	chosen := r.choose(ctx, candidates, target)
	for i, x := range all {
		if i < len(candidates) && chosen[i] {
			leave = append(leave, x...)
		} else {
			stay = append(stay, x...)
		}
	}
	return leave, stay
}

// choose asks the model which exchanges matter least.
func (r *round) choose(ctx context.Context, candidates []exchange, target int) map[int]bool {
	chosen := map[int]bool{}
	reply, err := r.request(ctx, "choice of what to drop", "", choicePrompt(candidates, target))
	if err == nil {
		ids := chosenIDs(reply.Text)
		for i, x := range candidates {
			for _, e := range x {
				chosen[i] = chosen[i] || ids[e.ID]
			}
		}
	}
	for i := range candidates {
		if chosen[i] {
			return chosen
		}
	}
	r.detail("the model did not choose what leaves the window; the oldest does")
	for i := range target {
		chosen[i] = true
	}
	return chosen
}

// maxChoiceText bounds, in bytes, what the model is shown of a message when it
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

// chosenIDs reads the model's choice: a JSON array, perhaps with words around
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
