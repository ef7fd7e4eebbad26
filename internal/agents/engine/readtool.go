package engine

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/plugin/toolnames"
	"github.com/chibi-host/chibi/tools"
	"github.com/tidwall/gjson"
)

// takeTool notes the tool, its arguments and its result in chibi's names.
func (r decoder) takeTool(fields []Field, all gjson.Result) {
	isNamed := slices.ContainsFunc(fields, func(f Field) bool { return f.Form == AsTool })
	for _, f := range fields {
		value := all.Get(f.Name)
		switch {
		case value.Type == gjson.Null:
		case f.Form == AsTool:
			r.m.There.Tool = value.String()
			r.m.oddText(f, value)
		case f.Form == AsInput || f.Form == AsInputText || f.Form == AsPatch:
			r.m.There.Input = objectIn(value)
		case f.Form == AsResult:
			r.m.There.Result = json.RawMessage(value.Raw)
		case f.Form == AsResultText:
			r.m.There.Result = objectIn(value)
		}
	}
	switch {
	case isNamed:
		r.takeCall()
	case r.m.There.Input != nil:
		r.m.Values[ToolInput] = r.m.There.Input
	}
	if r.m.There.Result != nil {
		r.takeResult()
	}
	r.takeParts()
	r.m.oddInput(isNamed)
}

// takeParts notes a call that is about several files or addresses as a call for each.
func (r decoder) takeParts() {
	if r.m.There.isPatch() && strings.Contains(patchText(r.m.There.Input), patchBegin) {
		takePatch(r.m)
	}
	takeAddresses(r.AddressesIn, r.m)
}

// objectIn returns a value, or the JSON that a string holds: some agents write objects
// as strings.
func objectIn(value gjson.Result) json.RawMessage {
	if text := strings.TrimSpace(value.Str); value.Type == gjson.String && strings.HasPrefix(text, "{") {
		if plain, err := strictjson.Normalize([]byte(text)); err == nil {
			return plain
		}
	}
	return json.RawMessage(value.Raw)
}

// takeCall notes the call of a tool.
func (r decoder) takeCall() {
	m := r.m
	input := m.There.Input
	if input == nil {
		input = json.RawMessage("{}")
	}
	call := r.Tools.Ours(m.There.Tool, input)
	if server, tool := r.serverTool(); call.Category == "" && tool != "" {
		call.Category = tools.CategoryMCP
		if server != "" {
			call.Tool = "mcp__" + server + "__" + tool
		}
		m.Set(Server, server)
		m.Set(ServerTool, tool)
		call.Arguments = m.Unwrapped(r.MCPInput, call.Arguments)
	} else if call.Category == "" && call.Tool == m.There.Tool {
		call = guessed(call)
		m.oddGuess(call)
	}
	m.Values[ToolInput] = call.Arguments
	m.Set(ToolName, call.Tool)
	m.Set(ToolCategory, string(call.Category))
	m.Set(ToolSubject, call.Subject)
}

// serverTool returns the MCP server and its tool that a payload names: in members of their own, or in the
// tool's name.
func (r decoder) serverTool() (server, tool string) {
	if server, tool = r.m.Text(Server), r.m.Text(ServerTool); server != "" && tool != "" {
		return server, tool
	}
	return serverTool(r.MCPName, r.m.There.Tool)
}

// serverTool returns the MCP server and its tool from a name that a pattern made. A pattern with the tool alone
// has no server.
func serverTool(pattern, name string) (server, tool string) {
	if before, is := strings.CutSuffix(pattern, "%[2]s"); is {
		tool, _ = strings.CutPrefix(name, before)
		if tool == name {
			return "", ""
		}
		return "", tool
	}
	before, rest, _ := strings.Cut(pattern, "%s")
	between, after, _ := strings.Cut(rest, "%s")
	name, ok := strings.CutPrefix(name, before)
	if !ok || between == "" || !strings.HasSuffix(name, after) {
		return "", ""
	}
	server, tool, _ = strings.Cut(strings.TrimSuffix(name, after), between)
	if server == "" || tool == "" {
		return "", ""
	}
	return server, tool
}

