package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

type object = map[string]any

// anthropic speaks the Messages API of Anthropic.
func anthropic(m *model, w http.ResponseWriter, path string, body []byte) {
	switch {
	case strings.HasSuffix(path, "/count_tokens"):
		sendJSON(w, http.StatusOK, object{"input_tokens": 100})
	case strings.HasSuffix(path, "/messages"):
		anthropicMessages(m, w, body)
	default: // settings and feature switches, which the agent can do without
		sendJSON(w, http.StatusNotFound, object{"type": "error",
			"error": object{"type": "not_found_error", "message": "not here"}})
	}
}

func anthropicMessages(m *model, w http.ResponseWriter, body []byte) {
	var asked struct {
		Model  string
		Stream bool
		Tools  []json.RawMessage
	}
	json.Unmarshal(body, &asked)
	answer, number := step{text: "A title"}, 0
	if len(asked.Tools) > 0 {
		answer, number = m.next(body)
	}
	if answer.fail {
		sendJSON(w, http.StatusBadRequest, object{"type": "error",
			"error": object{"type": "invalid_request_error", "message": "this cannot be answered"}})
		return
	}
	blocks, stop := anthropicBlocks(answer, number)
	message := object{"id": fmt.Sprintf("msg_%d", number), "type": "message", "role": "assistant", "model": asked.Model,
		"stop_reason": stop, "stop_sequence": nil, "usage": object{"input_tokens": 100, "output_tokens": 10}}
	if !asked.Stream {
		message["content"] = blocks
		sendJSON(w, http.StatusOK, message)
		return
	}
	s := newStream(w)
	message["content"], message["stop_reason"] = []any{}, nil
	s.event("message_start", object{"type": "message_start", "message": message})
	for i, block := range blocks {
		anthropicBlock(s, i, block)
	}
	s.event("message_delta", object{"type": "message_delta", "delta": object{"stop_reason": stop, "stop_sequence": nil},
		"usage": object{"output_tokens": 10}})
	s.event("message_stop", object{"type": "message_stop"})
}

func anthropicBlocks(answer step, number int) (blocks []object, stop string) {
	stop = "end_turn"
	if answer.text != "" {
		blocks = append(blocks, object{"type": "text", "text": answer.text})
	}
	for i, c := range answer.calls {
		stop = "tool_use"
		id := fmt.Sprintf("toolu_%d_%d", number, i)
		blocks = append(blocks, object{"type": "tool_use", "id": id, "name": c.name, "input": c.args})
	}
	return blocks, stop
}

// anthropicBlock sends one block of content: its start without what it holds, that, its end.
func anthropicBlock(s stream, index int, block object) {
	start, delta := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": block["text"]}
	if block["type"] == "tool_use" {
		input, _ := json.Marshal(block["input"])
		start = object{"type": "tool_use", "id": block["id"], "name": block["name"], "input": object{}}
		delta = object{"type": "input_json_delta", "partial_json": string(input)}
	}
	s.event("content_block_start", object{"type": "content_block_start", "index": index, "content_block": start})
	s.event("content_block_delta", object{"type": "content_block_delta", "index": index, "delta": delta})
	s.event("content_block_stop", object{"type": "content_block_stop", "index": index})
}
