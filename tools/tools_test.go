package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/chibi-host/chibi/tools"
)

func TestCheck(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"lines":{"type":"integer"},
		"mode":{"enum":["a","b"]}},"required":["path"],"additionalProperties":false}`)
	for _, test := range []struct{ name, args, want string }{
		{"good", `{"path":"x","lines":3}`, ""},
		{"missing", `{}`, `argument "path" is missing`},
		{"wrong type", `{"path":1}`, `argument "path": type: 1 has type "integer", want "string"`},
		{"not whole", `{"path":"x","lines":1.5}`, `argument "lines": type: 1.5 has type "number", want "integer"`},
		{"not one of", `{"path":"x","mode":"z"}`, `argument "mode": enum: z does not equal any of: [a b]`},
		{"not known", `{"path":"x","pth":"y"}`, `unexpected additional properties ["pth"]`},
		{"an array", `[1]`, "the arguments must be one JSON object"},
		{"not JSON", `{"path":`, "the arguments are not valid JSON"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := ""
			if err := tools.Check(schema, json.RawMessage(test.args)); err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("Check = %s\nwant    %s", got, test.want)
			}
		})
	}
}

func TestABrokenSchemaIsToldApart(t *testing.T) {
	for _, schema := range []string{`{"type":"objekt"}`, `{"properties":{"a":{"pattern":"^(?!x)"}}}`, `{"type":3}`, `{"$ref":"#"}`,
		`{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"anyOf":[{"$ref":"#"}]}}}`,
		`{"properties":{"a":{"$ref":"#/properties/a"}}}`, `{"$ref":"http://localhost:1/x"}`} {
		if err := tools.Check(json.RawMessage(schema), json.RawMessage(`{}`)); !errors.Is(err, tools.ErrSchema) {
			t.Errorf("%s: %v, want ErrSchema", schema, err)
		}
	}
}

func TestARecursiveSchemaIsFine(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","properties":{"children":{"type":"array","items":{"$ref":"#"}},"name":{"$ref":"#/$defs/name"}},
		"$defs":{"name":{"type":"string"}}}`)
	if err := tools.Check(schema, json.RawMessage(`{"children":[{"children":[],"name":"x"}]}`)); err != nil {
		t.Error(err)
	}
	if err := tools.Check(schema, json.RawMessage(`{"children":[{"name":7}]}`)); err == nil {
		t.Error("a wrong child was taken")
	}
}

// named is a tool that does nothing.
type named string

func (n named) Spec() tools.Spec { return tools.Spec{Name: string(n), Owner: "p-" + string(n)} }
func (named) Call(context.Context, tools.Call) (tools.Result, error) {
	return tools.Result{Text: "done"}, nil
}

func ExampleSet() {
	var set tools.Set
	fmt.Println(set.Add(named("greet"), named("count")))
	fmt.Println(set.Add(named("greet")))
	_, ok := set.Lookup("count")
	fmt.Println(ok, set.Len())
	// Output:
	// <nil>
	// tool "greet" of plugin "p-greet": the name is taken by plugin "p-greet"
	// true 2
}

func FuzzCheck(f *testing.F) {
	f.Add([]byte(`{"type":"object","properties":{"a":{"type":"string"}}}`), []byte(`{"a":1}`))
	f.Add([]byte(`{"$ref":"#"}`), []byte(`{}`))
	f.Fuzz(func(_ *testing.T, schema, args []byte) { tools.Check(schema, args) })
}
