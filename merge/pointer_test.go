package merge_test

import (
	"testing"

	"github.com/chibi-host/chibi/merge"
)

func TestAt(t *testing.T) {
	const doc = `{"a":{"b.c":[1,{"d/e":"x"}],"~":null}}`
	for pointer, want := range map[string]string{
		"": doc, "/a/b.c/0": "1", "/a/b.c/1/d~1e": `"x"`, "/a/~0": "null", "/b": "", "/a/b.c/7": "", "/a/b": "",
	} {
		if got := string(merge.At([]byte(doc), pointer)); got != want {
			t.Errorf("%q: %s, want %s", pointer, got, want)
		}
	}
}

func TestTheLastMemberOfANameCounts(t *testing.T) {
	doc := []byte(`{"block":false,"a":{"b":1,"b":2},"block":true}`)
	for pointer, want := range map[string]string{"/block": "true", "/a/b": "2"} {
		if got := string(merge.At(doc, pointer)); got != want {
			t.Errorf("At %s: %s, want %s", pointer, got, want)
		}
	}
	set, err := merge.Set(doc, "block", []byte("0"))
	if got := string(merge.At(set, "/block")); err != nil || got != "0" {
		t.Errorf("Set made %s, %v, where block is %s", set, err, got)
	}
}

func TestSetPutsAValueUnderAKey(t *testing.T) {
	for _, test := range []struct{ name, doc, key, value, want string }{
		{"a new key", `{"a":1}`, "b", "2", `{"a":1,"b":2}`},
		{"the first key", `{}`, "b", "[]", `{"b":[]}`},
		{"another value", `{"a": 1 , "b":2}`, "a", "null", `{"a": null , "b":2}`},
		{"a key is no path", `{"a":{"b":1}}`, "a.b", "2", `{"a":{"b":1},"a.b":2}`},
		{"a key with strange characters", `{}`, "<\"*:1", "2", `{"<\"*:1":2}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got, err := merge.Set([]byte(test.doc), test.key, []byte(test.value)); err != nil || string(got) != test.want {
				t.Errorf("got %s, %v, want %s", got, err, test.want)
			}
		})
	}
	for _, doc := range []string{"", "[]", "{"} {
		if got, err := merge.Set([]byte(doc), "a", []byte("1")); err == nil {
			t.Errorf("Set into %q made %s", doc, got)
		}
	}
}
