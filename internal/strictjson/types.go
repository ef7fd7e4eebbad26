package strictjson

import (
	"encoding/base64"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// TypeError means that a member has a value of the wrong type, in terms of JSON.
type TypeError struct {
	// Field is the path of the member, with dots; "" for the whole text.
	Field string
	// Want is the expected type, such as "a string" or "an integer".
	Want string
	// Value is the actual type: "a number", "a string", "a boolean", "an object", "an
	// array" or "null"; or the value itself, if it is a number that is out of range.
	Value string
}

// Error returns a message such as "timeout_ms: must be an integer, is a string".
func (e *TypeError) Error() string {
	return fmt.Sprintf("%s must be %s, is %s", e.subject(), e.Want, e.Value)
}

// subject returns the member's name, quoted if it has unusual characters.
func (e *TypeError) subject() string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.$"
	switch {
	case e.Field == "":
		return "it"
	case strings.Trim(e.Field, plain) != "":
		return strconv.Quote(e.Field) + ":"
	}
	return e.Field + ":"
}

// TypeOf returns the type of a JSON value: "a number", "a string", "a boolean", "an
// object", "an array" or "null".
func TypeOf(value []byte) string { return typeName(jsontext.Value(value).Kind()) }

func typeName(kind jsontext.Kind) string {
	switch kind {
	case 't', 'f':
		return "a boolean"
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 'n':
		return "null"
	}
	return "a value of another type"
}

// typeError converts a decoder's error about a type to a TypeError; nil for other errors.
func typeError(field string, wrong *json.SemanticError) error {
	if wrong.GoType == nil {
		return nil
	}
	e := &TypeError{Field: field, Want: Wanted(wrong.GoType), Value: typeName(wrong.JSONKind)}
	var badTime *time.ParseError
	var badBytes base64.CorruptInputError
	switch {
	case wrong.Err == nil:
	case errors.Is(wrong.Err, strconv.ErrRange):
		e.Want += fmt.Sprintf(" of at most %d bits", wrong.GoType.Bits())
		e.Value = excerpt(wrong.JSONValue)
	case errors.Is(wrong.Err, strconv.ErrSyntax):
		e.Value = excerpt(wrong.JSONValue)
	case errors.As(wrong.Err, &badTime):
		e.Value = "another string"
	case errors.As(wrong.Err, &badBytes):
		e.Value = "not base64"
	default:
		return nil
	}
	return e
}

// excerpt returns a value if it is short, otherwise its type.
func excerpt(value jsontext.Value) string {
	if len(value) == 0 || len(value) > 40 {
		return typeName(value.Kind())
	}
	return string(value)
}

// Wanted returns the JSON type that a Go type is decoded from.
func Wanted(t reflect.Type) string {
	t = element(t)
	switch t.Kind() {
	case reflect.Bool:
		return "a boolean"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "an integer"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return "an unsigned integer"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.String:
		return "a string"
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 {
			return "a string of base64"
		}
		return "an array"
	case reflect.Struct:
		if t == reflect.TypeFor[time.Time]() {
			return "a time such as \"2026-11-21T14:30:00Z\""
		}
	}
	return "an object"
}
