package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"time"
)

// Memory is a store in memory, for tests and for programs that store nothing. Several
// engines on one memory are like several machines on one store. It keeps what engines
// promise, and takes no larger documents than the smallest engine does (1 MiB less 8 KiB).
// Use [NewMemory] to make one.
type Memory struct {
	mu       sync.Mutex
	offset   time.Duration // of the store's clock
	revision uint64        // of the newest change, of whatever
	docs     map[string]Doc
	logs     map[string][]memoryRecord
	blobs    map[string]memoryBlob
	leases   map[string]memoryHeld
	watchers map[*memoryWatcher]bool
}

// NewMemory makes a store that is empty but for its format.
func NewMemory() *Memory {
	m := &Memory{docs: map[string]Doc{}, logs: map[string][]memoryRecord{}, blobs: map[string]memoryBlob{},
		leases: map[string]memoryHeld{}, watchers: map[*memoryWatcher]bool{}}
	format, err := json.Marshal(FormatDoc{Format: Format})
	if err == nil {
		m.docs[FormatKey] = Doc{Key: FormatKey, Rev: m.next(), Data: format}
	}
	return m
}

// Engine connects a machine to the store. Of the options Lease, of any length, and Now
// count. An engine that is closed renews no leases, as if its machine had died.
func (m *Memory) Engine(o Options) *Engine {
	c := &memoryEngine{memory: m, options: o.WithDefaults(), closed: make(chan struct{})}
	return &Engine{Docs: memoryDocs{c}, Log: memoryLog{c}, Blobs: memoryBlobs{c}, Leases: memoryLeases{c},
		Watch: c.watch, Status: c.status, Close: sync.OnceValue(c.close)}
}

// Advance moves the store's clock, backward too. A lease that ends by it is free at once; its
// holder finds that out when it renews it, as if it had been asleep.
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
	options Options
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
		return nil, fmt.Errorf("%w: the connection is closed", ErrUnavailable)
	default:
	}
	if err := ctx.Err(); err != nil {
		return nil, errors.Join(ErrUnavailable, err)
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

func (c *memoryEngine) status(ctx context.Context) (Status, error) {
	start := time.Now()
	end, err := c.begin(ctx)
	if err != nil {
		return Status{}, about("store", "memory", err)
	}
	defer end()
	m := c.memory
	s := Status{Engine: "memory", URL: "memory:", Push: true, Format: Format, RoundTrip: time.Since(start),
		Skew: m.offset, HasSkew: true}
	parts := [3]Part{{Name: "documents"}, {Name: "log"}, {Name: "blobs"}}
	for _, d := range m.docs {
		parts[0].add(len(d.Data))
	}
	for _, log := range m.logs {
		for _, r := range log {
			parts[1].add(len(r.Data))
		}
	}
	for _, b := range m.blobs {
		parts[2].add(len(b.data))
	}
	s.Parts = parts[:]
	return s, nil
}

func (p *Part) add(bytes int) {
	p.Records++
	p.Bytes += int64(bytes)
}

// below calls take with those of the keys that begin with a prefix, while nobody else can change
// the store.
func (c *memoryEngine) below(ctx context.Context, prefix string, keys iter.Seq[string], take func(key string)) error {
	if err := CheckPrefix(prefix); err != nil {
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
