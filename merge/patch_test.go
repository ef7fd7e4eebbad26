package merge_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/chibi-host/chibi/merge"
)

func TestPatch(t *testing.T) {
	for _, test := range []struct{ name, doc, patch, want string }{
		{"nothing", `{"a": 1}`, `{}`, `{"a": 1}`},
		{"replaces", `{"a": 1, "b": 2}`, `{"a": 3}`, `{"a": 3, "b": 2}`},
		{"adds last", `{"b":1}`, `{"c":2,"a":3}`, `{"b":1,"c":2,"a":3}`},
		{"adds to nothing", `{}`, `{"a":1}`, `{"a":1}`},
		{"deletes the first", `{"a":1,"b":2}`, `{"a":null}`, `{"b":2}`},
		{"deletes the last", `{"a":1,"b":2}`, `{"b":null}`, `{"a":1}`},
		{"deletes all", `{"a":1}`, `{"a":null}`, `{}`},
		{"deletes what is not there", `{"a":1}`, `{"b":null}`, `{"a":1}`},
		{"merges deeply", `{"a":{"b":{"c":1,"d":2}}}`, `{"a":{"b":{"c":3}}}`, `{"a":{"b":{"c":3,"d":2}}}`},
		{"arrays are replaced", `{"a":[1,2]}`, `{"a":[3]}`, `{"a":[3]}`},
		{"an object replaces a value", `{"a":1}`, `{"a":{"b":2,"c":null}}`, `{"a":{"b":2}}`},
		{"a new object has no nulls", `{}`, `{"a":{"b":{"c":null}}}`, `{"a":{"b":{}}}`},
		{"a value replaces the document", `{"a":1}`, `[1]`, `[1]`},
		{"spelling survives", `{"n": 1.50e+3 , "s":"<\u00e9>" ,"big":12345678901234567890}`, `{"x":0.10}`,
			`{"n": 1.50e+3 , "s":"<\u00e9>" ,"big":12345678901234567890,"x":0.10}`},
		{"keys are not paths", `{"a.b":1,"a":{"b":2},"*":3,"0":4,":1":5}`,
			`{"a.b":9,"*":8,"0":7,":1":6,"#":1,"@this":2,"a|b":3,"?":4}`,
			`{"a.b":9,"a":{"b":2},"*":8,"0":7,":1":6,"#":1,"@this":2,"a|b":3,"?":4}`},
		{"escaped keys are the same keys", `{"\u0061":1}`, `{"a":2}`, `{"\u0061":2}`},
		{"of duplicates the last counts", `{"a":1,"b":2,"a":3}`, `{"a":{"x":1}}`, `{"b":2,"a":{"x":1}}`},
		{"duplicates that nobody patches stay", `{"a":1,"a":2}`, `{"b":1}`, `{"a":1,"a":2,"b":1}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			doc := []byte(test.doc)
			got, err := merge.Patch(doc, []byte(test.patch))
			if err != nil || string(got) != test.want {
				t.Errorf("got  %s, %v\nwant %s", got, err, test.want)
			}
			if string(doc) != test.doc {
				t.Error("the document was modified")
			}
		})
	}
}

func TestPatchRefusesWhatIsNotJSON(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 2000) + "1" + strings.Repeat("}", 2000)
	for _, test := range []struct{ name, doc, patch, want string }{
		{"document", `{"a":`, `{}`, "the document cannot be used: not JSON: unexpected EOF at byte 5"},
		{"patch", `{}`, `{a:1}`, "the patch cannot be used: not JSON: invalid character 'a' at start of string (expecting " +
			"'\"') at byte 1"},
		{"depth", `{}`, deep, "the patch cannot be used: it nests too deep: more than 1000 objects and arrays in each other"},
		{"hostile depth", `{}`, strings.Repeat("[", 1<<20),
			"the patch cannot be used: it nests too deep: more than 1000 objects and arrays in each other"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := merge.Patch([]byte(test.doc), []byte(test.patch)); err == nil || err.Error() != test.want {
				t.Errorf("error = %v, want %s", err, test.want)
			}
		})
	}
}

// apply is RFC 7396's own algorithm on decoded values: what Patch must equal.
func apply(target, patch any) any {
	changes, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	object, ok := target.(map[string]any)
	if !ok {
		object = map[string]any{}
	}
	for key, value := range changes {
		if value == nil {
			delete(object, key)
		} else {
			object[key] = apply(object[key], value)
		}
	}
	return object
}

func decode(t *testing.T, data []byte) any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	return v
}

// nasty are keys that are anything but plain.
var nasty = [...]string{
	"a", "b", "a.b", "*", "?", "|", "#", "@", ":", ":1", "0", "1", "100000", "", " ", `"`, `\`, "{", "}", "[", "!", "<",
	"é", "\n", "a|b", "@this", "-1",
}

// value makes a random JSON value.
func value(r *rand.Rand, depth int) any {
	switch n := r.IntN(8); {
	case n < 3 && depth > 0:
		object := map[string]any{}
		for range r.IntN(5) {
			object[nasty[r.IntN(len(nasty))]] = value(r, depth-1)
		}
		return object
	case n == 3 && depth > 0:
		return []any{value(r, depth-1), value(r, depth-1)}
	case n == 4:
		return nil
	case n == 5:
		return json.Number([]string{"0", "1", "1.0", "-1e3", "9007199254740993", "0.1"}[r.IntN(6)])
	case n == 6:
		return r.IntN(2) == 0
	}
	return nasty[r.IntN(len(nasty))]
}

func TestPatchAgreesWithTheRFC(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	for range 20_000 {
		doc, _ := json.Marshal(value(r, 4))
		patch, _ := json.Marshal(value(r, 4))
		got, err := merge.Patch(doc, patch)
		if err != nil {
			t.Fatalf("seed %d: Patch(%s, %s): %v", seed, doc, patch, err)
		}
		want, _ := json.Marshal(apply(decode(t, doc), decode(t, patch)))
		if !merge.Equal(got, want) {
			t.Fatalf("seed %d: Patch(%s, %s) = %s, want %s", seed, doc, patch, got, want)
		}
		again, err := merge.Patch(got, patch)
		if err != nil || !merge.Equal(again, got) {
			t.Fatalf("seed %d: a patch applied twice is not a patch applied once: %s, %s", seed, got, again)
		}
	}
}

func TestSetTakesKeysNotPaths(t *testing.T) {
	doc := []byte(`{}`)
	want := map[string]any{}
	for i, key := range nasty {
		var err error
		if doc, err = merge.Set(doc, key, fmt.Append(nil, i)); err != nil {
			t.Fatalf("Set(%q): %v", key, err)
		}
		want[key] = json.Number(fmt.Sprint(i))
	}
	if got := decode(t, doc); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}

func FuzzPatch(f *testing.F) {
	f.Add([]byte(`{"a":{"b":1},"c":[1]}`), []byte(`{"a":{"b":null,"d":2},"c":3}`))
	f.Add([]byte(`{"a":1,"a":2}`), []byte(`{"a":{}}`))
	f.Add([]byte(" {\"a\" : 1 } "), []byte(`null`))
	f.Add([]byte(`{}`), []byte("{\"\":{\"\xff\xfe\":0}}")) // two bytes that are not UTF-8 are two characters
	f.Add([]byte(`0`), []byte(`0.0`))                      // the same value keeps its bytes
	f.Fuzz(func(t *testing.T, doc, patch []byte) {
		fuzztest.Memory(t)
		got, err := merge.Patch(doc, patch)
		if err != nil || !json.Valid(doc) || !json.Valid(patch) || duplicates(doc) || duplicates(patch) {
			return
		}
		want, _ := json.Marshal(apply(decode(t, doc), decode(t, patch)))
		if plain, _ := json.Marshal(decode(t, got)); !merge.Equal(plain, want) {
			t.Errorf("Patch(%s, %s) = %s, want %s", doc, patch, got, want)
		}
	})
}

// duplicates reports whether decoding would lose something: then the independent
// implementation starts from another document.
func duplicates(data []byte) bool {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	tokens := 0
	for {
		if _, err := dec.Token(); err != nil {
			break
		}
		tokens++
	}
	var v any
	json.Unmarshal(data, &v)
	again, _ := json.Marshal(v)
	dec = json.NewDecoder(bytes.NewReader(again))
	for {
		if _, err := dec.Token(); err != nil {
			return tokens != 0
		}
		tokens--
	}
}

// request is the body of a long conversation, about 1 MB.
func request() []byte {
	var messages []string
	for i := range 1000 {
		text, _ := json.Marshal(strings.Repeat(fmt.Sprintf("message %d, and more of it. ", i), 36))
		messages = append(messages, `{"role":"user","content":`+string(text)+`}`)
	}
	return []byte(`{"model":"m","messages":[` + strings.Join(messages, ",") +
		`],"temperature":0.7,"reasoning":{"effort":"low"}}`)
}

var patch5 = []byte(`{"temperature":0.1,"max_tokens":5,"reasoning":{"effort":"high","exclude":true},"seed":1}`)

func BenchmarkPatch1MB(b *testing.B) {
	doc := request()
	b.Run("patch", func(b *testing.B) {
		b.SetBytes(int64(len(doc)))
		for b.Loop() {
			if _, err := merge.Patch(doc, patch5); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("floor=encoding-json", func(b *testing.B) {
		b.SetBytes(int64(len(doc)))
		for b.Loop() {
			var target, patch any
			json.Unmarshal(doc, &target)
			json.Unmarshal(patch5, &patch)
			json.Marshal(apply(target, patch))
		}
	})
}
