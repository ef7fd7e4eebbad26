package statetext_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/chibi-host/chibi/contexts/internal/statetext"
	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/google/go-cmp/cmp"
)

// file is state.json as JSON.
type file struct {
	Contexts []entry `json:"contexts"`
	Current  string  `json:"current_context"`
	Previous *string `json:"previous_context"`
}

type entry struct {
	Name                 string `json:"name"`
	Created              int64  `json:"created_at"`
	LastActivity         int64  `json:"last_activity_at"`
	DestroyAfterInactive int64  `json:"destroy_after_seconds_inactive"`
	DestroyAt            int64  `json:"destroy_at"`
}

func (f file) text() []byte {
	text, _ := json.MarshalIndent(f, "", "  ")
	return append(text, '\n')
}

// read reads a text without decoding it.
func read(text []byte) (f file, err error) {
	err = statetext.Expiring(iotest.OneByteReader(bytes.NewReader(text)), func(e statetext.Entry) {
		if digits := fmt.Sprint(e.LastActivity); !bytes.HasPrefix(text[e.LastActivityAt:], []byte(digits)) {
			err = fmt.Errorf("%s are not the digits at %d", digits, e.LastActivityAt)
		}
		f.Contexts = append(f.Contexts,
			entry{string(e.Name), e.Created, e.LastActivity, e.DestroyAfterInactive, e.DestroyAt})
	})
	if err != nil {
		return f, err
	}
	end, err := statetext.End(bytes.NewReader(text), int64(len(text)))
	f.Current = end.Current
	if end.Previous != "" {
		f.Previous = &end.Previous
	}
	return f, err
}

// expiring lists the entries with a rule to be destroyed.
func expiring(entries []entry) (list []entry) {
	for _, e := range entries {
		if e.DestroyAfterInactive != 0 || e.DestroyAt != 0 {
			list = append(list, e)
		}
	}
	return list
}

func TestWhatChibiWritesIsReadAsItIs(t *testing.T) {
	previous := "before"
	for _, n := range []int{1, 2, 3, 1000} { // more than one block
		want := file{Current: "work", Previous: &previous}
		for i := range n {
			want.Contexts = append(want.Contexts,
				entry{fmt.Sprintf("context-%d", i), 1_700_000_000, int64(i), int64(i % 3), -int64(i % 2)})
		}
		for range 2 {
			got, err := read(want.text())
			want := file{expiring(want.Contexts), want.Current, want.Previous}
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%d contexts: %v\n%s", n, err, diff)
			}
			want.Previous = nil
		}
	}
}

func TestAnotherLayoutIsToldApart(t *testing.T) {
	good := string(file{Contexts: []entry{{Name: "a"}, {Name: "b"}}, Current: "a"}.text())
	for name, text := range map[string]string{
		"nothing": "", "no contexts": string(file{Current: "a"}.text()),
		"another indent":    strings.ReplaceAll(good, "  ", "\t"),
		"another order":     strings.ReplaceAll(good, `"name": "a"`, `"created_at": 1, "name": "a"`),
		"a further member":  strings.ReplaceAll(good, `"destroy_at": 0`, `"destroy_at": 0, "x": 1`),
		"a fraction":        strings.ReplaceAll(good, `"created_at": 0`, `"created_at": 0.5`),
		"a large number":    strings.ReplaceAll(good, `"created_at": 0`, `"created_at": 99999999999999999999`),
		"a leading zero":    strings.ReplaceAll(good, `"created_at": 0`, `"created_at": 007`),
		"a text as number":  strings.ReplaceAll(good, `"created_at": 0`, `"created_at": "0"`),
		"something behind":  good + "{}",
		"cut":               good[:len(good)-3],
		"cut in an entry":   good[:60],
		"a further ending":  strings.TrimSuffix(good, "}\n") + ", \"current_context\": \"b\"}\n",
		"windows lines":     strings.ReplaceAll(good, "\n", "\r\n"),
		"no UTF-8 in it":    strings.ReplaceAll(good, `context": "a"`, "context\": \"\xe1\""),
		"zeros in the file": strings.ReplaceAll(good, `"b"`, "\x00\x00\x00"),
	} {
		if _, err := read([]byte(text)); !errors.Is(err, statetext.ErrLayout) {
			t.Errorf("%s: %v; want ErrLayout", name, err)
		}
	}
}

func TestAnEntryIsFoundAmongSortedOnes(t *testing.T) {
	for _, n := range []int{0, 1, 2, 7, 1000} {
		f := file{Current: "a"}
		for i := range n {
			f.Contexts = append(f.Contexts, entry{fmt.Sprintf("c-%05d", 2*i), 1, int64(i), 0, int64(i % 3)})
		}
		text := f.text()
		for i := -1; i <= 2*n; i++ {
			name := fmt.Sprintf("c-%05d", i)
			e, err := statetext.Find(bytes.NewReader(text), int64(len(text)), name)
			isThere := i >= 0 && i%2 == 0 && i < 2*n
			if err != nil || (e != nil) != isThere {
				t.Fatalf("%s of %d: %+v, %v", name, n, e, err)
			}
			if isThere && (string(e.Name) != name || e.LastActivity != int64(i/2) || e.DestroyAt != int64(i/2%3) ||
				!bytes.HasPrefix(text[e.LastActivityAt:], fmt.Appendf(nil, "%d,", i/2))) {
				t.Fatalf("%s of %d: %+v", name, n, e)
			}
		}
	}
	broken := strings.ReplaceAll(string(file{Contexts: []entry{{Name: "a"}}}.text()), "created", "made")
	if e, err := statetext.Find(strings.NewReader(broken), int64(len(broken)), "a"); !errors.Is(err, statetext.ErrLayout) {
		t.Errorf("Find = %v, %v", e, err)
	}
}

func TestABrokenDiskIsSaid(t *testing.T) {
	broken := errors.New("broken disk")
	if err := statetext.Expiring(iotest.ErrReader(broken), nil); !errors.Is(err, broken) {
		t.Errorf("Expiring = %v", err)
	}
}

// FuzzRead compares with decoding: what is read of valid JSON is the same.
func FuzzRead(f *testing.F) {
	good := file{Contexts: []entry{{Name: "a", Created: 5}, {Name: "b"}}, Current: "a"}.text()
	f.Add(good)
	f.Add(bytes.ReplaceAll(good, []byte("0"), []byte("-0")))
	f.Add(bytes.ReplaceAll(good, []byte(`"a"`), []byte("\"\xe1\"")))
	f.Fuzz(func(t *testing.T, text []byte) {
		fuzztest.Memory(t)
		got, err := read(text)
		var want file
		if err != nil || json.Unmarshal(text, &want) != nil {
			return
		}
		if want.Previous != nil && *want.Previous == "" {
			want.Previous = nil
		}
		want.Contexts = expiring(want.Contexts)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

// BenchmarkExpiring reads the state of a home with 10,000 contexts.
func BenchmarkExpiring(b *testing.B) {
	f := file{Current: "work"}
	for i := range 10_000 {
		f.Contexts = append(f.Contexts, entry{fmt.Sprintf("context-%d", i), 1_700_000_000, 1_700_000_000, 0, 0})
	}
	text := f.text()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if err := statetext.Expiring(bytes.NewReader(text), nil); err != nil {
			b.Fatal(err)
		}
	}
}
