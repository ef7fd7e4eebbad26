package engine

import "encoding/json"

// Own are the forms of one agent's own. A value in a form that is another's stays as it is.
type Own interface {
	// Theirs returns a value of a moment in a form.
	Theirs(form Form, m Moment, value json.RawMessage) json.RawMessage
	// Ours is the reverse; nil: such a value is not read.
	Ours(form Form, value json.RawMessage) json.RawMessage
}

// inForm writes a value in a form, if it is one of an agent's own.
func inForm(own Own, form Form, m Moment, value json.RawMessage) json.RawMessage {
	if own == nil || form == "" {
		return value
	}
	return own.Theirs(form, m, value)
}

// ofForm is the reverse.
func ofForm(own Own, form Form, value json.RawMessage) json.RawMessage {
	if own == nil || form == "" {
		return value
	}
	return own.Ours(form, value)
}
