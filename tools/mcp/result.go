package mcp

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/chibi-host/chibi/tools"
	"github.com/dustin/go-humanize"
)

// Kept is a part of a result that is not text.
type Kept struct {
	// Server, Tool and Arguments are the call, with the server's names.
	Server, Tool string
	Arguments    json.RawMessage
	// Type is the media type that the server says, Data the content.
	Type string
	Data []byte
}

// toolResult is the result of a call, as a server writes it.
type toolResult struct {
	Content    []json.RawMessage `json:"content"` // each a block
	Structured json.RawMessage   `json:"structuredContent"`
	IsError    bool              `json:"isError"`
}

// block is a part of a result. Which members it has depends on its type.
type block struct {
	Type string `json:"type"`
	Text string `json:"text"`
	// Of an image or audio; Data is in base64.
	MIMEType string `json:"mimeType"`
	Data     string `json:"data"`
	// Of a link.
	URI         string `json:"uri"`
	Name        string `json:"name"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Size        int64  `json:"size"`
	// Of an embedded resource: a text, or other data in base64.
	Resource struct {
		URI      string `json:"uri"`
		MIMEType string `json:"mimeType"`
		Text     string `json:"text"`
		Blob     string `json:"blob"`
	} `json:"resource"`
}

// reader makes the text for the model of a result.
type reader struct {
	kept  Kept // without Type and Data
	keep  func(Kept) (place string, err error)
	spool func() (process.Spool, error)
}

// result returns the text for the model about the result of a call.
func (r reader) result(text json.RawMessage) tools.Result {
	var result toolResult
	err := strictjson.Decode(text, &result)
	if err == nil && !bytes.HasPrefix(text, []byte("{")) {
		err = errors.New("it is not an object")
	}
	if err != nil {
		return tools.Result{Text: fmt.Sprintf("Error: the result of tool %q of MCP server %q cannot be read: %v", r.kept.Tool,
			r.kept.Server, err), Failed: true}
	}
	told := r.told(result)
	if !result.IsError {
		return r.spilled(tools.Result{Text: told})
	}
	told = "Error: " + cmp.Or(told, "the tool failed and did not say why")
	return r.spilled(tools.Result{Text: told, Failed: true, Exit: 1})
}

// spillAfter is how much text of a result stays in memory, in bytes.
const spillAfter = 1 << 20

// spilled puts a large text into a file.
func (r reader) spilled(result tools.Result) tools.Result {
	text := result.Text
	if r.spool == nil || len(text) <= spillAfter {
		return result
	}
	file, err := r.spool()
	if err == nil {
		_, err = io.WriteString(file, text)
		err = cmp.Or(file.Close(), err)
		result.File = tools.NewOutputFile(file, int64(len(text)))
	}
	result.Text = clip.Bytes(text, spillAfter)
	if err != nil {
		result.File.Close()
		return tools.Result{Text: fmt.Sprintf("Error: the result could not be kept on disk: %v", err), Failed: true}
	}
	return result
}

// told joins the parts of a result; if there is no text, the structured content is one.
func (r reader) told(result toolResult) string {
	var parts []string
	hasText := false
	for _, raw := range result.Content {
		text, isText := r.part(raw)
		parts, hasText = append(parts, text), hasText || isText
	}
	if !hasText && len(result.Structured) > 0 && string(result.Structured) != "null" {
		parts = append([]string{string(result.Structured)}, parts...)
	}
	return strings.Join(parts, "\n")
}

// part returns the text for a part of a result. A part that cannot be read does not cost
// the others.
func (r reader) part(raw json.RawMessage) (text string, isText bool) {
	var kind struct {
		Type string `json:"type"`
	}
	var b block
	err := strictjson.Decode(raw, &kind)
	switch {
	case err != nil:
	case slices.Contains([]string{"text", "image", "audio", "resource_link", "resource"}, kind.Type):
		err = strictjson.Decode(raw, &b)
	default:
		return fmt.Sprintf("[a part of the type %q, which chibi does not know]", clip.Text(kind.Type, 100)), false
	}
	switch {
	case err != nil:
		return fmt.Sprintf("[a part that cannot be read: %v]", err), false
	case b.Type == "text":
		return b.Text, b.Text != ""
	case b.Type == "resource_link":
		return linkText(b), false
	case b.Type == "resource" && b.Resource.Blob == "":
		return b.Resource.Text, b.Resource.Text != ""
	case b.Type == "resource":
		return r.data("resource "+b.Resource.URI, b.Resource.MIMEType, b.Resource.Blob), false
	}
	return r.data(b.Type, b.MIMEType, b.Data), false
}

// data keeps data and returns a text for the model in its place.
func (r reader) data(what, mediaType, text string) string {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return fmt.Sprintf("[%s that cannot be read: it is not base64]", what)
	}
	about := fmt.Sprintf("%s, %s, %s", what, cmp.Or(mediaType, "of an unknown type"), humanize.Bytes(uint64(len(data))))
	if is := http.DetectContentType(data); what == "image" && !isImage(mediaType, is) {
		about += fmt.Sprintf(", but its bytes are %s", is)
	}
	if r.keep == nil {
		return "[" + about + ": not kept]"
	}
	kept := r.kept
	kept.Type, kept.Data = mediaType, data
	place, err := r.keep(kept)
	if err != nil {
		return fmt.Sprintf("[%s: could not be kept: %v]", about, err)
	}
	return fmt.Sprintf("[%s: %s]", about, place)
}

// isImage reports whether data that looks like one type can be an image of another.
func isImage(claimed, is string) bool {
	return strings.HasPrefix(is, "image/") || is == "application/octet-stream" ||
		claimed == "image/svg+xml" && strings.HasPrefix(is, "text/")
}

// linkText returns the text for a link to something that the server has.
func linkText(b block) string {
	text := "[link to " + cmp.Or(b.Title, b.Name, "a resource") + ": " + b.URI
	if b.MIMEType != "" {
		text += ", " + b.MIMEType
	}
	if b.Size > 0 {
		text += ", " + humanize.Bytes(uint64(b.Size))
	}
	if b.Description != "" {
		text += ", " + b.Description
	}
	return text + "]"
}
