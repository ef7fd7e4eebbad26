package strictjson

import (
	stdjson "encoding/json"

	"github.com/go-json-experiment/json/jsontext"
)

// encodeNumber writes the numbers of encoding/json, which are texts to others, as
// that package does.
func encodeNumber(enc *jsontext.Encoder, n stdjson.Number) error {
	text, err := stdjson.Marshal(n)
	if err != nil {
		return err
	}
	return enc.WriteValue(text)
}
