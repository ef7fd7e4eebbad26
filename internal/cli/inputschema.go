package cli

// schema is a JSON Schema.
type schema = map[string]any

// printInputSchema prints the JSON Schema of the input of --json-config.
func (p *program) printInputSchema() error {
	return p.printJSON(inputSchema())
}

func inputSchema() schema {
	var commands []any
	var plain []string
	for _, c := range inputCommands() {
		for _, name := range append([]string{c.name}, c.aliases...) {
			if len(c.members) == 0 {
				plain = append(plain, name)
				continue
			}
			commands = append(commands, object(schema{name: c.schema()}, name))
		}
	}
	name := object(schema{"name": text(), "persistent": schema{"type": "boolean", "default": true}}, "name")
	justName := object(schema{"name": text()}, "name")
	flag := schema{"type": "boolean", "default": false}
	return schema{
		"$schema": "http://json-schema.org/draft-07/schema#", "title": "ChibiInput", "type": "object",
		"required": []string{"command"},
		"properties": schema{
			"command": ref("Command"), "flags": ref("Flags"), "context": ref("ContextSelection"),
			"username_override": ref("UsernameOverride"), "system_prompt_override": ref("SystemPromptOverride"),
		},
		"definitions": schema{
			"Command":     schema{"oneOf": append([]any{schema{"type": "string", "enum": plain}}, commands...)},
			"Inspectable": schema{"type": "string", "enum": inspectable()},
			"Flags": object(schema{
				"verbose": flag, "json_output": schema{"type": "boolean", "default": true},
				"no_chibi": flag, "force_chibi": flag, "force_call_user": flag, "force_call_agent": flag,
				"raw": flag, "quiet": flag, "wait": flag, "yes": flag,
				"debug": schema{"anyOf": []any{ref("DebugKey"), schema{"type": "array", "items": ref("DebugKey")},
					schema{"type": "null"}}},
			}),
			"DebugKey": schema{"oneOf": []any{
				schema{"type": "string", "enum": []string{"request_log", "response_meta", "all", "force_markdown"}},
				object(schema{"destroy_at": integer()}, "destroy_at"),
				object(schema{"destroy_after_seconds_inactive": integer()}, "destroy_after_seconds_inactive"),
			}},
			"ContextSelection": schema{"oneOf": []any{
				schema{"type": "string", "enum": []string{"current"}},
				object(schema{"switch": name}, "switch"),
				object(schema{"transient": justName}, "transient"),
				object(schema{"ephemeral": justName}, "ephemeral"),
			}},
			"UsernameOverride":     override(),
			"SystemPromptOverride": override(),
		},
	}
}

// override describes a text that is set for good or for this run.
func override() schema {
	var ways []any
	for _, name := range []string{"persistent", "transient", "ephemeral"} {
		ways = append(ways, object(schema{name: text()}, name))
	}
	return schema{"oneOf": ways}
}

// schema describes a command's object.
func (c inputCommand) schema() schema {
	properties := schema{}
	var required []string
	for _, m := range c.members {
		properties[m.name] = m.schema(c.name)
		if m.required {
			required = append(required, m.name)
		}
	}
	return object(properties, required...)
}

func (m inputMember) schema(command string) any {
	switch {
	case m.kind == "strings":
		return schema{"type": "array", "items": text(), "default": []string{}}
	case m.kind == "integer":
		return integer()
	case command == "inspect" && m.name == "thing":
		return ref("Inspectable")
	case m.required:
		return text()
	}
	return schema{"type": []string{"string", "null"}}
}

func object(properties schema, required ...string) schema {
	s := schema{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

func text() schema    { return schema{"type": "string"} }
func integer() schema { return schema{"type": "integer"} }

func ref(name string) schema { return schema{"$ref": "#/definitions/" + name} }
