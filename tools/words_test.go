package tools_test

import (
	"encoding/json"
	"testing"

	"github.com/chibi-host/chibi/tools"
)

// TestWhatIsWrongIsSaidInTermsOfJSON has a call for each keyword of which the
// validator prints values as Go does.
func TestWhatIsWrongIsSaidInTermsOfJSON(t *testing.T) {
	schema := json.RawMessage(`{"type": "object", "properties": {
		"text": {"type": "string"}, "either": {"type": ["integer", "null"]}, "one": {"enum": ["a", 5, null, {"b": []}]},
		"same": {"$ref": "#/$defs/same"}, "list": {"type": "array", "items": {"type": "string"}, "contains": {"const": "x"}},
		"least": {"minimum": 3}, "most": {"maximum": 0.5}, "over": {"exclusiveMinimum": 3},
		"under": {"exclusiveMaximum": 1e9},
		"step": {"multipleOf": 0.25}, "any": {"anyOf": [{"type": "array"}, {"type": "object", "required": ["x"]}]},
		"both": {"oneOf": [{"type": "string"}, {"maxLength": 3}]}, "never": {"not": {"type": "null"}},
		"a: b": {"type": "null"}},
		"$defs": {"same": {"const": {"a": "<"}}}}`)
	checked, err := tools.Compile(schema)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ args, want string }{
		{`{"text": {"a": [1]}}`, `argument "text": must be a string, is an object`},
		{`{"text": null}`, `argument "text": must be a string, is null`},
		{`{"text": 5}`, `argument "text": must be a string, is an integer`},
		{`{"either": "a\nb has type \"x\", want \"y\""}`, `argument "either": must be an integer or null, is a string`},
		{`{"one": {"b": 1}}`, `argument "one": must be one of ["a",5,null,{"b":[]}]`},
		{`{"same": {"a": ">"}}`, `argument "same": must be {"a":"<"}`},
		{`{"list": ["x", 5]}`, `argument "list": must be a string, is an integer`},
		{`{"list": ["y"]}`, `argument "list": contains: no item matches`},
		{`{"least": 2}`, `argument "least": must be at least 3`},
		{`{"most": 0.75}`, `argument "most": must be at most 0.5`},
		{`{"over": 3}`, `argument "over": must be more than 3`},
		{`{"under": 1e9}`, `argument "under": must be less than 1000000000`},
		{`{"step": 0.3}`, `argument "step": must be a multiple of 0.25`},
		{`{"any": {"y": 1}}`, `argument "any": matches none of the schemas of anyOf: must be an array, is an object; ` +
			`required: missing properties: ["x"]`},
		{`{"both": "ab"}`, `argument "both": matches more than one of the schemas of oneOf`},
		{`{"never": null}`, `argument "never": not: matches the schema that it must not match`},
	} {
		if err := checked.Check(json.RawMessage(test.args)); err == nil || err.Error() != test.want {
			t.Errorf("%s: %v\nwant %s", test.args, err, test.want)
		}
	}
}
