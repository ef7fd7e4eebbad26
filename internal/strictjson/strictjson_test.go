package strictjson_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/google/go-cmp/cmp"
)

func nested(open, inner, shut string, n int) string {
	return strings.Repeat(open, n) + inner + strings.Repeat(shut, n)
}

func TestCheckTakesOneValueOfABoundedDepth(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"an object", ` {"a":[1,"x",null]} `, ""},
		{"a duplicate name", `{"a":1,"a":2}`, ""},
		{"bytes that are not UTF-8", "\"\xff\"", ""},
		{"a lone surrogate", `"\ud800"`, ""},
		{"brackets in a string", `"` + strings.Repeat(`[\"`, 5000) + `"`, ""},
		{"brackets behind a string that ends in a backslash", `["\\",` + nested("[", "", "]", strictjson.MaxDepth) + `]`,
			"it nests too deep: more than 1000 objects and arrays in each other"},
		{"brackets behind three backslashes and a quotation mark", `["\\\"` + strings.Repeat("[", 5000) + `"]`, ""},
		{"as deep as is allowed", nested("[", "", "]", strictjson.MaxDepth), ""},
		{"one level deeper", nested("[", "", "]", strictjson.MaxDepth+1),
			"it nests too deep: more than 1000 objects and arrays in each other"},
		{"20 million brackets", strings.Repeat("[", 20<<20),
			"it nests too deep: more than 1000 objects and arrays in each other"},
		{"nothing", ``, "not JSON: unexpected EOF at byte 0"},
		{"half an object", `{"a":`, "not JSON: unexpected EOF at byte 5"},
		{"two values", `{} {}`, "not JSON: invalid character '{' after top-level value at byte 3"},
		{"a word", `yes`, "not JSON: invalid character 'y' at start of value at byte 0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := ""
			if err := strictjson.Check([]byte(test.text)); err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("Check = %q, want %q", got, test.want)
			}
		})
	}
}

