package homes

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/contexts/internal/registry"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/store"
	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"
)

// nameDocs are the documents of names, with what this process last read or wrote of them.
type nameDocs struct {
	settings *parts.Settings
	engine   *store.Engine

	mu    sync.Mutex
	known map[string]named // by key
}

// nameDoc is the document of a name: everything else of a context hangs on its ID.
type nameDoc struct {
	ID           string `json:"id"`
	Name         string `json:"name"`
	Created      int64  `json:"created"`
	Last         int64  `json:"last,omitempty"`
	DestroyAt    int64  `json:"destroy_at,omitempty"`
	DestroyAfter int64  `json:"destroy_after,omitempty"`
	Failed       int    `json:"failed,omitempty"`
	// Moving is the new name of the context during a renaming. A process that finds it finishes the renaming.
	Moving string `json:"moving,omitempty"`
}

// named is the document with its revision.
type named struct {
	nameDoc
	rev uint64
	at  time.Time // when it was read or written
}

// nameKey returns the key of a name: names that differ only in case have one, as file
// systems of other machines have one directory for them.
func nameKey(name string) string { return prefixName + strings.ToLower(name) }

// caseError says that another spelling of the name is taken.
type caseError struct{ name, existing string }

func (e *caseError) Error() string {
	return fmt.Sprintf("there is a context %q, and in a shared store names that differ only in case are the same: use %q "+
		"instead of %q", e.existing, e.existing, e.name)
}

// Is reports that the name is taken.
func (e *caseError) Is(err error) bool { return err == registry.ErrExists }

// newID returns a new id in the form of the ids of contexts.
func newID() string { return strings.ReplaceAll(uuid.NewString(), "-", "") }

// isID reports whether a text has the form of a context's id. It is asked wherever one
// comes from the store, before it becomes part of a key.
func isID(id string) bool {
	return len(id) == 32 && strings.Trim(id, "0123456789abcdef") == ""
}

// decodeName reads the document of a name.
func decodeName(d store.Doc) (named, error) {
	n := named{rev: d.Rev}
	err := strictjson.Decode(d.Data, &n.nameDoc)
	switch {
	case err != nil:
	case !isID(n.ID):
		err = fmt.Errorf("%.80q is not the id of a context", n.ID)
	case registry.ValidName(n.Name) != nil || nameKey(n.Name) != d.Key:
		err = fmt.Errorf("it has the name %.140q", n.Name)
	case n.Moving != "" && registry.ValidName(n.Moving) != nil:
		err = fmt.Errorf("it is being renamed to %.140q", n.Moving)
	}
	if err != nil {
		return named{}, fmt.Errorf("document %.200q of the store is damaged: %w", d.Key, err)
	}
	return n, nil
}

// state returns what a registry says of the context.
func (n nameDoc) state() registry.Context {
	return registry.Context{Name: n.Name, CreatedAt: n.Created, LastActivityAt: n.Last, DestroyAt: n.DestroyAt,
		DestroyAfterSecondsInactive: n.DestroyAfter, FailedMail: n.Failed}
}

// maxTries bounds how often something is tried again because somebody else was first.
const maxTries = 100

// lookup finds a context; the zero named means that there is none. A renaming that was
// interrupted is finished.
func (h *nameDocs) lookup(ctx context.Context, name string) (n named, err error) {
	for range maxTries {
		d, err := h.engine.Docs.Get(ctx, nameKey(name))
		if errors.Is(err, store.ErrNotFound) {
			h.remember(name, named{})
			return named{}, nil
		}
		if err == nil {
			n, err = decodeName(d)
		}
		switch {
		case err != nil:
			return named{}, err
		case n.Moving == "" && n.Name != name:
			return named{}, &caseError{name, n.Name}
		case n.Moving == "":
			h.remember(name, n)
			return n, nil
		}
		if err := h.finishMove(ctx, n); err != nil && !errors.Is(err, registry.ErrExists) {
			return named{}, err
		}
	}
	return named{}, fmt.Errorf("%w: it is renamed again and again", store.ErrConflict)
}

// remember notes what is known of a name.
func (h *nameDocs) remember(name string, n named) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n.ID == "" {
		delete(h.known, nameKey(name))
		return
	}
	n.at = time.Now()
	h.known[nameKey(name)] = n
}

// recall returns what was last known of a name.
func (h *nameDocs) recall(name string) named {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.known[nameKey(name)]
}

// putJSON stores a value as a document, if that has the revision of d.
func putJSON(ctx context.Context, e *store.Engine, d store.Doc, value any) (rev uint64, err error) {
	data, err := json.Marshal(value)
	if err != nil {
		return 0, err
	}
	return e.Docs.Put(ctx, d.Key, data, d.Rev)
}

// put stores the document of a name.
func (h *nameDocs) put(ctx context.Context, n nameDoc, rev uint64) (named, error) {
	rev, err := putJSON(ctx, h.engine, store.Doc{Key: nameKey(n.Name), Rev: rev}, n)
	if err != nil {
		return named{}, err
	}
	stored := named{nameDoc: n, rev: rev}
	h.remember(n.Name, stored)
	return stored, nil
}

// make finds a context, or makes it. Of several callers, on whatever machines, one makes it.
func (h *nameDocs) make(ctx context.Context, name string) (n named, isNew bool, err error) {
	for range maxTries {
		n, err = h.lookup(ctx, name)
		if err != nil || n.ID != "" {
			return n, false, err
		}
		n, err = h.put(ctx, nameDoc{ID: newID(), Name: name, Created: h.settings.Now().Unix()}, 0)
		if !errors.Is(err, store.ErrConflict) {
			return n, err == nil, err
		}
	}
	return named{}, false, err
}

