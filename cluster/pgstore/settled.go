package pgstore

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/chibi-host/chibi/store"
)

// A commit waits for the synchronous standby, but what it has written is in the primary's own log
// before. So a read may show what the standby never gets: after a crash of the primary, and when
// somebody, such as this program after its time, has ended the waiting. Nothing that was only read
// is an acknowledgement therefore.

// settled reads with a query what answers a call that writes, and returns when the synchronous
// standby has all that the query may have read: it locks a document, so that its commit is written
// to the primary's log, and that is copied in order. The query's first column is never null.
//
// The server that answers may be another one than the one that the call has asked before. So a
// caller that finds all as it was before its statement carries that out again.
func (d *db) settled(ctx context.Context, query string, args ...arg) (answer, error) {
	a, err := d.run(ctx, `with settled as (select from {s}.doc where key = '`+store.FormatKey+`' for key share)
		select found.* from settled left join (`+query+`) found on true`, args...)
	if err != nil {
		return a, err
	}
	if len(a.rows) == 0 {
		return a, d.noFormat()
	}
	if len(a.rows[0]) > 0 && a.rows[0][0] == nil {
		a.rows = nil
	}
	return a, nil
}

// removed carries out a statement that removes a row, or settles with a query that there is none.
func (d *db) removed(ctx context.Context, statement, query string, args ...arg) error {
	for {
		a, err := d.run(ctx, statement, args...)
		if err != nil || a.changed > 0 {
			return err
		}
		left, err := d.settled(ctx, query, args...)
		if err != nil || len(left.rows) == 0 {
			return err
		}
	}
}

// errCutShort reports a statement that was carried out and that the standby may not have.
var errCutShort = errors.New("the server did not wait until its synchronous standby had what was written")

// cutShort is the name of a connection's mark that the server said so.
const cutShort = "cut short"

// noteCutShort marks a connection whose server has ended the waiting of a commit, which it does not
// say by an error. Its words depend on its language, and the name of its function does not.
func noteCutShort(conn *pgconn.PgConn, n *pgconn.Notice) {
	if n.Routine == "SyncRepWaitForLSN" {
		conn.CustomData()[cutShort] = true
	}
}

// takeCutShort returns errCutShort if the connection is marked, and removes the mark.
func takeCutShort(conn *pgconn.PgConn) error {
	if _, isMarked := conn.CustomData()[cutShort]; !isMarked {
		return nil
	}
	delete(conn.CustomData(), cutShort)
	return errCutShort
}
