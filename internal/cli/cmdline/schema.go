package cmdline

import (
	"cmp"
	"strings"
)

// Schema is a JSON Schema.
type Schema = map[string]any

// Definition is a named part of the schema.
type Definition struct {
	Name   string
	Schema Schema
}

// InputSchema returns the JSON Schema of the object of --json-config. Words of the
// kinds in kinds must match their definitions.
func InputSchema(flags []*Flag, kinds map[Kind]Definition) Schema {
	properties := Schema{"command": reference("Command"), "flags": reference("Flags"),
		"context": reference("ContextSelection")}
	definitions := Schema{
		"Command": commandSchema(flags, kinds), "Flags": switchesSchema(flags, kinds),
		"ContextSelection": contextSchema(),
	}
	for _, d := range kinds {
		definitions[d.Name] = d.Schema
	}
	for _, member := range overrides(flags) {
		name := camel(member)
		properties[member], definitions[name] = reference(name), overrideSchema()
	}
	return Schema{
		"$schema": "http://json-schema.org/draft-07/schema#", "title": "ChibiInput", "type": "object",
		"required": []string{"command"}, "properties": properties, "definitions": definitions,
	}
}

// commandSchema describes the member "command": a name, or an object with one.
func commandSchema(flags []*Flag, kinds map[Kind]Definition) Schema {
	var plain []string
	var objects []any
	for _, c := range commands(flags) {
		for _, name := range c.Names {
			if len(c.members()) == 0 {
				plain = append(plain, name)
				continue
			}
			objects = append(objects, Object(Schema{name: c.schema(kinds)}, name))
		}
	}
	return Schema{"oneOf": append([]any{Schema{"type": "string", "enum": plain}}, objects...)}
}

func (c command) schema(kinds map[Kind]Definition) Schema {
	properties := Schema{}
	var required []string
	for _, m := range c.members() {
		properties[m.Member] = Schema{"type": []string{"string", "null"}}
		if c.requires(m) {
			required = append(required, m.Member)
			properties[m.Member] = text()
		}
		if d, ok := kinds[m.Kind]; ok {
			properties[m.Member] = reference(d.Name)
		}
		switch m.Kind {
		case Rest:
			properties[m.Member] = Schema{"type": "array", "items": text(), "default": []string{}}
		case Number:
			properties[m.Member] = Schema{"type": "integer"}
		}
	}
	return Object(properties, required...)
}

// switchesSchema describes the member "flags".
func switchesSchema(flags []*Flag, kinds map[Kind]Definition) Schema {
	properties := Schema{}
	for _, f := range flags {
		for _, path := range f.Members {
			name, ok := strings.CutPrefix(path, "flags.")
			if !ok {
				continue
			}
			properties[name] = Schema{"type": "boolean", "default": f.On}
			switch {
			case takes(f) > 0 && f.Takes[0].Kind == Number:
				properties[name] = Schema{"type": []string{"integer", "null"}}
			case takes(f) > 0:
				one := reference(kinds[f.Takes[0].Kind].Name)
				properties[name] = Schema{"anyOf": []any{one, Schema{"type": "array", "items": one}, Schema{"type": "null"}}}
			}
		}
	}
	return Object(properties)
}

func contextSchema() Schema {
	name := Object(Schema{"name": text(), "persistent": Schema{"type": "boolean", "default": true}}, "name")
	justName := Object(Schema{"name": text()}, "name")
	return Schema{"oneOf": []any{
		Schema{"type": "string", "enum": []string{"current"}},
		Object(Schema{"switch": name}, "switch"),
		Object(Schema{"transient": justName}, "transient"),
		Object(Schema{"ephemeral": justName}, "ephemeral"),
	}}
}

// overrideSchema describes a text that is set permanently or for this run.
func overrideSchema() Schema {
	var list []any
	for _, name := range ways() {
		list = append(list, Object(Schema{name: text()}, name))
	}
	return Schema{"oneOf": list}
}

// Object returns the schema of an object with these members and no others.
func Object(properties Schema, required ...string) Schema {
	s := Schema{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

func text() Schema { return Schema{"type": "string"} }

func reference(name string) Schema { return Schema{"$ref": "#/definitions/" + name} }

// camel turns username_override into UsernameOverride.
func camel(name string) string {
	var b strings.Builder
	for _, word := range strings.Split(name, "_") {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

// CommandTable returns the table of the commands of --json-config for the
// documentation, in Markdown.
func CommandTable(flags []*Flag) string {
	var b strings.Builder
	b.WriteString("| command | its members | answers | `data` |\n| --- | --- | --- | --- |\n")
	for _, c := range commands(flags) {
		var members []string
		for _, m := range c.members() {
			name := "`" + m.Member + "`"
			if !c.requires(m) {
				name += "?"
			}
			members = append(members, name)
		}
		b.WriteString("|")
		for _, cell := range []string{"`" + strings.Join(c.Names, "`, `") + "`",
			strings.Join(members, ", "), cmp.Or(c.Answers, "a result"), c.Data} {
			b.WriteString(strings.TrimRight(" "+cell, " ") + " |")
		}
		b.WriteString("\n")
	}
	return b.String()
}
