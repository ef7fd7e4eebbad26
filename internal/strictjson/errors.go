package strictjson

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// UnknownError means that an object has an unknown member.
type UnknownError struct {
	// Field is the path of the member, with dots.
	Field string
	// Nearest is the most similar known name; "": none is similar.
	Nearest string
	// Known lists the known names.
	Known []string
}

// Error returns a message such as `unknown field "PATH"; did you mean "path"?`.
func (e *UnknownError) Error() string { return e.Called("field") }

// Called returns the message with another noun than "field", such as "argument".
func (e *UnknownError) Called(noun string) string {
	switch {
	case e.Nearest != "":
		return fmt.Sprintf("unknown %s %q; did you mean %q?", noun, e.Field, e.Nearest)
	case len(e.Known) == 0:
		return fmt.Sprintf("unknown %s %q; none are known", noun, e.Field)
	}
	return fmt.Sprintf("unknown %[1]s %[2]q; the known %[1]ss are %[3]s", noun, e.Field, strings.Join(e.Known, ", "))
}

// SyntaxError means that a text is not JSON.
type SyntaxError struct {
	Err error
	// Offset is where, in bytes.
	Offset int64
}

// Error says what is wrong, and where.
func (e *SyntaxError) Error() string { return fmt.Sprintf("not JSON: %v at byte %d", e.Err, e.Offset) }

// Unwrap returns what is wrong.
func (e *SyntaxError) Unwrap() error { return e.Err }

// syntaxError returns the error of an invalid text, with its position.
func syntaxError(err error) error {
	var syntax *jsontext.SyntacticError
	switch {
	case err == nil:
		return errors.New("not JSON")
	case errors.As(err, &syntax) && syntax.Err != nil:
		return &SyntaxError{syntax.Err, syntax.ByteOffset}
	}
	return fmt.Errorf("not JSON: %w", err)
}

// explain converts the decoder's errors.
func explain(err error, v any) error {
	var wrong *json.SemanticError
	if !errors.As(err, &wrong) {
		return err
	}
	field := dotted(wrong.JSONPointer)
	if errors.Is(wrong.Err, json.ErrUnknownName) {
		known := namesAt(v, wrong.JSONPointer.Parent())
		return &UnknownError{Field: field, Nearest: Nearest(wrong.JSONPointer.LastToken(), known), Known: known}
	}
	if mismatch := typeError(field, wrong); mismatch != nil {
		return mismatch
	}
	if field == "" {
		return wrong.Err
	}
	return fmt.Errorf("%q: %w", field, wrong.Err)
}

func dotted(p jsontext.Pointer) string {
	var parts []string
	for part := range p.Tokens() {
		parts = append(parts, part)
	}
	return strings.Join(parts, ".")
}
