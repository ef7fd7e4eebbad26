package openai

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/chibi-host/chibi/llm"
)

// reply returns what has arrived, with the calls in the order of their indices.
func (r *reader) reply() llm.Reply {
	reply := llm.Reply{ID: r.id, Model: r.model, Text: r.text.String(), Usage: r.usage, FinishReason: r.finish}
	for _, i := range slices.Sorted(maps.Keys(r.calls)) {
		c := r.calls[i]
		c.id = cmp.Or(c.id, fmt.Sprintf("call_%d", i))
		reply.ToolCalls = append(reply.ToolCalls, llm.ToolCall{ID: c.id, Name: c.name, Arguments: c.arguments.String()})
	}
	return reply
}
