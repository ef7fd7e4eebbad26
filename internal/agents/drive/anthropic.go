package drive

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
)

// anthropic speaks the Messages API of Anthropic.
func anthropic(m *Model, w http.ResponseWriter, path string, body []byte) {
	switch {
	case strings.HasSuffix(path, "/count_tokens"):
		sendJSON(w, http.StatusOK, Object{"input_tokens": 100})
	case strings.HasSuffix(path, "/messages"):
		anthropicMessages(m, w, body)
	default: // settings and feature switches, which the agent can do without
		sendJSON(w, http.StatusNotFound, Object{"type": "error",
			"error": Object{"type": "not_found_error", "message": "not here"}})
	}
}

func anthropicMessages(m *Model, w http.ResponseWriter, body []byte) {
	var asked struct {
		Model  string            `json:"model"`
		Stream bool              `json:"stream"`
		Tools  []json.RawMessage `json:"tools"`
	}
	_ = strictjson.Decode(body, &asked) // members that are not as expected are not there
	answer, number := Step{Text: "A title"}, 0
	if len(asked.Tools) > 0 {
		answer, number = m.next(body)
	}
	if answer.Fail {
		sendJSON(w, http.StatusBadRequest, Object{"type": "error",
			"error": Object{"type": "invalid_request_error", "message": "this cannot be answered"}})
		return
	}
	blocks, stop := anthropicBlocks(answer, number)
	message := Object{"id": fmt.Sprintf("msg_%d", number), "type": "message", "role": "assistant", "model": asked.Model,
		"stop_reason": stop, "stop_sequence": nil, "usage": Object{"input_tokens": 100, "output_tokens": 10}}
	if !asked.Stream {
		message["content"] = blocks
		sendJSON(w, http.StatusOK, message)
		return
	}
	s := newStream(w)
	message["content"], message["stop_reason"] = []any{}, nil
	s.event("message_start", Object{"type": "message_start", "message": message})
	for i, block := range blocks {
		anthropicBlock(s, i, block)
	}
	s.event("message_delta", Object{"type": "message_delta", "delta": Object{"stop_reason": stop, "stop_sequence": nil},
		"usage": Object{"output_tokens": 10}})
	s.event("message_stop", Object{"type": "message_stop"})
}

func anthropicBlocks(answer Step, number int) (blocks []Object, stop string) {
	stop = "end_turn"
	if answer.Text != "" {
		blocks = append(blocks, Object{"type": "text", "text": answer.Text})
	}
	for i, c := range answer.Calls {
		stop = "tool_use"
		id := fmt.Sprintf("toolu_%d_%d", number, i)
		blocks = append(blocks, Object{"type": "tool_use", "id": id, "name": c.Name, "input": c.Args})
	}
	return blocks, stop
}

// anthropicBlock sends one block of content: its start without content, the content, its end.
func anthropicBlock(s stream, index int, block Object) {
	start, delta := Object{"type": "text", "text": ""}, Object{"type": "text_delta", "text": block["text"]}
	if block["type"] == "tool_use" {
		input, _ := strictjson.Encode(block["input"])
		start = Object{"type": "tool_use", "id": block["id"], "name": block["name"], "input": Object{}}
		delta = Object{"type": "input_json_delta", "partial_json": string(input)}
	}
	s.event("content_block_start", Object{"type": "content_block_start", "index": index, "content_block": start})
	s.event("content_block_delta", Object{"type": "content_block_delta", "index": index, "delta": delta})
	s.event("content_block_stop", Object{"type": "content_block_stop", "index": index})
}
