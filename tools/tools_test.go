package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/chibi-host/chibi/tools"
)

// check compiles a schema and holds arguments against it.
func check(schema, args json.RawMessage) error {
	s, err := tools.Compile(schema)
	if err != nil {
		return err
	}
	return s.Check(args)
}

func TestCheck(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"lines":{"type":"integer"},
		"mode":{"enum":["a","b"]}},"required":["path"],"additionalProperties":false}`)
	for _, test := range []struct{ name, args, want string }{
		{"good", `{"path":"x","lines":3}`, ""},
		{"missing", `{}`, `argument "path" is missing`},
		{"wrong type", `{"path":1}`, `argument "path": must be a string, is an integer`},
		{"not whole", `{"path":"x","lines":1.5}`, `argument "lines": must be an integer, is a number`},
		{"not one of", `{"path":"x","mode":"z"}`, `argument "mode": must be one of ["a","b"]`},
		{"not known", `{"path":"x","pth":"y"}`, `unexpected additional properties ["pth"]`},
		{"an array", `[1]`, "the arguments must be one JSON object"},
		{"not JSON", `{"path":`, "the arguments are not valid JSON"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := ""
			if err := check(schema, json.RawMessage(test.args)); err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("Check = %s\nwant    %s", got, test.want)
			}
		})
	}
}

func TestABrokenSchemaIsToldApart(t *testing.T) {
	for _, schema := range []string{`{"type":"objekt"}`, `{"properties":{"a":{"pattern":"^(?!x)"}}}`,
		`{"properties":{"a":{"type":"int"}}}`, `{"properties":{"a":{"type":["integer","nul"]}}}`,
		`{"properties":{"a":{"anyOf":[]}}}`, `{"properties":{"a":{"enum":[]}}}`, `{"properties":{"a":{"maxLength":-1}}}`,
		`{"properties":{"a":{"multipleOf":0}}}`, `{"properties":{"a":{"type":[]}}}`,
		`{"$defs":{"a":{"items":{"not":{"type":"String"}}}}}`,
		`{"properties":{"a":{"type":"string","required":true}}}`, `{"properties":{"a":{"$ref":"#/$defs/b"}}}`,
		`{"properties":["a"]}`, `{"properties":{"a":"string"}}`, `{"required":"a"}`, `{"enum":1}`, `[]`, `"x"`, `true`,
		`null`,
		`{"type":3}`, `{"$ref":"#"}`,
		`{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"anyOf":[{"$ref":"#"}]}}}`,
		`{"properties":{"a":{"$ref":"#/properties/a"}}}`, `{"$ref":"http://localhost:1/x"}`} {
		if err := check(json.RawMessage(schema), json.RawMessage(`{}`)); !errors.Is(err, tools.ErrSchema) {
			t.Errorf("%s: %v, want ErrSchema", schema, err)
		}
	}
}

func TestARecursiveSchemaIsFine(t *testing.T) {
	schema := json.RawMessage(`{"type":"object",
		"properties":{"children":{"type":"array","items":{"$ref":"#"}},"name":{"$ref":"#/$defs/name"}},
		"$defs":{"name":{"type":"string"}}}`)
	if err := check(schema, json.RawMessage(`{"children":[{"children":[],"name":"x"}]}`)); err != nil {
		t.Error(err)
	}
	if err := check(schema, json.RawMessage(`{"children":[{"name":7}]}`)); err == nil {
		t.Error("a wrong child was taken")
	}
}

// doubling is a schema in which each of n definitions names the next one twice.
func doubling(n int, each string) json.RawMessage {
	defs := make([]string, n+1)
	for i := range n {
		defs[i] = fmt.Sprintf(`"d%d":`+each, i, i+1, i+1)
	}
	defs[n] = fmt.Sprintf(`"d%d":{"type":"object"}`, n)
	return json.RawMessage(`{"$ref":"#/$defs/d0","$defs":{` + strings.Join(defs, ",") + `}}`)
}

// TestASmallSchemaCannotTakeForEver: each of these exhausted the stack, the memory
// or the afternoon.
func TestASmallSchemaCannotTakeForEver(t *testing.T) {
	const both = `{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`
	chain := make([]string, 5000)
	for i := range chain {
		chain[i] = fmt.Sprintf(`"d%d":{"$ref":"#/$defs/d%d"}`, i, i+1)
	}
	var longName strings.Builder
	fmt.Fprintf(&longName, `{"properties":{"%s":{"properties":{"a":{}`, strings.Repeat("n", 10_000))
	for i := range 1000 {
		fmt.Fprintf(&longName, `,"a%d":{}`, i)
	}
	longName.WriteString("}}}}")
	for _, test := range []struct{ name, schema, want string }{
		{"22 definitions that double", string(doubling(22, both)), "steps"},
		{"40 definitions that double", string(doubling(40, both)), "steps"},
		{"a chain of 5,000 references", `{"$ref":"#/$defs/d0","$defs":{` + strings.Join(chain, ",") + `,"d5000":{}}}`,
			"nested more than 32 steps deep"},
		{"a cycle behind an $id", `{"$defs":{"b":{},"a":{"$id":"http://x/","$defs":{"b":{"$ref":"#/$defs/a/$defs/b"}}}},` +
			`"$ref":"#/$defs/a"}`, "refers to itself"},
		{"a cycle behind an escape", `{"$defs":{"a%62":{},"ab":{"$ref":"#/$defs/a%62"}},"$ref":"#/$defs/ab"}`,
			"does not point into the schema"},
		{"a cycle through dependencies", `{"dependencies":{"a":{"$ref":"#"}}}`, "refers to itself"},
		{"a reference to what is not a schema", `{"$ref":"#/properties"}`, "has no target"},
		{"a pattern that grows", `{"properties":{"a":{"pattern":"(aaaaaaaaaaaaaaaaaaaa){1000}"}}}`,
			"too large with its repetitions expanded"},
		{"names of members by such a pattern", `{"patternProperties":{"(aaaaaaaaaaaaaaaaaaaa){1000}":{}}}`,
			"too large with its repetitions expanded"},
		{"a long name above many schemas", longName.String(), "too many subschemas"},
		{"a schema of 2 MB", `{"description":"` + strings.Repeat("x", 2<<20) + `"}`, "at most 1048576 are allowed"},
		{"20 million brackets", `{"enum":` + strings.Repeat("[", 20<<20), "at most 1048576 are allowed"},
		{"deep nesting", strings.Repeat(`{"not":`, 500) + `{}` + strings.Repeat(`}`, 500), "it nests too deep"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := check(json.RawMessage(test.schema), json.RawMessage(`{"a":{"a":1}}`))
			if !errors.Is(err, tools.ErrSchema) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Check = %v, want ErrSchema with %q", err, test.want)
			}
		})
	}
}

// TestArgumentsThatTakeTooLongAreRefused: here it is the depth of the arguments
// that doubles the work, so the schema is fine and the call is not.
func TestArgumentsThatTakeTooLongAreRefused(t *testing.T) {
	schema := json.RawMessage(`{"allOf":[{"properties":{"a":{"$ref":"#"}}},{"properties":{"a":{"$ref":"#"}}}]}`)
	args := func(n int) json.RawMessage {
		return json.RawMessage(strings.Repeat(`{"a":`, n) + `{}` + strings.Repeat(`}`, n))
	}
	if err := check(schema, args(5)); err != nil {
		t.Errorf("a small call: %v", err)
	}
	const want = "the arguments are too large to be checked against the tool's parameters; make them smaller"
	if err := check(schema, args(150)); err == nil || err.Error() != want {
		t.Errorf("a deep call: %v, want %s", err, want)
	}
}

func TestALargeCallIsChecked(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","properties":{"content":{"anyOf":[{"type":"string"},{"type":"null"}]},
		"list":{"type":"array","items":{"type":"object","properties":{"n":{"type":"integer"}}}}},"required":["content"]}`)
	list := strings.TrimSuffix(strings.Repeat(`{"n":1},`, 50_000), ",")
	args := `{"content":"` + strings.Repeat("x", 4<<20) + `","list":[` + list + `]}`
	if err := check(schema, json.RawMessage(args)); err != nil {
		t.Error(err)
	}
	if err := check(schema, json.RawMessage(strings.Replace(args, `{"n":1}]`, `{"n":"x"}]`, 1))); err == nil {
		t.Error("a wrong element at the end was taken")
	}
}

// TestKeywordsAreMatchedExactly: the library takes "$Ref" for "$ref".
func TestKeywordsAreMatchedExactly(t *testing.T) {
	for _, schema := range []string{`{"$Ref":"#"}`, `{"Required":["x"]}`, `{"properties":{"a":{"TYPE":"string"}}}`,
		`{"properties":{"a":{"allOf":[{"$REF":"#"}]}}}`, `{"$recursiveRef":"#"}`} {
		if err := check(json.RawMessage(schema), json.RawMessage(`{"a":1}`)); err != nil {
			t.Errorf("%s: %v", schema, err)
		}
	}
	schema := json.RawMessage(`{"properties":{"Type":{"type":"string"},"REQUIRED":{"const":1}}}`)
	if err := check(schema, json.RawMessage(`{"Type":"x","REQUIRED":1}`)); err != nil {
		t.Errorf("names of arguments are no keywords: %v", err)
	}
	if err := check(schema, json.RawMessage(`{"Type":1}`)); err == nil {
		t.Error("an argument named Type was not checked")
	}
}

func TestNumbersOfAnySizeCanBeChecked(t *testing.T) {
	schema := json.RawMessage(`{"properties":{"n":{"type":"number","maximum":10}}}`)
	if err := check(json.RawMessage(`{"properties":{"n":{"type":"number"}}}`),
		json.RawMessage(`{"n":1e400}`)); err != nil {
		t.Error(err)
	}
	for _, args := range []string{`{"n":1e400}`, `{"n":1e999999999}`, `{"n":12345678901234567890}`} {
		if err := check(schema, json.RawMessage(args)); err == nil {
			t.Errorf("%s is not over 10", args)
		}
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
	f.Add([]byte(`{"$Ref":"#"}`), []byte(`{}`))
	f.Add([]byte(doubling(22, `{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`)), []byte(`{}`))
	f.Add([]byte(`{"allOf":[{"properties":{"a":{"$ref":"#"}}},{"properties":{"a":{"$ref":"#"}}}]}`),
		[]byte(`{"a":{"a":{"a":{}}}}`))
	f.Fuzz(func(t *testing.T, schema, args []byte) {
		fuzztest.Memory(t)
		check(schema, args)
	})
}

func TestValidName(t *testing.T) {
	for _, name := range []string{"a", "Read_file-2", strings.Repeat("x", 64)} {
		if !tools.ValidName(name) {
			t.Errorf("%q is a name", name)
		}
	}
	for _, name := range []string{"", "a b", "é", "a.b", "a\n", "-\x00-", strings.Repeat("x", 65)} {
		if tools.ValidName(name) {
			t.Errorf("%q is no name", name)
		}
	}
}

func TestAToolOfAServerIsOfTheCategoryMCPToo(t *testing.T) {
	shell := tools.Spec{Category: tools.CategoryShell}
	remote := tools.Spec{Category: tools.CategoryShell, Remote: &tools.Remote{Server: "s", Tool: "run"}}
	if shell.Is(tools.CategoryMCP) || !shell.Is(tools.CategoryShell) {
		t.Error("a shell tool is not only a shell tool")
	}
	if !remote.Is(tools.CategoryMCP) || !remote.Is(tools.CategoryShell) || remote.Is(tools.CategoryRead) {
		t.Error("a shell tool of a server is not both")
	}
}
