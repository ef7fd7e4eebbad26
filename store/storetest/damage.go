package storetest

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/chibi-host/chibi/store"
)

// OpenDamaged makes an empty store and connects to it as [Open] does. damage adds a record that the
// engine cannot use, with a text, to a log that has records: it is planted behind the engine's back.
type OpenDamaged func(t *testing.T) (again func() *store.Engine, damage func(log, text string))

// RunDamaged runs the rules of records that cannot be used.
func RunDamaged(t *testing.T, open OpenDamaged) {
	s := damageRules{open}
	for _, r := range []rule{
		{"a damaged record is an error that has its bytes, and reading goes on behind it", s.isGoneAround},
		{"behind a damaged record a log goes on", s.goesOn},
		{"a log that has damaged records only goes on, and is removed", s.isAlone},
	} {
		t.Run(r.says, r.holds)
	}
}

type damageRules struct{ open OpenDamaged }

// machines connects two machines to an empty store.
func (s damageRules) machines(t *testing.T) (a, b machine, damage func(log, text string)) {
	again, damage := s.open(t)
	for _, m := range []*machine{&a, &b} {
		e := again()
		t.Cleanup(func() { e.Close() })
		*m = machine{e, t}
	}
	return a, b, damage
}

// stopsAt reads a range of a log up to a damaged record.
func (e machine) stopsAt(log string, r store.Range, want ...string) *store.DamageError {
	e.t.Helper()
	var found []store.Record
	err := e.Log.Read(e.t.Context(), log, r, func(r store.Record) bool {
		found = append(found, r)
		return true
	})
	var damage *store.DamageError
	if !errors.As(err, &damage) {
		e.t.Fatalf("log %q, %+v: %q, %v", log, r, texts(found), err)
	}
	refuses(e.t, err, damage, log)
	if got := texts(found); !slices.Equal(got, want) {
		e.t.Errorf("log %q, %+v: before the damage are %q; want %q", log, r, got, want)
	}
	return damage
}

func (s damageRules) isGoneAround(t *testing.T) {
	a, b, damage := s.machines(t)
	first := a.appended("talk", store.Tail{}, record("a", "1"))
	damage("talk", "what was here")
	tail, err := b.Log.Tail(t.Context(), "talk")
	must(t, err)
	last := a.appended("talk", tail, record("b", "2"))
	for _, e := range []machine{a, b} {
		d := e.stopsAt("talk", store.Range{Last: last.Last}, "1")
		if d.Pos <= first.Last || d.Pos >= last.Last || !bytes.Contains(d.Data, []byte("what was here")) || d.Time.IsZero() {
			t.Errorf("the damage is %+v, %q", d, d.Data)
		}
		e.reads("talk", store.Range{First: d.Pos + 1, Last: last.Last}, "2")
		back := e.stopsAt("talk", store.Range{Last: last.Last, Backward: true}, "2")
		if back.Pos != d.Pos {
			t.Errorf("backward record %d is damaged, forward %d", back.Pos, d.Pos)
		}
		e.reads("talk", store.Range{Last: d.Pos - 1, Backward: true}, "1")
	}
}

func (s damageRules) goesOn(t *testing.T) {
	a, b, damage := s.machines(t)
	first := a.appended("talk", store.Tail{}, record("a", "1"))
	begins := record("b", "2")
	begins.Begins = true
	begun := a.appended("talk", first, begins)
	damage("talk", "x")
	damage("talk", "y")
	tail, err := b.Log.Tail(t.Context(), "talk")
	must(t, err)
	if tail.Last <= begun.Last || tail.Window != begun.Window || tail.Count != 4 {
		t.Errorf("behind two damaged records the log ends at %+v; before at %+v", tail, begun)
	}
	_, err = a.Log.Append(t.Context(), "talk", begun, record("c", "too early"))
	refuses(t, err, store.ErrConflict, "talk")
	after := b.appended("talk", tail, record("c", "3"))
	a.ends("talk", store.Tail{Last: after.Last, Window: begun.Window, Count: 5})
}

func (s damageRules) isAlone(t *testing.T) {
	a, b, damage := s.machines(t)
	damage("talk", "x")
	tail, err := a.Log.Tail(t.Context(), "talk")
	must(t, err)
	if tail.Last == 0 || tail.Window != tail.Last || tail.Count != 1 {
		t.Errorf("it ends at %+v", tail)
	}
	after := b.appended("talk", tail, record("a", "1"))
	a.reads("talk", store.Range{First: tail.Last + 1, Last: after.Last}, "1")
	must(t, a.Log.Remove(t.Context(), "talk"))
	b.ends("talk", store.Tail{})
}
