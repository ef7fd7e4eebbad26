package strictjson

import (
	"bytes"
	"encoding/json"
)

// Encode writes a value as one line of JSON, without the newline. Unlike
// json.Marshal it leaves "<", ">" and "&" as they are, so that scripts and models
// see what people typed. Errors are those of package json.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
