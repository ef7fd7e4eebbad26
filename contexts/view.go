package contexts

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/google/uuid"
)

// View is what a view of a conversation for scripts says in each line besides what was
// said: lines of JSON in the form of Claude Code's transcripts, which scripts for it and for
// other agents read.
type View struct {
	// Cwd is the working directory, Version the program's, Model the model's name.
	Cwd, Version, Model string
}

// Usage is what a response took. It is not stored.
type Usage struct{ InputTokens, OutputTokens int }

// maxViewText bounds a text of a view, in bytes.
const maxViewText = 1 << 20

// viewLine is a line of a view.
type viewLine struct {
	Parent    *string `json:"parentUuid"`
	Sidechain bool    `json:"isSidechain"`
	UserType  string  `json:"userType"`
	Cwd       string  `json:"cwd"`
	Session   string  `json:"sessionId"`
	Version   string  `json:"version"`
	Branch    string  `json:"gitBranch"`
	Type      string  `json:"type"`
	Message   any     `json:"message"`
	Summary   bool    `json:"isCompactSummary,omitempty"`
	UUID      string  `json:"uuid"`
	Time      string  `json:"timestamp"`
}

// viewUser is a message of a user, viewAssistant one of the model.
type viewUser struct {
	Role    string `json:"role"`
	Content any    `json:"content"` // a text, or blocks
}

type viewAssistant struct {
	ID      string      `json:"id"`
	Type    string      `json:"type"`
	Role    string      `json:"role"`
	Model   string      `json:"model"`
	Content []viewBlock `json:"content"`
	Reason  *string     `json:"stop_reason"`
	Stopped *string     `json:"stop_sequence"`
	Usage   viewUsage   `json:"usage"`
}

type viewUsage struct {
	Input   int `json:"input_tokens"`
	Created int `json:"cache_creation_input_tokens"`
	Read    int `json:"cache_read_input_tokens"`
	Output  int `json:"output_tokens"`
}

// viewBlock is a part of a message: a text, a call or a result.
type viewBlock struct {
	Type    string          `json:"type"`
	Text    string          `json:"text,omitempty"`
	ID      string          `json:"id,omitempty"`
	Name    string          `json:"name,omitempty"`
	Input   json.RawMessage `json:"input,omitempty"`
	CallID  string          `json:"tool_use_id,omitempty"`
	Content *string         `json:"content,omitempty"`
	IsError *bool           `json:"is_error,omitempty"`
}

// viewWriter makes the lines of a view.
type viewWriter struct {
	View
	session string
	parent  string // the uuid of the line before, "" for none
}

// lines returns the lines of entries.
func (w *viewWriter) lines(entries []Entry) (lines [][]byte, err error) {
	response := "" // the id of the response that the entry before belongs to
	for i, e := range entries {
		line := w.line(e)
		switch {
		case isResponse(e):
			response = cmp.Or(response, "msg_"+strings.ReplaceAll(line.UUID, "-", ""))
			line.Type, line.Message = roleAssistant, w.response(e, response, stopReason(entries[i:]))
		case e.Type == TypeMessage:
			line.Message = viewUser{roleUser, cutView(e.Content)}
		case e.Type == TypeToolResult:
			line.Message = viewUser{roleUser, []viewBlock{resultBlock(e)}}
		case e.Type == TypeCompaction && e.meta().Summary != "":
			line.Message, line.Summary = viewUser{roleUser, cutView(e.meta().Summary)}, true
		default:
			continue
		}
		if !isResponse(e) {
			response = ""
		}
		text, err := strictjson.Encode(line)
		if err != nil {
			return nil, err
		}
		lines, w.parent = append(lines, text), line.UUID
	}
	return lines, nil
}

// line returns what all lines have.
func (w *viewWriter) line(e Entry) viewLine {
	line := viewLine{UserType: "external", Cwd: w.Cwd, Session: w.session, Version: w.Version, Type: roleUser,
		UUID: viewID(e), Time: time.Unix(e.Timestamp, 0).UTC().Format("2006-01-02T15:04:05.000Z")}
	if w.parent != "" {
		parent := w.parent
		line.Parent = &parent
	}
	return line
}

// response returns a part of a response: its text, or a call.
func (w *viewWriter) response(e Entry, id string, reason *string) viewAssistant {
	block := viewBlock{Type: "text", Text: cutView(e.Content)}
	if e.Type == TypeToolCall {
		block = viewBlock{Type: "tool_use", ID: e.CallID(), Name: e.To, Input: viewInput(e.Content)}
	}
	used := viewUsage{}
	if e.Usage != nil {
		used.Input, used.Output = e.Usage.InputTokens, e.Usage.OutputTokens
	}
	return viewAssistant{ID: id, Type: "message", Role: roleAssistant, Model: w.Model, Content: []viewBlock{block},
		Reason: reason, Usage: used}
}

// viewInput returns the arguments of a call, which a model may not have written as an object.
func viewInput(arguments string) json.RawMessage {
	if len(arguments) <= maxViewText {
		if plain, err := strictjson.Normalize([]byte(arguments)); err == nil && plain[0] == '{' {
			return plain
		}
	}
	return json.RawMessage(`{"arguments":` + string(strictjson.Quote(cutView(arguments))) + `}`)
}

func resultBlock(e Entry) viewBlock {
	text, failed := cutView(e.Content), strings.HasPrefix(e.Content, "Error: ")
	return viewBlock{Type: "tool_result", CallID: e.CallID(), Content: &text, IsError: &failed}
}

// isResponse reports whether an entry is a part of a response of the model.
func isResponse(e Entry) bool {
	return e.Type == TypeToolCall || e.Type == TypeMessage && e.Role() == roleAssistant
}

// stopReason returns why the response ended that goes on with the entries; nil if it is
// incomplete.
func stopReason(entries []Entry) *string {
	reason := "end_turn"
	for _, e := range entries {
		switch {
		case !isResponse(e):
			return &reason
		case e.meta().Interrupted:
			return nil
		case e.Type == TypeToolCall:
			reason = "tool_use"
		}
	}
	return &reason
}

// viewID returns the uuid of the line of an entry.
func viewID(e Entry) string {
	if uuid.Validate(e.ID) == nil {
		return e.ID
	}
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte(e.ID)).String()
}

// cutView returns a text that is not too long for a line, with a mark where it was cut.
func cutView(text string) string {
	if len(text) <= maxViewText {
		return text
	}
	kept := clip.Bytes(text, maxViewText)
	return fmt.Sprintf("%s\n[cut: %d more bytes]", kept, len(text)-len(kept))
}
