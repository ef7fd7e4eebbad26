package agent

import (
	"fmt"

	"github.com/chibi-host/chibi/llm"
)

// cutShort says why a response is not whole although its stream was; "" if it
// is whole.
func cutShort(reply llm.Reply) string {
	switch reply.FinishReason {
	case "length", "max_tokens":
		return "it reached its length limit (api.max_tokens, or the model's context window)"
	case "content_filter":
		return "its server's content filter stopped it"
	}
	return ""
}

// afterCut goes on after a response that is not whole: what is missing of its
// calls cannot be known, so none of them runs, and as a recipe's answer it does
// not take the place of the conversation.
func (r *round) afterCut(w wish, calls []llm.ToolCall) (wish, error) {
	r.notice("the model's answer is not whole: %s", r.cut)
	if w.dropSummary {
		r.notice("the conversation stays as it is: what would take its place is not whole")
		w = wish{point: w.point}
	}
	for _, call := range calls {
		text := fmt.Sprintf("Error: not run: the response was cut off, %s, so the call may not be whole; send it again, "+
			"shorter", r.cut)
		if err := r.finish(call, text, nil); err != nil {
			return w, err
		}
	}
	return w, nil
}

// distinct gives calls ids that no other call of the conversation has: servers
// do not always.
func (r *round) distinct(calls []llm.ToolCall) {
	taken := map[string]bool{}
	for _, m := range r.messages {
		for _, call := range m.ToolCalls {
			taken[call.ID] = true
		}
	}
	for i, call := range calls {
		id := call.ID
		for n := 2; taken[id]; n++ {
			id = fmt.Sprintf("%s_%d", call.ID, n)
		}
		calls[i].ID, taken[id] = id, true
	}
}
