package demo

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/chibi-host/chibi/internal/strictjson"
)

// request holds the members of a request that the demo model reads.
type request struct {
	Model       string          `json:"model"`
	Temperature json.RawMessage `json:"temperature"`
	MaxTokens   json.RawMessage `json:"max_tokens"`
	Messages    []message       `json:"messages"`
	Tools       []struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	} `json:"tools"`
	size int
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// turn is the response of the model.
type turn struct {
	text   string
	calls  []call
	status int // an HTTP error status, with text as the message; 0: none
}

type call struct{ id, name, arguments string }

func parseRequest(body []byte) (request, error) {
	r := request{size: len(body)}
	if err := strictjson.Decode(body, &r); err != nil {
		return r, errors.New("the request is not a chat completion: " + err.Error())
	}
	if len(r.Messages) == 0 {
		return r, errors.New("the request has no messages")
	}
	return r, nil
}

func (r request) turn() turn {
	prompt, results := r.last()
	if len(results) > 0 {
		return turn{text: strings.Join(results, "\n")}
	}
	var t turn
	for _, line := range strings.Split(prompt, "\n") {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "@tool":
			name, arguments, _ := strings.Cut(strings.TrimSpace(rest), " ")
			id := fmt.Sprintf("call_%d_%d", len(r.Messages), len(t.calls)+1)
			t.calls = append(t.calls, call{id: id, name: name, arguments: orEmpty(arguments)})
		case "@say":
			return turn{text: rest}
		case "@error":
			return failure(rest)
		}
	}
	if len(t.calls) == 0 {
		t.text = r.describe(prompt)
	}
	return t
}

// last returns the last user message and the tool results after it.
func (r request) last() (prompt string, results []string) {
	for _, m := range r.Messages {
		switch m.Role {
		case "user":
			prompt, results = m.Content, nil
		case "tool":
			results = append(results, "The tool answered: "+m.Content)
		}
	}
	return prompt, results
}

// describe returns the prompt and the settings and sizes of the request.
func (r request) describe(prompt string) string {
	names := []string{}
	for _, t := range r.Tools {
		names = append(names, t.Function.Name)
	}
	system := 0
	if r.Messages[0].Role == "system" {
		system = utf8.RuneCountInString(r.Messages[0].Content)
	}
	lines := []string{
		"You said: " + prompt,
		"",
		"model: " + r.Model,
		"temperature: " + orDefault(r.Temperature),
		"max_tokens: " + orDefault(r.MaxTokens),
		strings.TrimSuffix(fmt.Sprintf("tools: %d (%s)", len(names), strings.Join(names, ", ")), " ()"),
		fmt.Sprintf("system prompt: %d characters", system),
		fmt.Sprintf("messages: %d", len(r.Messages)),
	}
	return strings.Join(lines, "\n")
}

func failure(text string) turn {
	t := turn{status: http.StatusInternalServerError}
	var status int
	if _, err := fmt.Sscanf(text, "%d", &status); err == nil && status >= 400 && status <= 599 {
		t.status = status
		_, text, _ = strings.Cut(text, " ")
	}
	t.text = text
	return t
}

func orDefault(raw json.RawMessage) string {
	if len(raw) == 0 {
		return "default"
	}
	return string(raw)
}

func orEmpty(arguments string) string {
	if strings.TrimSpace(arguments) == "" {
		return "{}"
	}
	return arguments
}
