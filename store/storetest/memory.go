package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"github.com/chibi-host/chibi/store"
	"iter"
	"strings"
	"sync"
	"time"
)

// Memory is a store in memory, for tests. Several
// engines on one memory are like several machines on one store. It keeps what engines
// promise, and takes no larger documents than the smallest engine does (1 MiB less 8 KiB).
// Use [NewMemory] to make one.
type Memory struct {
	mu       sync.Mutex
	offset   time.Duration // of the store's clock
	revision uint64        // of the newest change, of whatever
	docs     map[string]store.Doc
	logs     map[string][]memoryRecord
	blobs    map[string]memoryBlob
	leases   map[string]memoryHeld
	watchers map[*memoryWatcher]bool
}

// NewMemory makes a store that has only its format.
func NewMemory() *Memory {
	m := &Memory{docs: map[string]store.Doc{}, logs: map[string][]memoryRecord{}, blobs: map[string]memoryBlob{},
		leases: map[string]memoryHeld{}, watchers: map[*memoryWatcher]bool{}}
	format, err := json.Marshal(store.FormatDoc{Format: store.Format})
	if err == nil {
		m.docs[store.FormatKey] = store.Doc{Key: store.FormatKey, Rev: m.next(), Data: format}
	}
	return m
}

// Engine connects a machine to the store. Of the options, only Lease, of any length, and Now
// have an effect. An engine that is closed renews no leases, as if its machine had died.
func (m *Memory) Engine(o store.Options) *store.Engine {
	c := &memoryEngine{memory: m, options: o.WithDefaults(), closed: make(chan struct{})}
	return &store.Engine{Docs: memoryDocs{c}, Log: memoryLog{c}, Blobs: memoryBlobs{c}, Leases: memoryLeases{c},
		Watch: c.watch, Now: c.options.Now, Time: c.time, Status: c.status, Close: sync.OnceValue(c.close)}
}

// Advance moves the store's clock, backward too. A lease that ends by it is free at once; its
// holder notices when it renews it, as if it had been asleep.
func (m *Memory) Advance(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.offset += d
}

// now returns the time by the store's clock, and next a new revision. The caller holds mu.
func (m *Memory) now() time.Time { return time.Now().Add(m.offset) }

func (m *Memory) next() uint64 {
	m.revision++
	return m.revision
}

// memoryEngine is one machine's connection.
type memoryEngine struct {
	memory  *Memory
	options store.Options
	closed  chan struct{}
}

func (c *memoryEngine) close() error {
	close(c.closed)
	return nil
}

// begin begins a call: it checks that the store would answer, and locks it until end is
// called.
func (c *memoryEngine) begin(ctx context.Context) (end func(), err error) {
	select {
	case <-c.closed:
		return nil, fmt.Errorf("%w: the connection is closed", store.ErrUnavailable)
	default:
	}
	if err := ctx.Err(); err != nil {
		return nil, errors.Join(store.ErrUnavailable, err)
	}
	c.memory.mu.Lock()
	return c.memory.mu.Unlock, nil
}

// about adds the key or the log to an error.
func about(kind, key string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %.80q: %w", kind, key, err)
}

func (c *memoryEngine) time(ctx context.Context) (time.Time, error) {
	end, err := c.begin(ctx)
	if err != nil {
		return time.Time{}, about("time of", "memory", err)
	}
	defer end()
	return c.memory.now(), nil
}

func (c *memoryEngine) status(ctx context.Context) (store.Status, error) {
	start := time.Now()
	end, err := c.begin(ctx)
	if err != nil {
		return store.Status{}, about("store", "memory", err)
	}
	defer end()
	m := c.memory
	s := store.Status{Engine: "memory", URL: "memory:", Push: true, Format: store.Format, RoundTrip: time.Since(start),
		Skew: m.offset, HasSkew: true}
	parts := [3]store.Part{{Name: "documents"}, {Name: "log"}, {Name: "blobs"}}
	for _, d := range m.docs {
		count(&parts[0], len(d.Data))
	}
	for _, log := range m.logs {
		for _, r := range log {
			count(&parts[1], len(r.Data))
		}
	}
	for _, b := range m.blobs {
		count(&parts[2], len(b.data))
	}
	s.Parts = parts[:]
	return s, nil
}

func count(p *store.Part, bytes int) {
	p.Records++
	p.Bytes += int64(bytes)
}

// below calls take with the keys that begin with a prefix, while nobody else can change
// the store.
func (c *memoryEngine) below(ctx context.Context, prefix string, keys iter.Seq[string], take func(key string)) error {
	if err := store.CheckPrefix(prefix); err != nil {
		return err
	}
	end, err := c.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	for key := range keys {
		if strings.HasPrefix(key, prefix) {
			take(key)
		}
	}
	return nil
}
