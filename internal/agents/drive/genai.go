package drive

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
)

// genai speaks the Gemini API of Google.
func genai(m *Model, w http.ResponseWriter, path string, body []byte) {
	switch {
	case strings.HasSuffix(path, ":countTokens"):
		sendJSON(w, http.StatusOK, Object{"totalTokens": 100})
	case strings.HasSuffix(path, ":generateContent"), strings.HasSuffix(path, ":streamGenerateContent"):
		var asked struct {
			Tools []json.RawMessage `json:"tools"`
		}
		_ = strictjson.Decode(body, &asked) // members that are not as expected are not there
		answer := Step{Text: "A title"}
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
		sendJSON(w, http.StatusNotFound, Object{"error": Object{"code": 404, "message": "not here", "status": "NOT_FOUND"}})
	}
}

func genaiContent(answer Step) Object {
	parts := []Object{}
	if answer.Text != "" {
		parts = append(parts, Object{"text": answer.Text})
	}
	for _, c := range answer.Calls {
		parts = append(parts, Object{"functionCall": Object{"name": c.Name, "args": c.Args}})
	}
	candidate := Object{"index": 0, "finishReason": "STOP", "content": Object{"role": "model", "parts": parts}}
	return Object{"candidates": []Object{candidate},
		"usageMetadata": Object{"promptTokenCount": 100, "candidatesTokenCount": 10, "totalTokenCount": 110}}
}
