package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chibi-host/chibi/store"
)

// documentRules are the rules of documents.
type documentRules struct{ suite }

func (s documentRules) rules() []rule {
	return []rule{
		{"a document is got as it was put", s.isKept},
		{"another machine gets at once what was acknowledged", s.isSeen},
		{"a document that is not there is not found", s.notFound},
		{"what is put with revision 0 must not be there", s.isMadeOnce},
		{"a change needs the newest revision", s.isCompared},
		{"a document that was removed is not there, and can be made again", s.isRemoved},
		{"four machines race for fifty documents, and each has one winner", s.oneWins},
		{"four machines count together, and lose nothing", s.counts},
		{"documents are listed by the beginning of their key", s.areListed},
		{"keys are listed by their beginning, in their order", s.keysAreListed},
		{"documents are walked in the order of their changes, from any of them on", s.areWalked},
		{"a document of a million bytes is stored", s.large},
		{"a document that is too large is refused, and nothing is written", s.tooLarge},
		{"a new store has the format", s.format},
	}
}

func (e machine) put(key, data string, rev uint64) (next uint64) {
	e.t.Helper()
	next, err := e.Docs.Put(e.t.Context(), key, []byte(data), rev)
	must(e.t, err)
	return next
}

// has checks that a document has a text, and returns its revision.
func (e machine) has(key, data string) uint64 {
	e.t.Helper()
	d, err := e.Docs.Get(e.t.Context(), key)
	must(e.t, err)
	if d.Key != key || string(d.Data) != data || d.Rev == 0 {
		e.t.Fatalf("%q has %.80q, revision %d; want %.80q", d.Key, d.Data, d.Rev, data)
	}
	return d.Rev
}

func (s documentRules) isKept(t *testing.T) {
	e := s.machine(t)
	for i, data := range []string{"x", "", "a\x00b\xff\n", `{"a":1}`, strings.Repeat("é", 5000)} {
		key := fmt.Sprintf("text.A-b_%d.todos", i)
		bytes := []byte(data)
		rev, err := e.Docs.Put(t.Context(), key, bytes, 0)
		must(t, err)
		clear(bytes) // the engine has taken a copy
		if got := e.has(key, data); got != rev {
			t.Errorf("%q has revision %d, Put returned %d", key, got, rev)
		}
	}
}

func (s documentRules) isSeen(t *testing.T) {
	m := s.machines(t, 2)
	rev := uint64(0)
	for i := range 50 {
		writer, reader := m[i%2], m[(i+1)%2]
		next := writer.put("name.work", fmt.Sprint(i), rev)
		if next <= rev {
			t.Fatalf("revision %d comes after %d", next, rev)
		}
		rev = reader.has("name.work", fmt.Sprint(i))
	}
}

func (s documentRules) notFound(t *testing.T) {
	e := s.machine(t)
	e.put("name.work2", "x", 0)
	_, err := e.Docs.Get(t.Context(), "name.work")
	refuses(t, err, store.ErrNotFound, "name.work")
}

func (s documentRules) isMadeOnce(t *testing.T) {
	e := s.machine(t)
	e.put("name.work", "first", 0)
	_, err := e.Docs.Put(t.Context(), "name.work", []byte("second"), 0)
	refuses(t, err, store.ErrConflict, "name.work")
	e.has("name.work", "first")
}

func (s documentRules) isCompared(t *testing.T) {
	e := s.machine(t)
	first := e.put("name.work", "1", 0)
	second := e.put("name.work", "2", first)
	for _, rev := range []uint64{first, second + 1000} {
		_, err := e.Docs.Put(t.Context(), "name.work", []byte("3"), rev)
		refuses(t, err, store.ErrConflict, "name.work")
		_, err = e.Docs.Put(t.Context(), "name.work", nil, rev)
		refuses(t, err, store.ErrConflict, "name.work")
	}
	_, err := e.Docs.Put(t.Context(), "name.other", []byte("3"), second)
	refuses(t, err, store.ErrConflict, "name.other")
	if _, err := e.Docs.Put(t.Context(), "name.work", nil, 0); err == nil {
		t.Error("a document was removed with revision 0")
	}
	e.has("name.work", "2")
}

