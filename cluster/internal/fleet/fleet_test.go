// Package fleet tests contexts that are run by messages from many machines, each a process with
// a home of its own.
package fleet

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/chibi-host/chibi/cluster/internal/natstest"
	"github.com/chibi-host/chibi/cluster/internal/pgtest"
	"github.com/chibi-host/chibi/cluster/natsstore"
	"github.com/chibi-host/chibi/cluster/pgstore"
	"github.com/chibi-host/chibi/internal/cli"
	"github.com/chibi-host/chibi/internal/cli/clitest"
	"github.com/chibi-host/chibi/store"
)

func TestMain(m *testing.M) {
	drivers := store.Drivers{"nats": natsstore.Driver(), "postgres": pgstore.Driver(), "postgresql": pgstore.Driver()}
	clitest.Main(m, func() int { return cli.Main(cli.Share(drivers)) }, nil)
}

// TestTwentyWaitersOnNATS: twenty machines answer all messages, each once.
func TestTwentyWaitersOnNATS(t *testing.T) {
	server := natstest.Start(t, "", natstest.Always, "")
	twenty(natstest.NewHome(t, server.URL(), 1)).Run(t)
}

// TestTwentyWaitersOnPostgreSQL does the same on PostgreSQL.
func TestTwentyWaitersOnPostgreSQL(t *testing.T) {
	twenty(postgres(t)).Run(t)
}

// twenty are twenty machines and 300 messages, with CHIBI_FLEET=1 in the environment a thousand,
// with -short five machines and a hundred messages.
func twenty(url string) clitest.Waiters {
	w := clitest.Waiters{Waiting: 20, Senders: 10, Messages: 30, URL: url, Limit: 10 * time.Minute}
	if os.Getenv("CHIBI_FLEET") != "" {
		w.Messages, w.Limit = 100, 20*time.Minute
	}
	if testing.Short() {
		w.Waiting, w.Senders, w.Messages = 5, 5, 20
	}
	return w
}

// TestWaitersThatAreKilledLoseNothing kills one in the middle of its answer, whose lease has to
// end, and another one after it.
func TestWaitersThatAreKilledLoseNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("a lease ends after 15 seconds at the earliest")
	}
	for _, engine := range []struct {
		name string
		url  func(*testing.T) string
	}{
		{"NATS", func(t *testing.T) string { return natstest.NewHome(t, natstest.Start(t, "", "", "").URL(), 1) }},
		{"PostgreSQL", postgres},
	} {
		t.Run(engine.name, func(t *testing.T) {
			t.Parallel()
			clitest.Waiters{Waiting: 4, Senders: 4, Messages: 20, Kills: 2, URL: engine.url(t)}.Run(t)
		})
	}
}

// postgres makes a home in a PostgreSQL of its own.
func postgres(t *testing.T) string {
	t.Helper()
	server, err := pgtest.Start(pgtest.Need(t), "max_connections=200")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	url := server.URL("postgres", "fleet")
	if _, err := pgstore.Driver().Init(ctx, store.InitOptions{Options: store.Options{URL: url}}); err != nil {
		t.Fatal(err)
	}
	return url
}
