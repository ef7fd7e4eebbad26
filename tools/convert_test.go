package tools_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/tools"
	"github.com/google/go-cmp/cmp"
)

// TestATextIsConvertedWhereItCanOnlyMeanAnotherType: n has the schema, and what is
// before the arrow becomes what is behind it.
func TestATextIsConvertedWhereItCanOnlyMeanAnotherType(t *testing.T) {
	for _, test := range []struct{ name, schema, want string }{
		{"an integer", `{"type":"integer"}`, `"5" -> 5, "-7" -> -7, "0" -> 0`},
		{"an integer keeps its digits", `{"type":"integer"}`,
			`"123456789012345678901234567890" -> 123456789012345678901234567890`},
		{"no spelling of an integer in JSON", `{"type":"integer"}`,
			`"5.0", "1e3", " 5", "5 ", "+5", "05", "0x5", "", "-", "five", "true", "null", "5,000", "٥", "1_000"`},
		{"a very long integer", `{"type":"integer"}`, `"` + strings.Repeat("1", 1001) + `"`},
		{"a number", `{"type":"number"}`, `"5" -> 5, "5.0" -> 5.0, "1e3" -> 1e3, "-0.5E-2" -> -0.5E-2`},
		{"no spelling of a number in JSON", `{"type":"number"}`, `".5", "5.", "1e", "NaN", "Infinity", " 1.5"`},
		{"a boolean", `{"type":"boolean"}`, `"true" -> true, "false" -> false`},
		{"no spelling of a boolean in JSON", `{"type":"boolean"}`, `"True", "FALSE", "yes", "1", "", "null", " true"`},
		{"null or a number", `{"type":["integer","null"]}`, `"5" -> 5, "null" -> null, "true"`},
		{"null", `{"type":"null"}`, `"null" -> null, "None"`},
		{"a text stays a text", `{"type":"string"}`, `"5", "true", "null"`},
		{"whatever may be a text", `{"type":["integer","string"]}`, `"5", "true"`},
		{"anything", `{}`, `"5", "true"`},
		{"anything, in another word", `true`, `"5"`},
		{"nothing", `false`, `"5"`},
		{"what is valid already", `{"type":"integer"}`, `5, 5.0, 1e3, -0`},
		{"what is wrong otherwise", `{"type":"integer"}`, `true, null, 1.5, {}, ["5"]`},
		{"lists and objects are not read from texts", `{"type":["array","object"]}`, `"[1]", "{}"`},
		{"an enum of numbers", `{"enum":[1,2.5,true,null]}`,
			`"1" -> 1, "7" -> 7, "2.5" -> 2.5, "true" -> true, "null" -> null`},
		{"an enum with a text", `{"enum":["auto",1]}`, `"1", "auto"`},
		{"an enum of integers", `{"type":"number","enum":[1,2]}`, `"1" -> 1, "2.5"`},
		{"a const", `{"const":3}`, `"3" -> 3`},
		{"any of two", `{"anyOf":[{"type":"integer"},{"type":"null"}]}`, `"5" -> 5, "null" -> null`},
		{"one of two", `{"oneOf":[{"type":"integer"},{"type":"boolean"}]}`, `"5" -> 5, "true" -> true, "5.5"`},
		{"any of two, one of them a text", `{"anyOf":[{"type":"integer"},{"type":"string","maxLength":1}]}`, `"55"`},
		{"any of two, one of them free", `{"anyOf":[{"type":"integer"},{"minimum":1}]}`, `"5"`},
		{"all of two", `{"allOf":[{"type":["integer","string"]},{"type":["integer","boolean"]}]}`, `"5" -> 5, "true"`},
		{"a reference", `{"$ref":"#/$defs/count"}`, `"5" -> 5`},
		{"a reference with a list beside it", `{"type":["integer","string"],"anyOf":[{"$ref":"#/$defs/count"}]}`, `"5" -> 5`},
		{"members", `{"type":"object","properties":{"a":{"type":"integer"}},"additionalProperties":{"type":"boolean"}}`,
			`{"a":"5","b":"true","c":{}} -> {"a":5,"b":true,"c":{}}`},
		{"members by a pattern", `{"patternProperties":{"^n_":{"type":"number"}},"additionalProperties":{"type":"boolean"}}`,
			`{"n_a":"5","n_b":"true","c":"true"} -> {"n_a":5,"n_b":"true","c":true}`},
		{"elements", `{"type":"array","items":{"type":"integer"}}`, `["1",2,"x",["3"]] -> [1,2,"x",["3"]]`},
		{"the first elements", `{"prefixItems":[{"type":"integer"},{}],"items":{"type":"boolean"}}`,
			`["1","1","true","1"] -> [1,"1",true,"1"]`},
		{"an object or nothing", `{"anyOf":[{"type":"null"},{"type":"object","properties":{"a":{"type":"integer"}}}]}`,
			`{"a":"5"} -> {"a":5}`},
		{"one of two objects", `{"oneOf":[{"type":"object","properties":{"a":{"type":"integer"}}},
			{"type":"object","properties":{"a":{"type":"string"}}}]}`, `{"a":"5"}`},
		{"a tree", `{"$ref":"#/$defs/tree"}`, `{"n":"1","in":[{"n":"2","in":[{"n":"3"}]}]} -> {"n":1,"in":[{"n":2,` +
			`"in":[{"n":3}]}]}`},
		{"all else stays as it is written", `{"type":"object","properties":{"a":{"type":"integer"}}}`,
			`{"z":1.50,"a":"5","y":"<é\n>","":12345678901234567890} -> {"z":1.50,"a":5,"y":"<é\n>","":12345678901234567890}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			schema := compiled(t, `{"type":"object","properties":{"n":`+test.schema+`},"$defs":{"count":{"type":"integer"},
				"tree":{"properties":{"n":{"type":"integer"},"in":{"items":{"$ref":"#/$defs/tree"}}}}}}`)
			for _, row := range rows(test.want) {
				before, after, changes := strings.Cut(row, " -> ")
				if !changes {
					after = before
				}
				got, places := schema.Convert(json.RawMessage(`{"n":` + before + `}`))
				if want := `{"n":` + after + `}`; string(got) != want || (len(places) > 0) != changes {
					t.Errorf("%s became %s, %q; want %s", before, got, places, want)
				}
			}
		})
	}
}

// TestArgumentsThatPassAreNeverConverted: versions of JSON Schema differ in what they
// ignore, and the check knows.
func TestArgumentsThatPassAreNeverConverted(t *testing.T) {
	const draft7, latest = "http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema"
	const first = `"items":[{"type":"integer"}],"additionalItems":{"type":"boolean"}`
	const beside = `"$ref":"#/$defs/any","type":"integer"`
	for _, test := range []struct{ name, version, schema, args, want string }{
		{"the first elements in the earlier spelling", draft7, first, `["1","true"]`, `[1,true]`},
		{"the same, in a version without it", latest, first, `["1","true"]`, `["1","true"]`},
		{"a type beside a reference", latest, beside, `"1"`, `1`},
		{"the same, in a version that ignores it", draft7, beside, `"1"`, `"1"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			schema := compiled(t, `{"$schema":"`+test.version+`","properties":{"n":{`+test.schema+`}},"$defs":{"any":{}}}`)
			got, _ := schema.Convert(json.RawMessage(`{"n":` + test.args + `}`))
			if want := `{"n":` + test.want + `}`; string(got) != want || schema.Check(got) != nil {
				t.Errorf("%s became %s, %v; want %s", test.args, got, schema.Check(got), want)
			}
		})
	}
}

