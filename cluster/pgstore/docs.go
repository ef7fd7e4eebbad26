package pgstore

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"strings"

	"github.com/chibi-host/chibi/store"
)

// docs keeps documents in the table doc.
type docs struct{ *db }

func (d docs) Get(ctx context.Context, key string) (_ store.Doc, err error) {
	defer about(&err, "document", key)
	if err := store.CheckKey(key); err != nil {
		return store.Doc{}, err
	}
	a, err := d.run(ctx, `select rev, data from {s}.doc where key = $1`, text(key))
	if err != nil {
		return store.Doc{}, err
	}
	r, ok := a.one()
	if !ok {
		return store.Doc{}, store.ErrNotFound
	}
	return store.Doc{Key: key, Rev: r.uint(), Data: r.column()}, r.err
}

func (d docs) Put(ctx context.Context, key string, value []byte, rev uint64) (_ uint64, err error) {
	defer about(&err, "document", key)
	if err := cmp.Or(store.CheckKey(key), checkSize(value)); err != nil {
		return 0, err
	}
	switch {
	case value == nil && rev == 0:
		return 0, errors.New("a document is removed by its revision, which is not 0")
	case value == nil:
		return 0, d.remove(ctx, key, rev)
	}
	// The tag tells whether a document is of this call, when it is repeated.
	tag := rand.Text()
	change := `insert into {s}.doc (key, rev, tag, data) select $1, nextval('{s}.revision'), $2, $3 where $4 = 0::bigint
		on conflict do nothing returning rev`
	if rev != 0 {
		change = `update {s}.doc set rev = nextval('{s}.revision'), tag = $2, data = $3 where key = $1 and rev = $4
			returning rev`
	}
	for {
		a, err := d.run(ctx, `with changed as (`+change+`)
			select rev, case when $5 <> '' then pg_notify($5, $1) end is null from changed`,
			text(key), text(tag), data(value), number(rev), text(d.channelFor(key)))
		if err != nil {
			return 0, err
		}
		if r, ok := a.one(); ok {
			return r.uint(), r.err
		}
		// Somebody was first, or an attempt of this call.
		now, isMine, err := d.revision(ctx, key, tag)
		switch {
		case err != nil:
			return 0, err
		case isMine:
			return now, nil
		case now != rev:
			return 0, store.ErrConflict
		}
	}
}

// revision settles which revision a document has, 0 if it is not there, and whether the call with a
// tag has written it.
func (d docs) revision(ctx context.Context, key, tag string) (rev uint64, isMine bool, err error) {
	a, err := d.settled(ctx, `select rev, tag = $2 from {s}.doc where key = $1`, text(key), text(tag))
	if err != nil {
		return 0, false, err
	}
	r, ok := a.one()
	if !ok {
		return 0, false, nil
	}
	rev, isMine = r.uint(), r.bool()
	return rev, isMine, r.err
}

// remove removes a document. A repeated call that finds none has done so before.
func (d docs) remove(ctx context.Context, key string, rev uint64) error {
	for isRepeated := false; ; {
		a, err := d.run(ctx, `delete from {s}.doc where key = $1 and rev = $2`, text(key), number(rev))
		if err != nil || a.changed > 0 {
			return err
		}
		isRepeated = isRepeated || a.repeated
		now, _, err := d.revision(ctx, key, "")
		switch {
		case err != nil:
			return err
		case now == 0 && isRepeated:
			return nil
		case now != rev:
			return store.ErrConflict
		}
	}
}

// channelFor is the channel that announces a document, "" for most: a notification holds a
// lock of the whole server until its transaction is durable, so it announces only mail.
func (d docs) channelFor(key string) string {
	if !strings.HasPrefix(key, pushed) {
		return ""
	}
	_, channel := d.notes.of()
	return channel
}

// The bounds of one round trip of List and Read: rows, and bytes beyond the first row. The first
// round trip of Keys has fewer rows, as many callers want the first keys only.
const (
	firstKeys = 100
	pageRows  = 20_000
	pageBytes = 8 << 20
)

// Keys calls each with the keys that begin with prefix.
func (d docs) Keys(ctx context.Context, prefix string, each func(string) bool) (err error) {
	defer about(&err, "documents", prefix)
	if err := store.CheckPrefix(prefix); err != nil {
		return err
	}
	after, before := keysFrom(prefix)
	for rows := int64(firstKeys); ; rows = pageRows {
		a, err := d.run(ctx, `select key from {s}.doc where key > $1 and key < $2 order by key limit $3`, after, before,
			number(rows))
		if err != nil {
			return err
		}
		for _, columns := range a.rows {
			r := row{columns: columns}
			key := r.text()
			after = text(key)
			if r.err != nil || !each(key) {
				return r.err
			}
		}
		if int64(len(a.rows)) < rows {
			return nil
		}
	}
}

// List calls each with the documents whose key begins with prefix.
func (d docs) List(ctx context.Context, prefix string, each func(store.Doc) bool) (err error) {
	defer about(&err, "documents", prefix)
	if err := store.CheckPrefix(prefix); err != nil {
		return err
	}
	after, before := keysFrom(prefix)
	next := func() (answer, error) {
		return d.run(ctx, `select key, rev, data from (
				select *, sum(octet_length(data)) over (order by key rows unbounded preceding) - octet_length(data) as size
				from (select key, rev, data from {s}.doc where key > $1 and key < $2 order by key limit $3) page
			) sized where size <= $4 order by key`, after, before, number(pageRows), number(pageBytes))
	}
	return d.pages(pageRows, next, func(doc store.Doc) bool {
		after = text(doc.Key)
		return each(doc)
	})
}

// walkRows is how many documents one round trip brings to a walk.
const walkRows = 1000

// Walk calls each with the documents in the order of their revisions.
func (d docs) Walk(ctx context.Context, prefix string, after uint64, each func(store.Doc) bool) (err error) {
	defer about(&err, "documents", prefix)
	if err := store.CheckPrefix(prefix); err != nil {
		return err
	}
	first, before := keysFrom(prefix)
	next := func() (answer, error) {
		return d.run(ctx, `select key, rev, data from (
				select *, sum(octet_length(data)) over (order by rev rows unbounded preceding) - octet_length(data) as size
				from (select key, rev, data from {s}.doc where key > $1 and key < $2 and rev > $3 order by rev limit $4) page
			) sized where size <= $5 order by rev`, first, before, number(after), number(walkRows), number(pageBytes))
	}
	return d.pages(walkRows, next, func(doc store.Doc) bool {
		after = doc.Rev
		return each(doc)
	})
}

// pages calls each with the documents that one round trip after the other brings, so many at most.
func (d docs) pages(rows int, next func() (answer, error), each func(store.Doc) bool) error {
	for {
		a, err := next()
		if err != nil {
			return err
		}
		size := 0
		for _, columns := range a.rows {
			r := row{columns: columns}
			doc := store.Doc{Key: r.text(), Rev: r.uint(), Data: r.column()}
			size += len(doc.Data)
			if r.err != nil || !each(doc) {
				return r.err
			}
		}
		// The server leaves out what comes after more than pageBytes.
		if len(a.rows) < rows && size <= pageBytes {
			return nil
		}
	}
}
