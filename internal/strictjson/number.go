package strictjson

import (
	stdjson "encoding/json"

	"github.com/go-json-experiment/json/jsontext"
)

// encodeNumber encodes values of type json.Number of encoding/json as numbers, not as
// strings.
func encodeNumber(enc *jsontext.Encoder, n stdjson.Number) error {
	text, err := stdjson.Marshal(n)
	if err != nil {
		return err
	}
	return enc.WriteValue(text)
}
