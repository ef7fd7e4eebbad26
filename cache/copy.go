package cache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"

	"github.com/chibi-host/chibi/internal/disk"
)

// Copy copies the outputs of a cache that the other one does not have, with their ids, and
// returns how many it copied. Each is compared with its hash; one that is damaged is an
// error, and does not keep the others. Memory does not depend on their sizes.
func Copy(ctx context.Context, from Browser, to Cache) (copied int, err error) {
	missing, err := Missing(ctx, from, to)
	if err != nil {
		return 0, err
	}
	var failed error
	for _, e := range slices.Backward(missing) { // the oldest first
		if err := ctx.Err(); err != nil {
			return copied, err
		}
		switch err := copyOne(ctx, from, to, e); {
		case err == nil:
			copied++
		case isPast(ctx, from, e):
		default:
			failed = errors.Join(failed, err)
		}
	}
	return copied, failed
}

// Missing lists the outputs of a cache that the other one does not have, the newest first.
func Missing(ctx context.Context, from, to Browser) (missing []Entry, err error) {
	list, err := from.List(ctx)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	there, err := to.List(ctx)
	if err != nil {
		return nil, err
	}
	has := map[string]bool{}
	for _, e := range there {
		has[e.ID] = true
	}
	return slices.DeleteFunc(list, func(e Entry) bool { return has[e.ID] }), nil
}

// Verify reads an output and compares it with its hash. The error is ErrNotFound if it is
// damaged.
func Verify(ctx context.Context, b Browser, e Entry) error {
	output, err := openDirect(ctx, b, e)
	if err != nil {
		return err
	}
	defer output.Close()
	_, err = io.Copy(io.Discard, checked(ctx, e, output.Content()))
	return err
}

func copyOne(ctx context.Context, from Browser, to Cache, e Entry) error {
	output, err := openDirect(ctx, from, e)
	if err != nil {
		return err
	}
	defer output.Close()
	if err := to.take(ctx, e, checked(ctx, e, output.Content())); err != nil {
		return fmt.Errorf("copying cached output %q: %w", e.ID, err)
	}
	return nil
}

// openDirect opens an output without keeping a copy on this machine.
func openDirect(ctx context.Context, b Browser, e Entry) (*Reader, error) {
	if s, ok := b.(*Shared); ok {
		return s.openDirect(ctx, e.ID)
	}
	return b.Open(ctx, e.ID)
}

func isListed(ctx context.Context, b Browser, e Entry) bool {
	list, err := b.List(ctx)
	return err != nil || slices.ContainsFunc(list, func(there Entry) bool { return there.ID == e.ID })
}

// isPast reports whether an output was removed meanwhile, or by its age: a store may remove the
// bytes of old outputs by itself, before their descriptions are cleaned up.
func isPast(ctx context.Context, b Browser, e Entry) bool {
	if s, ok := b.(*Shared); ok && e.isOld() && !s.hasContent(ctx, e.ID) {
		return true
	}
	return !isListed(ctx, b, e)
}

// checked returns a reader of an output that ends with an error, instead of with its end, if
// the output has another hash than its description says. The original writes no hash.
func checked(ctx context.Context, e Entry, output io.Reader) io.Reader {
	return &checkedReader{calledOff: ctx.Err, entry: e, content: output, hash: sha256.New()}
}

type checkedReader struct {
	calledOff func() error // returns why the caller's context has ended
	entry     Entry
	content   io.Reader
	hash      hash.Hash
	size      int64
}

func (r *checkedReader) Read(p []byte) (int, error) {
	if err := r.calledOff(); err != nil {
		return 0, err
	}
	n, err := r.content.Read(p)
	r.hash.Write(p[:n])
	r.size += int64(n)
	if err == io.EOF && !r.isWhole() {
		err = fmt.Errorf("cached output %q is damaged: %w", r.entry.ID, ErrNotFound)
	}
	return n, err
}

// isWhole reports whether what was read is what the description says.
func (r *checkedReader) isWhole() bool {
	return r.size == r.entry.Bytes && (r.entry.SHA256 == "" || hex.EncodeToString(r.hash.Sum(nil)) == r.entry.SHA256)
}

func (c Files) take(_ context.Context, e Entry, content io.Reader) error {
	if !validID(e.ID) {
		return notFound(e.ID)
	}
	f, err := c.SpillFile()
	if err != nil {
		return err
	}
	defer disk.OS{}.Remove(f.Name()) // unless it was moved
	_, err = io.Copy(f, content)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	_, _, err = c.keep(e, f)
	return err
}
