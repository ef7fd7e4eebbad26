package pgstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/chibi-host/chibi/store"
)

const (
	// pushed is what the keys of documents begin with of which the server tells at once.
	pushed = "mail."
	// pollTime is how often documents are looked at that nobody tells of, checkTime how often
	// those that somebody should tell of.
	pollTime  = time.Second
	checkTime = 30 * time.Second
	// probeTime is how long a notification of our own may take.
	probeTime = 2 * time.Second
)

type watcher struct {
	*db
	prefix string
	puts   chan struct{}
	conn   *pgconn.PgConn // that listens; nil: none
	keys   chan string    // of notifications
	seen   string         // what the documents were when they were looked at last
	pushes bool           // it listens, or tries to again
	retry  time.Time      // when it tries at the earliest
	// crowded is true if it does not listen because connections are few.
	crowded bool
}

// watch reports puts of documents: by notifications where they arrive, else by looking.
func (d *db) watch(ctx context.Context, prefix string) (_ <-chan struct{}, err error) {
	defer about(&err, "watching", prefix)
	w := &watcher{db: d, prefix: prefix, puts: make(chan struct{}, 1)}
	if err := w.begin(ctx); err != nil {
		return nil, err
	}
	go w.keep(ctx)
	return w.puts, nil
}

func (w *watcher) begin(ctx context.Context) (err error) {
	if err := store.CheckPrefix(w.prefix); err != nil {
		return err
	}
	w.pushes = strings.HasPrefix(w.prefix, pushed) && w.notes.knownPush().whyNot == ""
	if w.pushes {
		if err := w.listen(ctx); err != nil {
			return err
		}
	}
	w.seen, err = w.look(ctx)
	if err != nil {
		w.hangUp()
	}
	return err
}

// keep reports until ctx ends or the store is closed.
func (w *watcher) keep(ctx context.Context) {
	defer close(w.puts)
	defer w.hangUp()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer w.endWithPool(cancel)()
	for ctx.Err() == nil {
		if w.wait(ctx) {
			w.tell()
			continue
		}
		w.giveWay(ctx)
		if now, err := w.look(ctx); err == nil && now != w.seen {
			w.seen = now
			w.tell()
		}
		w.listenAgain(ctx)
		if w.crowded {
			w.pool.drop() // what it has looked with
		}
	}
}

// listenAgain replaces a connection that has ended. Until that succeeds, documents are looked at.
func (w *watcher) listenAgain(ctx context.Context) {
	if w.conn != nil && !w.conn.IsClosed() || !w.pushes || time.Now().Before(w.retry) {
		return
	}
	w.conn, w.retry = nil, time.Now().Add(checkTime)
	if w.listen(ctx) == nil && w.conn != nil {
		w.tell() // of what came in between
	}
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// tell puts a value into the channel, unless one is there.
func (w *watcher) tell() {
	select {
	case w.puts <- struct{}{}:
	default:
	}
}

// wait waits for a notification of a document that is watched, and reports whether there was
// one. Without a connection it waits for the next time to look.
func (w *watcher) wait(ctx context.Context) bool {
	if w.conn == nil || w.conn.IsClosed() {
		sleep(ctx, w.pause())
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	for {
		key, err := w.notification(ctx)
		if err != nil {
			return false
		}
		if strings.HasPrefix(key, w.prefix) {
			return true
		}
	}
}

func (w *watcher) notification(ctx context.Context) (string, error) {
	for len(w.keys) == 0 {
		if err := w.conn.WaitForNotification(ctx); err != nil {
			return "", err
		}
	}
	return <-w.keys, nil
}

// look returns a text that changes with each put of a document with the prefix.
func (w *watcher) look(ctx context.Context) (string, error) {
	after, before := keysFrom(w.prefix)
	a, err := w.run(ctx, `select concat(count(*), ' ', max(rev), ' ', sum(rev)) from {s}.doc where key > $1 and key < $2`,
		after, before)
	if err != nil {
		return "", err
	}
	r, ok := a.one()
	if !ok {
		return "", errRow
	}
	return r.text(), r.err
}

// listen connects and finds out whether notifications arrive. If they do not, there is no
// connection, and the reason is kept. There is none either where connections are few.
func (w *watcher) listen(ctx context.Context) error {
	w.crowded = false
	err := w.repeat(ctx, func(ctx context.Context) (again bool, err error) {
		if err = w.tryListen(ctx); err == nil {
			w.crowded, err = w.isCrowded(ctx)
		}
		if codeOf(err) == tooManyConnections {
			w.crowded, err = true, nil
		}
		if w.crowded || err != nil {
			w.hangUp()
			w.retry = time.Now().Add(checkTime)
		}
		return err != nil && isPassing(err), err
	})
	if err != nil || w.crowded {
		return err
	}
	arrives, err := w.probe(ctx)
	if err != nil {
		w.hangUp()
		return err
	}
	why := push{isKnown: true}
	w.pushes = arrives
	if !arrives {
		w.hangUp()
		why.whyNot = fmt.Sprintf("a notification that this program sent to itself did not arrive within %s, as behind a "+
			"pooler in "+
			"transaction mode: mail is looked for every %s; a direct connection would tell at once", probeTime, pollTime)
	}
	w.notes.keepPush(why)
	return nil
}

// maxKeys is how many notifications wait at most; more say nothing new.
const maxKeys = 1024

func (w *watcher) tryListen(ctx context.Context) error {
	config := w.config.Copy()
	keys := make(chan string, maxKeys)
	config.OnNotification = func(_ *pgconn.PgConn, n *pgconn.Notification) {
		select {
		case keys <- n.Payload[:min(len(n.Payload), store.MaxKey)]:
		default:
		}
	}
	conn, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	_, channel := w.notes.of()
	if result := execute(ctx, conn, `listen "`+channel+`"`, nil); result.Err != nil {
		bury(conn)
		return result.Err
	}
	w.conn, w.keys = conn, keys
	return nil
}

// probe sends a notification through a connection for statements, and reports whether it
// arrives.
func (w *watcher) probe(ctx context.Context) (arrives bool, err error) {
	_, channel := w.notes.of()
	nonce := "probe " + rand.Text()
	if _, err := w.run(ctx, `select pg_notify($1, $2) is null`, text(channel), text(nonce)); err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	for {
		key, err := w.notification(ctx)
		switch {
		case err != nil && !pgconn.Timeout(err):
			return false, errors.Join(store.ErrUnavailable, err)
		case err != nil:
			return false, nil
		case key == nonce:
			return true, nil
		case strings.HasPrefix(key, w.prefix):
			w.tell()
		}
	}
}

func (w *watcher) hangUp() {
	if w.conn != nil {
		bury(w.conn)
		w.conn = nil
	}
}
