package cache

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/chibi-host/chibi/store"
)

// Shared keeps the outputs of a conversation in a shared store, so that every machine
// lists and reads them, and copies of them in a directory of this machine. The document
// out.CONTEXT.ID describes an output, and the blob CONTEXT-ID is the output; CONTEXT is the
// id that the conversation has in the store. Use [OpenShared].
//
// Anybody who may write the store may have written its contents: ids, sizes, hashes and
// indexes are checked before they are used.
type Shared struct {
	engine  *store.Engine
	context func(context.Context) (string, error)
	local   Files
	mu      sync.Mutex
	owner   string          // what context returned
	ours    map[string]bool // ids of outputs that this process has put
}

var _ Cache = (*Shared)(nil)

// OpenShared opens the outputs that a conversation has in a store. id returns the
// conversation's id there, 32 hexadecimal digits, or "" until the store has the
// conversation; until then the cache keeps outputs in dir only, on this machine. It calls
// id until that has returned an id. OpenShared itself neither reads nor writes.
func OpenShared(e *store.Engine, id func(context.Context) (string, error), dir string) *Shared {
	return &Shared{engine: e, context: id, local: Open(dir), ours: map[string]bool{}}
}

// inStore returns what the store has of the conversation; false: it does not have it yet.
func (c *Shared) inStore(ctx context.Context) (remote, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.owner == "" {
		owner, err := c.context(ctx)
		if err == nil && owner != "" && !isContextID(owner) {
			err = fmt.Errorf("%.80q is not the id of a context", owner)
		}
		if err != nil {
			return remote{}, false, err
		}
		c.owner = owner
	}
	return remote{c.engine, c.owner, c.local}, c.owner != "", nil
}

// SpillFile makes an empty file in the directory.
func (c *Shared) SpillFile() (Spill, error) { return c.local.SpillFile() }

// PutText saves a text as a tool's output.
func (c *Shared) PutText(tool string, arguments []byte, text string) (Entry, error) {
	e, index, err := c.local.putText(tool, arguments, text)
	if err != nil {
		return e, notSaved(tool, err)
	}
	return e, notSaved(tool, c.upload(e, index))
}

// PutFile saves a file that SpillFile made.
func (c *Shared) PutFile(tool string, arguments []byte, file Spilled) (Entry, error) {
	e, index, err := c.local.put(tool, arguments, file)
	if err != nil {
		return e, notSaved(tool, err)
	}
	return e, notSaved(tool, c.upload(e, index))
}

// upload puts what was saved on this machine into the store. What could not be put there
// is not kept here either.
func (c *Shared) upload(e Entry, index lineIndex) error {
	ctx := context.Background() // the engine bounds it
	r, ok, err := c.inStore(ctx)
	if ok {
		err = r.put(ctx, e, index)
	}
	if err != nil {
		return errors.Join(err, c.local.dir.remove(e.ID))
	}
	if ok {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.ours[e.ID] = true
	}
	return nil
}

// Open opens the content of an entry: the copy on this machine, if it has the hash that
// the store has; else it is copied, or read piece by piece if it is large. It reads this
// process's own outputs without asking the store.
func (c *Shared) Open(ctx context.Context, id string) (*Reader, error) {
	r, ok, err := c.inStore(ctx)
	switch {
	case err != nil:
		return nil, fmt.Errorf("cached output: %w", err)
	case !validID(id):
		return nil, notFound(id)
	case !ok || c.isOurs(id):
		return c.local.Open(ctx, id)
	}
	reader, err := r.open(ctx, id)
	switch {
	case errors.Is(err, store.ErrNotFound), errors.Is(err, ErrNotFound):
		return nil, notFound(id)
	case err != nil:
		return nil, fmt.Errorf("cached output %q: %w", id, err)
	}
	return reader, nil
}

func (c *Shared) isOurs(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ours[id]
}

// List lists the entries, the newest first. Path is set where this machine has a copy.
func (c *Shared) List(ctx context.Context) ([]Entry, error) {
	r, ok, err := c.inStore(ctx)
	var list []Entry
	switch {
	case err == nil && ok:
		list, _, err = r.entries(ctx)
	case err == nil:
		return c.local.List(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("listing cached outputs: %w", err)
	}
	return list, nil
}

// Clean removes entries beyond the limits, from the store and from this machine, and old
// copies of what others have removed. Once they are old, it also removes pieces without a document, which machines
// that died have left in the store beside entries; [RemoveLeft] does that for conversations without entries.
func (c *Shared) Clean(ctx context.Context, limits Limits) (removed int, err error) {
	r, ok, err := c.inStore(ctx)
	switch {
	case err != nil:
	case !ok:
		return c.local.Clean(ctx, limits)
	default:
		removed, err = c.clean(ctx, r, limits)
	}
	if err != nil {
		return removed, fmt.Errorf("cleaning the cache: %w", err)
	}
	return removed, nil
}

// clean counts the ages of outputs from when the store took them.
func (c *Shared) clean(ctx context.Context, r remote, limits Limits) (removed int, err error) {
	if limits.Now.IsZero() {
		if limits.Now, err = c.engine.AgesAt(ctx); err != nil {
			return 0, err
		}
	}
	list, known, err := r.entries(ctx)
	var taken map[string]time.Time
	if err == nil && len(known) > 0 {
		taken, err = r.taken(ctx)
	}
	if err != nil {
		return 0, err
	}
	since := func(e Entry) time.Time {
		if at, ok := taken[e.ID]; ok {
			return at
		}
		return e.Time()
	}
	for _, e := range limits.expired(list, since) {
		if err := c.remove(ctx, r, e.ID); err != nil {
			return removed, fmt.Errorf("output %q: %w", e.ID, err)
		}
		delete(known, e.ID)
		delete(taken, e.ID)
		removed++
	}
	for id, at := range taken {
		if !known[id] && limits.Now.Sub(at) > leftAge {
			err = errors.Join(err, r.engine.Blobs.Remove(ctx, r.blob(id)))
		}
	}
	return removed, errors.Join(err, r.cleanCopies(ctx, known))
}

func (c *Shared) remove(ctx context.Context, r remote, id string) error {
	c.mu.Lock()
	delete(c.ours, id)
	c.mu.Unlock()
	if err := r.remove(ctx, id); err != nil {
		return err
	}
	return c.local.dir.remove(id)
}

// Clear removes everything.
func (c *Shared) Clear() error {
	ctx := context.Background() // the engine bounds it
	r, ok, err := c.inStore(ctx)
	var ids []string
	if err == nil && ok {
		ids, err = r.all(ctx)
	}
	for _, id := range ids {
		if err == nil {
			err = c.remove(ctx, r, id)
		}
	}
	if err != nil {
		return fmt.Errorf("clearing the cache: %w", err)
	}
	return c.local.Clear()
}
