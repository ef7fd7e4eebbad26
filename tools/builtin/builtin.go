// Package builtin holds the tools that are part of chibi: the model's notes (todos, goals,
// reflection), messages to other contexts, reading cached outputs and files, and
// continuing with another turn.
//
// It promises that [Names] lists them all, so that plugins cannot take their names. The
// documentation of each type says what the tool may do. The caller decides where notes are
// stored and how messages are delivered.
package builtin

import (
	"context"
	"fmt"

	"github.com/chibi-host/chibi/tools"
)

// Notes stores the model's notes. Package contexts implements it.
type Notes interface {
	// SetTodos, SetGoals and SetReflection replace a text.
	SetTodos(text string) error
	SetGoals(text string) error
	SetReflection(text string) error
}

// Post sends a message to another context and returns how it was delivered. from is "" if
// the model did not set it.
type Post func(ctx context.Context, from, to, text string) (result string, err error)

// Config has everything that the tools need.
type Config struct {
	// Notes stores the notes.
	Notes Notes
	// Post sends messages.
	Post Post
	// Reflection offers update_reflection; ReflectionLimit bounds its text in
	// characters, 0: no bound.
	Reflection      bool
	ReflectionLimit int
	// Files specifies what the file tools may read.
	Files Files
}

// All lists the built-in tools in the order in which they are offered.
func All(c Config) []tools.Tool {
	list := []tools.Tool{todos(c.Notes), goals(c.Notes), sendMessage{c.Post}}
	if c.Reflection {
		list = append(list, reflection(c.Notes, c.ReflectionLimit))
	}
	return append(append(list, fileTools(c.Files)...), Recurse{})
}

// Names lists the names of all built-in tools, offered or not.
func Names() []string {
	var names []string
	for _, t := range All(Config{Reflection: true}) {
		names = append(names, t.Spec().Name)
	}
	return names
}

// toolError is an error with the wording of the original chibi.
type toolError string

func (c toolError) Error() string { return string(c) }

func toolErrorf(format string, args ...any) error { return toolError(fmt.Sprintf(format, args...)) }
