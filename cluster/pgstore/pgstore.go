// Package pgstore keeps a store in a database of PostgreSQL 14 or newer: documents, logs, blobs
// and leases are tables of one schema for each home. docs/operating/CLUSTER.md describes them.
//
// It promises that each operation is one statement, which is a transaction of its own, and so
// one round trip; that it needs nothing of a session (no prepared statement, no setting), so it
// works through a pooler in transaction mode; that every statement may be repeated after an
// answer that did not come; and that only one text from outside becomes a part of SQL text: the
// name of the home, which is checked.
package pgstore

import (
	"context"

	"github.com/chibi-host/chibi/store"
)

// Driver opens and makes homes in a PostgreSQL database. Its URLs are
//
//	postgres://USER@HOST[:PORT][,HOST[:PORT]...]/DATABASE[?home=HOME&sslmode=MODE&...]
func Driver() store.Driver { return store.Driver{Open: open, Init: initialize} }

// open connects to a home that Init has made.
func open(ctx context.Context, o store.Options) (*store.Engine, error) {
	d, err := newDB(o.WithDefaults(), true)
	if err != nil {
		return nil, err
	}
	if err := d.reach(ctx); err != nil {
		d.pool.close()
		return nil, err
	}
	return &store.Engine{
		Docs:   docs{d},
		Log:    logs{d},
		Blobs:  blobs{d},
		Leases: leases{d},
		Watch:  d.watch,
		Now:    d.options.Now,
		Time:   d.time,
		Status: reporter{d}.status,
		Close: func() error {
			d.pool.close()
			return nil
		},
	}, nil
}