// takeResult notes the tool's answer: the text in the first shape that fits, otherwise all text in the result.
func (r decoder) takeResult() {
	m := r.m
	result := gjson.ParseBytes(m.There.Result)
	defer func() {
		if !m.Has(ToolOutput) {
			m.Values[ToolOutput] = strictjson.Quote(textOf(result))
		}
	}()
	i := slices.IndexFunc(r.Results, func(r Result) bool { return r.fits(*m, result) })
	if i < 0 {
		return
	}
	for _, f := range r.Results[i].Fields {
		value := result
		if f.Name != "" {
			value = result.Get(f.Name)
		}
		switch {
		case !value.Exists() || f.Value == "" || f.Writes || f.Reads && textOf(value) == "":
		case f.Value == ToolOutput && m.Text(ToolOutput) != "":
			m.Set(ToolOutput, m.Text(ToolOutput)+"\n"+textOf(value))
		case f.Value == ToolOutput:
			m.Values[ToolOutput] = strictjson.Quote(textOf(value))
		case !m.Has(f.Value):
			r.take(f, value)
		}
	}
}

// fits reports whether a result has the shape: the tool's category fits, and all members with the text are
// there.
func (r Result) fits(m Moment, result gjson.Result) bool {
	if r.Categories != nil && m.Has(ToolName) && !slices.Contains(r.Categories, tools.Category(m.Text(ToolCategory))) {
		return false
	}
	for _, f := range r.Fields {
		if f.Value == ToolOutput && !f.Writes && f.Name != "" && !result.Get(f.Name).Exists() {
			return false
		}
	}
	return true
}

// textOf returns the text in a result: a string, the texts of a list of blocks such as
// {"type":"text","text":...}, which may be the "content" of an object, or the JSON.
func textOf(value gjson.Result) string {
	list := value
	if value.IsObject() {
		list = value.Get("content")
	}
	if !list.IsArray() {
		return value.String()
	}
	var texts []string
	list.ForEach(func(_, block gjson.Result) bool {
		if text := block.Get("text"); text.Type == gjson.String {
			block = text
		}
		texts = append(texts, block.String())
		return true
	})
	return strings.Join(texts, "\n")
}

// guessed gives a category, by its arguments, to a call of a tool that the table does not name: a tool of a
// newer agent or of an extension. So a guard of commands judges every tool that takes a command. A call whose
// arguments do not say what it does keeps none.
func guessed(call toolnames.Call) toolnames.Call {
	arguments := gjson.ParseBytes(call.Arguments)
	isText := func(value gjson.Result) bool { return value.Type == gjson.String }
	subject := func(category tools.Category, is func(gjson.Result) bool, names ...string) bool {
		if name := firstName(arguments, is, names...); name != "" {
			call.Category, call.Subject = category, name
		}
		return call.Category != ""
	}
	switch {
	case isTyping(call.Tool) && subject(tools.CategoryShell, isText, "input", "chars"):
	case subject(tools.CategoryShell, isText, "command", "cmd"):
	case subject(tools.CategoryShell, gjson.Result.IsArray, "command", "cmd"): // the words of a command
	case subject(tools.CategoryFetch, isText, "url"):
	case deletes(call.Tool) || firstName(arguments, gjson.Result.IsArray, "edits", "changes") != "" ||
		firstName(arguments, isText, "content", "contents", "text", "file_text", "new_string", "new_str", "newString",
			"new_source") != "":
		subject(tools.CategoryEdit, isText, "file_path", "filePath", "path", "target_file", "absolute_path",
			"notebook_path", "filename")
	}
	return call
}

// isTyping reports whether a tool types into a command that runs, as Copilot CLI and Codex call such tools.
func isTyping(tool string) bool {
	return slices.Contains([]string{"write_bash", "write_powershell", "write_stdin"}, tool)
}

// deletes reports whether the name of a tool says that it deletes: Cursor's is Delete.
func deletes(tool string) bool { return strings.Contains(strings.ToLower(tool), "delete") }

// firstName returns the first of some members of an object that is of a shape, "" if there is none.
func firstName(object gjson.Result, is func(gjson.Result) bool, names ...string) string {
	for _, name := range names {
		if is(object.Get(name)) {
			return name
		}
	}
	return ""
}
