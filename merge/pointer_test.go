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
