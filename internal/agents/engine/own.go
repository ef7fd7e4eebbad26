package engine

import "encoding/json"

// Own translates the forms that one agent alone has. A value in a different agent's form stays as it is.
type Own interface {
	// Theirs returns a value of a moment in a form.
	Theirs(form Form, m Moment, value json.RawMessage) json.RawMessage
	// Ours is the reverse; nil: chibi does not read such a value.
	Ours(form Form, value json.RawMessage) json.RawMessage
}

// inForm writes a value in a form, if only this agent has the form.
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
