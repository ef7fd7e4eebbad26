package cache

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/store"
)

// remote is what a store has of a conversation's outputs.
type remote struct {
	engine *store.Engine
	owner  string // the conversation's id
	local  Files  // where copies are kept
}

// document is the key of the description of an output, blob the key of the output. Without an id
// they are what the keys of all outputs of the conversation begin with.
func (r remote) document(id string) string { return "out." + r.owner + "." + id }
func (r remote) blob(id string) string     { return r.owner + "-" + id }

// maxDownload is the size up to which an output is copied to this machine as a whole,
// and so compared with its hash; of larger ones the pieces are read that are wanted.
const maxDownload = 64 << 20

// put puts what was saved on this machine into the store: first the output, then its
// document, so that an output that is listed is complete.
func (r remote) put(ctx context.Context, e Entry, index lineIndex) error {
	text, err := encodeDocument(e, index)
	if err != nil {
		return err
	}
	f, err := disk.OpenRegular(e.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err = r.putBlob(ctx, e.ID, f); err == nil {
		_, err = r.engine.Docs.Put(ctx, r.document(e.ID), text, 0)
	}
	if errors.Is(err, store.ErrTooLarge) {
		err = fmt.Errorf("%w: %w", ErrTooLarge, err)
	}
	return err
}

// putBlob puts an output. A blob that is there without a document was left by a machine that
// died before it put the document, and is replaced.
func (r remote) putBlob(ctx context.Context, id string, f io.ReadSeeker) error {
	_, err := r.engine.Blobs.Put(ctx, r.blob(id), f)
	if !errors.Is(err, store.ErrConflict) {
		return err
	}
	if _, described := r.engine.Docs.Get(ctx, r.document(id)); !errors.Is(described, store.ErrNotFound) {
		return errors.Join(err, described)
	}
	if err := r.engine.Blobs.Remove(ctx, r.blob(id)); err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err = r.engine.Blobs.Put(ctx, r.blob(id), f)
	return err
}

// open opens an output. The error is ErrNotFound, or the store's, if it is damaged or not
// there.
func (r remote) open(ctx context.Context, id string) (*Reader, error) {
	read, err := r.engine.Docs.Get(ctx, r.document(id))
	if err != nil {
		return nil, err
	}
	d, err := decodeDocument(id, read.Data)
	if err != nil {
		return nil, err
	}
	if copied, err := r.local.entry(id); err == nil && copied.SHA256 == d.Entry.SHA256 {
		if reader, err := r.local.Open(ctx, id); err == nil {
			return reader, nil
		}
	}
	blob, err := r.engine.Blobs.Open(ctx, r.blob(id))
	if err != nil {
		return nil, err
	}
	if blob.Size() <= maxDownload || blob.Size() != d.Entry.Bytes {
		defer blob.Close()
		if err := r.download(ctx, d.Entry, blob); err != nil {
			return nil, err
		}
		return r.local.Open(ctx, id)
	}
	return &Reader{content: blob, size: blob.Size(), index: d.index(), close: blob.Close}, nil
}

// download copies an output to this machine. The error is ErrNotFound if it is not the one
// that its document describes.
func (r remote) download(ctx context.Context, e Entry, blob store.Blob) error {
	if blob.Size() != e.Bytes {
		return ErrNotFound
	}
	return r.local.take(ctx, e, checked(ctx, e, io.NewSectionReader(blob, 0, blob.Size())))
}

// entries lists what the store has, but for what is damaged. known has the ids of all; a
// key that can be no output's, which came there by another way, is left alone.
func (r remote) entries(ctx context.Context) (list []Entry, known map[string]bool, err error) {
	prefix, known := r.document(""), map[string]bool{}
	err = r.engine.Docs.List(ctx, prefix, func(read store.Doc) bool {
		id := strings.TrimPrefix(read.Key, prefix)
		if !validID(id) {
			return true
		}
		known[id] = true
		d, err := decodeDocument(id, read.Data)
		if err != nil {
			return true
		}
		if path := r.local.dir.content(id); isFile(path) {
			d.Entry.Path = path
		}
		list = append(list, d.Entry)
		return true
	})
	sortByAge(list)
	return list, known, err
}

func isFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}

// all lists the ids of all that the store has, damaged and incomplete too.
func (r remote) all(ctx context.Context) (ids []string, err error) {
	_, known, err := r.entries(ctx)
	if err != nil {
		return nil, err
	}
	err = r.engine.Blobs.List(ctx, r.blob(""), func(b store.BlobInfo) bool {
		if id := strings.TrimPrefix(b.Key, r.blob("")); validID(id) {
			known[id] = true
		}
		return true
	})
	for id := range known {
		ids = append(ids, id)
	}
	return ids, err
}

// remove removes an output: its document first, so that what is listed is complete.
func (r remote) remove(ctx context.Context, id string) error {
	read, err := r.engine.Docs.Get(ctx, r.document(id))
	if err == nil {
		_, err = r.engine.Docs.Put(ctx, r.document(id), nil, read.Rev)
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) && !errors.Is(err, store.ErrConflict) {
		return err
	}
	return r.engine.Blobs.Remove(ctx, r.blob(id))
}

// leftAge is the age from which a blob without a document is removed: a younger one may be an output
// that is being put.
const leftAge = 24 * time.Hour

// isOld reports whether an output may have reached the age at which a store removes its bytes.
func (e Entry) isOld() bool { return time.Since(time.Unix(e.Timestamp, 0)) > leftAge }

// taken lists when the store took the bytes of outputs, by its clock.
func (r remote) taken(ctx context.Context) (map[string]time.Time, error) {
	list, prefix := map[string]time.Time{}, r.blob("")
	err := r.engine.Blobs.List(ctx, prefix, func(b store.BlobInfo) bool {
		list[strings.TrimPrefix(b.Key, prefix)] = b.Time
		return true
	})
	return list, err
}

// cleanCopies removes this machine's copies of outputs that the store does not have.
func (r remote) cleanCopies(ctx context.Context, known map[string]bool) error {
	isKnown := func(id string) bool { return known[id] }
	_, err := r.local.Clean(ctx, Limits{MaxAge: time.Nanosecond, MinAge: orphanAge, Keep: isKnown})
	return err
}
