package pgstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

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
	refused time.Time // when it was last reported that the server has no connection left
}

// reportTime is how often that is reported.
const reportTime = 5 * time.Second

// reportRefusal reports that the server has no connection left, unless it has just been reported.
func (d *db) reportRefusal(ctx context.Context, err error) {
	if d.options.Report == nil || codeOf(err) != tooManyConnections || !d.notes.isNews() {
		return
	}
	end, _ := ctx.Deadline()
	d.options.Report(fmt.Sprintf("the server refuses this connection: %s; it is tried again for %s", sentence(err),
		time.Until(end).Round(time.Second)))
}

// isNews reports whether a refusal was not reported lately, and notes that it is now.
func (n *notes) isNews() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.refused.IsZero() && time.Since(n.refused) < reportTime {
		return false
	}
	n.refused = time.Now()
	return true
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
