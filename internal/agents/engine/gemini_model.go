package engine

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// setting is a member of a request's body and its place in Gemini CLI's llm_request.
type setting struct{ ours, theirs string }

func geminiSettings() []setting {
	return []setting{{"model", "model"}, {"temperature", "config.temperature"}, {"top_p", "config.topP"},
		{"top_k", "config.topK"}, {"max_tokens", "config.maxOutputTokens"}, {"stop", "config.stopSequences"}}
}

// geminiRequest writes a request's body, or a patch of one, as Gemini CLI's llm_request: the
// settings that are there, and the texts of the messages.
func geminiRequest(body json.RawMessage) json.RawMessage {
	from, request := gjson.ParseBytes(body), []byte("{}")
	for _, s := range geminiSettings() {
		request = with(request, s.theirs, from.Get(s.ours))
		if messages := from.Get("messages"); s.ours == "model" && messages.IsArray() {
			request = with(request, "messages", gjson.ParseBytes(geminiMessages(messages)))
		}
	}
	return request
}

// with returns an object with a member, unless its value is null or not there.
func with(object []byte, path string, value gjson.Result) []byte {
	if value.Type == gjson.Null {
		return object
	}
	after, err := sjson.SetRawBytes(object, path, []byte(value.Raw))
	if err != nil {
		return object
	}
	return after
}

// geminiMessages writes the texts of messages; those without text are left out, as there.
func geminiMessages(messages gjson.Result) []byte {
	list := []textMessage{}
	for _, at := range textMessages(messages) {
		message := messages.Get(at)
		list = append(list, textMessage{geminiRole(message.Get("role").Str), contentText(message)})
	}
	return encodedMessages(list)
}

// textMessage is a message as far as it is text.
type textMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

func encodedMessages(list []textMessage) []byte {
	text, err := strictjson.Encode(list)
	if err != nil { // strings can always be encoded
		return []byte("[]")
	}
	return text
}

// textMessages lists the places of the messages that have a text and are no result of a tool.
func textMessages(messages gjson.Result) (places []string) {
	for i, message := range messages.Array() {
		if message.Get("role").Str != "tool" && contentText(message) != "" {
			places = append(places, strconv.Itoa(i))
		}
	}
	return places
}

func geminiRole(role string) string {
	if role == "assistant" {
		return "model"
	}
	return role
}

// contentText returns a message's text: its content, or the texts of its parts.
func contentText(message gjson.Result) string {
	content := message.Get("content")
	if content.Type == gjson.String {
		return content.Str
	}
	var texts []string
	for _, part := range content.Array() {
		switch text := part.Get("text"); {
		case part.Type == gjson.String:
			texts = append(texts, part.Str)
		case text.Type == gjson.String:
			texts = append(texts, text.Str)
		}
	}
	return strings.Join(texts, "")
}

// neutralRequest reads Gemini CLI's llm_request, or a part of one: the reverse of geminiRequest.
func neutralRequest(request gjson.Result) json.RawMessage {
	body := []byte("{}")
	for _, s := range geminiSettings() {
		body = with(body, s.ours, request.Get(s.theirs))
		if messages := request.Get("messages"); s.ours == "model" && messages.IsArray() {
			body = with(body, "messages", gjson.ParseBytes(neutralMessages(messages)))
		}
	}
	return body
}

func neutralMessages(messages gjson.Result) []byte {
	list := []textMessage{}
	for _, message := range messages.Array() {
		role := message.Get("role").Str
		if role == "model" {
			role = "assistant"
		}
		list = append(list, textMessage{role, contentText(message)})
	}
	return encodedMessages(list)
}

// RequestPatch returns an effect's patch of a request as a patch of the body that a moment
// has: texts that differ are written into its messages, whose calls and results stay. notes say
// what cannot be done.
func (m Moment) RequestPatch(eff Effect) (patch json.RawMessage, notes []string) {
	changed := gjson.GetBytes(eff.Request, "messages")
	if !changed.IsArray() {
		return eff.Request, nil
	}
	messages := gjson.GetBytes(m.Values[Request], "messages")
	places, all := textMessages(messages), []byte(messages.Raw)
	if len(changed.Array()) != len(places) {
		notes = append(notes, fmt.Sprintf("it returns %d messages where it got %d; messages can be neither added nor left "+
			"out, so the texts of the others alone are changed", len(changed.Array()), len(places)))
	}
	same := true
	for i, message := range changed.Array() {
		text := contentText(message)
		if i >= len(places) || text == contentText(messages.Get(places[i])) {
			continue
		}
		with, err := sjson.SetBytes(all, places[i]+".content", text)
		if err != nil {
			return nil, append(notes, fmt.Sprintf("message %d cannot be changed: %v", i+1, err))
		}
		all, same = with, false
	}
	patch, err := sjson.DeleteBytes(eff.Request, "messages")
	if err == nil && !same {
		patch, err = sjson.SetRawBytes(patch, "messages", all)
	}
	if err != nil {
		return nil, append(notes, fmt.Sprintf("its request cannot be read: %v", err))
	}
	if len(gjson.ParseBytes(patch).Map()) == 0 {
		return nil, notes
	}
	return patch, notes
}

// geminiCandidates writes a response's text as the list of its candidates.
func geminiCandidates(text string) json.RawMessage {
	parts := "[]"
	if text != "" {
		parts = "[" + string(strictjson.Quote(text)) + "]"
	}
	return json.RawMessage(`[{"content":{"role":"model","parts":` + parts + `},"finishReason":"STOP","index":0}]`)
}

// geminiUsage writes how many tokens a turn took.
func geminiUsage(usage json.RawMessage) json.RawMessage {
	in, out := gjson.GetBytes(usage, "input_tokens").Int(), gjson.GetBytes(usage, "output_tokens").Int()
	return fmt.Appendf(nil, `{"promptTokenCount":%d,"candidatesTokenCount":%d,"totalTokenCount":%d}`, in, out, in+out)
}

// neutralUsage reads it: the reverse.
func neutralUsage(usage gjson.Result) json.RawMessage {
	return fmt.Appendf(nil, `{"input_tokens":%d,"output_tokens":%d}`, usage.Get("promptTokenCount").Int(),
		usage.Get("candidatesTokenCount").Int())
}

// geminiInclude reads a toolConfig: the only tools that are offered, nil for all.
func geminiInclude(config gjson.Result) (names []string) {
	if strings.EqualFold(config.Get("mode").Str, "NONE") {
		return []string{}
	}
	for _, name := range config.Get("allowedFunctionNames").Array() {
		names = append(names, name.String())
	}
	return names
}

// geminiToolConfig writes it: the reverse.
func geminiToolConfig(names []string) json.RawMessage {
	if len(names) == 0 {
		return json.RawMessage(`{"mode":"NONE"}`)
	}
	list, err := strictjson.Encode(names)
	if err != nil {
		return nil
	}
	return json.RawMessage(`{"mode":"ANY","allowedFunctionNames":` + string(list) + `}`)
}
