package strictjson

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
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

// Decode reads a text into what v points to, as encoding/json does but for what
// the package says. Members that v has no place for are ignored. Besides the
// errors of [Check] there are TypeError and what the type's own methods say.
func Decode(data []byte, v any) error { return decode(data, v) }

// DecodeKnown is Decode for texts in which each member must have its place:
// another one is an UnknownError.
func DecodeKnown(data []byte, v any) error { return decode(data, v, json.RejectUnknownMembers(true)) }

func decode(data []byte, v any, more ...json.Options) error {
	if err := CheckDepth(data, MaxDepth); err != nil {
		return err
	}
	options := json.JoinOptions(append([]json.Options{
		jsonv1.DefaultOptionsV1(), jsonv1.ReportErrorsWithLegacySemantics(false),
		json.MatchCaseInsensitiveNames(false), jsontext.AllowInvalidUTF8(true),
	}, more...)...)
	// Nearly no text has duplicate names: one pass is enough then.
	if fresh := zeroOf(v); fresh.IsValid() {
		if json.Unmarshal(data, fresh.Interface(), options, jsontext.AllowDuplicateNames(false)) == nil {
			reflect.ValueOf(v).Elem().Set(fresh.Elem())
			return nil
		}
	}
	// Nothing may be half decoded when a duplicate is found.
	if !jsontext.Value(data).IsValid(jsontext.AllowInvalidUTF8(true)) {
		plain, err := Normalize(data)
		if err != nil {
			return err
		}
		data = plain
	}
	return explain(json.Unmarshal(data, v, options), v)
}

// zeroOf is a new value of the type that v points to, if that one is zero: what is
// decoded into it can be thrown away. Else it is not valid.
func zeroOf(v any) reflect.Value {
	if p := reflect.ValueOf(v); p.Kind() == reflect.Pointer && !p.IsNil() && p.Elem().IsZero() {
		return reflect.New(p.Type().Elem())
	}
	return reflect.Value{}
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
