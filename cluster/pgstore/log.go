package pgstore

import (
	"cmp"
	"context"

	"github.com/chibi-host/chibi/store"
)

// logs keeps logs in the table log. Each record has the position of the one before it, which
// no other record of the log may have: that is how only one of several appends succeeds.
type logs struct{ *db }

func (l logs) Tail(ctx context.Context, log string) (_ store.Tail, err error) {
	defer about(&err, "log", log)
	if err := store.CheckLog(log); err != nil {
		return store.Tail{}, err
	}
	a, err := l.run(ctx, `select pos, win, count from {s}.log where log = $1 order by pos desc limit 1`, text(log))
	if err != nil {
		return store.Tail{}, err
	}
	t, ok, err := a.tail()
	isTail := t.Window > 0 && t.Window <= t.Last && t.Count > 0 && t.Count <= t.Last
	if ok && !isTail {
		return l.tailBehind(ctx, log)
	}
	return t, err
}

// tailBehind returns the tail of a log whose newest record does not say it, by what the newest one
// says that does; if there is none, the window begins with the first record.
func (l logs) tailBehind(ctx context.Context, log string) (store.Tail, error) {
	a, err := l.run(ctx, `with known as (
			select pos, win, count from {s}.log
			where log = $1 and pos > 0 and win between 1 and pos and count between 1 and pos order by pos desc limit 1
		)
		select max(pos), coalesce((select win from known), min(pos)),
		       coalesce((select count from known), 0) + count(*) filter (where pos > coalesce((select pos from known), 0))
		from {s}.log where log = $1 having count(*) > 0`, text(log))
	if err != nil {
		return store.Tail{}, err
	}
	t, _, err := a.tail()
	return t, err
}

// tail is the tail in the first row, if there is one.
func (a answer) tail() (t store.Tail, ok bool, err error) {
	r, ok := a.one()
	if !ok {
		return store.Tail{}, false, nil
	}
	t = store.Tail{Last: r.uint(), Window: r.uint(), Count: r.uint()}
	return t, true, r.err
}

func (l logs) Append(ctx context.Context, log string, after store.Tail, r store.Record) (_ store.Tail, err error) {
	defer about(&err, "log", log)
	if err := cmp.Or(store.CheckLog(log), store.CheckID(r.ID), checkSize(r.Data)); err != nil {
		return store.Tail{}, err
	}
	for {
		t, ok, err := l.add(ctx, log, after, r)
		if ok || err != nil {
			return t, err
		}
		// Somebody was first, or an earlier call with this id, or an attempt of this one.
		t, isMine, err := l.next(ctx, log, after, r.ID)
		switch {
		case err != nil:
			return store.Tail{}, err
		case isMine:
			return t, nil
		case t.Last != after.Last:
			return store.Tail{}, store.ErrConflict
		}
	}
}

// add adds a record behind the one that is the tail, unless another one is there or that one is not.
func (l logs) add(ctx context.Context, log string, after store.Tail, r store.Record) (_ store.Tail, ok bool,
	err error) {
	// The lock on the record before keeps Remove from removing it in between.
	a, err := l.run(ctx, `with before as (
			select from {s}.log where log = $1 and pos = $2 for key share
		), new as (
			select nextval('{s}.revision') as pos
		)
		insert into {s}.log (log, pos, prev, win, count, id, begins, time, data)
		select $1, pos, $2, case when $4 or $6 = 0 then pos else $6 end, $7 + 1, $3, $4, clock_timestamp(), $5
		from new
		where case when $2 = 0 then not exists (select from {s}.log where log = $1) else exists (select from before) end
		on conflict do nothing
		returning pos, win, count`,
		text(log), number(after.Last), text(r.ID), flag(r.Begins), data(r.Data), number(after.Window), number(after.Count))
	if err != nil {
		return store.Tail{}, false, err
	}
	return a.tail()
}

// next settles which record comes after one, and whether it has an id. If there is none, it is that
// one itself; the zero tail if that is not there either.
func (l logs) next(ctx context.Context, log string, after store.Tail, id string) (t store.Tail, isMine bool,
	err error) {
	a, err := l.settled(ctx, `select pos, greatest(win, 0), greatest(count, 0), prev = $2 and id = $3 from {s}.log
		where log = $1 and (prev = $2 or pos = $2 or $2 = 0) order by prev = $2 desc, pos desc limit 1`,
		text(log), number(after.Last), text(id))
	if err != nil {
		return store.Tail{}, false, err
	}
	r, ok := a.one()
	if !ok {
		return store.Tail{}, false, nil
	}
	t, isMine = store.Tail{Last: r.uint(), Window: r.uint(), Count: r.uint()}, r.bool()
	return t, isMine, r.err
}

// Remove removes all records of a log. It looks again until there is none: an append that was
// under way may have added one.
func (l logs) Remove(ctx context.Context, log string) (err error) {
	if err := store.CheckLog(log); err != nil {
		return err
	}
	defer about(&err, "log", log)
	for {
		if _, err := l.run(ctx, `delete from {s}.log where log = $1`, text(log)); err != nil {
			return err
		}
		left, err := l.settled(ctx, `select pos from {s}.log where log = $1 limit 1`, text(log))
		if err != nil || len(left.rows) == 0 {
			return err
		}
	}
}
