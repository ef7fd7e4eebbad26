package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/chibi-host/chibi/store"
)

// logRules are the rules of logs.
type logRules struct{ suite }

func (s logRules) rules() []rule {
	return []rule{
		{"a log without records is empty", s.empty},
		{"2,500 records between records of another log are read in order", s.many},
		{"the window begins with the newest record that begins one", s.window},
		{"another machine reads at once what was acknowledged", s.isSeen},
		{"an append after another tail is refused, and nothing is written", s.isCompared},
		{"four machines append to one log: all is there, each one's in its order", s.shared},
		{"an append that is repeated with its id is stored once, also long after", s.repeated},
		{"a record of 8 MiB is stored between small ones", s.large},
		{"a record that is too large is refused, and nothing is written", s.tooLarge},
		{"a log that was removed is empty, and begins anew", s.removed},
		{"a log that is removed while it is read is not damaged", s.removedMeanwhile},
		{"records of a time and later are read by the store's clock", s.since},
	}
}

// record is a record with a text.
func record(id, text string) store.Record { return store.Record{ID: id, Data: []byte(text)} }

func (e machine) appended(log string, after store.Tail, r store.Record) store.Tail {
	e.t.Helper()
	next, err := e.Log.Append(e.t.Context(), log, after, r)
	must(e.t, err)
	return next
}

// ends checks where a log ends.
func (e machine) ends(log string, want store.Tail) {
	e.t.Helper()
	if got, err := e.Log.Tail(e.t.Context(), log); err != nil || got != want {
		e.t.Errorf("log %q ends at %+v, %v; want %+v", log, got, err, want)
	}
}

// whole is the range of all records that a log has now: without a last one a machine sees
// those that it has heard of, and may see others that were removed.
func (e machine) whole(log string) store.Range {
	e.t.Helper()
	tail, err := e.Log.Tail(e.t.Context(), log)
	must(e.t, err)
	return store.Range{Last: tail.Last, Backward: tail.Last == 0}
}

func (e machine) read(log string, r store.Range) (found []store.Record) {
	e.t.Helper()
	must(e.t, e.Log.Read(e.t.Context(), log, r, func(r store.Record) bool {
		r.Data = bytes.Clone(r.Data)
		found = append(found, r)
		return true
	}))
	return found
}

// texts are the texts of records.
func texts(records []store.Record) (list []string) {
	for _, r := range records {
		list = append(list, string(r.Data))
	}
	return list
}

// reads checks which texts a range of a log has.
func (e machine) reads(log string, r store.Range, want ...string) {
	e.t.Helper()
	if got := texts(e.read(log, r)); !slices.Equal(got, want) {
		e.t.Errorf("log %q, %+v: %.200q; want %.200q", log, r, got, want)
	}
}

func (s logRules) empty(t *testing.T) {
	e := s.machine(t)
	e.appended("other", store.Tail{}, record("a", "x"))
	e.ends("talk", store.Tail{})
	e.reads("talk", store.Range{})
	e.reads("talk", store.Range{Backward: true})
	must(t, e.Log.Remove(t.Context(), "talk"))
	_, err := e.Log.Append(t.Context(), "talk", store.Tail{Last: 1, Window: 1, Count: 1}, record("a", "x"))
	refuses(t, err, store.ErrConflict, "talk")
}

func (s logRules) many(t *testing.T) {
	const count = 2500
	m := s.machines(t, 2)
	tails := make([]store.Tail, count)
	atOnce(m, func(n int, e machine) {
		tail := store.Tail{}
		for i := range count {
			r := record(fmt.Sprintf("id-%d", i), fmt.Sprintf("%d of %d", i, n))
			next, err := e.Log.Append(t.Context(), fmt.Sprintf("talk%d", n), tail, r)
			if err != nil {
				t.Error(err)
				return
			}
			if tail = next; n == 0 {
				tails[i] = tail
			}
		}
	})
	if t.Failed() {
		return
	}
	e, all := m[1], m[1].read("talk0", m[1].whole("talk0"))
	if len(all) != count {
		t.Fatalf("%d records are read", len(all))
	}
	for i, r := range all {
		if r.Pos != tails[i].Last || tails[i].Count != uint64(i+1) || r.ID != fmt.Sprintf("id-%d", i) || r.Begins ||
			string(r.Data) != fmt.Sprintf("%d of 0", i) ||
			i > 0 && (r.Pos <= all[i-1].Pos || r.Time.Before(all[i-1].Time)) {
			t.Fatalf("record %d is %+v, %q; Append returned %+v", i, r, r.Data, tails[i])
		}
	}
	e.readsParts(all)
}

