package contexts

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/jsonl"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/tidwall/gjson"
)

// The defaults of [Storage].
const (
	DefaultMaxEntries    = 1000
	DefaultMaxTokens     = 100_000
	DefaultMaxAge        = 30 * 24 * time.Hour
	DefaultBytesPerToken = 3
)

// Storage says when the active part of a transcript becomes a partition: when
// one of the bounds is reached. A field of 0 means its default.
type Storage struct {
	// MaxEntries bounds the entries; default 1000.
	MaxEntries int
	// MaxTokens bounds the estimated tokens of their contents; default 100,000.
	MaxTokens int
	// MaxAge bounds the age of the oldest entry; default 30 days.
	MaxAge time.Duration
	// BytesPerToken is the estimate; default 3.
	BytesPerToken int
}

func (s Storage) withDefaults() Storage {
	return Storage{
		MaxEntries: orDefault(s.MaxEntries, DefaultMaxEntries), MaxTokens: orDefault(s.MaxTokens, DefaultMaxTokens),
		MaxAge: orDefault(s.MaxAge, DefaultMaxAge), BytesPerToken: orDefault(s.BytesPerToken, DefaultBytesPerToken),
	}
}

func orDefault[T int | time.Duration](set, fallback T) T {
	if set > 0 {
		return set
	}
	return fallback
}

// tokens estimates the tokens of a text of so many bytes.
func (s Storage) tokens(bytes int) int { return (bytes + s.BytesPerToken - 1) / s.BytesPerToken }

func (c *fileContext) transcriptFolder() string { return filepath.Join(c.folder(), "transcript") }
func (c *fileContext) transcript() string       { return filepath.Join(c.transcriptFolder(), "active.jsonl") }
func (c *fileContext) intentFile() string {
	return filepath.Join(c.transcriptFolder(), ".rotation.json")
}

// content is what a part of a transcript holds.
type content struct {
	size            int64 // of the file; tells whether somebody else has written
	entries, tokens int
	first, last     int64 // timestamps
}

func (n *content) add(record []byte, storage Storage) {
	n.entries++
	n.tokens += storage.tokens(len(gjson.GetBytes(record, "content").String()))
	at := gjson.GetBytes(record, "timestamp").Int()
	if n.entries == 1 {
		n.first = at
	}
	n.last = at
}

// measure counts what a part of the transcript holds.
func (c *fileContext) measure(path string) (content, error) {
	var n content
	storage := c.store.Storage.withDefaults()
	_, err := jsonl.Forward(c.home.fs, path, func(_ int, record []byte) bool {
		n.add(record, storage)
		return true
	})
	if err != nil {
		return n, err
	}
	if info, err := c.home.fs.Stat(path); err == nil {
		n.size = info.Size()
	}
	return n, nil
}

// measureActive is measure for the active part, whose content is remembered
// between appends.
func (c *fileContext) measureActive(added [][]byte) error {
	info, err := c.home.fs.Stat(c.transcript())
	if err != nil {
		return err
	}
	known := c.active
	known.size = info.Size()
	for _, record := range added {
		known.add(record, c.store.Storage.withDefaults())
		c.active.size += int64(len(record)) + 1
	}
	if c.active.entries > 0 && c.active.size == known.size {
		c.active = known
		return nil
	}
	c.active, err = c.measure(c.transcript())
	return err
}

// rotateIfDue begins a new partition if a bound is reached. What was appended
// is durable already: a failure is reported and tried again at the next append.
func (c *fileContext) rotateIfDue(added [][]byte) {
	if err := c.tryRotation(added); err != nil {
		c.store.report("context %q: the transcript could not begin a new partition, nothing is lost: %v", c.name, err)
	}
}

func (c *fileContext) tryRotation(added [][]byte) error {
	if err := c.measureActive(added); err != nil {
		return err
	}
	bounds := c.store.Storage.withDefaults()
	age := c.store.now().Sub(time.Unix(c.active.first, 0))
	if c.active.entries < bounds.MaxEntries && c.active.tokens < bounds.MaxTokens && age < bounds.MaxAge {
		return nil
	}
	return c.rotate()
}

// rotate makes the active part a partition. The intent is durable first, so
// that whoever comes after a crash finishes the work.
func (c *fileContext) rotate() error {
	name, err := c.freePartitionName(c.active)
	if err != nil {
		return err
	}
	data, err := json.Marshal(partition{
		File: name, StartTS: c.active.first, EndTS: c.active.last,
		EntryCount: c.active.entries, TokenCount: c.active.tokens,
	})
	if err != nil {
		return err
	}
	if err := disk.Replace(c.home.fs, c.intentFile(), append(data, '\n'), 0o600); err != nil {
		return err
	}
	return c.finishRotation()
}

// freePartitionName is partitions/FIRST-LAST.jsonl, with a number if there is
// such a file: two partitions may begin and end in the same second.
func (c *fileContext) freePartitionName(n content) (string, error) {
	base := fmt.Sprintf("partitions/%d-%d", n.first, n.last)
	for i := 1; ; i++ {
		name := base + ".jsonl"
		if i > 1 {
			name = fmt.Sprintf("%s-%d.jsonl", base, i)
		}
		_, err := c.home.fs.Stat(filepath.Join(c.transcriptFolder(), name))
		if errors.Is(err, fs.ErrNotExist) {
			return name, nil
		}
		if err != nil {
			return "", err
		}
	}
}

// finishRotation carries out a rotation that was begun, now or before a crash.
// Every step may find itself done already.
func (c *fileContext) finishRotation() error {
	data, err := disk.ReadFile(c.home.fs, c.intentFile(), maxState)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var next partition
	if strictjson.Decode(data, &next) != nil || !filepath.IsLocal(next.File) {
		c.store.report("%s is damaged and removed; the transcript goes on in the same partition", c.intentFile())
		return disk.Remove(c.home.fs, c.intentFile())
	}
	if err := c.moveActive(filepath.Join(c.transcriptFolder(), next.File)); err != nil {
		return err
	}
	if err := c.listPartition(next); err != nil {
		return err
	}
	c.active = content{}
	return disk.Remove(c.home.fs, c.intentFile())
}

// moveActive gives the active part its new name. A crash of the machine may
// leave it with both names; it is one file then.
func (c *fileContext) moveActive(to string) error {
	if err := disk.MkdirAll(c.home.fs, filepath.Dir(to), 0o700); err != nil {
		return err
	}
	_, err := c.home.fs.Stat(to)
	switch {
	case err == nil:
		return disk.Remove(c.home.fs, c.transcript())
	case errors.Is(err, fs.ErrNotExist):
		return disk.Move(c.home.fs, c.transcript(), to)
	}
	return err
}
