//go:build unix

package pgstore_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"testing"

	"github.com/chibi-host/chibi/store"
)

// TestARecordWhoseDataIsGoneFromTheDisk is an error that names it, and those around it are read.
func TestARecordWhoseDataIsGoneFromTheDisk(t *testing.T) {
	ctx, s := t.Context(), server(t)
	e := open(t, store.Options{URL: home(t, s, "rotten")})
	large := make([]byte, 100<<10)
	rand.Read(large)
	var tail store.Tail
	var bad uint64
	for n := range 100 {
		data := []byte("small")
		if n == 70 {
			data = large
		}
		var err error
		if tail, err = e.Log.Append(ctx, "talk", tail, store.Record{ID: fmt.Sprint(n), Data: data}); err != nil {
			t.Fatal(err)
		}
		if n == 70 {
			bad = tail.Last
		}
	}
	run(t, s, `do $$
		declare toast pg_class;
		begin
			set local allow_system_table_mods = on;
			select * into toast from pg_class where oid = (select reltoastrelid from pg_class
				where oid = 'chibi_rotten.log'::regclass);
			update pg_class set relkind = 'r' where oid = toast.oid;
			execute format('delete from pg_toast.%I', toast.relname);
			update pg_class set relkind = 't' where oid = toast.oid;
		end $$`)
	for _, r := range []store.Range{{Last: tail.Last}, {Last: tail.Last, Backward: true}} {
		want, behind := 70, store.Range{First: bad + 1, Last: tail.Last}
		if r.Backward {
			want, behind = 29, store.Range{Last: bad - 1, Backward: true}
		}
		n := 0
		count := func(store.Record) bool { n++; return true }
		err := e.Log.Read(ctx, "talk", r, count)
		var damage *store.DamageError
		if !errors.As(err, &damage) || damage.Pos != bad || damage.Time.IsZero() || n != want {
			t.Errorf("%+v: %d records, %v; want %d and that %d is damaged", r, n, err, want, bad)
		}
		if err := e.Log.Read(ctx, "talk", behind, count); err != nil || n != 99 {
			t.Errorf("%+v: then %d records, %v", r, n, err)
		}
	}
}
