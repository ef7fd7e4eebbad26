package gemini

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/tools"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// The forms that only Gemini CLI has.
const (
	asRequest    engine.Form = "Gemini's request"
	asWhole      engine.Form = "Gemini's whole request"
	asCandidates engine.Form = "Gemini's candidates"
	asUsage      engine.Form = "Gemini's usage"
	asDetails    engine.Form = "Gemini's details"
	asToolConfig engine.Form = "Gemini's tools"
)

// own writes and reads them.
type own struct{}

// Theirs writes a value in one of them.
func (own) Theirs(form engine.Form, m engine.Moment, value json.RawMessage) json.RawMessage {
	switch form {
	case asRequest:
		return geminiRequest(value)
	case asWhole:
		return wholeRequest(value)
	case asCandidates:
		return geminiCandidates(gjson.ParseBytes(value).Str)
	case asUsage:
		return geminiUsage(value)
	case asDetails:
		return geminiDetails(m)
	case asToolConfig:
		return geminiToolConfig(value)
	}
	return value
}

// Ours is the reverse.
func (own) Ours(form engine.Form, value json.RawMessage) json.RawMessage {
	switch form {
	case asRequest, asWhole:
		return neutralRequest(value)
	case asUsage:
		return neutralUsage(value)
	case asDetails:
		return nil
	case asToolConfig:
		return geminiInclude(value)
	}
	return value
}

// setting is a member of a request's body and its place in Gemini CLI's llm_request.
type setting struct{ ours, theirs string }

func settings() []setting {
	return []setting{{"model", "model"}, {"temperature", "config.temperature"}, {"top_p", "config.topP"},
		{"top_k", "config.topK"}, {"max_tokens", "config.maxOutputTokens"}, {"stop", "config.stopSequences"}}
}

// geminiRequest writes a request's body, or a patch of one, as Gemini CLI's llm_request: the
// settings that are there, and the texts of the messages.
func geminiRequest(body json.RawMessage) json.RawMessage {
	from, request := gjson.ParseBytes(body), []byte("{}")
	for _, s := range settings() {
		request = with(request, s.theirs, from.Get(s.ours))
		if messages := from.Get("messages"); s.ours == "model" && messages.IsArray() {
			request = with(request, "messages", gjson.ParseBytes(theirMessages(messages)))
		}
	}
	return request
}

// noRequest is an unknown request. Messages and settings are always there, because scripts read them.
const noRequest = `{"model":"","messages":[],"config":{}}`

// wholeRequest writes a request for the payload of hooks.
func wholeRequest(body json.RawMessage) json.RawMessage {
	request, known := []byte(noRequest), gjson.ParseBytes(geminiRequest(body))
	for _, member := range []string{"model", "messages", "config"} {
		request = with(request, member, known.Get(member))
	}
	return request
}

// with adds a member to an object, unless its value is null or missing.
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

// theirMessages writes the texts of messages. It leaves out messages without text, as Gemini CLI does.
func theirMessages(messages gjson.Result) []byte {
	list := []textMessage{}
	for _, at := range engine.TextMessages(messages) {
		message := messages.Get(at)
		list = append(list, textMessage{roleOf(message.Get("role").Str), engine.ContentText(message)})
	}
	return encodedMessages(list)
}

// textMessage is the text of a message.
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

func roleOf(role string) string {
	if role == "assistant" {
		return "model"
	}
	return role
}

// neutralRequest reads Gemini CLI's llm_request, or a part of one: the reverse of geminiRequest.
func neutralRequest(from json.RawMessage) json.RawMessage {
	request, body := gjson.ParseBytes(from), []byte("{}")
	for _, s := range settings() {
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
		list = append(list, textMessage{role, engine.ContentText(message)})
	}
	return encodedMessages(list)
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

// neutralUsage is the reverse of geminiUsage.
func neutralUsage(usage json.RawMessage) json.RawMessage {
	in, out := gjson.GetBytes(usage, "promptTokenCount").Int(), gjson.GetBytes(usage, "candidatesTokenCount").Int()
	return fmt.Appendf(nil, `{"input_tokens":%d,"output_tokens":%d}`, in, out)
}

// geminiInclude reads a toolConfig as a list of the only offered tools, null for all.
func geminiInclude(config json.RawMessage) json.RawMessage {
	all := gjson.ParseBytes(config)
	if strings.EqualFold(all.Get("mode").Str, "NONE") {
		return json.RawMessage("[]")
	}
	var names []string
	for _, name := range all.Get("allowedFunctionNames").Array() {
		names = append(names, name.String())
	}
	list, _ := strictjson.Encode(names) // a list of texts
	return list
}

// geminiToolConfig is the reverse of geminiInclude.
func geminiToolConfig(names json.RawMessage) json.RawMessage {
	if len(gjson.ParseBytes(names).Array()) == 0 {
		return json.RawMessage(`{"mode":"NONE"}`)
	}
	return json.RawMessage(`{"mode":"ANY","allowedFunctionNames":` + string(names) + `}`)
}

// geminiDetails writes the details of a question to the person: Gemini CLI's members for the kind of tool.
func geminiDetails(m engine.Moment) json.RawMessage {
	subject := gjson.GetBytes(m.Values[engine.ToolInput], gjson.Escape(m.Text(engine.ToolSubject))).Str
	details := map[string]string{"type": "info", "title": "Confirm " + m.Text(engine.ToolName)}
	switch tools.Category(m.Text(engine.ToolCategory)) {
	case tools.CategoryShell:
		program, _, _ := strings.Cut(strings.TrimSpace(subject), " ")
		details = map[string]string{"type": "exec", "title": "Confirm Shell Command", "command": subject,
			"rootCommand": program}
	case tools.CategoryWrite, tools.CategoryEdit:
		name := filepath.Base(subject)
		details = map[string]string{"type": "edit", "title": "Confirm Write: " + name, "fileName": name, "filePath": subject}
	case tools.CategoryMCP:
		details = map[string]string{"type": "mcp", "title": "Confirm MCP Tool", "serverName": m.Text(engine.Server),
			"toolName": m.Text(engine.ServerTool)}
	}
	text, err := strictjson.Encode(details)
	if err != nil { // strings can always be encoded
		return json.RawMessage("{}")
	}
	return text
}
