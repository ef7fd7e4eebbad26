package engine

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/plugin/toolnames"
	"github.com/chibi-host/chibi/tools"
	"github.com/tidwall/gjson"
)

// isText reports whether a value is a string.
func (v Value) isText() bool {
	return !slices.Contains([]Value{"", ToolInput, ToolExit, Duration, Calls, StopActive, FollowUps, Request, Tools, Usage,
		Messages}, v)
}

// isJudged reports whether plugins decide by this value whether something happens.
func (v Value) isJudged() bool {
	return slices.Contains([]Value{PromptText, ToolName, Command, Path, Server, ServerTool, Task}, v)
}

// oddText notes a member that plugins decide by and that is not a text.
func (m *Moment) oddText(f Field, value gjson.Result) {
	if f.Value.isJudged() && value.Type != gjson.String && value.Type != gjson.Null {
		m.Odd = append(m.Odd, fmt.Sprintf("%s is %s, not a text", f.Name, shapeOf(value)))
	}
}

// oddEvent notes that an event lacks the value that plugins decide by.
func (m *Moment) oddEvent(e Event) {
	about := map[Kind]Value{Prompt: PromptText, BeforeShell: Command, BeforeRead: Path, BeforeMCP: ServerTool}[e.Kind]
	i := slices.IndexFunc(e.Fields, func(f Field) bool { return f.Value == about })
	if about != "" && i >= 0 && !m.Has(about) {
		m.Odd = append(m.Odd, e.Fields[i].Name+" is missing")
	}
}

// oddInput notes arguments that are not an object, and a subject of the tool that is not a text. A command may
// also be a list of its words. isNamed says that the event names the tool.
func (m *Moment) oddInput(isNamed bool) {
	if isNamed && m.There.Tool == "" {
		m.Odd = append(m.Odd, "the tool has no name")
	}
	input := gjson.ParseBytes(m.There.Input)
	subject := gjson.GetBytes(m.Values[ToolInput], gjson.Escape(m.Text(ToolSubject)))
	isWords := m.Text(ToolCategory) == string(tools.CategoryShell) && subject.IsArray() && len(subject.Array()) > 0 &&
		!slices.ContainsFunc(subject.Array(), func(word gjson.Result) bool { return word.Type != gjson.String })
	switch {
	case input.Type == gjson.Null && !m.Kind.Refuses() || len(m.More) > 0:
	case m.There.isPatch() && gjson.GetBytes(m.Values[ToolInput], "path").Type != gjson.String:
		m.Odd = append(m.Odd, "the arguments of "+applyPatch+" have no patch")
	case m.There.isPatch():
	case input.Type != gjson.Null && !input.IsObject():
		m.Odd = append(m.Odd, fmt.Sprintf("the arguments of the tool are %s, not an object", shapeOf(input)))
	case m.Text(ToolSubject) != "" && subject.Exists() && subject.Type != gjson.String && !isWords:
		m.Odd = append(m.Odd, fmt.Sprintf("%s of the tool is %s, not a text", m.Text(ToolSubject), shapeOf(subject)))
	case m.Kind.Refuses() && m.needsSubject() && !subject.Exists():
		m.Odd = append(m.Odd, fmt.Sprintf("the arguments of %.60q have no %s", m.There.Tool, m.Text(ToolSubject)))
	}
}

// needsSubject reports whether a call of the tool does nothing without its subject. A call that lacks it has it
// under a name that chibi does not know.
func (m *Moment) needsSubject() bool {
	return slices.Contains([]tools.Category{tools.CategoryShell, tools.CategoryRead, tools.CategoryWrite,
		tools.CategoryEdit, tools.CategoryFetch}, tools.Category(m.Text(ToolCategory))) && m.Text(ToolSubject) != ""
}

