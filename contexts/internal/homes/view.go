package homes

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/google/uuid"
)

// maxViewText bounds a text of a view, in bytes.
const maxViewText = 1 << 20

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
	parts.View
	session string
	parent  string // the uuid of the line before, "" for none
}

func (w *viewWriter) lines(entries []parts.Entry) (lines [][]byte, err error) {
	response := "" // the id of the response that the entry before belongs to
	for i, e := range entries {
		line := w.line(e)
		switch {
		case isResponse(e):
			response = cmp.Or(response, "msg_"+strings.ReplaceAll(line.UUID, "-", ""))
			line.Type, line.Message = parts.RoleAssistant, w.response(e, response, stopReason(entries[i:]))
		case e.Type == parts.TypeMessage:
			line.Message = viewUser{parts.RoleUser, cutView(e.Content)}
		case e.Type == parts.TypeToolResult:
			line.Message = viewUser{parts.RoleUser, []viewBlock{resultBlock(e)}}
		case e.Type == parts.TypeCompaction && parts.MetaOf(e).Summary != "":
			line.Message, line.Summary = viewUser{parts.RoleUser, cutView(parts.MetaOf(e).Summary)}, true
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
func (w *viewWriter) line(e parts.Entry) viewLine {
	line := viewLine{UserType: "external", Cwd: w.Cwd, Session: w.session, Version: w.Version, Type: parts.RoleUser,
		UUID: viewID(e), Time: time.Unix(e.Timestamp, 0).UTC().Format("2006-01-02T15:04:05.000Z")}
	if w.parent != "" {
		parent := w.parent
		line.Parent = &parent
	}
	return line
}

// response returns a part of a response: its text, or a call.
func (w *viewWriter) response(e parts.Entry, id string, reason *string) viewAssistant {
	block := viewBlock{Type: "text", Text: cutView(e.Content)}
	if e.Type == parts.TypeToolCall {
		block = viewBlock{Type: "tool_use", ID: e.CallID(), Name: e.To, Input: viewInput(e.Content)}
	}
	used := viewUsage{}
	if e.Usage != nil {
		used.Input, used.Output = e.Usage.InputTokens, e.Usage.OutputTokens
	}
	return viewAssistant{ID: id, Type: "message", Role: parts.RoleAssistant, Model: w.Model, Content: []viewBlock{block},
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

func resultBlock(e parts.Entry) viewBlock {
	text, failed := cutView(e.Content), strings.HasPrefix(e.Content, "Error: ")
	return viewBlock{Type: "tool_result", CallID: e.CallID(), Content: &text, IsError: &failed}
}

func isResponse(e parts.Entry) bool {
	return e.Type == parts.TypeToolCall || e.Type == parts.TypeMessage && e.Role() == parts.RoleAssistant
}

// stopReason returns why the response ended that goes on with the entries; nil if it is
// incomplete.
func stopReason(entries []parts.Entry) *string {
	reason := "end_turn"
	for _, e := range entries {
		switch {
		case !isResponse(e):
			return &reason
		case parts.MetaOf(e).Interrupted:
			return nil
		case e.Type == parts.TypeToolCall:
			reason = "tool_use"
		}
	}
	return &reason
}

// viewID returns the uuid of the line of an entry.
func viewID(e parts.Entry) string {
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
