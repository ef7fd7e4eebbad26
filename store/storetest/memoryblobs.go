package storetest

import (
	"bytes"
	"context"
	"github.com/chibi-host/chibi/store"
	"io"
	"maps"
	"time"
)

// maxMemoryBlob bounds a value, in bytes.
const maxMemoryBlob = 256 << 20

// memoryBlobs keeps large values in memory.
type memoryBlobs struct{ *memoryEngine }

type memoryBlob struct {
	data []byte // never changed
	time time.Time
}

// Put stores what r has.
func (c memoryBlobs) Put(ctx context.Context, key string, r io.Reader) (int64, error) {
	n, err := c.put(ctx, key, r)
	return n, about("blob", key, err)
}

func (c memoryBlobs) put(ctx context.Context, key string, r io.Reader) (int64, error) {
	if err := store.CheckKey(key); err != nil {
		return 0, err
	}
	data, err := io.ReadAll(io.LimitReader(r, maxMemoryBlob+1))
	if err != nil {
		return 0, err
	}
	if len(data) > maxMemoryBlob {
		return 0, store.ErrTooLarge
	}
	end, err := c.begin(ctx)
	if err != nil {
		return 0, err
	}
	defer end()
	m := c.memory
	if _, taken := m.blobs[key]; taken {
		return 0, store.ErrConflict
	}
	m.blobs[key] = memoryBlob{data, m.now().Round(0)}
	return int64(len(data)), nil
}

// Open opens a value.
func (c memoryBlobs) Open(ctx context.Context, key string) (store.Blob, error) {
	b, err := c.open(ctx, key)
	if err != nil {
		return nil, about("blob", key, err)
	}
	return b, nil
}

func (c memoryBlobs) open(ctx context.Context, key string) (store.Blob, error) {
	if err := store.CheckKey(key); err != nil {
		return nil, err
	}
	end, err := c.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	b, ok := c.memory.blobs[key]
	if !ok {
		return nil, store.ErrNotFound
	}
	answers := func() error {
		end, err := c.begin(ctx)
		if err == nil {
			end()
		}
		return about("blob", key, err)
	}
	return openMemoryBlob{bytes.NewReader(b.data), answers}, nil
}

// Remove removes a value.
func (c memoryBlobs) Remove(ctx context.Context, key string) error {
	return about("blob", key, c.remove(ctx, key))
}

func (c memoryBlobs) remove(ctx context.Context, key string) error {
	if err := store.CheckKey(key); err != nil {
		return err
	}
	end, err := c.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	delete(c.memory.blobs, key)
	return nil
}

// List calls each with the values whose key begins with prefix.
func (c memoryBlobs) List(ctx context.Context, prefix string, each func(store.BlobInfo) bool) error {
	found, err := c.list(ctx, prefix)
	if err != nil {
		return about("blobs", prefix, err)
	}
	for _, b := range found {
		if !each(b) {
			break
		}
	}
	return nil
}

func (c memoryBlobs) list(ctx context.Context, prefix string) (found []store.BlobInfo, err error) {
	err = c.below(ctx, prefix, maps.Keys(c.memory.blobs), func(key string) {
		b := c.memory.blobs[key]
		found = append(found, store.BlobInfo{Key: key, Size: int64(len(b.data)), Time: b.time})
	})
	return found, err
}

// openMemoryBlob is an open value. It stays readable when the value is removed.
type openMemoryBlob struct {
	*bytes.Reader
	answers func() error // whether the store still answers
}

// ReadAt reads at an offset.
func (b openMemoryBlob) ReadAt(p []byte, offset int64) (int, error) {
	if err := b.answers(); err != nil {
		return 0, err
	}
	return b.Reader.ReadAt(p, offset)
}

// Close does nothing.
func (b openMemoryBlob) Close() error { return nil }
