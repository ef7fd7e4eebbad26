package strictjson

import (
	"bytes"
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// decodeAgain decodes a text that has duplicate names or errors.
func decodeAgain(data []byte, v any, options json.Options) error {
	// v must not be partially decoded when a duplicate is found.
	if !jsontext.Value(data).IsValid(jsontext.AllowInvalidUTF8(true)) {
		plain, err := Normalize(data)
		if err != nil {
			return err
		}
		data = plain
	}
	return explain(json.Unmarshal(data, v, options), v)
}

// withoutDuplicates is Normalize for a text that failed with the given error.
func withoutDuplicates(data []byte, why error) ([]byte, error) {
	if !errors.Is(why, jsontext.ErrDuplicateName) {
		return nil, syntaxError(why)
	}
	plain, err := jsontext.AppendFormat(nil, data, lenient())
	if err != nil {
		return nil, syntaxError(err)
	}
	dead, err := superseded(plain)
	if err != nil {
		return nil, syntaxError(err)
	}
	return without(plain, dead)
}

// superseded returns the members whose name occurs again in the same object, by the offset
// at which each name ends.
func superseded(data []byte) (map[int64]bool, error) {
	dead := map[int64]bool{}
	var open []map[string]int64 // for each open object, where each name last ended; nil for arrays
	dec := jsontext.NewDecoder(bytes.NewReader(data), lenient())
	for {
		token, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		switch token.Kind() {
		case '{':
			open = append(open, map[string]int64{})
		case '[':
			open = append(open, nil)
		case '}', ']':
			open = open[:len(open)-1]
		case '"':
			if nameJustRead(dec) {
				note(open[len(open)-1], token.String(), dec.InputOffset(), dead)
			}
		}
		if len(open) == 0 {
			return dead, nil
		}
	}
}

// nameJustRead reports whether the last token was the name of a member.
func nameJustRead(dec *jsontext.Decoder) bool {
	kind, length := dec.StackIndex(dec.StackDepth())
	return kind == '{' && length%2 == 1
}

// note records where a name ends and marks an earlier member of that name as superseded.
func note(names map[string]int64, name string, end int64, dead map[int64]bool) {
	if earlier, again := names[name]; again {
		dead[earlier] = true
	}
	names[name] = end
}

// without returns a text without the members whose names end at dead.
func without(data []byte, dead map[int64]bool) ([]byte, error) {
	var out bytes.Buffer
	dec := jsontext.NewDecoder(bytes.NewReader(data), lenient())
	enc := jsontext.NewEncoder(&out, lenient())
	for {
		token, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		if dead[dec.InputOffset()] && nameJustRead(dec) {
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