func (s documentRules) isRemoved(t *testing.T) {
	m := s.machines(t, 2)
	newest := uint64(0)
	for i := range 20 {
		rev := m[i%2].put("name.work", fmt.Sprint(i), 0)
		if rev <= newest {
			t.Fatalf("revision %d of what was made again comes after %d", rev, newest)
		}
		newest = rev
		_, err := m[i%2].Docs.Put(t.Context(), "name.work", nil, rev)
		must(t, err)
		_, err = m[(i+1)%2].Docs.Get(t.Context(), "name.work")
		refuses(t, err, store.ErrNotFound, "name.work")
		_, err = m[(i+1)%2].Docs.Put(t.Context(), "name.work", nil, rev)
		refuses(t, err, store.ErrConflict, "name.work")
	}
}

func (s documentRules) oneWins(t *testing.T) {
	m, won := s.machines(t, 4), [50]atomic.Int32{}
	atOnce(m, func(n int, e machine) {
		for i := range won {
			switch _, err := e.Docs.Put(t.Context(), fmt.Sprintf("name.%d", i), []byte{byte(n)}, 0); {
			case err == nil:
				won[i].Add(1)
			case !errors.Is(err, store.ErrConflict):
				t.Errorf("name.%d: %v", i, err)
			}
		}
	})
	for i := range won {
		if n := won[i].Load(); n != 1 {
			t.Errorf("%d machines made name.%d", n, i)
		}
	}
}

func (s documentRules) counts(t *testing.T) {
	const each = 10
	m := s.machines(t, 4)
	m[0].put("gc", "", 0)
	atOnce(m, func(_ int, e machine) {
		for done := 0; done < each; {
			d, err := e.Docs.Get(t.Context(), "gc")
			if err == nil {
				_, err = e.Docs.Put(t.Context(), "gc", append(d.Data, 'x'), d.Rev)
			}
			switch {
			case err == nil:
				done++
			case !errors.Is(err, store.ErrConflict):
				t.Error(err)
				return
			}
		}
	})
	m[0].has("gc", strings.Repeat("x", 4*each))
}

// listed lists the documents with a prefix.
func (e machine) listed(prefix string) map[string]string {
	e.t.Helper()
	found := map[string]string{}
	must(e.t, e.Docs.List(e.t.Context(), prefix, func(d store.Doc) bool {
		if _, twice := found[d.Key]; twice || d.Rev == 0 {
			e.t.Errorf("%q is listed twice, or has no revision: %d", d.Key, d.Rev)
		}
		found[d.Key] = string(d.Data)
		return true
	}))
	return found
}

func (s documentRules) areListed(t *testing.T) {
	m := s.machines(t, 2)
	want := map[string]string{}
	for i := range 300 {
		key := fmt.Sprintf("mail.a.%03d", i)
		want[key] = fmt.Sprint(i)
		m[i%2].put(key, want[key], 0)
	}
	gone := m[0].has("mail.a.007", "7")
	_, err := m[0].Docs.Put(t.Context(), "mail.a.007", nil, gone)
	must(t, err)
	delete(want, "mail.a.007")
	m[0].put("mail.ab", "another", 0)
	m[0].put("mailbox", "another", 0)
	if found := m[1].listed("mail.a."); !maps.Equal(found, want) {
		t.Errorf("listed are %d documents: %v", len(found), slices.Sorted(maps.Keys(found)))
	}
	for prefix, n := range map[string]int{"mail.a": 300, "mail.a.00": 9, "mail.a.299": 1, "mai": 301, "none": 0, "": 302} {
		if found := m[1].listed(prefix); len(found) != n {
			t.Errorf("%q: %d documents are listed; want %d", prefix, len(found), n)
		}
	}
	n := 0
	must(t, m[1].Docs.List(t.Context(), "mail.", func(d store.Doc) bool {
		_, err := m[1].Docs.Get(t.Context(), d.Key) // an engine may be called meanwhile
		must(t, err)
		n++
		return n < 5
	}))
	if n != 5 {
		t.Errorf("%d documents were listed after the fifth was to be the last", n)
	}
}