// readsParts reads parts of the log talk0, which has the records all.
func (e machine) readsParts(all []store.Record) {
	e.t.Helper()
	first, last := all[1000].Pos, all[2100].Pos
	for _, test := range []struct {
		r    store.Range
		want []store.Record
	}{
		{store.Range{First: first}, all[1000:]}, {store.Range{Last: last}, all[:2101]},
		{store.Range{First: first, Last: last}, all[1000:2101]}, {store.Range{First: last, Last: first}, nil},
		{store.Range{First: all[7].Pos, Last: all[7].Pos}, all[7:8]},
		{store.Range{First: all[len(all)-1].Pos + 1}, nil},
	} {
		e.reads("talk0", test.r, texts(test.want)...)
		test.r.Backward = true
		backward := texts(test.want)
		slices.Reverse(backward)
		e.reads("talk0", test.r, backward...)
	}
	for _, backward := range []bool{false, true} {
		n := 0
		must(e.t, e.Log.Read(e.t.Context(), "talk0", store.Range{Backward: backward}, func(store.Record) bool {
			_, err := e.Log.Tail(e.t.Context(), "talk1") // an engine may be called meanwhile
			must(e.t, err)
			n++
			return n < 10
		}))
		if n != 10 {
			e.t.Errorf("%d records were read after the tenth was to be the last", n)
		}
	}
}

func (s logRules) window(t *testing.T) {
	m := s.machines(t, 2)
	tail, windows := store.Tail{}, store.Tail{}
	for i := range 20 {
		r := record(fmt.Sprint("id", i), fmt.Sprint(i))
		r.Begins = i == 5 || i == 13
		tail = m[i%2].appended("talk", tail, r)
		if i == 0 || r.Begins {
			windows = tail
		}
		if tail.Window != windows.Last {
			t.Errorf("after record %d the window begins at %d; want %d", i, tail.Window, windows.Last)
		}
		m[(i+1)%2].ends("talk", tail)
	}
	found := m[0].read("talk", store.Range{First: tail.Window, Last: tail.Last})
	if want := []string{"13", "14", "15", "16", "17", "18", "19"}; !slices.Equal(texts(found), want) || !found[0].Begins ||
		found[1].Begins {
		t.Errorf("the window is %q, %+v", texts(found), found)
	}
}

func (s logRules) isSeen(t *testing.T) {
	m := s.machines(t, 2)
	tail, want := store.Tail{}, []string(nil)
	for i := range 50 {
		writer, reader := m[i%2], m[(i+1)%2]
		tail = writer.appended("talk", tail, record(fmt.Sprint("id", i), fmt.Sprint(i)))
		want = append(want, fmt.Sprint(i))
		reader.reads("talk", store.Range{Last: tail.Last}, want...)
		reader.ends("talk", tail)
	}
}

func (s logRules) isCompared(t *testing.T) {
	e := s.machine(t)
	first := e.appended("talk", store.Tail{}, record("a", "1"))
	second := e.appended("talk", first, record("b", "2"))
	later := store.Tail{Last: second.Last + 1000, Window: second.Window, Count: 3}
	for _, after := range []store.Tail{{}, first, later} {
		_, err := e.Log.Append(t.Context(), "talk", after, record("c", "3"))
		refuses(t, err, store.ErrConflict, "talk")
	}
	e.ends("talk", second)
	e.reads("talk", e.whole("talk"), "1", "2")
}

func (s logRules) shared(t *testing.T) {
	const each = 25
	m := s.machines(t, 4)
	atOnce(m, func(n int, e machine) {
		for i := 0; i < each; {
			tail, err := e.Log.Tail(t.Context(), "talk")
			if err == nil {
				_, err = e.Log.Append(t.Context(), "talk", tail, record(fmt.Sprintf("m%d-%d", n, i), fmt.Sprint(n, i)))
			}
			switch {
			case err == nil:
				i++
			case !errors.Is(err, store.ErrConflict):
				t.Error(err)
				return
			}
		}
	})
	next := [4]int{}
	for _, text := range texts(m[0].read("talk", m[0].whole("talk"))) {
		var n, i int
		fmt.Sscan(text, &n, &i)
		if i != next[n] {
			t.Errorf("machine %d: record %d comes where %d is due", n, i, next[n])
		}
		next[n]++
	}
	if next != [4]int{each, each, each, each} {
		t.Errorf("the machines' records: %v", next)
	}
}

