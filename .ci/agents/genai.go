package main

import (
	"encoding/json"
	"net/http"
	"strings"
)

// genai speaks the Gemini API of Google.
func genai(m *model, w http.ResponseWriter, path string, body []byte) {
	switch {
	case strings.HasSuffix(path, ":countTokens"):
		sendJSON(w, http.StatusOK, object{"totalTokens": 100})
	case strings.HasSuffix(path, ":generateContent"), strings.HasSuffix(path, ":streamGenerateContent"):
		var asked struct{ Tools []json.RawMessage }
		json.Unmarshal(body, &asked)
		answer := step{text: "A title"}
		if len(asked.Tools) > 0 {
			answer, _ = m.next(body)
		}
		content := genaiContent(answer)
		if strings.HasSuffix(path, ":generateContent") {
			sendJSON(w, http.StatusOK, content)
			return
		}
		newStream(w).event("", content)
	default:
		sendJSON(w, http.StatusNotFound, object{"error": object{"code": 404, "message": "not here", "status": "NOT_FOUND"}})
	}
}

func genaiContent(answer step) object {
	parts := []object{}
	if answer.text != "" {
		parts = append(parts, object{"text": answer.text})
	}
	for _, c := range answer.calls {
		parts = append(parts, object{"functionCall": object{"name": c.name, "args": c.args}})
	}
	candidate := object{"index": 0, "finishReason": "STOP", "content": object{"role": "model", "parts": parts}}
	return object{"candidates": []object{candidate},
		"usageMetadata": object{"promptTokenCount": 100, "candidatesTokenCount": 10, "totalTokenCount": 110}}
}
