package strictjson

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// UnknownError names a member that the reader does not know.
type UnknownError struct {
	// Field is the way to the member, with dots.
	Field string
	// Nearest is the known name that is most like it; empty: none is.
	Nearest string
	// Known are the names that there are.
	Known []string
}

// Error is a sentence such as `unknown field "PATH"; did you mean "path"?`.
func (e *UnknownError) Error() string { return e.Called("field") }

// Called is the sentence with another word for what is unknown, such as "argument".
func (e *UnknownError) Called(noun string) string {
	switch {
	case e.Nearest != "":
		return fmt.Sprintf("unknown %s %q; did you mean %q?", noun, e.Field, e.Nearest)
	case len(e.Known) == 0:
		return fmt.Sprintf("unknown %s %q; there are none", noun, e.Field)
	}
	return fmt.Sprintf("unknown %s %q; there are %s", noun, e.Field, strings.Join(e.Known, ", "))
}

// syntaxError says what is wrong with a text, and where.
func syntaxError(err error) error {
	var syntax *jsontext.SyntacticError
	switch {
	case err == nil:
		return errors.New("not JSON")
	case errors.As(err, &syntax) && syntax.Err != nil:
		return fmt.Errorf("not JSON: %w at byte %d", syntax.Err, syntax.ByteOffset)
	}
	return fmt.Errorf("not JSON: %w", err)
}

// explain words the decoder's errors.
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