func (s logRules) repeated(t *testing.T) {
	m := s.machines(t, 2)
	first := m[0].appended("talk", store.Tail{}, record("a", "1"))
	second := m[0].appended("talk", first, record("b", "2"))
	again := func(e machine, after store.Tail, r store.Record, want store.Tail) {
		t.Helper()
		if got, err := e.Log.Append(t.Context(), "talk", after, r); err != nil || got != want {
			t.Errorf("%q again: %+v, %v; want %+v", r.ID, got, err, want)
		}
	}
	again(m[0], first, record("b", "2"), second)
	again(m[1], first, record("b", "2"), second)
	again(m[1], store.Tail{}, record("a", "1"), first)
	_, err := m[1].Log.Append(t.Context(), "talk", first, record("c", "another's"))
	refuses(t, err, store.ErrConflict, "talk")
	tail, want := second, []string{"1", "2"}
	for i := range 200 {
		want = append(want, fmt.Sprint("later ", i))
		tail = m[i%2].appended("talk", tail, record(fmt.Sprint("later", i), want[len(want)-1]))
	}
	again(m[1], first, record("b", "2"), second)
	again(m[0], store.Tail{}, record("a", "1"), first)
	m[0].reads("talk", m[0].whole("talk"), want...)
	m[0].ends("talk", tail)
}

func (s logRules) large(t *testing.T) {
	m, text := s.machines(t, 2), bytes.Repeat([]byte("0123456789abcdef"), 8<<16)
	before := m[0].appended("talk", store.Tail{}, record("a", "before"))
	r := store.Record{ID: "b", Data: text, Begins: true}
	tail := m[0].appended("talk", before, r)
	if again := m[0].appended("talk", before, r); again != tail {
		t.Errorf("repeated: %+v; before %+v", again, tail)
	}
	after := m[1].appended("talk", tail, record("c", "after"))
	m[1].reads("talk", store.Range{First: after.Window, Last: after.Last}, string(text), "after")
	m[1].reads("talk", store.Range{Backward: true}, "after", string(text), "before")
	must(t, m[0].Log.Remove(t.Context(), "talk"))
	m[1].reads("talk", m[1].whole("talk"))
}

func (s logRules) tooLarge(t *testing.T) {
	e := s.machine(t)
	tail := e.appended("talk", store.Tail{}, record("a", "small"))
	_, err := e.Log.Append(t.Context(), "talk", tail, store.Record{ID: "b", Data: make([]byte, store.MaxRecord+1)})
	refuses(t, err, store.ErrTooLarge, "talk")
	e.ends("talk", tail)
}

func (s logRules) removed(t *testing.T) {
	m := s.machines(t, 2)
	tail := m[0].appended("talk", store.Tail{}, record("a", "1"))
	tail = m[0].appended("talk", tail, record("b", "2"))
	other := m[0].appended("talk2", store.Tail{}, record("a", "another log"))
	must(t, m[0].Log.Remove(t.Context(), "talk"))
	m[1].ends("talk", store.Tail{})
	m[1].reads("talk", m[1].whole("talk"))
	_, err := m[1].Log.Append(t.Context(), "talk", tail, record("c", "3"))
	refuses(t, err, store.ErrConflict, "talk")
	anew := m[1].appended("talk", store.Tail{}, record("d", "anew"))
	if anew.Count != 1 || anew.Window != anew.Last || anew.Last <= tail.Last {
		t.Errorf("anew it ends at %+v; before at %+v", anew, tail)
	}
	m[0].reads("talk", m[0].whole("talk"), "anew")
	m[0].ends("talk2", other)
}

func (s logRules) removedMeanwhile(t *testing.T) {
	m, n := s.machines(t, 2), 0
	tail := m[0].appended("talk", store.Tail{}, record("a", "small"))
	tail = m[0].appended("talk", tail, store.Record{ID: "b", Data: bytes.Repeat([]byte("large"), 1<<20)})
	must(t, m[0].Log.Read(t.Context(), "talk", store.Range{Last: tail.Last}, func(store.Record) bool {
		if n++; n == 1 {
			must(t, m[1].Log.Remove(t.Context(), "talk"))
		}
		return true
	}))
	if n > 2 {
		t.Errorf("%d records were read", n)
	}
}

func (s logRules) since(t *testing.T) {
	e := s.machine(t)
	tail := store.Tail{}
	for i := range 20 {
		tail = e.appended("talk", tail, record(fmt.Sprint("id", i), fmt.Sprint(i)))
	}
	all := e.read("talk", e.whole("talk"))
	for _, since := range []time.Time{all[0].Time, all[9].Time, all[19].Time, all[19].Time.Add(time.Hour)} {
		want := texts(slices.DeleteFunc(slices.Clone(all), func(r store.Record) bool { return r.Time.Before(since) }))
		e.reads("talk", store.Range{Since: since}, want...)
		slices.Reverse(want)
		e.reads("talk", store.Range{Since: since, Backward: true}, want...)
	}
	e.reads("talk", store.Range{Since: all[0].Time.Add(-time.Hour), First: all[3].Pos, Last: all[4].Pos}, "3", "4")
}
