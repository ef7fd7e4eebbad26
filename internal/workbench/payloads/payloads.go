// Package payloads makes the payloads with which a hook is tried: its example, with the fields
// that somebody set and those that follow from them.
//
// It promises that it does not change fields that were set, and that a file that a payload
// names exists until [Maker.Remove].
package payloads

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/hookdoc"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/merge"
	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/tools"
	"github.com/chibi-host/chibi/tools/coding"
	"github.com/chibi-host/chibi/tools/coding/fetch"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// Maker makes payloads. It is used by one goroutine.
type Maker struct {
	// Find finds a tool that a payload is about by its name; nil: there are only chibi's own.
	Find func(name string) (tools.Tool, bool)

	dir    string
	remove func()
}

// Remove removes the files that the payloads name.
func (m *Maker) Remove() {
	if m.remove != nil {
		m.remove()
	}
}

// Example returns the example of a point.
func (m *Maker) Example(info hookpoints.Info) (json.RawMessage, error) {
	return m.Complete(info, hookdoc.Example(info), nil)
}

// Complete returns a payload with the fields that follow from those that were set, unless these
// were set too.
func (m *Maker) Complete(info hookpoints.Info, payload json.RawMessage, set []string) (json.RawMessage, error) {
	p := &partly{payload: payload, set: set}
	var follows map[string]any
	var err error
	switch info.Name {
	case hookpoints.PreTool.Name, hookpoints.PreToolOutput.Name, hookpoints.PrePermission.Name:
		follows = m.kind(p)
	case hookpoints.PreShellExec.Name:
		follows, err = p.commands()
	case hookpoints.PreFetchURL.Name:
		follows, err = p.target()
	case hookpoints.PreCacheOutput.Name:
		follows, err = m.content(p)
	}
	if err != nil {
		return nil, err
	}
	return p.with(follows)
}

// partly is a payload of which fields were set.
type partly struct {
	payload json.RawMessage
	set     []string
}

func (p *partly) has(field string) bool { return slices.Contains(p.set, field) }

// text returns a field, "" if there is none. A dot leads into an object.
func (p *partly) text(path string) string { return gjson.GetBytes(p.payload, path).String() }

// with returns the payload with other fields, except those that were set; nil removes a field.
func (p *partly) with(fields map[string]any) (json.RawMessage, error) {
	payload := p.payload
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		value, err := strictjson.Encode(fields[name])
		switch {
		case err != nil || p.has(name):
		case fields[name] == nil:
			payload, err = sjson.DeleteBytes(payload, name)
		default:
			payload, err = merge.Set(payload, name, value)
		}
		if err != nil {
			return nil, err
		}
	}
	return payload, nil
}

// argument returns a field that is an argument of the call too, and what follows for the other of
// both; nothing follows if neither was set.
func (p *partly) argument(name string) (value string, follows map[string]any, err error) {
	switch {
	case p.has(name):
		value = p.text(name)
		arguments, err := sjson.Set(gjson.GetBytes(p.payload, "arguments").Raw, name, value)
		return value, map[string]any{"arguments": json.RawMessage(arguments)}, err
	case p.has("arguments"):
		value = p.text("arguments." + name)
		return value, map[string]any{name: value}, nil
	}
	return "", nil, nil
}

// commands returns what follows from a command line, or from the argument that has it.
func (p *partly) commands() (follows map[string]any, err error) {
	command, follows, err := p.argument("command")
	if err != nil || follows == nil {
		return nil, err
	}
	follows["commands"] = json.RawMessage("null")
	if list, ok := permissions.Commands(command); ok {
		follows["commands"] = list
	}
	return follows, nil
}

// target returns what a URL says by itself, or the argument that has it: names are not looked up.
func (p *partly) target() (follows map[string]any, err error) {
	address, follows, err := p.argument("url")
	if err != nil || follows == nil {
		return nil, err
	}
	target := permissions.TargetOf(tools.Access{URL: address})
	follows["host"], follows["address_class"] = target.Host, target.Class
	follows["safety"], follows["reason"] = hookpoints.SafetyPublic, nil
	if target.IsSensitive() {
		follows["safety"], follows["reason"] = hookpoints.SafetySensitive, target.Reason
	}
	return follows, nil
}

// kind returns what kind of thing a call does: what its tool says, or what the names of the
// arguments of a tool suggest that chibi does not know.
func (m *Maker) kind(p *partly) map[string]any {
	if !p.has("tool_name") && !p.has("arguments") {
		return nil
	}
	arguments := gjson.GetBytes(p.payload, "arguments")
	var kind tools.Undeclared
	if spec, known := m.specOf(p.text("tool_name"), json.RawMessage(arguments.Raw)); known {
		kind = tools.Undeclared{Category: spec.Category, Subject: spec.Subject}
	} else {
		var names []string
		for name := range arguments.Map() {
			names = append(names, name)
		}
		kind, _ = tools.Suggested(slices.Sorted(slices.Values(names)))
	}
	follows := map[string]any{"category": nil, "subject": nil}
	if kind.Category != "" {
		follows["category"] = kind.Category
	}
	if kind.Category != "" && kind.Subject != "" {
		follows["subject"] = kind.Subject
	}
	return follows
}

func (m *Maker) specOf(name string, arguments json.RawMessage) (tools.Spec, bool) {
	if m.Find != nil {
		if tool, ok := m.Find(name); ok {
			return tools.SpecFor(tool, arguments), true
		}
	}
	own := append(coding.Tools(coding.Config{}), coding.Shell(coding.ShellConfig{}), fetch.New(fetch.Config{}))
	for _, tool := range own {
		if tool.Spec().Name == name {
			return tool.Spec(), true
		}
	}
	return tools.Spec{}, false
}

// content puts the content of a large output into a file, as the cache does, and returns what
// follows from it. The file of all payloads of a Maker is the same, so that equal payloads are.
func (m *Maker) content(p *partly) (follows map[string]any, err error) {
	content := gjson.GetBytes(p.payload, "content")
	if content.Type != gjson.String || p.has("content_path") {
		return nil, nil
	}
	if m.dir == "" {
		if m.dir, m.remove, err = disk.MkdirTemp("chibi-test-*"); err != nil {
			return nil, err
		}
	}
	path := filepath.Join(m.dir, "content")
	if err = disk.ReplaceDerived(disk.OS{}, path, []byte(content.Str)); err != nil {
		return nil, err
	}
	follows = map[string]any{"content_path": path}
	if p.has("content") {
		lines := 0
		for range strings.Lines(content.Str) {
			lines++
		}
		follows["char_count"], follows["line_count"] = utf8.RuneCountInString(content.Str), lines
	}
	return follows, nil
}
