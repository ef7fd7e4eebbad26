package homes

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/store"
)

// trashDoc says that a context is being removed.
type trashDoc struct {
	Name string `json:"name"`
	At   int64  `json:"at"`
}

// Remove removes the name; what hung on it is removed after that, by Housekeep if this
// process does not come to it.
func (h sharedNames) Remove(name string) error {
	ctx := context.Background()
	n, err := h.docs.lookup(ctx, name)
	if err != nil || n.ID == "" {
		return err
	}
	now, err := h.engine.Time(ctx)
	if err != nil {
		return err
	}
	note := trashDoc{n.Name, now.Unix()}
	_, err = putJSON(ctx, h.engine, store.Doc{Key: prefixTrash + n.ID}, note)
	if err != nil && !errors.Is(err, store.ErrConflict) {
		return err
	}
	id := n.ID
	for range maxTries {
		_, err = h.engine.Docs.Put(ctx, nameKey(name), nil, n.rev)
		if !errors.Is(err, store.ErrConflict) {
			break
		}
		if n, err = h.docs.lookup(ctx, name); err != nil || n.ID != id {
			break
		}
	}
	if err == nil && n.ID != id {
		err = h.mustBeNameless(ctx, id)
	}
	if err != nil {
		return err
	}
	return h.removed(ctx, name, id)
}

// mustBeNameless returns an error if a context has got another name meanwhile.
func (h *sharedHome) mustBeNameless(ctx context.Context, id string) error {
	list, err := h.docs.list(ctx)
	for _, n := range list {
		if n.ID == id {
			return fmt.Errorf("it is called %q now", n.Name)
		}
	}
	return err
}

// removed frees what hung on the ID of a context whose name is gone.
func (h sharedNames) removed(ctx context.Context, name, id string) error {
	h.docs.remember(name, named{})
	h.mu.Lock()
	h.gone[id] = true
	h.mu.Unlock()
	h.removeDirectory(name)
	if err := h.empty(ctx, id); err != nil {
		parts.Report(h.settings, "context %q is deleted; its space in the store is freed later: %v", name, err)
	}
	return nil
}

func (h sharedNames) Free() error { return nil } // removed did that

// empty removes everything that hangs on the ID of a context, and the note of that.
func (h *sharedHome) empty(ctx context.Context, id string) error {
	if err := h.engine.Log.Remove(ctx, id); err != nil {
		return err
	}
	if err := h.removeLargeMail(ctx, id); err != nil {
		return err
	}
	for _, prefix := range []string{prefixText, prefixMail, prefixOut, prefixAside} {
		if err := h.removeDocs(ctx, prefix+id+"."); err != nil {
			return err
		}
	}
	if err := h.removeDocs(ctx, prefixFailed+id); err != nil {
		return err
	}
	if err := h.removeBlobs(ctx, id+"-"); err != nil {
		return err
	}
	return h.removeDocs(ctx, prefixTrash+id)
}

func (h *sharedHome) removeDocs(ctx context.Context, prefix string) error {
	list, err := h.listed(ctx, prefix)
	return forAll(list, err, func(d store.Doc) error { return h.removeDoc(ctx, d) })
}

// forAll calls do for what was listed, until there is an error, as listing may have had.
func forAll[T any](list []T, err error, do func(T) error) error {
	for _, one := range list {
		if err != nil {
			break
		}
		err = do(one)
	}
	return err
}

// removeDoc removes a document; it is not an error if somebody else did.
func (h *sharedHome) removeDoc(ctx context.Context, d store.Doc) error {
	_, err := h.engine.Docs.Put(ctx, d.Key, nil, d.Rev)
	if errors.Is(err, store.ErrConflict) || errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}

func (h *sharedHome) removeBlobs(ctx context.Context, prefix string) error {
	var keys []string
	err := h.engine.Blobs.List(ctx, prefix, func(b store.BlobInfo) bool {
		keys = append(keys, b.Key)
		return true
	})
	return forAll(keys, err, func(key string) error { return h.engine.Blobs.Remove(ctx, key) })
}

// patienceWithDeletion is the age from which a deletion counts as interrupted.
const patienceWithDeletion = time.Hour

// emptyTrash finishes deletions that were interrupted. One that had not come to removing
// the name did not happen. list are the existing contexts.
func (h *sharedHome) emptyTrash(ctx context.Context, list []named) error {
	living := map[string]bool{}
	for _, n := range list {
		living[n.ID] = true
	}
	notes, err := h.listed(ctx, prefixTrash)
	if err != nil || len(notes) == 0 {
		return err
	}
	now, err := h.engine.AgesAt(ctx)
	return forAll(notes, err, func(d store.Doc) error {
		if h.isUnderWay(d, now) {
			return nil
		}
		return h.finishDeletion(ctx, d, living)
	})
}

// isUnderWay reports whether another machine may be deleting a context now. A damaged note is
// reported, and nobody touches what it is about.
func (h *sharedHome) isUnderWay(d store.Doc, now time.Time) bool {
	var note trashDoc
	if err := strictjson.Decode(d.Data, &note); err != nil || !isID(strings.TrimPrefix(d.Key, prefixTrash)) {
		parts.Report(h.settings, "document %.200q of the store is damaged; it is left there", d.Key)
		return true
	}
	age := now.Sub(time.Unix(note.At, 0))
	return age >= 0 && age < patienceWithDeletion
}

func (h *sharedHome) finishDeletion(ctx context.Context, d store.Doc, living map[string]bool) error {
	id := strings.TrimPrefix(d.Key, prefixTrash)
	if living[id] {
		return h.removeDoc(ctx, d)
	}
	return h.empty(ctx, id)
}

// removeLargeMail removes the logs of large messages of a context that is removed.
func (h *sharedHome) removeLargeMail(ctx context.Context, id string) error {
	var logs []string
	err := h.engine.Docs.List(ctx, mailPrefix(id), func(d store.Doc) bool {
		var m mailDoc
		log := largeMail(id, strings.TrimPrefix(d.Key, mailPrefix(id)))
		if strictjson.Decode(d.Data, &m) == nil && m.Large && store.CheckLog(log) == nil {
			logs = append(logs, log)
		}
		return true
	})
	return forAll(logs, err, func(log string) error { return h.engine.Log.Remove(ctx, log) })
}
