package demo

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

const maxRequest = 256 << 20

// Handler answers chat completion requests as the demo model.
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, maxRequest))
		if err != nil {
			fail(w, http.StatusBadRequest, err.Error())
			return
		}
		r, err := parseRequest(body)
		if err != nil {
			fail(w, http.StatusBadRequest, err.Error())
			return
		}
		turn := r.turn()
		if turn.status != 0 {
			fail(w, turn.status, turn.text)
			return
		}
		write(w, r, turn)
	})
}

func fail(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]any{"error": map[string]string{"message": text}})
}

// write streams an answer in small pieces.
func write(w http.ResponseWriter, r request, t turn) {
	w.Header().Set("Content-Type", "text/event-stream")
	chunk := func(v map[string]any) {
		v["id"], v["model"] = "demo-1", r.Model
		data, _ := json.Marshal(v)
		fmt.Fprintf(w, "data: %s\n\n", data)
	}
	delta := func(d map[string]any, finish any) {
		chunk(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": d, "finish_reason": finish}}})
	}
	for _, piece := range pieces(t.text) {
		delta(map[string]any{"content": piece}, nil)
	}
	for i, c := range t.calls {
		function := map[string]any{"name": c.name, "arguments": c.arguments}
		call := map[string]any{"index": i, "id": c.id, "type": "function", "function": function}
		delta(map[string]any{"tool_calls": []any{call}}, nil)
	}
	finish := "stop"
	if len(t.calls) > 0 {
		finish = "tool_calls"
	}
	delta(map[string]any{}, finish)
	usage := map[string]int{"prompt_tokens": r.size / 4, "completion_tokens": len(t.text) / 4}
	chunk(map[string]any{"choices": []any{}, "usage": usage})
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// pieces splits a text after its spaces and newlines.
func pieces(text string) []string {
	var list []string
	for text != "" {
		i := strings.IndexAny(text, " \n")
		if i < 0 {
			return append(list, text)
		}
		list = append(list, text[:i+1])
		text = text[i+1:]
	}
	return list
}
