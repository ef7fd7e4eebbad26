package homes

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"time"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/jsonl"
	"github.com/chibi-host/chibi/internal/strictjson"
)

// fileInbox is inbox.jsonl.
type fileInbox struct{ *fileContext }

func (b fileInbox) file() string { return b.path("inbox.jsonl") }

// HasMail reports whether the inbox has any messages.
func (b fileInbox) HasMail(context.Context) bool {
	info, err := b.home.fs.Stat(b.file())
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist) // reading it returns the error
	}
	return info.Size() > 0
}

// Put appends a message.
func (b fileInbox) Put(m parts.Mail) error {
	record, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return b.locked(disk.Lock, func() error {
		if info, err := b.home.fs.Stat(b.file()); err == nil {
			if err := parts.CheckRoom(b.Name, info.Size(), int64(len(record))); err != nil {
				return err
			}
		}
		return b.home.appendTo(b.file(), [][]byte{record})
	})
}

// Waiting reads the messages. A line that is not one is reported and stays.
func (b fileInbox) Waiting(ctx context.Context) (waiting []parts.Mail, err error) {
	if !b.HasMail(ctx) {
		return nil, nil
	}
	err = b.locked(waitLock(ctx), func() (err error) {
		waiting, _, err = b.read()
		return err
	})
	return waiting, err
}

// Change replaces the messages; lines that are not messages stay.
func (b fileInbox) Change(step func([]parts.Mail) ([]parts.Mail, error)) error {
	if !b.HasMail(context.Background()) {
		return nil
	}
	return b.locked(disk.Lock, func() error {
		waiting, lines, err := b.read()
		if err != nil {
			return err
		}
		stay, err := step(waiting)
		if err != nil || len(stay) == len(waiting) {
			return err
		}
		for _, m := range stay {
			record, err := json.Marshal(m)
			if err != nil {
				return err
			}
			lines = append(lines, record)
		}
		return disk.Replace(b.home.fs, b.file(), bytes.Join(append(lines, nil), []byte("\n")), 0o600)
	})
}

// Watch looks at the file's size and time.
func (b fileInbox) Watch(ctx context.Context) (<-chan struct{}, error) {
	type state struct {
		size int64
		at   time.Time
	}
	return parts.WatchByLooking(ctx, func() any {
		info, err := b.home.fs.Stat(b.file())
		if err != nil {
			return state{}
		}
		return state{info.Size(), info.ModTime()}
	}), nil
}

// locked runs a step while no other process can use the inbox.
func (b fileInbox) locked(take func(path string) (func(), error), step func() error) error {
	unlock, err := b.home.lockIn(b.directory(), ".inbox.lock", take)
	if err != nil {
		return err
	}
	defer unlock()
	return step()
}

// read reads messages, and the lines that are not messages.
func (b fileInbox) read() (mail []parts.Mail, bad [][]byte, err error) {
	if info, err := b.home.fs.Stat(b.file()); err == nil && info.Size() > parts.MaxInbox {
		return nil, nil, &disk.TooLargeError{Path: b.file(), Max: parts.MaxInbox}
	}
	_, err = jsonl.Forward(b.home.fs, b.file(), func(line int, record []byte) bool {
		var m parts.Mail
		if err := strictjson.Decode(record, &m); err != nil {
			parts.Report(b.Settings, "%s:%d: not a message, it stays there until you correct or remove the line: %v",
				b.file(), line, err)
			bad = append(bad, bytes.Clone(record))
			return true
		}
		if m.ID == "" { // put there by another program
			sum := sha256.Sum256(record)
			m.ID = hex.EncodeToString(sum[:16])
		}
		mail = append(mail, m)
		return true
	})
	return mail, bad, err
}
