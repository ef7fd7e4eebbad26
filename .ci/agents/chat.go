package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// chat speaks the Chat Completions API of OpenAI.
func chat(m *model, w http.ResponseWriter, path string, body []byte) {
	if !strings.HasSuffix(path, "/chat/completions") {
		sendJSON(w, http.StatusNotFound, object{"error": object{"message": "not here"}})
		return
	}
	var asked struct {
		Model  string
		Stream bool
		Tools  []json.RawMessage
		Choice json.RawMessage `json:"tool_choice"`
	}
	json.Unmarshal(body, &asked)
	answer, number := step{text: "A title"}, 0
	if isForced := strings.HasPrefix(string(asked.Choice), "{"); len(asked.Tools) > 0 && !isForced { // as for a title
		answer, number = m.next(body)
	}
	message, stop := chatMessage(answer, number)
	reply := object{"id": fmt.Sprintf("chatcmpl-%d", number), "created": 1700000000, "model": asked.Model,
		"usage": object{"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}}
	if !asked.Stream {
		reply["object"] = "chat.completion"
		reply["choices"] = []object{{"index": 0, "message": message, "finish_reason": stop}}
		sendJSON(w, http.StatusOK, reply)
		return
	}
	s := newStream(w)
	usage := reply["usage"]
	reply["object"], reply["usage"] = "chat.completion.chunk", nil
	reply["choices"] = []object{{"index": 0, "delta": message, "finish_reason": nil}}
	s.event("", reply)
	reply["usage"] = usage
	reply["choices"] = []object{{"index": 0, "delta": object{}, "finish_reason": stop}}
	s.event("", reply)
	fmt.Fprint(w, "data: [DONE]\n\n")
}

func chatMessage(answer step, number int) (message object, stop string) {
	message, stop = object{"role": "assistant", "content": answer.text}, "stop"
	var calls []object
	for i, c := range answer.calls {
		args, _ := json.Marshal(c.args)
		calls = append(calls, object{"index": i, "id": fmt.Sprintf("call_%d_%d", number, i), "type": "function",
			"function": object{"name": c.name, "arguments": string(args)}})
	}
	if len(calls) > 0 {
		message["tool_calls"], stop = calls, "tool_calls"
	}
	return message, stop
}
