package engine

import (
	"encoding/json"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// callMembers are the members of hookpoints.FinishedCall, each with its value.
func callMembers() []known {
	return []known{{ToolName, "tool_name"}, {ToolInput, "arguments"}, {CallID, "tool_call_id"}, {ToolStatus, "status"},
		{ToolOutput, "output"}, {ToolCategory, "category"}, {ToolSubject, "subject"}}
}

// calls writes a list of finished calls in the agent's words.
func (w encoder) calls(each []Field) (json.RawMessage, error) {
	list := []json.RawMessage{}
	for _, call := range gjson.ParseBytes(w.m.Values[Calls]).Array() {
		m := Moment{Values: map[Value]json.RawMessage{Cwd: w.m.Values[Cwd], Home: w.m.Values[Home]}}
		for _, from := range callMembers() {
			if value := call.Get(from.name); value.Exists() {
				m.Values[from.value] = json.RawMessage(value.Raw)
			}
		}
		text, err := encoder{w.Dialect, m}.object(each)
		if err != nil {
			return nil, err
		}
		list = append(list, text)
	}
	return strictjson.Encode(list)
}

// calls reads a list of finished calls.
func (r decoder) calls(each []Field, value gjson.Result) json.RawMessage {
	list := []json.RawMessage{}
	for _, call := range value.Array() {
		m := Moment{Values: map[Value]json.RawMessage{}}
		decoder{r.Dialect, &m}.takeAll(each, call)
		text := []byte("{}")
		for _, to := range callMembers() {
			if m.Has(to.value) {
				text, _ = sjson.SetRawBytes(text, to.name, m.Values[to.value])
			}
		}
		list = append(list, text)
	}
	text, _ := strictjson.Encode(list)
	return text
}
