package hookdoc

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/strictjson"
)

// Example returns a realistic payload of a point. The payloads of chibi's points belong
// to one conversation: a person asks what is in a directory, the model runs a command.
func Example(info hookpoints.Info) json.RawMessage {
	payload, err := strictjson.Encode(exampleStruct(info.Payload, info.Payload.Name()).Interface())
	if err != nil {
		return json.RawMessage("{}")
	}
	return payload
}

// exampleStruct returns a struct with values for its fields. Those of an embedded struct are its
// own, as in JSON.
func exampleStruct(t reflect.Type, owner string) reflect.Value {
	v := reflect.New(t).Elem()
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name != "" && name != "-":
			v.Field(i).Set(exampleOf(field.Type, owner+"."+name))
		case field.Anonymous && field.Type != reflect.TypeFor[hookpoints.Nesting](): // nothing in the examples is nested
			v.Field(i).Set(exampleStruct(field.Type, owner))
		}
	}
	return v
}

// exampleOf returns a value for a field, which is given as "Struct.json_name".
func exampleOf(t reflect.Type, field string) reflect.Value {
	v := reflect.New(t).Elem()
	switch {
	case t == reflect.TypeFor[json.RawMessage]():
		v.SetBytes([]byte(exampleObject(field)))
	case t == reflect.TypeFor[[]hookpoints.ChatMessage]():
		v.Set(reflect.ValueOf(exampleConversation(field)))
	case t.Kind() == reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		v.Elem().Set(exampleOf(t.Elem(), field))
	case t.Kind() == reflect.Struct:
		return exampleStruct(t, t.Name())
	case t.Kind() == reflect.Slice:
		v.Set(reflect.Append(v, exampleOf(t.Elem(), field)))
	case t.Kind() == reflect.String:
		v.SetString(exampleText(field))
	case t.Kind() == reflect.Float64:
		v.SetFloat(0.2)
	case t.Kind() == reflect.Int || t.Kind() == reflect.Int64:
		v.SetInt(exampleNumber(field))
	}
	return v
}

func exampleObject(field string) string {
	switch field {
	case "PreAPIRequestPayload.request_body":
		return `{"model":"example/model","messages":[{"role":"user","content":"What is in /tmp?"}],"stream":true,` +
			`"temperature":0.7}`
	case "PreFileReadPayload.arguments":
		return `{"path":"notes.txt"}`
	case "PreFileWritePayload.arguments":
		return `{"path":"notes.txt","content":"Tidy up.\n"}`
	case "PreFetchURLPayload.arguments":
		return `{"url":"http://localhost:8080/health"}`
	case "PreMCPCallPayload.arguments":
		return `{"owner":"ada","repo":"web","title":"It is slow"}`
	}
	return `{"command":"ls -l /tmp"}`
}

func exampleConversation(field string) []hookpoints.ChatMessage {
	owner, _, _ := strings.Cut(field, ".")
	return []hookpoints.ChatMessage{
		{Role: "user", Content: exampleText("PreMessagePayload.prompt")},
		{Role: "assistant", Content: exampleText(owner + ".response")},
	}
}

func exampleText(field string) string {
	return lookUp(field, map[string]string{
		"current_context": "default", "context_name": "default", "from_context": "default", "to_context": "work",
		"summary": "They are tidying the disk.", "todos": "- look into /tmp", "goals": "Free some space.",
		"prompt": "What is in /tmp?", "response": "The directory /tmp is empty.", "PostTurnPayload.response": "I will look.",
		"tool_name": "run_command", "tools_used": "run_command", "tool_call_id": "call_1",
		"name": "run_command", "type": "plugin",
		"status": "ran", "output": "total 0\n", "final_output": "total 0\n", "result": "total 0\n",
		"PreCacheOutputPayload.content": "total 1200\n-rw------- 1 ada ada 4096 notes.txt\n... and so on, all of it",
		"provider":                      "openrouter.ai", "model": "example/model", "reason": "user_exit",
		"chibi_home": "/home/ada/.chibi", "project_root": "/home/ada/src/web",
		"cache_id":     "run_command_6b00d3e6_3cd3d7fe",
		"content_path": "/home/ada/.chibi/contexts/default/tool_cache/run_command_6b00d3e6_3cd3d7fe.cache",
		"from":         "default", "to": "work", "content": "The directory /tmp is empty.",
		"delivery_result": "Message delivered to 'work' via local inbox",
		"path":            "/home/ada/src/web/notes.txt", "cwd": "/home/ada/src/web",
		"PreFileReadPayload.tool_name": "read_file", "PreFileWritePayload.tool_name": "write_file",
		"PreShellExecPayload.tool_name": "shell_exec", "PreFetchURLPayload.tool_name": "fetch_url",
		"PreMCPCallPayload.tool_name": "mcp__github__create_issue", "server": "github", "tool": "create_issue",
		"PreFileWritePayload.content": "Tidy up.\n", "diff": "@@ -0,0 +1 @@\n+Tidy up.\n",
		"command": "ls -l /tmp", "commands": "ls -l /tmp",
		"url": "http://localhost:8080/health", "host": "localhost", "address_class": "loopback", "safety": "sensitive",
		"system_prompt": "You review changes.", "input": "Review the change in src/web.", "tools": "read_file",
		"agent_id": "agent-1", "agent_type": "reviewer", "PreSpawnAgentPayload.tool_name": "spawn_agent",
		"PostSpawnAgentPayload.tool_name": "spawn_agent",
		"PostSpawnAgentPayload.response":  "The change is fine.",
		"PostSpawnAgentPayload.reason":    "", "PreFetchURLPayload.reason": "it is an address of this machine",
		"PreFetchURLPayload.summary": "", "asked_by": "the default for shell", "rule": "shell_exec(ls *)",
		"PrePermissionPayload.reason": "", "PrePermissionPayload.tool_name": "shell_exec",
		"category": "shell", "subject": "command", "OnTurnFailedPayload.status": "error", "kind": "server",
		"OnTurnFailedPayload.error":    "model server openrouter.ai: HTTP 503: overloaded",
		"OnTurnFailedPayload.response": "I will",
	})
}

func exampleNumber(field string) int64 {
	return lookUp(field, map[string]int64{
		"char_count": 50000, "line_count": 1200, "token_estimate": 12500, "message_count": 20, "non_system_count": 19,
		"PostRollingCompactPayload.message_count": 10, "messages_archived": 10, "turn_number": 1,
		"max_tokens": 2000, "depth": 1, "responses": 3,
		"turns": 1, "duration_ms": 12,
		"tool_count": 12, "input_tokens": 900, "output_tokens": 20, "current_context_window": 920,
		"max_context_window": 128000,
	})
}

// lookUp returns the value for a field of one struct, or else that for fields of that
// name.
func lookUp[V any](field string, known map[string]V) V {
	if v, ok := known[field]; ok {
		return v
	}
	_, name, _ := strings.Cut(field, ".")
	return known[name]
}
