package drive

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
)

// responses speaks the Responses API of OpenAI.
func responses(m *Model, w http.ResponseWriter, path string, body []byte) {
	if !strings.HasSuffix(path, "/responses") {
		sendJSON(w, http.StatusNotFound, Object{"error": Object{"message": "not here"}})
		return
	}
	var asked struct {
		Model string            `json:"model"`
		Tools []json.RawMessage `json:"tools"`
	}
	_ = strictjson.Decode(body, &asked) // members that are not as expected are not there
	answer, number := Step{Text: "A title"}, 0
	if len(asked.Tools) > 0 || bytes.Contains(body, []byte(`"type":"additional_tools"`)) {
		answer, number = m.next(body)
	}
	if answer.Fail {
		sendJSON(w, http.StatusBadRequest, Object{"error": Object{"message": "this cannot be answered"}})
		return
	}
	id := fmt.Sprintf("resp_%d", number)
	items := responsesItems(answer, number)
	s := newStream(w)
	begun := Object{"id": id, "status": "in_progress", "output": []any{}}
	s.event("response.created", Object{"type": "response.created", "response": begun})
	for i, item := range items {
		s.event("response.output_item.added", Object{"type": "response.output_item.added", "output_index": i, "item": item})
		s.event("response.output_item.done", Object{"type": "response.output_item.done", "output_index": i, "item": item})
	}
	usage := Object{"input_tokens": 100, "input_tokens_details": Object{"cached_tokens": 0}, "output_tokens": 10,
		"output_tokens_details": Object{"reasoning_tokens": 0}, "total_tokens": 110}
	s.event("response.completed", Object{"type": "response.completed", "response": Object{"id": id, "status": "completed",
		"model": asked.Model, "output": items, "usage": usage}})
}

func responsesItems(answer Step, number int) []Object {
	items := []Object{}
	if answer.Text != "" {
		items = append(items, Object{"type": "message", "role": "assistant", "id": fmt.Sprintf("msg_%d", number),
			"status": "completed", "content": []Object{{"type": "output_text", "text": answer.Text, "annotations": []any{}}}})
	}
	for i, c := range answer.Calls {
		items = append(items, responsesCall(c, fmt.Sprintf("call_%d_%d", number, i)))
	}
	return items
}

// responsesCall is the item of a call: of a free-form tool if its arguments are only
// `input`, and of a namespace's tool if its name has a space between the two.
func responsesCall(c Call, id string) Object {
	if input, ok := c.Args["input"].(string); ok && len(c.Args) == 1 {
		return Object{"type": "custom_tool_call", "id": "ctc_" + id, "call_id": id, "name": c.Name, "input": input}
	}
	args, _ := strictjson.Encode(c.Args)
	item := Object{"type": "function_call", "id": "fc_" + id, "call_id": id, "name": c.Name, "arguments": string(args)}
	if space, name, ok := strings.Cut(c.Name, " "); ok {
		item["namespace"], item["name"] = space, name
	}
	return item
}
