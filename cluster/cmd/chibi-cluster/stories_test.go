package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chibi-host/chibi/cluster/internal/natstest"
	"github.com/chibi-host/chibi/cluster/internal/pgtest"
	"github.com/chibi-host/chibi/cluster/pgstore"
	"github.com/chibi-host/chibi/internal/cli"
	"github.com/chibi-host/chibi/internal/cli/clitest"
	"github.com/chibi-host/chibi/store"
)

// root is the checkout.
const root = "../../.."

func TestMain(m *testing.M) {
	clitest.Main(m, func() int { return cli.Main(cli.Share(drivers())) }, map[string]clitest.Program{
		"chibi-ahead":   func() int { return cli.Main(cli.Share(opening(ahead))) },
		"chibi-stuck":   func() int { return cli.Main(cli.Share(opening(stuck))) },
		"chibi-damaged": func() int { return cli.Main(cli.Share(opening(damaged))) },
	})
}

type opener func(context.Context, store.Options) (*store.Engine, error)

// opening are the drivers, which open a store as another one does around theirs.
func opening(around func(opener) opener) store.Drivers {
	d := drivers()
	for scheme, driver := range d {
		d[scheme] = store.Driver{Init: driver.Init, Open: around(driver.Open)}
	}
	return d
}

// ahead is a machine whose clock is an hour ahead.
func ahead(open opener) opener {
	return func(ctx context.Context, o store.Options) (*store.Engine, error) {
		o.Now = func() time.Time { return time.Now().Add(time.Hour) }
		return open(ctx, o)
	}
}

// stuck is a store that lists the outputs of one context, and then no more.
func stuck(open opener) opener {
	return func(ctx context.Context, o store.Options) (*store.Engine, error) {
		e, err := open(ctx, o)
		if err == nil {
			e.Docs = &stuckDocs{Docs: e.Docs}
		}
		return e, err
	}
}

type stuckDocs struct {
	store.Docs
	lists atomic.Int32
}

// List makes a file as soon as it is stuck. What must be finished has no end, and is not stuck.
func (d *stuckDocs) List(ctx context.Context, prefix string, each func(store.Doc) bool) error {
	if strings.HasPrefix(prefix, "out.") && ctx.Done() != nil && d.lists.Add(1) > 1 {
		if err := os.WriteFile("stuck", nil, 0o600); err != nil {
			return err
		}
		<-ctx.Done()
	}
	return d.Docs.List(ctx, prefix, each)
}

// damaged is a store in which each record is damaged that has a word.
func damaged(open opener) opener {
	return func(ctx context.Context, o store.Options) (*store.Engine, error) {
		e, err := open(ctx, o)
		if err == nil {
			e.Log = damagedLog{e.Log}
		}
		return e, err
	}
}

type damagedLog struct{ store.Log }

func (l damagedLog) Read(ctx context.Context, log string, r store.Range, each func(store.Record) bool) error {
	var damage error
	err := l.Log.Read(ctx, log, r, func(r store.Record) bool {
		if bytes.Contains(r.Data, []byte("DAMAGED")) {
			damage = &store.DamageError{Pos: r.Pos, Time: r.Time, Data: r.Data, Err: errors.New("it has the word")}
		}
		return damage == nil && each(r)
	})
	return cmp.Or(damage, err)
}

// TestStoriesOnNATS runs the stories of the command line that an engine can change, with a home in
// NATS for each.
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

// sameEverywhere are the stories that no engine can change: they have conversations, but nothing of
// what they look at is in the store. They run in files only. Any other story runs on both engines.
const sameEverywhere = `
	agenthooks agentsall agentstrust answers async bothnames bridge bridgecarrier bridgeentries bridgefired bridgefor
	bridgehomes bridgehost bridgeverify bridgeverifycopy coding complete config configguard demo everypoint
	examplerecipes examples explain fetch fulldisk guards hookfire hookrun hooks hooksonly hung identity install
	instructions interrupt jobs json keeper keptmood key kode kodeletplugins mcpadd mcpapprove mcpchanges mcpcommands
	mcplogin mcppermissions mcpproject mcpserve mcpslow missingguards mixed nested outcomes ownguards
	permissionexamples permissionpoints plugincheck pluginlist plugins projectrules prompt pure recipes removed
	resident sandbox schemacache schemas scratch start summarize toolfails toolnames trace trust uninstall unseen
	workbench`

// stories runs the stories that an engine can change in stores, and says how many lines of them do
// not run there.
func stories(t *testing.T, newStore func(testing.TB) string) {
	t.Helper()
	all := touched(t)
	files, shared := clitest.Conditional(t, all)
	t.Logf("%d stories, %d lines of them in files only, %d in a store only", len(all), files, shared)
	clitest.Stories{Root: root, Files: all, Store: newStore, Drivers: drivers()}.Run(t)
}

// touched returns the stories that an engine can change.
func touched(t *testing.T) (list []string) {
	t.Helper()
	same := map[string]bool{}
	for name := range strings.FieldsSeq(sameEverywhere) {
		same[name] = true
	}
	for _, path := range clitest.All(t, root) {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		if !same[name] {
			list = append(list, path)
		}
		delete(same, name)
	}
	if len(same) > 0 {
		t.Errorf("there are no such stories: %v", same)
	}
	return list
}

// TestStoriesThatSayWhatAnEngineChangesRunOnBoth: a line for files or for a store shows that an
// engine can change the story.
func TestStoriesThatSayWhatAnEngineChangesRunOnBoth(t *testing.T) {
	run := touched(t)
	for _, path := range clitest.All(t, root) {
		files, shared := clitest.Conditional(t, []string{path})
		if files+shared > 0 && !slices.Contains(run, path) {
			t.Errorf("%s has lines for files or for a store; take it out of sameEverywhere", path)
		}
	}
}
