//go:build unix

package pgstore_test

import (
	"errors"
	"testing"

	"github.com/chibi-host/chibi/cluster/pgstore"
	"github.com/chibi-host/chibi/store"
)

// TestAHomeWithoutRoomIsNotMade: the disk is full when the last thing of a home is to be written, as
// a trigger says here. Nothing of the home is there then.
func TestAHomeWithoutRoomIsNotMade(t *testing.T) {
	s := ownServer(t)
	run(t, s, `create function no_room() returns trigger language plpgsql as $$ begin
			raise exception 'there is no room' using errcode = '53100';
		end $$`,
		`create function fill() returns event_trigger language plpgsql as $$ begin
			if to_regclass('chibi_half.doc') is not null then
				create or replace trigger no_room before insert on chibi_half.doc execute function no_room();
			end if;
		end $$`,
		"create event trigger fill on ddl_command_end when tag in ('CREATE TABLE') execute function fill()")
	o := store.InitOptions{Options: store.Options{URL: s.URL("postgres", "half")}}
	said, err := pgstore.Driver().Init(t.Context(), o)
	if !errors.Is(err, store.ErrTooLarge) || len(said) > 0 {
		t.Errorf("%q, %v", said, err)
	}
	left, err := s.Exec(t.Context(), "select nspname::text from pg_namespace where nspname like 'chibi%'")
	if err != nil || len(left) > 0 {
		t.Errorf("there are %q, %v", left, err)
	}
	run(t, s, "drop event trigger fill")
	home(t, s, "half")
}
