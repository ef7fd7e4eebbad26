package cache

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/fuzztest"
)

// describe returns the document of a text in a store.
func describe(t testing.TB, id, text string) []byte {
	t.Helper()
	index, err := scan(strings.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	document, err := encodeDocument(Entry{ID: id, Tool: "tool"}.measured(index), index)
	if err != nil {
		t.Fatal(err)
	}
	return document
}

// FuzzSharedDocument holds that whatever a store says of an output, it is refused or
// describes a text of its size, whose lines are read without an error.
func FuzzSharedDocument(f *testing.F) {
	f.Add(describe(f, "tool_1_2", "one\ntwo\n"), []byte("one\ntwo\n"))
	long := strings.Repeat("x\n", 3000)
	f.Add(describe(f, "tool_1_2", long), []byte(long))
	f.Add([]byte(`{"entry": {"id": "tool_1_2", "byte_count": -1}, "offsets": [9999999999, -5]}`), []byte(""))
	f.Add([]byte(`[]`), []byte("x"))
	f.Fuzz(func(t *testing.T, document, text []byte) {
		fuzztest.Memory(t)
		d, err := decodeDocument("tool_1_2", document)
		if err != nil {
			if !errors.Is(err, ErrNotFound) {
				t.Errorf("%v", err)
			}
			return
		}
		if d.Entry.ID != "tool_1_2" || d.Entry.Path != "" || d.Entry.Bytes < 0 {
			t.Errorf("%+v", d.Entry)
		}
		if d.Entry.Bytes != int64(len(text)) {
			return // such a blob is not read
		}
		r := &Reader{content: bytes.NewReader(text), size: d.Entry.Bytes, index: d.index()}
		for _, line := range []int{1, d.Entry.Lines, indexStep + 1, 10 * indexStep} {
			if _, err := r.Lines(max(line, 1), line+2, 100); err != nil {
				t.Errorf("line %d: %v", line, err)
			}
		}
		if _, err := r.Tail(2, 100); err != nil {
			t.Error(err)
		}
	})
}

func TestAnIndexThatIsTooLargeIsLeftOut(t *testing.T) {
	index := lineIndex{Lines: maxOffsets*indexStep + 1, Size: 1 << 40}
	for i := range maxOffsets + 1 {
		index.Offsets = append(index.Offsets, int64(i)*1_000_000)
	}
	e := Entry{ID: "tool_1_2", SHA256: strings.Repeat("0", 64), Bytes: index.Size}
	for _, test := range []struct{ places, want int }{{maxOffsets, maxOffsets}, {maxOffsets + 1, 0}} {
		part := index
		part.Offsets = index.Offsets[:test.places]
		e.Lines = test.places * indexStep
		text, err := encodeDocument(e, part)
		if err != nil || len(text) > 1<<20-8<<10 {
			t.Fatalf("%d bytes, %v", len(text), err)
		}
		if d, err := decodeDocument(e.ID, text); err != nil || len(d.Offsets) != test.want {
			t.Errorf("of %d places there are %d, %v", test.places, len(d.Offsets), err)
		}
	}
}
