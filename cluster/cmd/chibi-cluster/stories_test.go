package main

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/chibi-host/chibi/cluster/internal/natstest"
	"github.com/chibi-host/chibi/cluster/internal/pgtest"
	"github.com/chibi-host/chibi/cluster/pgstore"
	"github.com/chibi-host/chibi/internal/cli"
	"github.com/chibi-host/chibi/internal/cli/clitest"
	"github.com/chibi-host/chibi/store"
)

// root is the checkout.
const root = "../../.."

func TestMain(m *testing.M) { clitest.Main(m, func() int { return cli.Main(cli.Share(drivers())) }) }

// TestStoriesOnNATS runs all stories of the command line with a home in NATS for each.
func TestStoriesOnNATS(t *testing.T) {
	server := natstest.Start(t, "", "", "")
	stories(t, func(t testing.TB) string { return natstest.NewHome(t, server.URL(), 1) })
}

// TestStoriesOnPostgreSQL runs them with a home in PostgreSQL for each.
func TestStoriesOnPostgreSQL(t *testing.T) {
	server, err := pgtest.Start(pgtest.Need(t), "fsync=off", "max_connections=300")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	var homes atomic.Int64
	stories(t, func(t testing.TB) string {
		url := server.URL("postgres", fmt.Sprintf("story_%d", homes.Add(1)))
		o := store.InitOptions{Options: store.Options{URL: url}}
		if _, err := pgstore.Driver().Init(context.Background(), o); err != nil {
			t.Fatal(err)
		}
		return url
	})
}

// stories runs the stories in stores, and says how many lines of them do not run there.
func stories(t *testing.T, newStore func(testing.TB) string) {
	t.Helper()
	all := clitest.All(t, root)
	files, shared := clitest.Conditional(t, all)
	t.Logf("%d stories, %d lines of them in files only, %d in a store only", len(all), files, shared)
	clitest.Stories{Root: root, Files: all, Store: newStore, Drivers: drivers()}.Run(t)
}
