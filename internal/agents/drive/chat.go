package drive

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
)

// Chat speaks the Chat Completions API of OpenAI.
func Chat(m *Model, w http.ResponseWriter, path string, body []byte) {
	if !strings.HasSuffix(path, "/chat/completions") {
		sendJSON(w, http.StatusNotFound, Object{"error": Object{"message": "not here"}})
		return
	}
	var asked struct {
		Model  string            `json:"model"`
		Stream bool              `json:"stream"`
		Tools  []json.RawMessage `json:"tools"`
		Choice json.RawMessage   `json:"tool_choice"`
	}
	_ = strictjson.Decode(body, &asked) // members that are not as expected are not there
	answer, number := Step{Text: "A title"}, 0
	if isForced := strings.HasPrefix(string(asked.Choice), "{"); len(asked.Tools) > 0 && !isForced { // as for a title
		answer, number = m.next(body)
	}
	message, stop := chatMessage(answer, number)
	reply := Object{"id": fmt.Sprintf("chatcmpl-%d", number), "created": 1700000000, "model": asked.Model,
		"usage": Object{"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}}
	if !asked.Stream {
		reply["object"] = "chat.completion"
		reply["choices"] = []Object{{"index": 0, "message": message, "finish_reason": stop}}
		sendJSON(w, http.StatusOK, reply)
		return
	}
	s := newStream(w)
	usage := reply["usage"]
	reply["object"], reply["usage"] = "chat.completion.chunk", nil
	reply["choices"] = []Object{{"index": 0, "delta": message, "finish_reason": nil}}
	s.event("", reply)
	reply["usage"] = usage
	reply["choices"] = []Object{{"index": 0, "delta": Object{}, "finish_reason": stop}}
	s.event("", reply)
	fmt.Fprint(w, "data: [DONE]\n\n")
}

func chatMessage(answer Step, number int) (message Object, stop string) {
	message, stop = Object{"role": "assistant", "content": answer.Text}, "stop"
	var calls []Object
	for i, c := range answer.Calls {
		args, _ := strictjson.Encode(c.Args)
		calls = append(calls, Object{"index": i, "id": fmt.Sprintf("call_%d_%d", number, i), "type": "function",
			"function": Object{"name": c.Name, "arguments": string(args)}})
	}
	if len(calls) > 0 {
		message["tool_calls"], stop = calls, "tool_calls"
	}
	return message, stop
}
