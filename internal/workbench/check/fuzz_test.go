package check

import (
	"testing"

	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/chibi-host/chibi/internal/strictjson"
)

// FuzzCheckSchema checks that every schema that can be read can be looked at.
func FuzzCheckSchema(f *testing.F) {
	f.Add([]byte(`{"type": "object", "properties": {"a": {"type": ["string", "null"], "enum": []}}}`))
	f.Add([]byte(`{"$defs": {"a": {"$ref": "#"}}, "items": [true, {"not": false}]}`))
	f.Fuzz(func(t *testing.T, schema []byte) {
		fuzztest.Memory(t)
		if strictjson.Valid(schema) {
			checkSchema("t", schema)
		}
	})
}
