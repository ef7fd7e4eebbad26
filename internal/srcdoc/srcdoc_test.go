package srcdoc_test

import (
	"slices"
	"testing"
	"testing/fstest"

	"github.com/chibi-host/chibi/internal/srcdoc"
)

func TestFields(t *testing.T) {
	root := fstest.MapFS{
		"a/one.go": {Data: []byte(`package a

// T is a type.
type T struct {
	// X, Y are
	// places.
	X, Y int "json:\"x\""
	E
	z bool
}

type E int
`)},
		"a/two.txt": {Data: []byte("no Go")},
	}
	got, err := srcdoc.Fields(root, "a/*.go")
	want := []srcdoc.Field{
		{Type: "T", Name: "X", Tag: "json:\"x\"", Comment: "X, Y are places."},
		{Type: "T", Name: "Y", Tag: "json:\"x\"", Comment: "X, Y are places."}, {Type: "T", Name: "z"},
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := srcdoc.Fields(root, "a/*"); err == nil {
		t.Error("a file that is no Go was read")
	}
}