// oddGuess notes that a shell that no table names may run more than the argument that chibi takes for its
// command: further words, a second command, or the rest of a line that it types into a running command.
func (m *Moment) oddGuess(call toolnames.Call) {
	if call.Category != tools.CategoryShell || !m.Kind.Refuses() {
		return
	}
	arguments := gjson.ParseBytes(call.Arguments)
	for _, name := range []string{"command", "cmd", "commands", "args", "argv"} {
		if name != call.Subject && arguments.Get(name).Type != gjson.Null {
			m.Odd = append(m.Odd, fmt.Sprintf("%.60q has %s beside %s", call.Tool, name, call.Subject))
		}
	}
	if isTyping(call.Tool) && arguments.Get(call.Subject).Str != "" { // without text it waits
		m.Odd = append(m.Odd, fmt.Sprintf("%.60q types into a command that runs already", call.Tool))
	}
}

// UnclearError means that a tool may do something that guards cannot read in its call. Nobody may make the call.
type UnclearError struct{ Err error }

// Error says what is wrong with the call.
func (e *UnclearError) Error() string { return e.Err.Error() }

// Unwrap returns it.
func (e *UnclearError) Unwrap() error { return e.Err }

// unclear returns an error for a call whose arguments nest deeper than guards can parse, or have a name that a tool
// can take for a different one: tools in Go read "Command" as command, and null as nothing.
func (r decoder) unclear() error {
	m, input := r.m, gjson.ParseBytes(r.m.There.Input)
	if !m.Kind.Refuses() {
		return nil
	}
	if err := strictjson.CheckDepth(m.There.Input, strictjson.MaxArgumentDepth); err != nil {
		return &UnclearError{fmt.Errorf("the arguments of %.60q: %w", m.There.Tool, err)}
	}
	if m.There.isPatch() {
		for _, f := range filesOfPatch(patchText(m.There.Input)) {
			if why := misread(f.path, r.PathBegins, r.PathLoses); why != "" {
				return &UnclearError{fmt.Errorf("the path %.200q in the patch must not %s", f.path, why)}
			}
		}
	}
	if m.Text(ToolSubject) == "" || !input.IsObject() {
		return nil
	}
	subject := r.Tools.SubjectOf(m.There.Tool, m.Text(ToolSubject))
	if m.needsSubject() && input.Get(gjson.Escape(subject)).Raw == "null" {
		return &UnclearError{fmt.Errorf("the argument %q of %.60q must not be null", subject, m.There.Tool)}
	}
	if why := misread(input.Get(gjson.Escape(subject)).Str, r.PathBegins, r.PathLoses); why != "" && m.isAboutFile() {
		return &UnclearError{fmt.Errorf("the argument %q of %.60q must not %s: %s then uses another file", subject,
			m.There.Tool, why, r.Title)}
	}
	names := map[string]string{tools.PlainArgument(subject): subject}
	var wrong error
	input.ForEach(func(given, _ gjson.Result) bool {
		plain := tools.PlainArgument(given.Str)
		if name, known := names[plain]; known && name != given.Str {
			wrong = &UnclearError{fmt.Errorf("the argument %.60q of %.60q must be written %.60q", given.Str, m.There.Tool, name)}
		}
		names[plain] = given.Str
		return wrong == nil
	})
	return wrong
}

// isAboutFile reports whether the subject of the tool is a path.
func (m *Moment) isAboutFile() bool {
	return slices.Contains([]tools.Category{tools.CategoryRead, tools.CategoryWrite, tools.CategoryEdit,
		tools.CategorySearch}, tools.Category(m.Text(ToolCategory)))
}

// misread says what in a path has an agent use another file, "" for nothing: what it takes away (see Dialect). Several
// agents take white space at the ends away, and some zero bytes.
func misread(path string, begins []string, loses string) string {
	isSpace := func(c rune) bool { return unicode.IsSpace(c) || c == '\ufeff' }
	if strings.TrimFunc(path, isSpace) != path {
		return "begin or end with white space"
	}
	loses = strings.ReplaceAll(loses, string(filepath.Separator), "") // as Windows has it
	if i := strings.IndexAny(path, "\x00"+loses); i >= 0 {
		return fmt.Sprintf("have %.1q in it", path[i:])
	}
	for _, begin := range begins {
		if strings.HasPrefix(path, begin) {
			return fmt.Sprintf("begin with %q", begin)
		}
	}
	return ""
}

// shapeOf names the type of a value.
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
