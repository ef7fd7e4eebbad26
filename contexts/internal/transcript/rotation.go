package transcript

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/jsonfile"
	"github.com/chibi-host/chibi/internal/jsonl"
	"github.com/tidwall/gjson"
)

// content describes a part of a log.
type content struct {
	size            int64 // of the file; it shows whether another process has written
	entries, tokens int
	first, last     int64 // timestamps
}

func (n *content) add(record []byte, bytesPerToken int) {
	n.entries++
	n.tokens += (len(gjson.GetBytes(record, "content").String()) + bytesPerToken - 1) / bytesPerToken
	at := gjson.GetBytes(record, "timestamp").Int()
	if n.entries == 1 {
		n.first = at
	}
	n.last = at
}

// measure counts the content of a part of the log.
func (p Place) measure(path string) (content, error) {
	var n content
	bounds := p.Bounds()
	_, err := jsonl.Forward(p.FS, path, func(_ int, record []byte) bool {
		n.add(record, bounds.BytesPerToken)
		return true
	})
	if err != nil {
		return n, err
	}
	if info, err := p.FS.Stat(path); err == nil {
		n.size = info.Size()
	}
	return n, nil
}

// measureActive is like measure, for the active part, whose content is remembered
// between appends.
func (l *Log) measureActive(added [][]byte) error {
	info, err := l.place.FS.Stat(l.Active())
	if err != nil {
		return err
	}
	known := l.active
	known.size = info.Size()
	for _, record := range added {
		known.add(record, l.place.Bounds().BytesPerToken)
		l.active.size += int64(len(record)) + 1
	}
	if l.active.entries > 0 && l.active.size == known.size {
		l.active = known
		return nil
	}
	l.active, err = l.place.measure(l.Active())
	return err
}

// Rotate makes the active part a partition if a bound is reached. added are the
// records that were appended; they are already durable, even if this fails.
func (l *Log) Rotate(added [][]byte) error {
	if err := l.measureActive(added); err != nil {
		return err
	}
	bounds := l.place.Bounds()
	age := l.place.Now().Sub(time.Unix(l.active.first, 0))
	if l.active.entries < bounds.MaxEntries && l.active.tokens < bounds.MaxTokens && age < bounds.MaxAge {
		return nil
	}
	return l.rotate()
}

// rotate makes the active part a partition. The intent is stored first, so that the
// rotation is finished after a crash.
func (l *Log) rotate() error {
	name, err := l.place.freePartitionName(l.active)
	if err != nil {
		return err
	}
	err = jsonfile.Write(l.place.json(l.place.intentFile()), partition{
		File: name, StartTS: l.active.first, EndTS: l.active.last,
		EntryCount: l.active.entries, TokenCount: l.active.tokens,
	})
	if err != nil {
		return err
	}
	return l.finishRotation()
}

// freePartitionName returns partitions/FIRST-LAST.jsonl, with a number if that
// exists: two partitions may begin and end in the same second.
func (p Place) freePartitionName(n content) (string, error) {
	base := fmt.Sprintf("partitions/%d-%d", n.first, n.last)
	for i := 1; ; i++ {
		name := base + ".jsonl"
		if i > 1 {
			name = fmt.Sprintf("%s-%d.jsonl", base, i)
		}
		_, err := p.FS.Stat(filepath.Join(p.Dir(), name))
		if errors.Is(err, fs.ErrNotExist) {
			return name, nil
		}
		if err != nil {
			return "", err
		}
	}
}

// finishRotation performs a rotation that was begun now or before a crash. Every
// step may have been done already.
func (l *Log) finishRotation() error {
	if !l.IsInterrupted() {
		return nil
	}
	intent := l.place.intentFile()
	next, err := jsonfile.Read[partition](l.place.json(intent))
	if err != nil && !jsonfile.IsDamaged(err) {
		return err
	}
	if err != nil || !filepath.IsLocal(next.File) {
		l.place.Report("%s is damaged and removed; the transcript goes on in the same partition", intent)
		return disk.Remove(l.place.FS, intent)
	}
	if err := l.moveActive(filepath.Join(l.place.Dir(), next.File)); err != nil {
		return err
	}
	if err := l.list(next); err != nil {
		return err
	}
	l.active = content{}
	return disk.Remove(l.place.FS, intent)
}

// moveActive renames the active part. After a crash of the machine it may have both
// names, which are then one file.
func (l *Log) moveActive(to string) error {
	if err := disk.MkdirAll(l.place.FS, filepath.Dir(to), 0o700); err != nil {
		return err
	}
	_, err := l.place.FS.Stat(to)
	switch {
	case err == nil:
		return disk.Remove(l.place.FS, l.Active())
	case errors.Is(err, fs.ErrNotExist):
		return disk.Move(l.place.FS, l.Active(), to)
	}
	return err
}
