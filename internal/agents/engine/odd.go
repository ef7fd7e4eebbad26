package engine

import (
	"fmt"
	"slices"

	"github.com/chibi-host/chibi/tools"
	"github.com/tidwall/gjson"
)

// isText reports whether a value is a string.
func (v Value) isText() bool {
	return !slices.Contains([]Value{"", ToolInput, ToolExit, Duration, Calls, StopActive, FollowUps, Request, Tools, Usage,
		Messages}, v)
}

// isJudged reports whether plugins judge by a text whether something happens.
func (v Value) isJudged() bool {
	return slices.Contains([]Value{PromptText, ToolName, Command, Path, Server, ServerTool, Task}, v)
}

// oddText notes that a member is not a text, if plugins judge by it.
func (m *Moment) oddText(f Field, value gjson.Result) {
	if f.Value.isJudged() && value.Type != gjson.String && value.Type != gjson.Null {
		m.Odd = append(m.Odd, fmt.Sprintf("%s is %s, not a text", f.Name, shapeOf(value)))
	}
}

// oddEvent notes that an event does not say what plugins judge there.
func (m *Moment) oddEvent(e Event) {
	about := map[Kind]Value{Prompt: PromptText, BeforeShell: Command, BeforeRead: Path, BeforeMCP: ServerTool}[e.Kind]
	i := slices.IndexFunc(e.Fields, func(f Field) bool { return f.Value == about })
	if about != "" && i >= 0 && !m.Has(about) {
		m.Odd = append(m.Odd, e.Fields[i].Name+" is missing")
	}
}

// oddInput notes that the arguments of a tool are no object, and that what the tool is about is no
// text among them. A command may also be a list of its words. isNamed says that the event names the
// tool.
func (m *Moment) oddInput(isNamed bool) {
	if isNamed && m.There.Tool == "" {
		m.Odd = append(m.Odd, "the tool has no name")
	}
	input := gjson.ParseBytes(m.There.Input)
	subject := gjson.GetBytes(m.Values[ToolInput], gjson.Escape(m.Text(ToolSubject)))
	isWords := m.Text(ToolCategory) == string(tools.CategoryShell) && subject.IsArray() &&
		!slices.ContainsFunc(subject.Array(), func(word gjson.Result) bool { return word.Type != gjson.String })
	switch {
	case input.Type == gjson.Null || len(m.More) > 0:
	case m.There.Tool == applyPatch && subject.Type != gjson.String:
		m.Odd = append(m.Odd, "the arguments of "+applyPatch+" have no patch")
	case m.There.Tool == applyPatch:
	case !input.IsObject():
		m.Odd = append(m.Odd, fmt.Sprintf("the arguments of the tool are %s, not an object", shapeOf(input)))
	case m.Text(ToolSubject) != "" && subject.Exists() && subject.Type != gjson.String && !isWords:
		m.Odd = append(m.Odd, fmt.Sprintf("%s of the tool is %s, not a text", m.Text(ToolSubject), shapeOf(subject)))
	}
}

// shapeOf says what a value is.
func shapeOf(value gjson.Result) string {
	switch {
	case value.IsArray():
		return "a list"
	case value.IsObject():
		return "an object"
	case value.IsBool():
		return "a boolean"
	case value.Type == gjson.Number:
		return "a number"
	case value.Type == gjson.Null:
		return "null"
	}
	return "a text"
}
