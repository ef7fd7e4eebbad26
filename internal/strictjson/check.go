package strictjson

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
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

// CheckDepth reports whether objects and arrays nest at most limit deep. It
// counts brackets outside of strings in one pass, whatever else the text is.
func CheckDepth(data []byte, limit int) error {
	depth := 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			i += stringEnd(data[i+1:]) + 1
		case '{', '[':
			if depth++; depth > limit {
				return fmt.Errorf("it nests %w: more than %d objects and arrays in each other", ErrDepth, limit)
			}
		case '}', ']':
			depth--
		}
	}
	return nil
}

// stringEnd is where the quotation mark stands that ends a string, from behind the
// one that begins it; the end of the text if there is none.
func stringEnd(text []byte) int {
	for from := 0; ; {
		next := bytes.IndexByte(text[from:], '"')
		if next < 0 {
			return len(text)
		}
		escapes := 0
		for i := from + next - 1; i >= from && text[i] == '\\'; i-- {
			escapes++
		}
		from += next + 1
		if escapes%2 == 0 {
			return from - 1
		}
	}
}

// lenient takes every text that encoding/json takes.
func lenient() json.Options {
	return json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
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