// rows splits a list of values, each perhaps with what it becomes.
func rows(list string) (rows []string) {
	depth, quoted, begin := 0, false, 0
	for i, b := range list {
		switch {
		case b == '"':
			quoted = !quoted
		case quoted:
		case b == '{' || b == '[':
			depth++
		case b == '}' || b == ']':
			depth--
		case b == ',' && depth == 0:
			rows, begin = append(rows, strings.TrimSpace(list[begin:i])), i+1
		}
	}
	return append(rows, strings.TrimSpace(list[begin:]))
}

func compiled(t *testing.T, schema string) *tools.Schema {
	t.Helper()
	s, err := tools.Compile(json.RawMessage(schema))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestConversionsAreNamed(t *testing.T) {
	schema := compiled(t, `{"properties":{"a/b":{"items":{"properties":{"n":{"type":"integer"}}}},`+
		`"~":{"type":"boolean"}}}`)
	_, places := schema.Convert(json.RawMessage(`{"a/b":[{"n":1},{"n":"2"}],"~":"true"}`))
	if diff := cmp.Diff([]string{"/a~1b/1/n", "/~0"}, places); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
	many := `{"a/b":[` + strings.TrimSuffix(strings.Repeat(`{"n":"1"},`, 1000), ",") + `]}`
	got, places := schema.Convert(json.RawMessage(many))
	if len(places) != 21 || places[20] != "and 980 more" || string(got) != strings.ReplaceAll(many, `"1"`, "1") {
		t.Errorf("%d places, %q; %.60s", len(places), places[len(places)-1], got)
	}
	_, places = compiled(t, `{"additionalProperties":{"type":"integer"}}`).Convert(
		json.RawMessage(`{"` + strings.Repeat("ü", 5000) + `":"1"}`))
	if len(places) != 1 || len(places[0]) > 210 {
		t.Errorf("a long name is named in %d bytes", len(places[0]))
	}
}

func TestASchemaThatTakesAnythingConvertsNothing(t *testing.T) {
	var none *tools.Schema
	args := json.RawMessage(`{"n":"5"}`)
	if got, places := none.Convert(args); string(got) != string(args) || places != nil || none.Check(args) != nil {
		t.Errorf("%s, %q", got, places)
	}
}

// TestArgumentsAreNotReadWhereNothingCanBeConverted: tools that take texts only, which
// may be large, are called most.
func TestArgumentsAreNotReadWhereNothingCanBeConverted(t *testing.T) {
	args := json.RawMessage(`{"path":"5","content":"` + strings.Repeat("x", 1<<16) + `"}`)
	for schema, isRead := range map[string]bool{
		`{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}},"required":["path"]}`: false,
		`{"type":"object","properties":{"lines":{"type":"array","items":{"type":"string"}}}}`:                       false,
		`{"type":"object","properties":{"path":{"type":"string"},"force":{"type":"boolean"}}}`:                      true,
		`{"type":"object","properties":{"path":{"type":["object","null"]}}}`:                                        true,
	} {
		s := compiled(t, schema)
		allocated := testing.AllocsPerRun(1, func() { s.Convert(args) })
		if isRead != (allocated > 0) {
			t.Errorf("%s: converting allocates %v times", schema, allocated)
		}
	}
}

// TestConvertingIsAsBoundedAsChecking: the depth of the arguments doubles the work.
func TestConvertingIsAsBoundedAsChecking(t *testing.T) {
	schema := compiled(t, `{"allOf":[{"properties":{"a":{"$ref":"#"},"n":{"type":"integer"}}},
		{"properties":{"a":{"$ref":"#"}}}]}`)
	args := func(n int) json.RawMessage {
		return json.RawMessage(strings.Repeat(`{"a":`, n) + `{"n":"1"}` + strings.Repeat(`}`, n))
	}
	if _, places := schema.Convert(args(5)); len(places) != 1 {
		t.Errorf("a small call: %q", places)
	}
	if got, places := schema.Convert(args(150)); string(got) != string(args(150)) || places != nil {
		t.Errorf("a deep call: %.40s, %q", got, places)
	}
}

// FuzzConvert holds that arguments which pass the check stay as they are, that
// converted ones have nothing left to convert, and that only texts change.
func FuzzConvert(f *testing.F) {
	for i, schema := range []string{`{"properties":{"a":{"type":"integer"}}}`,
		`{"additionalProperties":{"type":["boolean","null"]}}`,
		`{"properties":{"a":{"anyOf":[{"type":"object","additionalProperties":{"enum":[1,true]}},` +
			`{"items":{"type":"number"}}]}}}`,
		`{"oneOf":[{"$ref":"#/$defs/a"},{"not":{"type":"object"}}],` +
			`"$defs":{"a":{"patternProperties":{"a":{"type":"integer"}}}}}`} {
		f.Add([]byte(schema), fmt.Appendf(nil, `{"a":"%d"}`, i))
		f.Add([]byte(schema), []byte(`{"a":{"b":"1"},"c":["true",{"a":"null"}]}`))
	}
	f.Fuzz(func(t *testing.T, schema, args []byte) {
		fuzztest.Memory(t)
		s, err := tools.Compile(schema)
		if err != nil {
			return
		}
		plain, err := strictjson.Arguments(args)
		if err != nil {
			return
		}
		got, places := s.Convert(plain)
		if s.Check(plain) == nil && places != nil {
			t.Errorf("valid arguments were converted: %s to %s", plain, got)
		}
		again, more := s.Convert(got)
		if more != nil || string(again) != string(got) {
			t.Errorf("%s became %s, and then %s", plain, got, again)
		}
		if a, b := strings.ReplaceAll(string(plain), `"`, ""), strings.ReplaceAll(string(got), `"`, ""); a != b {
			t.Errorf("%s became %s", plain, got)
		}
	})
}
