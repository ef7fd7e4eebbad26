// Package strictjson is the one reader of JSON that others wrote: plugins,
// models, servers, files that could have been edited. It differs from
// encoding/json in what an attacker could use:
//
//   - Names of members are matched exactly. encoding/json takes "PATH" for
//     "path", so a guard that looks at "path" could be passed.
//   - Of members with one name the last counts, everywhere, whole: encoding/json
//     merges objects with one name into each other.
//   - Nesting is bounded, before anything that recurses reads the text.
//
// [Normalize] writes a text in the one spelling that guards and tools are
// given; [Encode] and [Quote] write values of ours. The package imports nothing of
// ours and does no I/O; its functions are safe for concurrent use and never modify
// their arguments.
package strictjson

import (
	"bytes"
	"errors"
	"reflect"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

// MaxDepth bounds how deep objects and arrays may nest in each other.
const MaxDepth = 1000

// MaxArgumentDepth bounds how deep a tool call's arguments may nest. It is less
// than MaxDepth because guards must be able to read them: jq 1.5 reads 256
// levels and Python about 1000, and a guard that cannot read has no opinion.
const MaxArgumentDepth = 200

// ErrDepth says that a text nests too deep.
var ErrDepth = errors.New("too deep")

// Check reports whether a text is one JSON value that nests at most MaxDepth
// deep. Duplicate names and text that is not UTF-8 are no errors here.
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

// Valid reports whether Check finds nothing wrong.
func Valid(data []byte) bool { return Check(data) == nil }

// CheckDepth reports whether objects and arrays nest at most limit deep, whatever else
// the text is. Nearly no text has so many of them at all.
func CheckDepth(data []byte, limit int) error {
	if bytes.Count(data, []byte("{"))+bytes.Count(data, []byte("[")) <= limit {
		return nil
	}
	return countDepth(data, limit)
}

// lenient takes every text that encoding/json takes.
func lenient() json.Options {
	return json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// Encode writes a value as one line of JSON, without the newline, as encoding/json
// does, but leaves "<", ">" and "&" as they are, so that scripts and models see what
// people typed.
func Encode(v any) ([]byte, error) {
	numbers := json.WithMarshalers(json.MarshalToFunc(encodeNumber))
	return json.Marshal(v, jsonv1.DefaultOptionsV1(), jsontext.EscapeForHTML(false), numbers)
}

// Decode reads a text into what v points to, as encoding/json does but for what
// the package says. Members that v has no place for are ignored. Besides the
// errors of [Check] there are TypeError and what the type's own methods say.
func Decode(data []byte, v any) error { return decode(data, v, false) }

// DecodeKnown is Decode for texts in which each member must have its place:
// another one is an UnknownError.
func DecodeKnown(data []byte, v any) error { return decode(data, v, true) }

func decode(data []byte, v any, known bool) error {
	if err := CheckDepth(data, MaxDepth); err != nil {
		return err
	}
	options := json.JoinOptions(jsonv1.DefaultOptionsV1(), jsonv1.ReportErrorsWithLegacySemantics(false),
		json.MatchCaseInsensitiveNames(false), jsontext.AllowInvalidUTF8(true), json.RejectUnknownMembers(known))
	// Nearly no text has duplicate names, or mistakes. What is decoded into a value of
	// its own can be thrown away if it has.
	if p := reflect.ValueOf(v); p.Kind() == reflect.Pointer && !p.IsNil() && p.Elem().IsZero() {
		fresh := reflect.New(p.Type().Elem())
		if json.Unmarshal(data, fresh.Interface(), options, jsontext.AllowDuplicateNames(false)) == nil {
			p.Elem().Set(fresh.Elem())
			return nil
		}
	}
	return decodeAgain(data, v, options)
}

// Normalize writes a JSON text anew, in one spelling: UTF-8 with the fewest
// escapes ("\u0073udo" becomes "sudo", "<" stays), no white space, of members
// with one name only the last, the others in the order in which they came.
// Numbers stay as they are written, lone surrogates and bytes that are not
// UTF-8 become U+FFFD. The errors are those of [Check].
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

// Arguments is Normalize for the arguments of a tool call, which nest at most
// MaxArgumentDepth deep.
func Arguments(data []byte) ([]byte, error) {
	if err := CheckDepth(data, MaxArgumentDepth); err != nil {
		return nil, err
	}
	return Normalize(data)
}

// Quote writes a text as a JSON string in the spelling of Normalize: each byte
// that is not UTF-8 becomes U+FFFD, as everywhere.
func Quote(text string) []byte {
	quoted, _ := jsontext.AppendQuote(nil, text) // the error says only that such bytes were there
	return quoted
}
