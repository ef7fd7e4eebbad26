// Package strictjson reads all JSON from outside: of plugins, models, servers, and files
// that may have been edited. It differs from encoding/json where an attacker could exploit
// its behaviour:
//
//   - Names of members are matched exactly. encoding/json accepts "PATH" for "path",
//     which would bypass a guard that examines "path".
//   - Of several members with the same name, only the last is used: encoding/json merges
//     objects with the same name.
//   - Nesting is bounded before any recursive code reads the text.
//
// [Normalize] returns a text in the canonical form that guards and tools get; [Encode] and
// [Quote] write values. The package imports no other package of chibi and does no I/O; its
// functions are safe for concurrent use and never modify their arguments.
package strictjson

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"reflect"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

// MaxDepth bounds how deep objects and arrays may nest in each other.
const MaxDepth = 1000

// MaxArgumentDepth bounds how deep a tool call's arguments may nest. It is less than
// MaxDepth because guards must be able to parse them: jq 1.5 parses 256 levels and Python
// about 1000, and a guard that fails to parse its payload may not block.
const MaxArgumentDepth = 200

// ErrDepth means that a text nests too deeply.
var ErrDepth = errors.New("too deep")

// Check returns an error if a text is not one JSON value, or nests more than MaxDepth deep.
// Duplicate names and invalid UTF-8 are not errors here.
func Check(data []byte) error {
	if err := CheckDepth(data, MaxDepth); err != nil {
		return err
	}
	if jsontext.Value(data).IsValid(lenient()) {
		return nil
	}
	_, err := jsontext.AppendFormat(nil, data, lenient())
	return syntaxError(err)
}

// Valid reports whether Check returns nil.
func Valid(data []byte) bool { return Check(data) == nil }

// CheckDepth returns an error if objects and arrays nest more than limit deep. It does not
// require valid JSON. Few texts have that many brackets at all.
func CheckDepth(data []byte, limit int) error {
	if bytes.Count(data, []byte("{"))+bytes.Count(data, []byte("[")) <= limit {
		return nil
	}
	return countDepth(data, limit)
}

// lenient accepts every text that encoding/json accepts.
func lenient() json.Options {
	return json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// Encode returns a value as one line of JSON, without the newline, like encoding/json, but
// escapes only what it must, so that scripts and models see what people typed.
func Encode(v any) ([]byte, error) {
	numbers := json.WithMarshalers(json.MarshalToFunc(encodeNumber))
	return json.Marshal(v, jsonv1.DefaultOptionsV1(), jsontext.EscapeForHTML(false), jsontext.EscapeForJS(false), numbers)
}

// Decode decodes a text into v, like encoding/json except for the differences in the
// package documentation. Unknown members are ignored. Errors come from [Check], from the type's own
// methods, or are a TypeError.
func Decode(data []byte, v any) error { return decode(data, v, false) }

// DecodeKnown is Decode, but an unknown member is an UnknownError.
func DecodeKnown(data []byte, v any) error { return decode(data, v, true) }

func decode(data []byte, v any, known bool) error {
	if err := CheckDepth(data, MaxDepth); err != nil {
		return err
	}
	options := json.JoinOptions(jsonv1.DefaultOptionsV1(), jsonv1.ReportErrorsWithLegacySemantics(false),
		json.MatchCaseInsensitiveNames(false), jsontext.AllowInvalidUTF8(true), json.RejectUnknownMembers(known))
	// Duplicate names and errors are rare. The text is decoded into a new value, which
	// is discarded if it has any.
	if p := reflect.ValueOf(v); p.Kind() == reflect.Pointer && !p.IsNil() && p.Elem().IsZero() {
		fresh := reflect.New(p.Type().Elem())
		if json.Unmarshal(data, fresh.Interface(), options, jsontext.AllowDuplicateNames(false)) == nil {
			p.Elem().Set(fresh.Elem())
			return nil
		}
	}
	return decodeAgain(data, v, options)
}

// Normalize returns a JSON text in canonical form: UTF-8 with as few escapes as possible
// ("\u0073udo" becomes "sudo", "<" is not escaped), no white space, only the last of
// several members with the same name, the members in their original order. Numbers are
// kept as written; lone surrogates and invalid UTF-8 become U+FFFD. The errors are those
// of [Check].
func Normalize(data []byte) ([]byte, error) {
	if err := CheckDepth(data, MaxDepth); err != nil {
		return nil, err
	}
	plain, err := jsontext.AppendFormat(nil, data, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return withoutDuplicates(data, err)
	}
	return plain, nil
}

// Sorted is Normalize with the members of all objects in the order of their names, so that
// texts that mean the same are the same.
func Sorted(data []byte) ([]byte, error) {
	plain, err := Normalize(data)
	if err != nil {
		return nil, err
	}
	return jsontext.AppendFormat(nil, plain, jsontext.ReorderRawObjects(true))
}

// Arguments is Normalize for the arguments of a tool call, which nest at most
// MaxArgumentDepth deep.
func Arguments(data []byte) ([]byte, error) {
	if err := CheckDepth(data, MaxArgumentDepth); err != nil {
		return nil, err
	}
	return Normalize(data)
}

// Trim returns a text without the byte order mark and the white space around it that programs
// write where only JSON is expected.
func Trim(text []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(text), []byte("\ufeff")))
}

// Quote returns a text as a JSON string in the form of Normalize: each invalid byte becomes
// U+FFFD.
func Quote(text string) []byte {
	quoted, _ := jsontext.AppendQuote(nil, text) // the error only means that there were invalid bytes
	return quoted
}

// encodeNumber encodes values of type json.Number of encoding/json as numbers, not as
// strings.
func encodeNumber(enc *jsontext.Encoder, n stdjson.Number) error {
	text, err := stdjson.Marshal(n)
	if err != nil {
		return err
	}
	return enc.WriteValue(text)
}