func TestNormalizeWritesOneSpelling(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"escapes in values", `{"command":"\u0073udo ls"}`, `{"command":"sudo ls"}`},
		{"escapes in names", `{"comm\u0061nd":"x"}`, `{"command":"x"}`},
		{"no escapes for HTML", `"\u003ca href\u003d\"x\"\u003e \u0026 \u2028"`, "\"<a href=\\\"x\\\"> & \u2028\""},
		{"an escaped slash", `"rm -rf \/"`, `"rm -rf /"`},
		{"what must be escaped", `"\u000a\u0000\t\u001b"`, `"\n\u0000\t\u001b"`},
		{"letters of other scripts", `"\u00fc\u65e5\ud83d\ude00"`, `"ü日😀"`},
		{"a lone surrogate", `"a\ud800b"`, "\"a\uFFFDb\""},
		{"bytes that are not UTF-8", "\"a\xffb\"", "\"a\uFFFDb\""},
		{"numbers as written", `[1e400, -0, 12345678901234567890, 1.50, 1E+2]`, `[1e400,-0,12345678901234567890,1.50,1E+2]`},
		{"members in their order", `{"z": 1, "a": 2, "m": 3}`, `{"z":1,"a":2,"m":3}`},
		{"the last duplicate", `{"command":"ls","x":1,"command":"sudo"}`, `{"x":1,"command":"sudo"}`},
		{"a duplicate in other letters", `{"command":"ls","comm\u0061nd":"sudo"}`, `{"command":"sudo"}`},
		{"names that only differ in case", `{"path":1,"PATH":2}`, `{"path":1,"PATH":2}`},
		{"a duplicate of another type", `{"a":{"b":1},"a":[{"c":1,"c":2}],"d":{"e":1,"e":2}}`, `{"a":[{"c":2}],"d":{"e":2}}`},
		{"a duplicate in what a duplicate replaces", `{"a":{"b":1,"b":2},"a":{"b":3}}`, `{"a":{"b":3}}`},
		{"a name three times", `[{"a":1,"a":2,"a":3},{"a":1}]`, `[{"a":3},{"a":1}]`},
		{"names that become the same", `{"\ud800":1,"\udfff":2}`, "{\"\uFFFD\":2}"},
		{"not an object", ` "x" `, `"x"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := strictjson.Normalize([]byte(test.text))
			if err != nil || string(got) != test.want {
				t.Errorf("Normalize(%s)\n  = %s, %v\nwant %s", test.text, got, err, test.want)
			}
		})
	}
}

func TestNormalizeRefusesWhatCheckRefuses(t *testing.T) {
	for _, text := range []string{``, `{`, `{"a":1,"a":}`, `{} {}`, nested("[", "", "]", 1001),
		nested(`{"a":1,"a":`, "1", "}", 1001)} {
		_, err := strictjson.Normalize([]byte(text))
		if check := strictjson.Check([]byte(text)); err == nil || check == nil {
			t.Errorf("Normalize(%.30s) = %v, Check = %v", text, err, check)
		}
	}
}

type inner struct {
	N int `json:"n"`
}

type record struct {
	Path  string            `json:"path"`
	Inner inner             `json:"inner"`
	List  []inner           `json:"list"`
	Map   map[string]string `json:"map"`
	When  time.Time         `json:"when,omitzero"`
	Raw   json.RawMessage   `json:"raw"`
	Any   any               `json:"any"`
	Plain string
}

func TestDecodeMatchesNamesExactly(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       record
	}{
		{"other letters are other names", `{"PATH":".env","Path":"x","plain":"x"}`, record{}},
		{"the exact name", `{"PATH":"x","path":"a","Plain":"b"}`, record{Path: "a", Plain: "b"}},
		{"the last duplicate", `{"path":"a","path":"b"}`, record{Path: "b"}},
		{"duplicates are not merged", `{"inner":{"n":1},"inner":{},"map":{"a":"1"},"map":{"b":"2"}}`,
			record{Map: map[string]string{"b": "2"}}},
		{"unknown members", `{"other":1}`, record{}},
		{"null", `{"path":null,"inner":null,"map":null}`, record{}},
		{"any values", `{"any":{"a":[1,"x",null,true]}}`, record{Any: map[string]any{"a": []any{1.0, "x", nil, true}}}},
		{"raw values stay", `{"raw": {"A" : "\u0061"}}`, record{Raw: json.RawMessage(`{"A" : "\u0061"}`)}},
		{"not UTF-8", "{\"path\":\"a\xff\"}", record{Path: "a\uFFFD"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got record
			if err := strictjson.Decode([]byte(test.text), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("decoded (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecodeSaysWhatIsWrong(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"a value of another type", `{"inner":{"n":"x"}}`, `inner.n: must be an integer, is a string`},
		{"an object for a text", `{"path":{}}`, `path: must be a string, is an object`},
		{"an element of another type", `{"list":[{"n":1},{"n":true}]}`, `list.1.n: must be an integer, is a boolean`},
		{"a text for a list", `{"list":"x"}`, `list: must be an array, is a string`},
		{"a fraction", `{"inner":{"n":1.5}}`, `inner.n: must be an integer, is 1.5`},
		{"a number that is too large", `{"inner":{"n":1e400}}`, `inner.n: must be an integer, is 1e400`},
		{"an integer that is too large", `{"inner":{"n":12345678901234567890}}`,
			`inner.n: must be an integer of at most 64 bits, is 12345678901234567890`},
		{"no time", `{"when":"noon"}`, `when: must be a time such as "2026-11-21T14:30:00Z", is another string`},
		{"a name that is no word", `{"map":{"a: b\n":1}}`, `"map.a: b\n": must be a string, is a number`},
		{"another value altogether", `[]`, `it must be an object, is an array`},
		{"not JSON", `{"path"`, `not JSON: unexpected EOF at byte 7`},
		{"too deep", `{"any":` + nested("[", "", "]", 1000) + `}`,
			`it nests too deep: more than 1000 objects and arrays in each other`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got record
			if err := strictjson.Decode([]byte(test.text), &got); err == nil || err.Error() != test.want {
				t.Errorf("Decode = %v, want %s", err, test.want)
			}
		})
	}
}

func TestDecodeKnownNamesTheNearestField(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"other letters", `{"PATH":".env"}`, `unknown field "PATH"; did you mean "path"?`},
		{"a typing mistake", `{"innr":{}}`, `unknown field "innr"; did you mean "inner"?`},
		{"inside", `{"list":[{"N":1}]}`, `unknown field "list.0.N"; did you mean "n"?`},
		{"nothing like it", `{"zzzzzzzzz":1}`,
			`unknown field "zzzzzzzzz"; the known fields are path, inner, list, map, when, raw, ` +
				`any, Plain`},
		{"keys of a map are no fields", `{"map":{"PATH":"x"},"any":{"PATH":1}}`, ``},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := ""
			if err := strictjson.DecodeKnown([]byte(test.text), &record{}); err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("DecodeKnown = %s, want %s", got, test.want)
			}
		})
	}
}

func TestNearest(t *testing.T) {
	known := []string{"block", "message", "arguments", "follow_up_messages"}
	for name, want := range map[string]string{
		"blok": "block", "Block": "block", "BLOCK": "block", "blocked": "block", "followUpMessages": "follow_up_messages",
		"args": "", "x": "", strings.Repeat("x", 1<<20): "",
	} {
		if got := strictjson.Nearest(name, known); got != want {
			t.Errorf("Nearest(%.20q) = %q, want %q", name, got, want)
		}
	}
}

// FuzzNormalize holds that the spelling is stable, and means what encoding/json
// reads.
func FuzzNormalize(f *testing.F) {
	f.Add([]byte(`{"a":1,"a":{"b":[1e400,"\u0073\ud800"]},"c":-0}`))
	f.Add([]byte(`[{"a":{"b":1,"b":2},"a":3}]`))
	f.Add([]byte(nested("[", "", "]", 1001)))
	f.Fuzz(func(t *testing.T, text []byte) {
		fuzztest.Memory(t)
		plain, err := strictjson.Normalize(text)
		if valid := strictjson.Check(text); (err == nil) != (valid == nil) {
			t.Fatalf("Normalize: %v, Check: %v", err, valid)
		}
		if err != nil {
			if !errors.Is(err, strictjson.ErrDepth) && json.Valid(text) {
				t.Errorf("encoding/json takes %q: %v", text, err)
			}
			return
		}
		if again, err := strictjson.Normalize(plain); err != nil || string(again) != string(plain) {
			t.Errorf("Normalize(%q) = %q, and again %q, %v", text, plain, again, err)
		}
		var want, got any
		if json.Unmarshal(text, &want) == nil {
			if err := json.Unmarshal(plain, &got); err != nil || !cmp.Equal(want, got) {
				t.Errorf("%q means %v, normalized %q means %v (%v)", text, want, plain, got, err)
			}
		}
	})
}

// FuzzDecode holds that nothing is decoded that encoding/json does not take.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"path":"a","inner":{"n":1},"list":[{}],"map":{"a":"b"},"any":[1]}`))
	f.Add([]byte(`{"inner":{"n":1},"inner":{"n":2},"PATH":1}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		fuzztest.Memory(t)
		var a, b record
		err := strictjson.Decode(text, &a)
		if err == nil && !json.Valid(text) {
			t.Errorf("Decode takes %q", text)
		}
		if known := strictjson.DecodeKnown(text, &b); known == nil && (err != nil || !cmp.Equal(a, b)) {
			t.Errorf("DecodeKnown takes %q as %v, Decode as %v (%v)", text, b, a, err)
		}
	})
}

// TestEncodeWritesWhatEncodingJSONDoes but for characters that matter in HTML or old JavaScript.
func TestEncodeWritesWhatEncodingJSONDoes(t *testing.T) {
	for _, test := range []struct {
		value any
		want  string
	}{
		{"<a> & b", `"<a> & b"`},
		{"a\u2028b\x00", "\"a\u2028b\\u0000\""},
		{map[string]any{"b": 1.50, "a": []any{nil, true, 1e21}}, `{"a":[null,true,1e+21],"b":1.5}`},
		{json.RawMessage(` { "n" : 1.50E+3 , "s" : "\u0061" } `), `{"n":1.50E+3,"s":"\u0061"}`},
		{[]json.Number{"12", "1.0", ""}, `[12,1.0,0]`},
		{struct {
			List  []string `json:"list"`
			None  []string `json:"none,omitzero"`
			Bytes []byte   `json:"bytes"`
		}{Bytes: []byte{1}}, `{"list":null,"bytes":"AQ=="}`},
	} {
		if got, err := strictjson.Encode(test.value); err != nil || string(got) != test.want {
			t.Errorf("%#v: %s, %v, want %s", test.value, got, err, test.want)
		}
	}
	for _, value := range []any{func() {}, math.NaN(), json.RawMessage("{"), json.Number("x")} {
		if got, err := strictjson.Encode(value); err == nil {
			t.Errorf("%T was written as %s", value, got)
		}
	}
}

func TestSortedIsTheSameForTheSameMeaning(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{`{"b":1,"a":{"d":[{"z":1,"y":2}],"c":1e3}}`, `{"a":{"c":1e3,"d":[{"y":2,"z":1}]},"b":1}`},
		{`{"a":1,"b":2,"a":12345678901234567890}`, `{"a":12345678901234567890,"b":2}`},
		{`[2,1]`, `[2,1]`},
	} {
		if got, err := strictjson.Sorted([]byte(test.text)); err != nil || string(got) != test.want {
			t.Errorf("Sorted(%s) = %s, %v", test.text, got, err)
		}
	}
	if _, err := strictjson.Sorted([]byte(`{"a"`)); err == nil {
		t.Error("half an object is sorted")
	}
}
