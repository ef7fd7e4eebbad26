package openai

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/llm"
	"github.com/tidwall/gjson"
	"github.com/tmaxmax/go-sse"
)

// maxEvent bounds one event of a stream, maxAnswer an answer that is not one.
const (
	maxEvent  = 64 << 20
	maxAnswer = 64 << 20
)

// reader collects an answer.
type reader struct {
	host   string
	onText func(string)

	id, model, finish string
	text              strings.Builder
	calls             map[int]*llm.ToolCall
	usage             llm.Usage
	chunks            int
	done              bool
}

// readStream reads an answer that comes in events.
func (r *reader) readStream(body io.Reader) error {
	for event, err := range sse.Read(body, &sse.ReadConfig{MaxEventSize: maxEvent}) {
		if errors.Is(err, sse.ErrUnexpectedEOF) {
			break // said below
		}
		if err != nil {
			return fmt.Errorf("model server %s: the answer was cut off: %w", r.host, err)
		}
		data := strings.TrimSpace(event.Data)
		if data == "[DONE]" {
			r.done = true
			break
		}
		if data == "" {
			continue
		}
		if !gjson.Valid(data) {
			return r.errorf("sent %q, which is not JSON", shorten(data))
		}
		if err := r.chunk(gjson.Parse(data), "delta"); err != nil {
			return err
		}
	}
	switch {
	case r.chunks == 0 && !r.done:
		return r.errorf("the answer is not a stream of chat completions; check base_url")
	case !r.done && r.finish == "":
		return r.errorf("the answer was cut off before its end")
	}
	return nil
}

// readWhole reads an answer that comes as one JSON object, from servers that do
// not stream.
func (r *reader) readWhole(body io.Reader) error {
	data, err := io.ReadAll(io.LimitReader(body, maxAnswer))
	if err != nil {
		return fmt.Errorf("model server %s: the answer was cut off: %w", r.host, err)
	}
	if !gjson.ValidBytes(data) {
		return r.errorf("sent %q, which is not JSON", shorten(string(data)))
	}
	answer := gjson.ParseBytes(data)
	if err := r.chunk(answer, "message"); err != nil {
		return err
	}
	if !answer.Get("choices.0").Exists() {
		return r.errorf("sent an answer without choices: %s", shorten(string(data)))
	}
	return nil
}

// chunk takes one piece of an answer; its text is under part.
func (r *reader) chunk(chunk gjson.Result, part string) error {
	r.chunks++
	if e := chunk.Get("error"); e.Exists() && e.Type != gjson.Null {
		return &Error{Host: r.host, Message: errorText(e)}
	}
	keep(&r.id, chunk.Get("id"))
	keep(&r.model, chunk.Get("model"))
	if usage := chunk.Get("usage"); usage.IsObject() {
		r.usage = llm.Usage{
			InputTokens:  int(usage.Get("prompt_tokens").Int()),
			OutputTokens: int(usage.Get("completion_tokens").Int()),
		}
	}
	choice := chunk.Get("choices.0")
	keep(&r.finish, choice.Get("finish_reason"))
	if text := choice.Get(part + ".content"); text.Type == gjson.String && text.Str != "" {
		r.text.WriteString(text.Str)
		if r.onText != nil {
			r.onText(text.Str)
		}
	}
	for i, call := range choice.Get(part + ".tool_calls").Array() {
		r.toolCall(call, i)
	}
	return nil
}

// toolCall adds a fragment to the call of its index.
func (r *reader) toolCall(fragment gjson.Result, position int) {
	index := position
	if given := fragment.Get("index"); given.Exists() {
		index = int(given.Int())
	}
	if r.calls == nil {
		r.calls = map[int]*llm.ToolCall{}
	}
	call := r.calls[index]
	if call == nil {
		call = &llm.ToolCall{}
		r.calls[index] = call
	}
	keep(&call.ID, fragment.Get("id"))
	keep(&call.Name, fragment.Get("function.name"))
	arguments := fragment.Get("function.arguments")
	if arguments.IsObject() { // some servers send the object itself
		call.Arguments += arguments.Raw
		return
	}
	call.Arguments += arguments.String()
}

// reply is what has been collected, calls in the order of their indices.
func (r *reader) reply() llm.Reply {
	reply := llm.Reply{ID: r.id, Model: r.model, Text: r.text.String(), Usage: r.usage, FinishReason: r.finish}
	var indices []int
	for i := range r.calls {
		indices = append(indices, i)
	}
	slices.Sort(indices)
	for _, i := range indices {
		call := *r.calls[i]
		if call.ID == "" {
			call.ID = fmt.Sprintf("call_%d", i)
		}
		reply.ToolCalls = append(reply.ToolCalls, call)
	}
	return reply
}

func (r *reader) errorf(format string, args ...any) error {
	return &Error{Host: r.host, Message: fmt.Sprintf(format, args...)}
}

// keep takes a string unless it is empty.
func keep(into *string, value gjson.Result) {
	if value.Type == gjson.String && value.Str != "" {
		*into = value.Str
	}
}

// shorten makes a server's text fit an error message.
func shorten(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if runes := []rune(s); len(runes) > 80 {
		return string(runes[:80]) + "..."
	}
	return s
}
