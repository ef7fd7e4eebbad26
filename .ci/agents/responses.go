package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// responses speaks the Responses API of OpenAI.
func responses(m *model, w http.ResponseWriter, path string, body []byte) {
	if !strings.HasSuffix(path, "/responses") {
		sendJSON(w, http.StatusNotFound, object{"error": object{"message": "not here"}})
		return
	}
	var asked struct {
		Model string
		Tools []json.RawMessage
	}
	json.Unmarshal(body, &asked)
	answer, number := step{text: "A title"}, 0
	if len(asked.Tools) > 0 || bytes.Contains(body, []byte(`"type":"additional_tools"`)) {
		answer, number = m.next(body)
	}
	if answer.fail {
		sendJSON(w, http.StatusBadRequest, object{"error": object{"message": "this cannot be answered"}})
		return
	}
	id := fmt.Sprintf("resp_%d", number)
	items := responsesItems(answer, number)
	s := newStream(w)
	begun := object{"id": id, "status": "in_progress", "output": []any{}}
	s.event("response.created", object{"type": "response.created", "response": begun})
	for i, item := range items {
		s.event("response.output_item.added", object{"type": "response.output_item.added", "output_index": i, "item": item})
		s.event("response.output_item.done", object{"type": "response.output_item.done", "output_index": i, "item": item})
	}
	usage := object{"input_tokens": 100, "input_tokens_details": object{"cached_tokens": 0}, "output_tokens": 10,
		"output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": 110}
	s.event("response.completed", object{"type": "response.completed", "response": object{"id": id, "status": "completed",
		"model": asked.Model, "output": items, "usage": usage}})
}

func responsesItems(answer step, number int) []object {
	items := []object{}
	if answer.text != "" {
		items = append(items, object{"type": "message", "role": "assistant", "id": fmt.Sprintf("msg_%d", number),
			"status": "completed", "content": []object{{"type": "output_text", "text": answer.text, "annotations": []any{}}}})
	}
	for i, c := range answer.calls {
		items = append(items, responsesCall(c, fmt.Sprintf("call_%d_%d", number, i)))
	}
	return items
}

// responsesCall is the item of a call: of a free-form tool if its arguments are only
// `input`, and of a namespace's tool if its name has a space between the two.
func responsesCall(c call, id string) object {
	if input, ok := c.args["input"].(string); ok && len(c.args) == 1 {
		return object{"type": "custom_tool_call", "id": "ctc_" + id, "call_id": id, "name": c.name, "input": input}
	}
	args, _ := json.Marshal(c.args)
	item := object{"type": "function_call", "id": "fc_" + id, "call_id": id, "name": c.name, "arguments": string(args)}
	if space, name, ok := strings.Cut(c.name, " "); ok {
		item["namespace"], item["name"] = space, name
	}
	return item
}
