package engine

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/tools"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// applyPatch is Codex's tool that writes and edits files. Agents that have it too spell it in several ways.
const applyPatch = "apply_patch"

// isPatch reports whether a call is a call of apply_patch.
func (c Call) isPatch() bool {
	name := strings.ToLower(strings.ReplaceAll(c.Tool, "_", ""))
	return name == "applypatch" || name == "patch"
}

// The lines of a patch of Codex's apply_patch that are not a change of a line.
const (
	patchBegin  = "*** Begin Patch"
	patchEnd    = "*** End Patch"
	patchAdd    = "*** Add File: "
	patchUpdate = "*** Update File: "
	patchDelete = "*** Delete File: "
	patchMove   = "*** Move to: "
	patchHunk   = "@@"
)

// patchOf returns the arguments of apply_patch for a call that writes or edits a file. Arguments of other calls
// stay. A patch has whole lines, so it shows a change within a line as a change of lines.
func patchOf(d Dialect, m Moment, input json.RawMessage) json.RawMessage {
	call := CallOf(d, m)
	header := patchUpdate
	var removed, added []string
	arguments := gjson.ParseBytes(call.Arguments)
	writes := call.Category == tools.CategoryWrite && !arguments.Get("new_string").Exists() // some agents call edits so
	switch {
	case writes:
		header, added = patchAdd, patchLines(arguments.Get("content").Str)
	case call.Category == tools.CategoryWrite || call.Category == tools.CategoryEdit:
		removed = patchLines(FirstText(arguments, "old_string", "find"))
		added = patchLines(FirstText(arguments, "new_string", "replace", "content"))
	default:
		return input
	}
	if call.Subject == "" {
		return input
	}
	text := []string{patchBegin, header + arguments.Get(gjson.Escape(call.Subject)).Str}
	if header == patchUpdate {
		text = append(text, patchHunk)
	}
	for _, line := range removed {
		text = append(text, "-"+line)
	}
	for _, line := range added {
		text = append(text, "+"+line)
	}
	patch := strings.Join(append(text, patchEnd), "\n")
	return slices.Concat([]byte(`{"command":`), strictjson.Quote(patch), []byte("}"))
}

// FirstText returns the first of some members that is a text, "" if none is.
func FirstText(object gjson.Result, names ...string) string {
	for _, name := range names {
		if value := object.Get(name); value.Type == gjson.String {
			return value.Str
		}
	}
	return ""
}

func patchLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// patchIn returns the patch of a call of apply_patch, "" for other calls.
func patchIn(call Call) string {
	patch := gjson.GetBytes(call.Input, "command").Str
	if !call.isPatch() || !strings.Contains(patch, patchBegin) {
		return ""
	}
	return patch
}

// IsPatch reports whether arguments are a patch of Codex's apply_patch.
func IsPatch(input json.RawMessage) bool {
	return strings.HasPrefix(strings.TrimSpace(gjson.GetBytes(input, "command").Str), patchBegin)
}

// patchText returns the patch in the arguments of apply_patch; the arguments can also be the patch. Agents name
// the member differently and ignore other members, so each of several patches may be the one that counts.
func patchText(input json.RawMessage) string {
	all := gjson.ParseBytes(input)
	if all.Type == gjson.String {
		return all.Str
	}
	var patches []string
	all.ForEach(func(_, value gjson.Result) bool {
		if strings.Contains(value.Str, patchBegin) {
			patches = append(patches, value.Str)
		}
		return true
	})
	return strings.Join(patches, "\n")
}

// changedPatch returns the arguments of apply_patch for a changed call that stands for a patch. It returns nil
// if the patch has several files or places, because the call does not say which of them changed, and if a patch
// cannot express the change.
func changedPatch(d Dialect, m Moment, patch string, changed json.RawMessage) json.RawMessage {
	files := filesOfPatch(patch)
	if len(files) != 1 || files[0].header == patchDelete || strings.Count("\n"+patch, "\n"+patchHunk) > 1 {
		return nil
	}
	m.Values = maps.Clone(m.Values)
	m.Values[ToolInput] = changed
	input := patchOf(d, m, nil)
	read := Moment{Values: map[Value]json.RawMessage{}, There: Call{Tool: applyPatch, Input: input}}
	if takePatch(&read); len(read.More) > 0 || !IsSameCall(CallOf(d, m).Arguments, read.Values[ToolInput]) {
		return nil
	}
	return input
}

