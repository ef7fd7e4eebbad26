package pgstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/chibi-host/chibi/store"
)

// blobs keeps large values in the tables blob and chunk. A value whose row has no size is not
// complete, and does not exist.
type blobs struct{ *db }

const (
	// chunkSize is the size of all chunks but the last one.
	chunkSize = 1 << 20
	// removalTime bounds the removal of what an upload that failed has left.
	removalTime = 5 * time.Second
)

func (b blobs) Put(ctx context.Context, key string, r io.Reader) (_ int64, err error) {
	defer about(&err, "blob", key)
	if err := store.CheckKey(key); err != nil {
		return 0, err
	}
	u := upload{blobs: b, key: key, id: rand.Text(), chunk: make([]byte, chunkSize)}
	isLast, err := u.read(r)
	if err != nil {
		return 0, err
	}
	if isLast {
		return u.size, u.putWhole(ctx)
	}
	err = u.putChunks(ctx, r)
	if err != nil {
		u.forget(ctx)
	}
	return u.size, err
}

type upload struct {
	blobs
	key, id string
	chunk   []byte
	size    int64
}

// read reads the next chunk, and reports whether it is the last one: not full.
func (u *upload) read(r io.Reader) (isLast bool, err error) {
	n, err := io.ReadFull(r, u.chunk[:chunkSize])
	u.chunk = u.chunk[:n]
	u.size += int64(n)
	isLast = errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	if isLast {
		err = nil
	}
	return isLast, err
}

// putWhole stores a value of one chunk.
func (u *upload) putWhole(ctx context.Context) error {
	return u.insert(ctx, `with put as (
			insert into {s}.blob (id, key, size, time) values ($1, $2, $3, clock_timestamp())
			on conflict do nothing returning id
		), filled as (
			insert into {s}.chunk (blob, n, data) select id, 0, $4 from put
		)
		select from put`, text(u.id), text(u.key), number(u.size), data(u.chunk))
}

// insert carries out a statement that inserts the row of the value, unless one with its key exists.
func (u *upload) insert(ctx context.Context, statement string, args ...arg) error {
	for {
		a, err := u.run(ctx, statement, args...)
		if err != nil || a.changed > 0 {
			return err
		}
		// Somebody was first, or an attempt of this call.
		a, err = u.settled(ctx, `select id = $1 from {s}.blob where id = $1 or key = $2 and size is not null
			order by id = $1 desc limit 1`, text(u.id), text(u.key))
		if err != nil {
			return err
		}
		if r, ok := a.one(); ok {
			if isMine := r.bool(); isMine || r.err != nil {
				return r.err
			}
			return store.ErrConflict
		}
	}
}

// putChunks stores a value of several chunks, of which the first one was read.
func (u *upload) putChunks(ctx context.Context, r io.Reader) error {
	if err := u.begin(ctx); err != nil {
		return err
	}
	for n, isLast := 0, false; ; n++ {
		a, err := u.run(ctx, `insert into {s}.chunk (blob, n, data) values ($1, $2, $3) on conflict do nothing`,
			text(u.id), number(n), data(u.chunk))
		if codeOf(err) == foreignKeyViolation {
			return lostParts()
		}
		if err != nil {
			return err
		}
		if a.changed == 0 && !a.repeated {
			return errRow
		}
		if isLast {
			return u.finish(ctx)
		}
		if isLast, err = u.read(r); err != nil {
			return err
		}
	}
}

// begin makes the row of a value that is not complete, and removes those that never were
// completed: their chunks go with them.
func (u *upload) begin(ctx context.Context) error {
	return u.insert(ctx, `with left_over as (
			delete from {s}.blob where size is null and time < clock_timestamp() - interval '1 day'
		)
		insert into {s}.blob (id, key, time) select $1, $2, clock_timestamp()
		where not exists (select from {s}.blob where key = $2 and size is not null)
		on conflict do nothing`, text(u.id), text(u.key))
}

// finish makes the value exist, if all of it is there: a server that was replaced by one that
// was behind may have lost chunks.
func (u *upload) finish(ctx context.Context) error {
	a, err := u.run(ctx, `update {s}.blob set size = $2, time = clock_timestamp()
		where id = $1 and (select sum(octet_length(data)) from {s}.chunk where blob = $1) = $2`, text(u.id), number(u.size))
	switch {
	case codeOf(err) == uniqueViolation:
		return store.ErrConflict
	case err == nil && a.changed == 0:
		return lostParts()
	}
	return err
}

// lostParts reports that a server that was behind has replaced the one that had parts of a value.
func lostParts() error {
	return fmt.Errorf("%w: parts of it were lost while it was put; put it again", store.ErrUnavailable)
}

// The server's codes for a key that is taken, and for a part of a value that is not there.
const (
	uniqueViolation     = "23505"
	foreignKeyViolation = "23503"
)

// forget removes what was stored, though the caller may have given up; if that fails, a later
// upload does.
func (u *upload) forget(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removalTime)
	defer cancel()
	u.run(ctx, `delete from {s}.blob where id = $1`, text(u.id))
}

func (b blobs) Remove(ctx context.Context, key string) (err error) {
	defer about(&err, "blob", key)
	if err := store.CheckKey(key); err != nil {
		return err
	}
	return b.removed(ctx, `delete from {s}.blob where key = $1 and size is not null`,
		`select key from {s}.blob where key = $1 and size is not null`, text(key))
}

// listedBlobs is how many values one round trip lists.
const listedBlobs = 50_000

// List calls each with the values whose key begins with prefix.
func (b blobs) List(ctx context.Context, prefix string, each func(store.BlobInfo) bool) (err error) {
	defer about(&err, "blobs", prefix)
	if err := store.CheckPrefix(prefix); err != nil {
		return err
	}
	after, before := keysFrom(prefix)
	for {
		a, err := b.run(ctx, `select key, size, (extract(epoch from time) * 1000000)::bigint from {s}.blob
			where key > $1 and key < $2 and size is not null order by key limit $3`, after, before, number(listedBlobs))
		if err != nil {
			return err
		}
		for _, columns := range a.rows {
			r := row{columns: columns}
			info := store.BlobInfo{Key: r.text(), Size: r.int(), Time: time.UnixMicro(r.int())}
			after = text(info.Key)
			if r.err != nil || !each(info) {
				return r.err
			}
		}
		if len(a.rows) < listedBlobs {
			return nil
		}
	}
}
