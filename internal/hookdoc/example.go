package hookdoc

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
)

// Example is a believable payload of a point.
func Example(info hookpoints.Info) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(exampleOf(info.Payload, "").Interface()); err != nil {
		return json.RawMessage("{}")
	}
	return bytes.TrimSpace(b.Bytes())
}

// exampleOf makes a value of a type for a field of that name.
func exampleOf(t reflect.Type, name string) reflect.Value {
	v := reflect.New(t).Elem()
	switch {
	case t == reflect.TypeFor[json.RawMessage]():
		v.SetBytes([]byte(exampleObject(name)))
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			field, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
			v.Field(i).Set(exampleOf(t.Field(i).Type, field))
		}
	case t.Kind() == reflect.Slice:
		v.Set(reflect.Append(v, exampleOf(t.Elem(), name)))
	case t.Kind() == reflect.String:
		v.SetString(exampleText(name))
	case t.Kind() == reflect.Int:
		v.SetInt(exampleNumber(name))
	}
	return v
}

func exampleObject(name string) string {
	if name == "request_body" {
		return `{"model":"example/model","messages":[{"role":"user","content":"How much is 6 times 7?"}],"stream":true,"temperature":0.7}`
	}
	return `{"command":"ls -l /tmp"}`
}

func exampleText(name string) string {
	known := map[string]string{
		"current_context": "default", "context_name": "default", "from_context": "default", "to_context": "work",
		"prompt": "How much is 6 times 7?", "response": "42", "content": "How much is 6 times 7?", "role": "user",
		"tool_name": "run_command", "tools_used": "run_command", "name": "run_command", "type": "plugin", "tool_call_id": "call_1",
		"output": "total 0\n", "final_output": "total 0\n", "result": "total 0\n",
		"cache_id": "run_command_6b00d3e6_3cd3d7fe", "from": "default", "to": "work",
		"delivery_result": "Message delivered to 'work' via local inbox",
	}
	return known[name]
}

func exampleNumber(name string) int64 {
	known := map[string]int64{
		"char_count": 50000, "line_count": 1200, "token_estimate": 12500, "message_count": 20, "non_system_count": 19,
		"messages_archived": 10, "turn_number": 1, "input_tokens": 900, "output_tokens": 20,
		"current_context_window": 920, "max_context_window": 128000,
	}
	return known[name]
}