// IsSameCall reports whether the arguments of two calls are the same, but for a newline at the end of a text:
// a patch has whole lines.
func IsSameCall(a, b json.RawMessage) bool {
	var one, other map[string]any
	if strictjson.Decode(a, &one) != nil || strictjson.Decode(b, &other) != nil {
		return false
	}
	return maps.EqualFunc(one, other, func(value, other any) bool {
		text, isText := value.(string)
		otherText, areTexts := other.(string)
		return isText && areTexts && strings.TrimSuffix(text, "\n") == strings.TrimSuffix(otherText, "\n") ||
			reflect.DeepEqual(value, other)
	})
}

// Unpatched returns the arguments of a moment's call after a hook changed the patch that chibi showed it. It
// returns nil if this one call cannot do what the patch does.
func (m Moment) Unpatched(changed json.RawMessage) json.RawMessage {
	read := Moment{Values: map[Value]json.RawMessage{}, There: Call{Tool: applyPatch, Input: changed}}
	if takePatch(&read); len(read.More) > 0 || read.Text(ToolName) != m.Text(ToolName) {
		return nil
	}
	arguments := m.Values[ToolInput]
	gjson.ParseBytes(read.Values[ToolInput]).ForEach(func(name, value gjson.Result) bool {
		was, text := gjson.GetBytes(arguments, name.Str).Str, value.Str
		if !strings.HasSuffix(was, "\n") { // a patch has whole lines
			text = strings.TrimSuffix(text, "\n")
		}
		if was != text {
			arguments, _ = sjson.SetBytes(arguments, name.Str, text)
		}
		return true
	})
	return arguments
}

// patchedFile is what a patch does to a file.
type patchedFile struct {
	header, path string
	before       []string // lines that must be there, as far as the patch shows them
	after        []string // lines that are there afterwards
}

// filesOfPatch reads a patch. A moved file has an entry under each of its names. Codex takes a header with
// white space before it, except among the lines of a file that is updated.
func filesOfPatch(text string) (files []patchedFile) {
	isUpdate := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		header, path := patchHeader(line)
		if header == "" && !isUpdate {
			header, path = patchHeader(strings.TrimSpace(line))
		}
		if header != "" {
			isUpdate = header == patchUpdate || header == patchMove
			files = append(files, patchedFile{header: header, path: path})
			continue
		}
		if len(files) == 0 || line == "" {
			continue
		}
		f := &files[len(files)-1]
		switch line[0] {
		case '-':
			f.before = append(f.before, line[1:])
		case '+':
			f.after = append(f.after, line[1:])
		case ' ':
			f.before, f.after = append(f.before, line[1:]), append(f.after, line[1:])
		}
	}
	return files
}

// patchHeader reads a header. Codex takes white space behind a path away, but for a file that is moved.
func patchHeader(line string) (header, path string) {
	for _, header := range []string{patchAdd, patchUpdate, patchDelete, patchMove} {
		path, is := strings.CutPrefix(line, header)
		if is && header != patchMove {
			path = strings.TrimRightFunc(path, unicode.IsSpace)
		}
		if is {
			return header, path
		}
	}
	return "", ""
}

// takePatch notes the call of apply_patch as calls of chibi's tools: the first file in m, one
// more Moment for each other file.
func takePatch(m *Moment) {
	for i, f := range filesOfPatch(patchText(m.There.Input)) {
		f.into(m.part(i))
	}
}

// into notes the call of a tool of chibi that does the same.
func (f patchedFile) into(m Moment) {
	path := f.path
	if cwd := m.Text(Cwd); cwd != "" && !filepath.IsAbs(path) {
		path = filepath.Join(cwd, path)
	}
	text := func(lines []string) string {
		if len(lines) == 0 {
			return ""
		}
		return strings.Join(lines, "\n") + "\n"
	}
	tool, category := "file_edit", tools.CategoryEdit
	arguments := map[string]string{"path": path, "old_string": text(f.before), "new_string": text(f.after)}
	if f.header == patchAdd {
		tool, category = "write_file", tools.CategoryWrite
		arguments = map[string]string{"path": path, "content": text(f.after)}
	}
	m.Set(ToolName, tool)
	m.Set(ToolCategory, string(category))
	m.Set(ToolSubject, "path")
	m.Values[ToolInput], _ = strictjson.Encode(arguments)
}
