package pgstore

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"
)

const (
	// crowdedTime is about how often documents are looked at where connections are few.
	crowdedTime = 5 * time.Second
	// tooManyConnections is the server's code for a connection beyond the limit of the server, a
	// database or a role.
	tooManyConnections = "53300"
)

// isCrowded reports whether less than a quarter is left of the connections that the server, the
// database or the role may have. That is for those who do something: whoever only waits for mail
// gives its connection back. It is asked on that connection: there may be no other one.
func (w *watcher) isCrowded(ctx context.Context) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, hostTimeout)
	defer cancel()
	result := execute(ctx, w.conn, `select not bool_and(total < 0 or 4 * (total - used) >= total) from (
			select current_setting('max_connections')::bigint - current_setting('superuser_reserved_connections')::bigint -
			       coalesce(current_setting('reserved_connections', true), '0')::bigint,
			       (select count(*) from pg_stat_activity where usesysid is not null)
			union all
			select datconnlimit, (select count(*) from pg_stat_activity where datid = d.oid)
			from pg_database d where datname = current_database()
			union all
			select rolconnlimit, (select count(*) from pg_stat_activity where usesysid = r.oid)
			from pg_roles r where rolname = current_user
		) crowd (total, used)`, nil)
	if result.Err != nil {
		return false, result.Err
	}
	r, ok := answer{rows: result.Rows}.one()
	if !ok {
		return false, errRow
	}
	return r.bool(), r.err
}

// giveWay ends listening where connections are few. After a while it tries again.
func (w *watcher) giveWay(ctx context.Context) {
	if w.conn == nil || w.conn.IsClosed() {
		return
	}
	if crowded, err := w.isCrowded(ctx); err == nil && crowded {
		w.hangUp()
		w.crowded, w.retry = true, time.Now().Add(checkTime)
	}
}

// pause is how long a watcher that nobody tells waits until it looks again. Where many do so, they
// do not all look at once.
func (w *watcher) pause() time.Duration {
	if !w.crowded {
		return pollTime
	}
	return crowdedTime/2 + rand.N(crowdedTime)
}

// whyCrowded says why mail is not told at once.
func whyCrowded() string {
	return fmt.Sprintf("fewer than a quarter of the connections that the server, the database or the role may have "+
		"are free: chibi looks for mail every %s; raise max_connections, or put a pooler between", crowdedTime)
}
