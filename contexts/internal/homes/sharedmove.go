package homes

import (
	"context"
	"errors"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/contexts/internal/registry"
	"github.com/chibi-host/chibi/store"
)

// A name is changed, and a context is removed, in steps that begin with a note of what is
// being done. Whoever meets that note finishes it.

// Rename first says in the document of the old name what the new one is.
func (h sharedNames) Rename(from, to string) error {
	ctx := context.Background()
	for range maxTries {
		n, _, err := h.docs.make(ctx, from)
		if err != nil {
			return err
		}
		if other, err := h.docs.lookup(ctx, to); err != nil || other.ID != "" {
			if err == nil || errors.Is(err, registry.ErrExists) {
				return registry.ErrExists
			}
			return err
		}
		n.Moving = to
		n, err = h.docs.put(ctx, n.nameDoc, n.rev)
		if errors.Is(err, store.ErrConflict) {
			continue // somebody else has used or renamed it
		}
		if err != nil {
			return err
		}
		if err = h.docs.finishMove(ctx, n); err == nil {
			h.moveDirectory(from, to)
		}
		return err
	}
	return store.ErrConflict
}

// finishMove gives a context the name that the document of its old one says. The error is
// ErrExists if that is another context's; then the old name stays.
func (h *nameDocs) finishMove(ctx context.Context, n named) error {
	h.remember(n.Name, named{})
	to := n.nameDoc
	to.Name, to.Moving = n.Moving, ""
	made, err := h.put(ctx, to, 0)
	if errors.Is(err, store.ErrConflict) {
		if err = h.mustBeSame(ctx, n); errors.Is(err, registry.ErrExists) {
			back := n.nameDoc
			back.Moving = ""
			if _, err := h.put(ctx, back, n.rev); err != nil && !errors.Is(err, store.ErrConflict) {
				return err
			}
			return registry.ErrExists
		}
	}
	if err != nil {
		return err
	}
	_, err = h.engine.Docs.Put(ctx, nameKey(n.Name), nil, n.rev)
	if errors.Is(err, store.ErrConflict) {
		return h.undoLateMove(ctx, made)
	}
	return err
}

// mustBeSame returns ErrExists unless the new name is the context's already, as another process
// that finishes the same makes it.
func (h *nameDocs) mustBeSame(ctx context.Context, n named) error {
	d, err := h.engine.Docs.Get(ctx, nameKey(n.Moving))
	if errors.Is(err, store.ErrNotFound) {
		return store.ErrConflict // it has been there, and is gone: look again
	}
	if err != nil {
		return err
	}
	if other, err := decodeName(d); err != nil || other.ID != n.ID {
		return registry.ErrExists
	}
	return nil
}

// undoLateMove removes a name that this process made after others had finished the same,
// and given the context yet another name.
func (h *nameDocs) undoLateMove(ctx context.Context, made named) error {
	if made.ID == "" {
		return nil
	}
	isLate := false
	err := h.engine.Docs.List(ctx, prefixName, func(d store.Doc) bool {
		n, err := decodeName(d)
		isLate = isLate || err == nil && n.ID == made.ID && d.Key != nameKey(made.Name)
		return !isLate
	})
	if err != nil || !isLate {
		return err
	}
	h.remember(made.Name, named{})
	_, err = h.engine.Docs.Put(ctx, nameKey(made.Name), nil, made.rev)
	if errors.Is(err, store.ErrConflict) {
		return nil
	}
	return err
}

// removeDirectory removes what this machine has of a context that was removed from the
// store, and moveDirectory what it has of one that was renamed.
func (h *sharedHome) removeDirectory(name string) {
	files := fileNames{h.host}
	if !files.hasContext(name) {
		return
	}
	var err error
	if files.hasConversation(name) { // another context's, in files
		err = h.host.fs.RemoveAll(Layout{h.host.home}.SharedCache(name))
	} else if err = files.Remove(name); err == nil {
		err = files.Free()
	}
	if err != nil {
		parts.Report(h.settings, "removing this machine's copies of context %q: %v", name, err)
	}
}

func (h *sharedHome) moveDirectory(from, to string) {
	files := fileNames{h.host}
	if !files.hasContext(from) || files.hasConversation(from) || files.hasContext(to) {
		return
	}
	if err := files.Rename(from, to); err != nil {
		parts.Report(h.settings, "renaming this machine's copies of context %q: %v", from, err)
	}
}
