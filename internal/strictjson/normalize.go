package strictjson

import (
	"bytes"
	"errors"

	"github.com/go-json-experiment/json/jsontext"
)

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
	if err == nil {
		return plain, nil
	}
	if !errors.Is(err, jsontext.ErrDuplicateName) {
		return nil, syntaxError(err)
	}
	if plain, err = jsontext.AppendFormat(nil, data, lenient()); err != nil {
		return nil, syntaxError(err)
	}
	dead, err := superseded(plain)
	if err != nil {
		return nil, syntaxError(err)
	}
	return without(plain, dead)
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

// superseded finds the members whose name comes again in the same object, by
// the offset at which each name ends.
func superseded(data []byte) (map[int64]bool, error) {
	dead := map[int64]bool{}
	var open []map[string]int64 // of each object that is open: where a name ended last; nil for arrays
	dec := jsontext.NewDecoder(bytes.NewReader(data), lenient())
	for {
		token, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		kind, depth := token.Kind(), dec.StackDepth()
		switch kind {
		case '{':
			open = append(open, map[string]int64{})
		case '[':
			open = append(open, nil)
		case '}', ']':
			open = open[:len(open)-1]
		case '"':
			if names, isName := open, nameJustRead(dec, depth); isName {
				note(names[len(names)-1], token.String(), dec.InputOffset(), dead)
			}
		}
		if len(open) == 0 {
			return dead, nil
		}
	}
}

// nameJustRead reports whether the last token was the name of a member.
func nameJustRead(dec *jsontext.Decoder, depth int) bool {
	kind, length := dec.StackIndex(depth)
	return kind == '{' && length%2 == 1
}

// note remembers where a name ends and marks an earlier member of that name.
func note(names map[string]int64, name string, end int64, dead map[int64]bool) {
	if earlier, again := names[name]; again {
		dead[earlier] = true
	}
	names[name] = end
}

// without writes a text without the members whose names end at dead.
func without(data []byte, dead map[int64]bool) ([]byte, error) {
	var out bytes.Buffer
	dec := jsontext.NewDecoder(bytes.NewReader(data), lenient())
	enc := jsontext.NewEncoder(&out, lenient())
	for {
		token, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		if dead[dec.InputOffset()] && nameJustRead(dec, dec.StackDepth()) {
			if err := dec.SkipValue(); err != nil {
				return nil, err
			}
			continue
		}
		if err := enc.WriteToken(token); err != nil {
			return nil, err
		}
		if dec.StackDepth() == 0 {
			return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
		}
	}
}
