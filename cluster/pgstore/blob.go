package pgstore

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/chibi-host/chibi/store"
)

type blob struct {
	size int64
	// fetch reads a part of the value that is within it, with the context of Open.
	fetch func(offset int64, length int) ([]byte, error)

	mu    sync.Mutex
	ahead []byte // what was read beyond what was asked for, from at on
	at    int64
	next  int64 // where the last reading ended
}

// maxFetch is how much one round trip reads.
const maxFetch = 4 << 20

func (b blobs) Open(ctx context.Context, key string) (_ store.Blob, err error) {
	defer about(&err, "blob", key)
	if err := store.CheckKey(key); err != nil {
		return nil, err
	}
	a, err := b.run(ctx, `select id, size from {s}.blob where key = $1 and size is not null`, text(key))
	if err != nil {
		return nil, err
	}
	r, ok := a.one()
	if !ok {
		return nil, store.ErrNotFound
	}
	id, size := r.text(), r.int()
	if r.err != nil || size < 0 {
		return nil, errRow
	}
	fetch := func(offset int64, length int) (_ []byte, err error) {
		defer about(&err, "blob", key)
		return b.fetch(ctx, id, offset, length)
	}
	return &blob{size: size, fetch: fetch, next: -1}, nil
}

func (b blobs) fetch(ctx context.Context, id string, offset int64, length int) ([]byte, error) {
	end := offset + int64(length)
	a, err := b.run(ctx, `select substring(data from (greatest($4 - n * $6, 0) + 1)::int
			for (least($5 - n * $6, $6) - greatest($4 - n * $6, 0))::int)
		from {s}.chunk where blob = $1 and n between $2 and $3 order by n`,
		text(id), number(offset/chunkSize), number((end-1)/chunkSize), number(offset), number(end), number(int64(chunkSize)))
	if err != nil {
		return nil, err
	}
	part := make([]byte, 0, length)
	for _, columns := range a.rows {
		part = append(part, columns[0]...)
	}
	if len(part) == 0 {
		return nil, fmt.Errorf("%w: it was removed while it was read", store.ErrNotFound)
	}
	if len(part) != length {
		return nil, fmt.Errorf("%d bytes from byte %d on are %d in the store; it is damaged", length, offset, len(part))
	}
	return part, nil
}

func (b *blob) Size() int64 { return b.size }

// Close does nothing: an open value holds nothing in the store.
func (b *blob) Close() error { return nil }

// ReadAt reads at an offset. Who reads one part after the other gets the rest of a chunk with
// each round trip.
func (b *blob) ReadAt(p []byte, offset int64) (n int, err error) {
	if offset < 0 {
		return 0, fmt.Errorf("reading at %d", offset)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for n < len(p) && offset < b.size {
		if offset < b.at || offset >= b.at+int64(len(b.ahead)) {
			if err := b.load(offset, len(p)-n); err != nil {
				return n, err
			}
		}
		copied := copy(p[n:], b.ahead[offset-b.at:])
		n, offset = n+copied, offset+int64(copied)
		b.next = offset
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// load fetches what is wanted from an offset on, and the rest of its chunk if the last reading
// ended there.
func (b *blob) load(offset int64, wanted int) error {
	if offset == b.next {
		wanted = max(wanted, chunkSize-int(offset%chunkSize))
	}
	length := int(min(int64(wanted), maxFetch, b.size-offset))
	part, err := b.fetch(offset, length)
	if err != nil {
		return err
	}
	b.ahead, b.at = part, offset
	return nil
}
