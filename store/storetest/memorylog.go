package storetest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"github.com/chibi-host/chibi/store"
	"slices"
)

// memoryLog keeps logs in memory.
type memoryLog struct{ *memoryEngine }

// memoryRecord is a record with the tail that the log had when it was the newest.
type memoryRecord struct {
	store.Record
	tail store.Tail
	bad  error // why the engine cannot use it, nil: it can
}

// Damage adds a record to a log that engines cannot use.
func (m *Memory) Damage(log, text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.add(log, store.Record{Data: []byte(text)}, errors.New("it was made so"))
}

// add adds a record to a log, and returns where that ends then. The caller holds mu.
func (m *Memory) add(log string, r store.Record, bad error) store.Tail {
	tail := tailOf(m.logs[log])
	r.Pos, r.Time = m.next(), m.now().Round(0)
	if r.Begins || tail.Window == 0 {
		tail.Window = r.Pos
	}
	tail.Last, tail.Count = r.Pos, tail.Count+1
	m.logs[log] = append(m.logs[log], memoryRecord{r, tail, bad})
	return tail
}

// Tail returns where a log ends.
func (c memoryLog) Tail(ctx context.Context, log string) (store.Tail, error) {
	t, err := c.tail(ctx, log)
	return t, about("log", log, err)
}

func (c memoryLog) tail(ctx context.Context, log string) (store.Tail, error) {
	if err := store.CheckLog(log); err != nil {
		return store.Tail{}, err
	}
	end, err := c.begin(ctx)
	if err != nil {
		return store.Tail{}, err
	}
	defer end()
	return tailOf(c.memory.logs[log]), nil
}

func tailOf(records []memoryRecord) store.Tail {
	if len(records) == 0 {
		return store.Tail{}
	}
	return records[len(records)-1].tail
}

// Append adds a record to a log.
func (c memoryLog) Append(ctx context.Context, log string, after store.Tail, r store.Record) (store.Tail, error) {
	t, err := c.append(ctx, log, after, r)
	return t, about("log", log, err)
}

func (c memoryLog) append(ctx context.Context, log string, after store.Tail, r store.Record) (store.Tail, error) {
	if err := cmp.Or(store.CheckLog(log), store.CheckID(r.ID)); err != nil {
		return store.Tail{}, err
	}
	if len(r.Data) > store.MaxRecord {
		return store.Tail{}, store.ErrTooLarge
	}
	end, err := c.begin(ctx)
	if err != nil {
		return store.Tail{}, err
	}
	defer end()
	records := c.memory.logs[log]
	if stored, ok := following(records, after); ok && stored.ID == r.ID {
		return stored.tail, nil
	}
	if after.Last != tailOf(records).Last {
		return store.Tail{}, store.ErrConflict
	}
	r.Data = bytes.Clone(r.Data)
	return c.memory.add(log, r, nil), nil
}

// following returns the record that was appended after a tail.
func following(records []memoryRecord, after store.Tail) (memoryRecord, bool) {
	i, found := slices.BinarySearchFunc(records, after.Last, func(r memoryRecord, pos uint64) int {
		return cmp.Compare(r.Pos, pos)
	})
	if found {
		i++ // the one behind it
	}
	if i == len(records) || !found && after.Last != 0 {
		return memoryRecord{}, false
	}
	return records[i], true
}

// Read calls each with the records of a range.
func (c memoryLog) Read(ctx context.Context, log string, r store.Range, each func(store.Record) bool) error {
	found, err := c.read(ctx, log, r)
	if err != nil {
		return about("log", log, err)
	}
	for _, record := range found {
		if d := record.bad; d != nil {
			return about("log", log, &store.DamageError{Pos: record.Pos, Time: record.Time, Data: record.Data, Err: d})
		}
		if !each(record.Record) {
			break
		}
	}
	return nil
}

func (c memoryLog) read(ctx context.Context, log string, r store.Range) (found []memoryRecord, err error) {
	if err := store.CheckLog(log); err != nil {
		return nil, err
	}
	end, err := c.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	for _, record := range c.memory.logs[log] {
		if record.Pos < r.First || r.Last != 0 && record.Pos > r.Last || record.Time.Before(r.Since) {
			continue
		}
		record.Data = bytes.Clone(record.Data)
		found = append(found, record)
	}
	if r.Backward {
		slices.Reverse(found)
	}
	return found, nil
}

// Remove removes all records of a log.
func (c memoryLog) Remove(ctx context.Context, log string) error {
	return about("log", log, c.remove(ctx, log))
}

func (c memoryLog) remove(ctx context.Context, log string) error {
	if err := store.CheckLog(log); err != nil {
		return err
	}
	end, err := c.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	delete(c.memory.logs, log)
	return nil
}
