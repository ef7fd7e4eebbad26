package cli_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// asked is what the tests read of a request.
type asked struct {
	Tools    []json.RawMessage `json:"tools"`
	Messages []struct {
		Role, Content string
	} `json:"messages"`
}

// last is the last message of a role, "" if there is none.
func (a asked) last(role string) (text string) {
	for _, m := range a.Messages {
		if m.Role == role {
			text = m.Content
		}
	}
	return text
}

// reader is a model that reads two contents at the same time: it answers about the first one
// only when it has answered about the second one, and about none before it was asked about
// both.
type reader struct {
	*testing.T
	both, second chan struct{}
	results      chan []string
}

// answer answers about a content.
func (r *reader) answer(req *http.Request, input string) string {
	if strings.Contains(input, "content comes from two.txt") {
		select {
		case <-r.both:
		case <-req.Context().Done():
		}
		return "two in short"
	}
	select {
	case r.both <- struct{}{}:
		<-r.second
	case <-req.Context().Done():
	}
	return "one in short"
}

// ServeHTTP answers a request.
func (r *reader) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	var a asked
	if err := json.Unmarshal(body, &a); err != nil {
		r.Errorf("%v: %s", err, body)
		return
	}
	delta := map[string]any{}
	switch input := a.last("user"); {
	case strings.HasPrefix(input, "Instructions:"):
		if len(a.Tools) != 0 {
			r.Errorf("the model that reads has tools: %s", a.Tools)
		}
		delta["content"] = r.answer(req, input)
	case a.last("tool") == "":
		var calls []any
		for i, name := range []string{"one.txt", "two.txt"} {
			calls = append(calls, map[string]any{"index": i, "id": fmt.Sprint("call_", i), "function": map[string]any{
				"name": "summarize_content", "arguments": fmt.Sprintf(`{"source": %q, "instructions": "Shorten it."}`, name),
			}})
		}
		delta["tool_calls"] = calls
	default:
		var results []string
		for _, m := range a.Messages {
			if m.Role == "tool" {
				results = append(results, m.Content)
			}
		}
		r.results <- results
		delta["content"] = "done"
	}
	data, _ := json.Marshal(map[string]any{"choices": []any{map[string]any{"delta": delta}}})
	fmt.Fprintf(w, "data: %s\n\ndata: [DONE]\n\n", data)
	if text, ok := delta["content"].(string); ok && text == "two in short" {
		close(r.second)
	}
}

// TestSummariesOfOneResponseAreMadeAtTheSameTime, and their results come in the order of the
// calls. If they were made one after another, neither would be answered.
func TestSummariesOfOneResponseAreMadeAtTheSameTime(t *testing.T) {
	model := &reader{T: t, both: make(chan struct{}), second: make(chan struct{}), results: make(chan []string, 1)}
	server := httptest.NewServer(model)
	defer server.Close()
	h := newHome(t)
	h.write("work/.git/HEAD", "", 0o644)
	h.write("work/one.txt", "the first text\n", 0o644)
	h.write("work/two.txt", "the second text\n", 0o644)
	cmd := h.command("--set", "tools.agents=true", "--set", "model=m", "--set", "base_url="+server.URL+"/v1",
		"--set", "request_first_byte_timeout_ms=30000", "read both")
	cmd.Dir = h.folder + "/work"
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "done") {
		t.Fatalf("%v\n%s", err, out)
	}
	want := []string{"one in short\n", "two in short\n"}
	if got := <-model.results; !slices.Equal(got, want) {
		t.Errorf("the results are %q, want %q", got, want)
	}
}
