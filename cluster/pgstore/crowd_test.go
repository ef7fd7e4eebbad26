//go:build unix

package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/chibi-host/chibi/cluster/internal/pgtest"
	"github.com/chibi-host/chibi/cluster/pgstore"
	"github.com/chibi-host/chibi/store"
)

// TestWhoWaitsForMailLeavesConnections: more machines wait for mail than the server has connections.
// Each hears of its mail, and others get connections all the while.
func TestWhoWaitsForMailLeavesConnections(t *testing.T) {
	const waiters, most, left = 30, 20 - 3, 5
	s := ownServer(t, "max_connections=20")
	run(t, s, "create role crowd login")
	url := grantedHome(t, s, "crowds", "crowd")
	var inboxes []<-chan struct{}
	for i := range waiters {
		e := open(t, store.Options{URL: url, Program: "waits", Timeout: 2 * time.Minute})
		puts, err := e.Watch(t.Context(), fmt.Sprintf("mail.%d.", i))
		if err != nil {
			t.Fatal(err)
		}
		inboxes = append(inboxes, puts)
	}
	for connections(t, s, "waits") > most-left+1 { // what was used to look is closed soon
		time.Sleep(10 * time.Millisecond)
	}
	sender := open(t, store.Options{URL: url, Timeout: 2 * time.Minute})
	for i := range inboxes {
		if _, err := sender.Docs.Put(t.Context(), fmt.Sprintf("mail.%d.a", i), []byte("x"), 0); err != nil {
			t.Fatal(err)
		}
	}
	for _, puts := range inboxes {
		<-puts
	}
	if st, err := sender.Status(t.Context()); err != nil || st.Push || !strings.Contains(st.WhyNot, "max_connections") {
		t.Errorf("%+v, %v", st, err)
	}
}

// TestWhoWaitsForMailGivesWay: the role may have fewer connections than before, while it listens.
func TestWhoWaitsForMailGivesWay(t *testing.T) {
	t.Parallel() // it takes as long as a watcher waits until it looks
	ctx, s := t.Context(), ownServer(t)
	run(t, s, "create role guest login connection limit 4")
	url := grantedHome(t, s, "guests", "guest")
	e := open(t, store.Options{URL: url, Program: "waits", Timeout: 2 * time.Minute})
	puts, err := e.Watch(ctx, "mail.")
	if err != nil {
		t.Fatal(err)
	}
	if st, err := e.Status(ctx); err != nil || !st.Push {
		t.Errorf("with four connections: %+v, %v", st, err)
	}
	run(t, s, "alter role guest connection limit 1")
	for connections(t, s, "waits") > 0 {
		time.Sleep(10 * time.Millisecond)
	}
	sender := open(t, store.Options{URL: url, Timeout: 2 * time.Minute})
	if _, err := sender.Docs.Put(ctx, "mail.a", []byte("x"), 0); err != nil {
		t.Errorf("the only connection: %v", err)
	}
	<-puts
}

// TestARefusedConnectionIsReported at once, again while it goes on, and in the error.
func TestARefusedConnectionIsReported(t *testing.T) {
	s := server(t)
	run(t, s, "create role single login connection limit 1")
	url := grantedHome(t, s, "singles", "single")
	conn, err := pgconn.Connect(t.Context(), fmt.Sprintf("host=127.0.0.1 port=%d user=single dbname=postgres", s.Port))
	if err != nil {
		t.Fatal(err)
	}
	const refusal = `too many connections for role "single" (SQLSTATE 53300)`
	_, err = pgstore.Driver().Open(t.Context(), store.Options{URL: url, Timeout: time.Second})
	if !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), refusal) {
		t.Errorf("%v", err)
	}
	said, opened := make(chan string, 100), make(chan error)
	go func() {
		e, err := pgstore.Driver().Open(context.Background(), store.Options{URL: url, Timeout: 2 * time.Minute,
			Report: func(text string) { said <- text }})
		if err == nil {
			e.Close()
		}
		opened <- err
	}()
	for range 2 {
		text := <-said
		if !strings.HasPrefix(text, "the server refuses this connection: "+refusal+"; it is tried again for 1m5") &&
			!strings.HasSuffix(text, " for 2m0s") {
			t.Error(text)
		}
	}
	conn.Close(t.Context())
	if err := <-opened; err != nil {
		t.Error(err)
	}
}

// grantedHome makes a home that a role may use and returns its URL for it.
func grantedHome(t *testing.T, s *pgtest.Server, name, role string) string {
	t.Helper()
	home(t, s, name+"&grant="+role)
	return s.URL(role, name)
}

// connections is how many a program has.
func connections(t *testing.T, s *pgtest.Server, program string) int {
	t.Helper()
	rows, err := s.Exec(t.Context(), "select pid::text from pg_stat_activity where application_name = '"+program+"'")
	if err != nil {
		t.Fatal(err)
	}
	return len(rows)
}
