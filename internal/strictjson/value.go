package strictjson

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Value decodes a text like encoding/json into an any. A number that is out of the range of
// float64 becomes the nearest one, where encoding/json fails. The errors are as in [Check].
func Value(data []byte) (any, error) {
	plain, err := Normalize(data)
	if err != nil {
		return nil, err
	}
	return value(jsontext.NewDecoder(bytes.NewReader(plain)))
}

// Indented is a text of JSON for a person, with members in rows of their own; what is no JSON stays as it is.
func Indented(data []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, data, "", "  ") != nil {
		return string(data)
	}
	return b.String()
}

// value reads one value; the depth of the text is known to be bounded.
func value(dec *jsontext.Decoder) (any, error) {
	token, err := dec.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case '{':
		return object(dec)
	case '[':
		return array(dec)
	case '"':
		return token.String(), nil
	case '0':
		return float(token.String()), nil
	case 't', 'f':
		return token.Bool(), nil
	}
	return nil, nil
}

func object(dec *jsontext.Decoder) (any, error) {
	members := map[string]any{}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		key := name.String()
		if members[key], err = value(dec); err != nil {
			return nil, err
		}
	}
	_, err := dec.ReadToken()
	return members, err
}

func array(dec *jsontext.Decoder) (any, error) {
	elements := []any{}
	for dec.PeekKind() != ']' {
		v, err := value(dec)
		if err != nil {
			return nil, err
		}
		elements = append(elements, v)
	}
	_, err := dec.ReadToken()
	return elements, err
}

func float(number string) float64 {
	f, _ := strconv.ParseFloat(number, 64)
	return max(-math.MaxFloat64, min(math.MaxFloat64, f))
}
