package natsstore

import (
	"cmp"
	"context"
	"errors"
	"strconv"

	"github.com/nats-io/nats.go"

	"github.com/chibi-host/chibi/store"
)

// logs keeps logs: a record is a message, its position the sequence.
type logs struct{ stream }

// Tail asks the leader for the newest record.
func (l logs) Tail(ctx context.Context, log string) (_ store.Tail, err error) {
	if err := store.CheckLog(log); err != nil {
		return store.Tail{}, err
	}
	defer about(&err, "log", log)
	m, err := l.newestRetried(ctx, l.layout.log(log))
	if errors.Is(err, store.ErrNotFound) {
		return store.Tail{}, nil
	}
	if err != nil {
		return store.Tail{}, err
	}
	if t, err := tailOf(m); err == nil {
		return t, nil
	}
	return l.tailBehind(ctx, m)
}

// tailBehind returns the tail of a log whose newest record does not say it, by what the newest one
// says that does; if there is none, the window begins with the first record.
func (l logs) tailBehind(ctx context.Context, newest message) (store.Tail, error) {
	t := store.Tail{Last: newest.seq}
	before := &reading{logs: l, subject: newest.subject, r: store.Range{Last: newest.seq}}
	before.take = func(_ context.Context, m message) (more bool, err error) {
		known, err := tailOf(m)
		if err != nil {
			t.Window, t.Count = m.seq, t.Count+1
			return true, nil
		}
		t.Window, t.Count = known.Window, t.Count+known.Count
		return false, nil
	}
	return t, before.backward(ctx)
}

// tailOf returns the tail of a log whose newest record is given.
func tailOf(m message) (store.Tail, error) {
	window, has, err := m.number(headerWindow)
	if err != nil {
		return store.Tail{}, err
	}
	if !has || window == 0 {
		window = m.seq
	}
	count, has, err := m.number(headerCount)
	switch {
	case err != nil:
		return store.Tail{}, err
	case !has || count == 0 || count > m.seq:
		return store.Tail{}, m.damaged("its header %s says that it is record %d", headerCount, count)
	case window > m.seq:
		return store.Tail{}, m.damaged("its header %s says that the window begins at %d", headerWindow, window)
	}
	return store.Tail{Last: m.seq, Window: window, Count: count}, nil
}

// Append stores a record after the newest one.
func (l logs) Append(ctx context.Context, log string, after store.Tail, r store.Record) (_ store.Tail, err error) {
	if err := cmp.Or(store.CheckLog(log), store.CheckID(r.ID)); err != nil {
		return store.Tail{}, err
	}
	defer about(&err, "log", log)
	w := write{
		subject: l.layout.log(log), after: after.Last, id: r.ID, msgID: log + "." + r.ID,
		header: nats.Header{headerCount: {strconv.FormatUint(after.Count+1, 10)}}, data: r.Data,
	}
	if !r.Begins {
		w.header[headerWindow] = []string{strconv.FormatUint(after.Window, 10)}
	}
	put := l.put
	if int64(len(r.Data)) > l.pieceLimit() {
		put = l.putLarge
	}
	seq, err := put(ctx, w)
	if err != nil {
		return store.Tail{}, err
	}
	tail := store.Tail{Last: seq, Window: after.Window, Count: after.Count + 1}
	if r.Begins || after.Window == 0 {
		tail.Window = seq
	}
	return tail, nil
}

// Remove removes the records of a log, and then the pieces of the large ones: a record whose
// pieces are not there is damaged.
func (l logs) Remove(ctx context.Context, log string) (err error) {
	if err := store.CheckLog(log); err != nil {
		return err
	}
	defer about(&err, "log", log)
	subject := l.layout.log(log)
	for _, filter := range []string{subject, subject + ".>"} {
		if err := l.purge(ctx, filter); err != nil {
			return err
		}
	}
	return nil
}

func record(m message) (store.Record, error) {
	id := m.header.Get(headerID)
	if store.CheckID(id) != nil {
		return store.Record{}, m.damaged("its header %s is %.80q", headerID, id)
	}
	_, continues := m.header[headerWindow]
	return store.Record{Pos: m.seq, ID: id, Time: m.time, Begins: !continues, Data: m.data}, nil
}
