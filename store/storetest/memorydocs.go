package storetest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"github.com/chibi-host/chibi/store"
	"maps"
	"slices"
	"strings"
)

// maxMemoryDoc is the size of the largest document, the limit of the smallest engine.
const maxMemoryDoc = 1<<20 - 8<<10

// memoryDocs keeps documents in memory.
type memoryDocs struct{ *memoryEngine }

// Get returns a document.
func (c memoryDocs) Get(ctx context.Context, key string) (store.Doc, error) {
	d, err := c.get(ctx, key)
	return d, about("document", key, err)
}

func (c memoryDocs) get(ctx context.Context, key string) (store.Doc, error) {
	if err := store.CheckKey(key); err != nil {
		return store.Doc{}, err
	}
	end, err := c.begin(ctx)
	if err != nil {
		return store.Doc{}, err
	}
	defer end()
	d, ok := c.memory.docs[key]
	if !ok {
		return store.Doc{}, store.ErrNotFound
	}
	return clone(d), nil
}

func clone(d store.Doc) store.Doc {
	d.Data = append([]byte{}, d.Data...)
	return d
}

// Put stores or removes a document.
func (c memoryDocs) Put(ctx context.Context, key string, data []byte, rev uint64) (uint64, error) {
	next, err := c.put(ctx, key, data, rev)
	return next, about("document", key, err)
}

func (c memoryDocs) put(ctx context.Context, key string, data []byte, rev uint64) (uint64, error) {
	switch err := store.CheckKey(key); {
	case err != nil:
		return 0, err
	case data == nil && rev == 0:
		return 0, errors.New("a document is removed by its revision, which is not 0")
	case len(data) > maxMemoryDoc:
		return 0, store.ErrTooLarge
	}
	end, err := c.begin(ctx)
	if err != nil {
		return 0, err
	}
	defer end()
	m := c.memory
	if m.docs[key].Rev != rev {
		return 0, store.ErrConflict
	}
	next := m.next()
	if data == nil {
		delete(m.docs, key)
		return next, nil
	}
	m.docs[key] = store.Doc{Key: key, Rev: next, Data: bytes.Clone(data)}
	m.tell(key)
	return next, nil
}

// List calls each with the documents whose key begins with prefix.
func (c memoryDocs) List(ctx context.Context, prefix string, each func(store.Doc) bool) error {
	found, err := c.list(ctx, prefix)
	if err != nil {
		return about("documents", prefix, err)
	}
	for _, d := range found {
		if !each(d) {
			break
		}
	}
	return nil
}

// Keys calls each with the keys that begin with prefix.
func (c memoryDocs) Keys(ctx context.Context, prefix string, each func(string) bool) error {
	found, err := c.list(ctx, prefix)
	if err != nil {
		return about("documents", prefix, err)
	}
	slices.SortFunc(found, func(a, b store.Doc) int { return strings.Compare(a.Key, b.Key) })
	for _, d := range found {
		if !each(d.Key) {
			break
		}
	}
	return nil
}

func (c memoryDocs) Walk(ctx context.Context, prefix string, after uint64, each func(store.Doc) bool) error {
	found, err := c.list(ctx, prefix)
	if err != nil {
		return about("documents", prefix, err)
	}
	slices.SortFunc(found, func(a, b store.Doc) int { return cmp.Compare(a.Rev, b.Rev) })
	for _, d := range found {
		if d.Rev > after && !each(d) {
			break
		}
	}
	return nil
}

func (c memoryDocs) list(ctx context.Context, prefix string) (found []store.Doc, err error) {
	err = c.below(ctx, prefix, maps.Keys(c.memory.docs), func(key string) {
		found = append(found, clone(c.memory.docs[key]))
	})
	return found, err
}

// memoryWatcher hears of documents that are put.
type memoryWatcher struct {
	prefix string
	puts   chan struct{}
}

// tell tells the watchers that a document was put. The caller holds mu.
func (m *Memory) tell(key string) {
	for w := range m.watchers {
		if !strings.HasPrefix(key, w.prefix) {
			continue
		}
		select {
		case w.puts <- struct{}{}:
		default: // it has not taken the last one yet
		}
	}
}

// watch reports puts until ctx ends or the engine is closed.
func (c *memoryEngine) watch(ctx context.Context, prefix string) (<-chan struct{}, error) {
	if err := store.CheckPrefix(prefix); err != nil {
		return nil, about("watching", prefix, err)
	}
	end, err := c.begin(ctx)
	if err != nil {
		return nil, about("watching", prefix, err)
	}
	defer end()
	w := &memoryWatcher{prefix, make(chan struct{}, 1)}
	c.memory.watchers[w] = true
	go func() {
		select {
		case <-ctx.Done():
		case <-c.closed:
		}
		c.memory.mu.Lock()
		defer c.memory.mu.Unlock()
		delete(c.memory.watchers, w)
		close(w.puts)
	}()
	return w.puts, nil
}
