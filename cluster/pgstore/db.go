package pgstore

import (
	"context"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/chibi-host/chibi/store"
)

// db is an open home.
type db struct {
	target  target
	options store.Options
	config  *pgconn.Config
	pool    *pool

	notes notes
}

// newDB makes a db that has not connected yet.
func newDB(o store.Options, isMade bool) (*db, error) {
	t, err := parseURL(o.URL)
	if err != nil {
		return nil, err
	}
	d := &db{target: t, options: o}
	if d.config, err = newConfig(t, o); err != nil {
		return nil, err
	}
	d.config.ValidateConnect = greetServer
	if isMade {
		d.config.ValidateConnect = d.greet
	}
	d.pool = newPool(d.connect)
	return d, nil
}

func (d *db) connect(ctx context.Context) (*pgconn.PgConn, error) {
	return pgconn.ConnectConfig(ctx, d.config)
}

// sql puts the schema into a statement, in place of {s}.
func (d *db) sql(statement string) string {
	return strings.ReplaceAll(statement, "{s}", `"`+d.target.schema()+`"`)
}

// answer is what the server answered to a statement.
type answer struct {
	rows [][][]byte
	// changed is how many rows were changed.
	changed int64
	// repeated is true if an earlier attempt was not answered: it may have been carried out.
	repeated bool
	// began is when the attempt that was answered began.
	began time.Time
}

// one is the first row, if there is one.
func (a answer) one() (r row, ok bool) {
	if len(a.rows) == 0 {
		return row{}, false
	}
	return row{columns: a.rows[0]}, true
}

// The pauses between attempts.
const (
	firstPause = 20 * time.Millisecond
	longPause  = time.Second
)

// run carries out one statement, and repeats it while the store is not available, until the
// time is over. Every statement of this package may be repeated.
func (d *db) run(ctx context.Context, statement string, args ...arg) (answer, error) {
	var a answer
	err := d.repeat(ctx, func(ctx context.Context) (again bool, err error) {
		q := &question{statement: d.sql(statement), args: args, answered: make(chan struct{})}
		a.began = time.Now()
		if all := store.Gather(ctx, q); len(all) > 0 {
			d.ask(ctx, all)
		}
		result := q.wait(ctx)
		if result.Err == nil {
			a.rows, a.changed = result.Rows, result.CommandTag.RowsAffected()
			return false, nil
		}
		if isReadOnly(result.Err) {
			d.pool.drop()
		}
		a.repeated = a.repeated || isDoubtful(result.Err) && !q.isUnasked
		return isPassing(result.Err), result.Err
	})
	return a, err
}

// repeat calls try until it says that it need not be called again, with growing pauses. When the
// time is over, the error is the last one that is not only that.
func (d *db) repeat(caller context.Context, try func(context.Context) (again bool, err error)) error {
	ctx, cancel := context.WithTimeout(caller, d.options.Timeout)
	defer cancel()
	stop := d.endWithPool(cancel)
	defer stop()
	var last error
	for pause := firstPause; ; pause = min(2*pause, longPause) {
		attempt, end := context.WithTimeout(ctx, max(d.options.Timeout/3, time.Second))
		again, err := try(attempt)
		end()
		if err == nil {
			return nil
		}
		if !again {
			return d.explain(err)
		}
		d.reportRefusal(ctx, err)
		if last == nil || ctx.Err() == nil {
			last = err
		}
		select {
		case <-ctx.Done():
			return d.unavailable(caller, last)
		case <-time.After(pause):
		}
	}
}

// endWithPool cancels what runs when the store is closed.
func (d *db) endWithPool(cancel context.CancelFunc) (stop func()) {
	done := make(chan struct{})
	go func() {
		select {
		case <-d.pool.closed:
			cancel()
		case <-done:
		}
	}()
	return func() { close(done) }
}

// time asks for the server's clock.
func (d *db) time(ctx context.Context) (time.Time, error) {
	a, err := d.run(ctx, "select (extract(epoch from clock_timestamp()) * 1000000)::bigint")
	if err != nil {
		return time.Time{}, err
	}
	r, ok := a.one()
	if !ok {
		return time.Time{}, errRow
	}
	at := time.UnixMicro(r.int())
	return at, r.err
}

// reach connects, which reads what the home is.
func (d *db) reach(ctx context.Context) error {
	return d.repeat(ctx, func(ctx context.Context) (again bool, err error) {
		conn, err := d.pool.take(ctx)
		if err != nil {
			return isPassing(err), err
		}
		d.pool.give(conn)
		return false, nil
	})
}
