package engine

import (
	"encoding/json"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/tidwall/gjson"
)

// Words are an agent's words for values of which there are only a few.
type Words []Word

// Word is the agent's word for a value.
type Word struct {
	Value        Value
	Ours, Theirs string
}

// theirs translates a value.
func (w Words) theirs(of Value, value json.RawMessage) json.RawMessage {
	text := gjson.ParseBytes(value)
	for _, word := range w {
		if word.Value == of && word.Ours == text.String() {
			return strictjson.Quote(word.Theirs)
		}
	}
	return value
}

// ours translates the agent's word for a value.
func (w Words) ours(of Value, value json.RawMessage) json.RawMessage {
	text := gjson.ParseBytes(value)
	for _, word := range w {
		if word.Value == of && text.Type == gjson.String && word.Theirs == text.Str {
			return strictjson.Quote(word.Ours)
		}
	}
	return value
}
