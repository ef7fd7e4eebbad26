package pgstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/chibi-host/chibi/store"
)

// errStandby reports a server that takes no writes.
var errStandby = errors.New("the server is a standby, which takes no writes")

// greet is the first statement of a connection: it refuses a standby, and reads what the home
// is, in one round trip.
func (d *db) greet(ctx context.Context, conn *pgconn.PgConn) error {
	answer := execute(ctx, conn, d.sql(`
		select pg_is_in_recovery(),
		       (select data from {s}.doc where key = '`+store.FormatKey+`'),
		       (select value from {s}.setting where name = 'layout'),
		       (select value from {s}.setting where name = 'channel')`), nil)
	if answer.Err != nil {
		return answer.Err
	}
	if len(answer.Rows) != 1 {
		return errRow
	}
	r := row{columns: answer.Rows[0]}
	isStandby, format, layout, channel := r.bool(), r.column(), r.text(), r.text()
	if r.err != nil {
		return r.err
	}
	if isStandby {
		return errStandby
	}
	return d.know(ctx, found{formatDoc: format, layout: layout, channel: channel})
}

// greetServer is greet before there is a home.
func greetServer(ctx context.Context, conn *pgconn.PgConn) error {
	answer := execute(ctx, conn, "select pg_is_in_recovery()", nil)
	if answer.Err != nil {
		return answer.Err
	}
	if len(answer.Rows) != 1 {
		return errRow
	}
	r := row{columns: answer.Rows[0]}
	if r.bool() {
		return errStandby
	}
	return r.err
}

// layout is the number of the tables' layout.
const layout = "1"

// found is what a connection found in the home: of the documents that with the format only.
type found struct {
	store.Docs
	formatDoc       []byte // nil: there is none
	layout, channel string
}

// Get returns the document with the format, for store.CheckFormat.
func (f found) Get(context.Context, string) (store.Doc, error) {
	if f.formatDoc == nil {
		return store.Doc{}, store.ErrNotFound
	}
	return store.Doc{Key: store.FormatKey, Data: f.formatDoc}, nil
}

// know keeps what a connection found, and refuses what this program does not know.
func (d *db) know(ctx context.Context, f found) error {
	format, err := store.CheckFormat(ctx, f, d.options)
	switch {
	case errors.Is(err, store.ErrNotFound):
		err = d.noFormat()
	case err != nil:
	case f.layout != layout:
		err = fmt.Errorf("the tables of the home %s have the layout %.20q, and this program knows %s; use a newer "+
			"chibi-cluster",
			d.target.home, f.layout, layout)
	case !isChannel(f.channel):
		err = fmt.Errorf("the home %s has no channel in %s.setting; run: chibi store init", d.target.home, d.target.schema())
	}
	if err != nil {
		return &unusableError{err}
	}
	d.notes.keep(format, f.channel)
	return nil
}

func (d *db) noFormat() error {
	return explain(store.ErrNotFound, "the schema %s has no format number; chibi store init gives it one",
		d.target.schema())
}

func isChannel(channel string) bool {
	return strings.HasPrefix(channel, channelPrefix) && len(channel) <= maxName && store.CheckID(channel) == nil
}

// notes are what the program knows of the home.
type notes struct {
	mu      sync.Mutex
	format  int
	channel string
	push    push
}

func (n *notes) keep(format int, channel string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.format, n.channel = format, channel
}

// of returns what the newest connection found.
func (n *notes) of() (format int, channel string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.format, n.channel
}

type push struct {
	isKnown bool
	whyNot  string // "" if they do
}

func (n *notes) keepPush(p push) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.push = p
}

func (n *notes) knownPush() push {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.push
}
