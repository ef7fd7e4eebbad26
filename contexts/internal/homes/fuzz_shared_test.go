package homes

import (
	"strings"
	"testing"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/contexts/internal/registry"
	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/chibi-host/chibi/store"
)

// FuzzRecord reads records of a log: whatever they are, each line is an entry, a mark or
// reported, and what is shown of a mark is plain.
func FuzzRecord(f *testing.F) {
	good, err := encodeRecord([]parts.Entry{parts.UserMessage("ann", "work", "hi"),
		parts.NewAnchor(parts.TypeArchival, "work", "", parts.Metadata{})},
		&parts.Writer{Host: "a"})
	if err != nil {
		f.Fatal(err)
	}
	for _, text := range []string{string(good.Data),
		`{"taken_by":{"pid":1,"host":"a\u001b[31m","since":"2026-01-02T03:04:05Z"}}`,
		"", "\n\n", "{}", "[", `{"entry_type":"message","metadata":{"replacement":[{}]}}`, `{"taken_by":1}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		fuzztest.Memory(t)
		entries, bad := 0, 0
		mark := decodeRecord(data, func([]byte, parts.Entry) bool { entries++; return true },
			func(int, error) bool { bad++; return true })
		lines := strings.Count(string(data), "\n") + 1
		if entries+bad > lines {
			t.Errorf("%d entries and %d bad lines of %d", entries, bad, lines)
		}
		checkPlain(t, value(mark))
	})
}

// FuzzNameDoc reads documents of names: what comes out has an id and a name that may be
// used.
func FuzzNameDoc(f *testing.F) {
	for _, text := range []string{`{"id":"0123456789abcdef0123456789abcdef","name":"Work","created":1,"moving":"play"}`,
		`{"id":">","name":"work"}`, `{"id":"0123456789abcdef0123456789abcdeg","name":"work"}`,
		`{"name":"../work"}`, "7", ""} {
		f.Add("name.work", []byte(text))
	}
	f.Fuzz(func(t *testing.T, key string, data []byte) {
		fuzztest.Memory(t)
		n, err := decodeName(store.Doc{Key: key, Rev: 1, Data: data})
		if err != nil {
			return
		}
		if store.CheckLog(n.ID) != nil || len(n.ID) != 32 || registry.ValidName(n.Name) != nil || nameKey(n.Name) != key ||
			n.Moving != "" && store.CheckKey(nameKey(n.Moving)) != nil {
			t.Errorf("%q was taken for %+v", data, n)
		}
	})
}

// FuzzHolder reads what a holder of a lease says of itself.
func FuzzHolder(f *testing.F) {
	for _, text := range []string{`{"pid":1,"host":"a","user":"b"}`, `{"host":"` + strings.Repeat("é", 300) + `"}`,
		"{\"user\":\"\u202e\"}", "", "["} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		fuzztest.Memory(t)
		checkPlain(t, holderOf(data))
	})
}

// checkPlain checks that a holder can be shown.
func checkPlain(t *testing.T, h parts.Holder) {
	t.Helper()
	for _, r := range h.Host + h.User {
		if r < ' ' || r > '~' {
			t.Errorf("%q can deceive a terminal", h.Host+h.User)
		}
	}
	if len(h.Host) > 2*maxHolderText || len(h.User) > 2*maxHolderText {
		t.Errorf("%d and %d bytes", len(h.Host), len(h.User))
	}
}
