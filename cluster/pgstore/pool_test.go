//go:build unix

package pgstore_test

import (
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/store"
)

// TestConnectionsAreClosedWhileNothingHappens: one is opened for one statement at a time, and
// none is left some time after the last one.
func TestConnectionsAreClosedWhileNothingHappens(t *testing.T) {
	s := server(t)
	e := open(t, store.Options{URL: home(t, s, "idle"), Program: "chibi-cluster 1.2.3 idle"})
	connections := func() int {
		rows, err := s.Exec(t.Context(), "select pid from pg_stat_activity where application_name = 'chibi-cluster 1.2.3 "+
			"idle'")
		if err != nil {
			t.Fatal(err)
		}
		return len(rows)
	}
	for range 20 {
		if err := e.Docs.List(t.Context(), "", func(store.Doc) bool { return true }); err != nil {
			t.Fatal(err)
		}
		if n := connections(); n > 1 {
			t.Fatalf("%d connections for one statement after another", n)
		}
	}
	for connections() > 0 {
		time.Sleep(50 * time.Millisecond)
	}
	if _, err := e.Docs.Get(t.Context(), store.FormatKey); err != nil {
		t.Error(err)
	}
}

// TestStatementsThatRunAtOnceShareFewConnections, also if one is called while another calls back.
func TestStatementsThatRunAtOnceShareFewConnections(t *testing.T) {
	ctx, s := t.Context(), server(t)
	e := open(t, store.Options{URL: home(t, s, "few"), Program: "few", Timeout: time.Minute})
	done := make(chan error)
	for range 40 {
		go func() {
			inner := error(nil)
			err := e.Docs.List(ctx, "", func(d store.Doc) bool {
				_, inner = e.Docs.Get(ctx, d.Key)
				return inner == nil
			})
			if err == nil {
				err = inner
			}
			done <- err
		}()
	}
	for range 40 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	rows, err := s.Exec(ctx, "select count(*)::text from pg_stat_activity where application_name = 'few'")
	if err != nil || strings.TrimLeft(rows[0], "01234") != "" {
		t.Errorf("%v connections, %v; want at most 4", rows, err)
	}
}
