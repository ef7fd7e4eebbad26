package cache

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/chibi-host/chibi/store"
)

// openDirect reads an output from the store, piece by piece.
func (c *Shared) openDirect(ctx context.Context, id string) (*Reader, error) {
	r, ok, err := c.inStore(ctx)
	if err != nil {
		return nil, err
	}
	if !ok || !validID(id) {
		return nil, notFound(id)
	}
	blob, err := r.engine.Blobs.Open(ctx, r.blob(id))
	if errors.Is(err, store.ErrNotFound) {
		return nil, notFound(id)
	}
	if err != nil {
		return nil, err
	}
	return &Reader{content: blob, size: blob.Size(), close: blob.Close}, nil
}

// hasContent reports whether the store has the bytes of an output, or cannot be asked.
func (c *Shared) hasContent(ctx context.Context, id string) bool {
	content, err := c.openDirect(ctx, id)
	if err == nil {
		content.Close()
	}
	return !errors.Is(err, ErrNotFound)
}

// take puts an output into the store alone: this machine keeps no copy. A blob that is there
// without a document is what a copy that was interrupted has left.
func (c *Shared) take(ctx context.Context, e Entry, content io.Reader) error {
	r, ok, err := c.inStore(ctx)
	if err != nil {
		return err
	}
	if !ok || !validID(e.ID) {
		return notFound(e.ID)
	}
	if err := r.engine.Blobs.Remove(ctx, r.blob(e.ID)); err != nil {
		return err
	}
	m := newMeasure()
	if _, err := r.engine.Blobs.Put(ctx, r.blob(e.ID), io.TeeReader(content, m)); err != nil {
		return err
	}
	index := m.end()
	text, err := encodeDocument(e.measured(index), index)
	if err != nil {
		return err
	}
	_, err = r.engine.Docs.Put(ctx, r.document(e.ID), text, 0)
	return err
}

// RemoveLeft removes the pieces of outputs that have had no description for a day, such
// as outputs of contexts that were deleted while a machine died. It returns how many
// there were, and their bytes.
func RemoveLeft(ctx context.Context, e *store.Engine) (removed int, bytes int64, err error) {
	now, err := e.AgesAt(ctx)
	if err != nil {
		return 0, 0, err
	}
	known := map[string]bool{}
	err = e.Docs.List(ctx, "out.", func(d store.Doc) bool {
		owner, id, _ := strings.Cut(strings.TrimPrefix(d.Key, "out."), ".")
		known[remote{owner: owner}.blob(id)] = true
		return true
	})
	if err != nil {
		return 0, 0, err
	}
	var left []store.BlobInfo
	err = e.Blobs.List(ctx, "", func(b store.BlobInfo) bool {
		owner, id, _ := strings.Cut(b.Key, "-") // an engine may keep other values there
		if isContextID(owner) && validID(id) && !known[b.Key] && now.Sub(b.Time) > leftAge {
			left = append(left, b)
		}
		return true
	})
	for _, b := range left {
		if err != nil {
			break
		}
		if err = e.Blobs.Remove(ctx, b.Key); err == nil {
			removed, bytes = removed+1, bytes+b.Size
		}
	}
	return removed, bytes, err
}