func (s documentRules) keysAreListed(t *testing.T) {
	m := s.machines(t, 2)
	for _, key := range []string{"name.b", "name.a-b", "name.a", "nameless", "name.a_b", "text.a.x", "name.c"} {
		m[0].put(key, "x", 0)
	}
	take(m[0], "name.lease", "me") // no document
	_, err := m[0].Docs.Put(t.Context(), "name.b", nil, m[0].has("name.b", "x"))
	must(t, err)
	keys := func(prefix string, most int) (found []string) {
		must(t, m[1].Docs.Keys(t.Context(), prefix, func(key string) bool {
			if key != "name.b" { // it may be listed, as it was removed
				found = append(found, key)
			}
			return len(found) < most
		}))
		return found
	}
	all := []string{"name.a", "name.a-b", "name.a_b", "name.c"}
	for prefix, want := range map[string][]string{"name.": all, "name.a": all[:3], "name": append(all, "nameless"),
		"none": nil} {
		if got := keys(prefix, 100); !slices.Equal(got, want) {
			t.Errorf("%q: %q; want %q", prefix, got, want)
		}
	}
	if got := keys("name.", 2); !slices.Equal(got, all[:2]) {
		t.Errorf("the first two are %q", got)
	}
}

func (s documentRules) large(t *testing.T) {
	e, text := s.machine(t), strings.Repeat("0123456789", 100_000)
	rev := e.put("text.a.system_prompt", text, 0)
	e.has("text.a.system_prompt", text)
	e.put("text.a.system_prompt", text[1:], rev)
	if found := e.listed("text.a."); found["text.a.system_prompt"] != text[1:] {
		t.Error("the list has another text")
	}
}

// tooLarge: how much is too much is the engine's affair.
func (s documentRules) tooLarge(t *testing.T) {
	e, data := s.machine(t), bytes.Repeat([]byte("0123456789abcdef"), 1<<18)
	rev := e.put("text.a.goals", "small", 0)
	switch _, err := e.Docs.Put(t.Context(), "text.a.goals", data, rev); {
	case err == nil:
		e.has("text.a.goals", string(data))
	default:
		refuses(t, err, store.ErrTooLarge, "text.a.goals")
		if got := e.has("text.a.goals", "small"); got != rev {
			t.Errorf("its revision was %d and is %d", rev, got)
		}
	}
}

func (s documentRules) format(t *testing.T) {
	d, err := s.machine(t).Docs.Get(context.Background(), store.FormatKey)
	if err != nil || !bytes.Contains(d.Data, fmt.Appendf(nil, `"format":%d`, store.Format)) {
		t.Errorf("%q, %v", d.Data, err)
	}
}

// areWalked has more documents than one answer of an engine brings.
func (s documentRules) areWalked(t *testing.T) {
	const many = 1200
	e := s.machine(t)
	revs := make([]uint64, many)
	for n := range revs {
		revs[n] = e.put(fmt.Sprintf("name.%d", n), "x", 0)
	}
	e.put("other.1", "x", 0)
	_, err := e.Docs.Put(t.Context(), "name.1", nil, revs[1])
	must(t, err)
	e.put("name.0", "y", revs[0])
	walk := func(after uint64, most int) (keys []string) {
		must(t, e.Docs.Walk(t.Context(), "name.", after, func(d store.Doc) bool {
			// A replica that is behind has it as it was, too.
			keys = append(slices.DeleteFunc(keys, func(key string) bool { return key == d.Key }), d.Key)
			return len(keys) < most
		}))
		return keys
	}
	all := walk(0, many)
	if len(all) != many-1 || all[0] != "name.2" || all[many-3] != "name.1199" || all[many-2] != "name.0" {
		t.Errorf("%d documents, from %s to %s", len(all), all[0], all[len(all)-1])
	}
	if some := walk(revs[500], 2); !slices.Equal(some, []string{"name.501", "name.502"}) {
		t.Errorf("after name.500 there are %v", some)
	}
	if last := walk(revs[many-1], many); !slices.Equal(last, []string{"name.0"}) {
		t.Errorf("after the last that was made there are %v", last)
	}
}