// lastKnown returns what this process last knew of a name, and finds it if that is nothing.
func (h *nameDocs) lastKnown(ctx context.Context, name string) (named, error) {
	if n := h.recall(name); n.ID != "" {
		return n, nil
	}
	return h.lookup(ctx, name)
}

// change changes the document of a name, if there is one; first from what was last known
// of it.
func (h *nameDocs) change(ctx context.Context, name string, change func(*nameDoc)) error {
	n, err := h.lastKnown(ctx, name)
	for range maxTries {
		if err != nil || n.ID == "" {
			return err
		}
		after := n.nameDoc
		change(&after)
		if after == n.nameDoc {
			return nil
		}
		if _, err = h.put(ctx, after, n.rev); !errors.Is(err, store.ErrConflict) {
			return err
		}
		n, err = h.lookup(ctx, name)
	}
	return store.ErrConflict
}

// list reads all names, in the order of their keys. Damaged documents are reported and left out;
// renamings that were interrupted are finished.
func (h *nameDocs) list(ctx context.Context) ([]named, error) {
	return h.settled(ctx, func() (docs []store.Doc, err error) {
		err = h.engine.Docs.List(ctx, prefixName, func(d store.Doc) bool {
			docs = append(docs, d)
			return ctx.Err() == nil
		})
		slices.SortFunc(docs, func(a, b store.Doc) int { return strings.Compare(a.Key, b.Key) })
		return docs, cmp.Or(err, ctx.Err())
	})
}

// first is like list, for the first names, at most n.
func (h *nameDocs) first(ctx context.Context, n int) ([]named, error) {
	return h.settled(ctx, func() (docs []store.Doc, err error) {
		var keys []string
		take := func() {
			var found []store.Doc
			found, err = h.get(ctx, keys)
			docs, keys = append(docs, found...), nil
		}
		listing := h.engine.Docs.Keys(ctx, prefixName, func(key string) bool {
			if keys = append(keys, key); len(docs)+len(keys) == n { // some may be of documents that were removed
				take()
			}
			return err == nil && len(docs) < n
		})
		if listing == nil && err == nil {
			take()
		}
		return docs, cmp.Or(listing, err)
	})
}

// newest is like list, for the contexts that were used last, at most n. It keeps of the others only
// what it needs to compare them: a home may have very many.
func (h *nameDocs) newest(ctx context.Context, n int) ([]named, error) {
	return h.settled(ctx, func() ([]store.Doc, error) {
		var used []usedName
		err := h.engine.Docs.List(ctx, prefixName, func(d store.Doc) bool {
			one, err := decodeName(d)
			if err != nil {
				h.leaveOut(err)
				return true
			}
			if used = append(used, usedName{d.Key, one.Last}); len(used) >= 2*n {
				used = lastUsed(used, n)
			}
			return ctx.Err() == nil
		})
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return nil, err
		}
		var keys []string
		for _, u := range lastUsed(used, n) {
			keys = append(keys, u.key)
		}
		slices.Sort(keys)
		return h.get(ctx, keys)
	})
}

// usedName is the key of a name, and when the context was used last.
type usedName struct {
	key  string
	last int64
}

// lastUsed returns those that were used last, at most n.
func lastUsed(names []usedName, n int) []usedName {
	slices.SortFunc(names, func(a, b usedName) int {
		return cmp.Or(cmp.Compare(b.last, a.last), strings.Compare(a.key, b.key))
	})
	return names[:min(len(names), n)]
}

// leaveOut reports a damaged document.
func (h *nameDocs) leaveOut(err error) { parts.Report(h.settings, "%v; it is left out", err) }

// settled returns the names of documents. If some are being renamed it finishes that, and reads again.
func (h *nameDocs) settled(ctx context.Context, read func() ([]store.Doc, error)) (list []named, err error) {
	for range maxTries {
		docs, err := read()
		if err != nil {
			return nil, err
		}
		var moving []named
		list = nil
		for _, d := range docs {
			switch n, err := decodeName(d); {
			case err != nil:
				h.leaveOut(err)
			case n.Moving != "":
				moving = append(moving, n)
			default:
				h.remember(n.Name, n)
				list = append(list, n)
			}
		}
		if len(moving) == 0 {
			break
		}
		for _, n := range moving {
			if err := h.finishMove(ctx, n); err != nil && !errors.Is(err, registry.ErrExists) {
				return nil, err
			}
		}
	}
	return list, nil
}

// maxAsked bounds how many requests a list sends at once.
const maxAsked = 8

// get reads documents at once, and leaves out those that are not there.
func (h *nameDocs) get(ctx context.Context, keys []string) ([]store.Doc, error) {
	docs := make([]store.Doc, len(keys))
	asking, ctx := errgroup.WithContext(ctx)
	asking.SetLimit(maxAsked)
	for i, key := range keys {
		asking.Go(func() error {
			d, err := h.engine.Docs.Get(ctx, key)
			if errors.Is(err, store.ErrNotFound) {
				return nil
			}
			docs[i] = d
			return err
		})
	}
	err := asking.Wait()
	return slices.DeleteFunc(docs, func(d store.Doc) bool { return d.Key == "" }), err
}
