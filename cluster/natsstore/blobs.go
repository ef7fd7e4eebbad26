package natsstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/store"
)

// blobs keeps large values: pieces, and a document that is written last.
type blobs struct {
	docs documents
	outs stream

	mu  sync.Mutex
	age *time.Duration // at which the server removes pieces, 0: never; nil: not asked yet
}

// blobDoc is the document of a large value.
type blobDoc struct {
	Size   int64  `json:"size"`
	Upload string `json:"upload"` // where the pieces are
}

// decodeBlob reads the document of a large value. The name of the upload becomes a part of
// a subject.
func decodeBlob(m message) (blobDoc, error) {
	var d blobDoc
	if err := strictjson.Decode(m.data, &d); err != nil {
		return d, fmt.Errorf("its document is damaged: %w", err)
	}
	if d.Size < 0 || d.Size > math.MaxInt64/2 || !isUpload(d.Upload) {
		return d, fmt.Errorf("its document is damaged: it says size %d, upload %.40q", d.Size, d.Upload)
	}
	return d, nil
}

func (b *blobs) Put(ctx context.Context, key string, r io.Reader) (_ int64, err error) {
	if err := store.CheckKey(key); err != nil {
		return 0, err
	}
	defer about(&err, "value", key)
	d := blobDoc{Upload: newID()}
	p := b.pieces(key, d)
	if err := p.upload(ctx, r); err != nil {
		p.drop()
		return 0, err
	}
	d.Size = p.size
	text, err := strictjson.Encode(d)
	if err != nil {
		return 0, err
	}
	_, err = b.docs.change(ctx, blobPrefix+key, text, 0)
	if errors.Is(err, store.ErrConflict) { // after any other error it may be stored
		p.drop()
	}
	return d.Size, err
}

// pieces are where a value is.
func (b *blobs) pieces(key string, d blobDoc) *pieces {
	return &pieces{stream: b.outs, prefix: b.outs.layout.out(key) + "." + d.Upload, size: d.Size}
}

// Open opens a value. Its first piece is read, so that one whose pieces have gone is not
// there.
func (b *blobs) Open(ctx context.Context, key string) (_ store.Blob, err error) {
	if err := store.CheckKey(key); err != nil {
		return nil, err
	}
	defer about(&err, "value", key)
	m, err := b.docs.newestOf(ctx, blobPrefix+key)
	if err != nil {
		return nil, err
	}
	d, err := decodeBlob(m)
	if err != nil {
		return nil, err
	}
	p := b.pieces(key, d)
	v := &blob{
		key: key, size: d.Size,
		readAt: func(buf []byte, off int64) (int, error) { return p.readAt(ctx, buf, off) },
		piece:  func(n int64) ([]byte, error) { return p.piece(ctx, n) },
	}
	if d.Size > 0 {
		if v.kept, err = v.piece(0); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// Remove removes a value: its document first, so that it is not there any more.
func (b *blobs) Remove(ctx context.Context, key string) (err error) {
	if err := store.CheckKey(key); err != nil {
		return err
	}
	defer about(&err, "value", key)
	m, err := b.docs.newestOf(ctx, blobPrefix+key)
	if err == nil {
		_, err = b.docs.change(ctx, blobPrefix+key, nil, m.seq)
	}
	gone := errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrConflict) // removed by another
	if err != nil && !gone {
		return err
	}
	uploads := "*" // left by somebody who did not finish
	if d, err := decodeBlob(m); err == nil {
		uploads = d.Upload
	}
	return b.outs.purge(ctx, b.outs.layout.out(key)+"."+uploads+".*")
}

// List lists the values, but for those whose pieces the server has removed because of their
// age.
func (b *blobs) List(ctx context.Context, prefix string, each func(store.BlobInfo) bool) (err error) {
	if err := store.CheckPrefix(prefix); err != nil {
		return err
	}
	defer about(&err, "values", prefix)
	found, err := b.docs.all(ctx, blobPrefix+prefix)
	var oldest time.Time
	if err == nil && len(found) > 0 {
		oldest, err = b.oldest(ctx)
	}
	if err != nil {
		return err
	}
	for key, m := range found {
		d, err := decodeBlob(m)
		if err != nil || m.time.Before(oldest) {
			continue // what is damaged cannot be opened either, and can be removed
		}
		if !each(store.BlobInfo{Key: strings.TrimPrefix(key, blobPrefix), Size: d.Size, Time: m.time}) {
			return nil
		}
	}
	return nil
}

// oldest returns when the oldest values were put whose pieces are still there.
func (b *blobs) oldest(ctx context.Context) (time.Time, error) {
	b.mu.Lock()
	known := b.age != nil && *b.age == 0
	b.mu.Unlock()
	if known {
		return time.Time{}, nil
	}
	info, err := b.outs.infoRetried(ctx)
	if err != nil {
		return time.Time{}, err
	}
	b.mu.Lock()
	b.age = &info.Config.MaxAge
	b.mu.Unlock()
	if info.Config.MaxAge == 0 {
		return time.Time{}, nil
	}
	return info.Now.Add(-info.Config.MaxAge), nil
}

// blob is an open value. It keeps the piece that was read last, for readers that take
// little at a time.
type blob struct {
	key  string
	size int64
	// readAt reads a part, piece a whole piece, with the context of Open.
	readAt func(buf []byte, off int64) (int, error)
	piece  func(n int64) ([]byte, error)

	mu   sync.Mutex
	n    int64 // which piece is kept
	kept []byte
}

func (v *blob) Size() int64 { return v.size }

// Close forgets the piece that is kept.
func (v *blob) Close() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.kept = nil
	return nil
}

func (v *blob) ReadAt(buf []byte, off int64) (int, error) {
	n, err := v.readFew(buf, off)
	if !errors.Is(err, io.EOF) {
		about(&err, "value", v.key)
	}
	return n, err
}

// readFew reads from the piece that is kept if everything is in one piece.
func (v *blob) readFew(buf []byte, off int64) (int, error) {
	end := min(off+int64(len(buf)), v.size)
	if off < 0 || off >= end || off/pieceSize != (end-1)/pieceSize {
		return v.readAt(buf, off)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if n := off / pieceSize; v.kept == nil || v.n != n {
		data, err := v.piece(n)
		if err != nil {
			return 0, err
		}
		v.n, v.kept = n, data
	}
	copied := copy(buf, v.kept[off%pieceSize:])
	if copied < len(buf) {
		return copied, io.EOF
	}
	return copied, nil
}
