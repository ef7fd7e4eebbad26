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

// refuseCalls answers the calls of a response that is not whole: what is
// missing of them cannot be known, so none of them runs.
func (r *round) refuseCalls(calls []llm.ToolCall, why string) error {
	for _, call := range calls {
		if err := r.finish(call, fmt.Sprintf("Error: not run: the response was cut off, %s, so the call may not be whole; send it again, shorter", why)); err != nil {
			return err
		}
	}
	return nil
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
