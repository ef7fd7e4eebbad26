package engine

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/plugin/toolnames"
	"github.com/chibi-host/chibi/tools"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// There returns the name of a moment's tool and its arguments, as the agent names them.
func (d Dialect) There(m Moment) (tool string, input json.RawMessage) {
	if tool := m.Text(ServerTool); tool != "" && d.MCPName != "" {
		tool = fmt.Sprintf(d.MCPName, m.Text(Server), tool)
		return tool, wrapped(d.MCPInput, tool, m.Values[ToolInput])
	}
	return d.Tools.There(CallOf(d, m))
}

// wrapped returns the arguments of an MCP server's tool in the agent's form (see [Dialect.MCPInput]).
func wrapped(member, tool string, arguments json.RawMessage) json.RawMessage {
	if member == "" || !isObject(arguments) {
		return arguments
	}
	all, _ := strictjson.Encode(map[string]json.RawMessage{"tool_name": strictjson.Quote(tool), member: arguments})
	return all
}

// Unwrapped returns the own arguments of an MCP server's tool, without the object that the agent puts around
// them (see [Dialect.MCPInput]). It does not change the arguments of other tools.
func (m Moment) Unwrapped(member string, arguments json.RawMessage) json.RawMessage {
	if member == "" || !m.Has(ServerTool) {
		return arguments
	}
	if own := gjson.GetBytes(arguments, member); own.IsObject() {
		return json.RawMessage(own.Raw)
	}
	return arguments
}

// OursOf returns chibi's names of tools that the agent names. A name that its table does not have stays.
func (d Dialect) OursOf(names []string) []string {
	ours := make([]string, 0, len(names))
	for _, name := range names {
		call := d.Tools.Ours(name, nil)
		if server, tool := serverTool(d.MCPName, name); call.Category == "" && server != "" {
			call.Tool = "mcp__" + server + "__" + tool
		}
		ours = append(ours, call.Tool)
	}
	return ours
}

// Theirs returns the arguments of the agent's call, in the agent's names, after a plugin of chibi changed the
// arguments of the moment. It returns nil if the agent's names cannot express the change.
func (d Dialect) Theirs(m Moment, changed json.RawMessage) json.RawMessage {
	patch := patchIn(m.There)
	switch {
	case patch != "":
		return changedPatch(d, m, patch, changed)
	case m.There.isPatch(), !gjson.ParseBytes(changed).IsObject(), !isObject(m.There.Input):
		return nil
	case m.Has(ServerTool):
		return wrapped(d.MCPInput, m.There.Tool, changed)
	case addressesIn(d.AddressesIn, m) != nil:
		return changedAddress(d.AddressesIn, m, changed)
	}
	return d.Tools.Theirs(m.There.Tool, m.There.Input, changed)
}

// CallOf returns a moment's tool call, with an absolute path where the agent has one.
func CallOf(d Dialect, m Moment) toolnames.Call {
	call := toolnames.Call{Tool: m.Text(ToolName), Category: tools.Category(m.Text(ToolCategory)),
		Subject: m.Text(ToolSubject), Arguments: m.Values[ToolInput]}
	files := []tools.Category{tools.CategoryRead, tools.CategoryWrite, tools.CategoryEdit, tools.CategorySearch}
	if !d.AbsolutePaths || !slices.Contains(files, call.Category) || call.Subject == "" {
		return call
	}
	path := gjson.GetBytes(call.Arguments, gjson.Escape(call.Subject))
	base := m.Text(Cwd)
	rest, isHome := strings.CutPrefix(path.Str, "~/")
	if isHome {
		base = m.Text(Home)
	}
	if path.Type == gjson.String && base != "" && path.Str != "" && !filepath.IsAbs(path.Str) {
		call.Arguments, _ = sjson.SetBytes(call.Arguments, gjson.Escape(call.Subject), filepath.Join(base, rest))
	}
	return call
}

// isObject reports whether arguments are an object. Missing arguments count as an empty object.
func isObject(input json.RawMessage) bool {
	text := strings.TrimSpace(string(input))
	return text == "" || text == "null" || text[0] == '{'
}
