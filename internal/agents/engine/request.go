package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// TakesRequests reports whether an agent takes a changed request as it is, in no form of its own.
func (e Event) TakesRequests() bool {
	return slices.ContainsFunc(e.Rows, func(r Row) bool { return r.Set == SetRequest && r.Form == "" })
}

// RequestPatch returns an effect's patch of a request as a patch of the body in the moment. It writes changed
// texts into the body's messages; calls and results in them stay. notes say which changes it cannot make.
func (m Moment) RequestPatch(eff Effect) (patch json.RawMessage, notes []string) {
	changed := gjson.GetBytes(eff.Request, "messages")
	if !changed.IsArray() {
		return eff.Request, nil
	}
	messages := gjson.GetBytes(m.Values[Request], "messages")
	places, all := TextMessages(messages), []byte(messages.Raw)
	if len(changed.Array()) != len(places) {
		notes = append(notes, fmt.Sprintf("it got %d messages and returns %d; a hook can neither add nor remove messages, "+
			"so chibi changes only texts", len(places), len(changed.Array())))
	}
	same := true
	for i, message := range changed.Array() {
		text := ContentText(message)
		if i >= len(places) || text == ContentText(messages.Get(places[i])) {
			continue
		}
		with, err := sjson.SetBytes(all, places[i]+".content", text)
		if err != nil {
			return nil, append(notes, fmt.Sprintf("chibi cannot change message %d: %v", i+1, err))
		}
		all, same = with, false
	}
	patch, err := sjson.DeleteBytes(eff.Request, "messages")
	if err == nil && !same {
		patch, err = sjson.SetRawBytes(patch, "messages", all)
	}
	if err != nil {
		return nil, append(notes, fmt.Sprintf("chibi cannot read its request: %v", err))
	}
	if len(gjson.ParseBytes(patch).Map()) == 0 {
		return nil, notes
	}
	return patch, notes
}

// TextMessages lists the places of the messages that have a text and are not the result of a tool.
func TextMessages(messages gjson.Result) (places []string) {
	for i, message := range messages.Array() {
		if message.Get("role").Str != "tool" && ContentText(message) != "" {
			places = append(places, strconv.Itoa(i))
		}
	}
	return places
}

// ContentText returns a message's text: its content, or the texts of its parts.
func ContentText(message gjson.Result) string {
	content := message.Get("content")
	if content.Type == gjson.String {
		return content.Str
	}
	var texts []string
	for _, part := range content.Array() {
		switch text := part.Get("text"); {
		case part.Type == gjson.String:
			texts = append(texts, part.Str)
		case text.Type == gjson.String:
			texts = append(texts, text.Str)
		}
	}
	return strings.Join(texts, "")
}
