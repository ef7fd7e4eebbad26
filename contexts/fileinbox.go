package contexts

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/jsonl"
	"github.com/chibi-host/chibi/internal/strictjson"
)

func (c *fileContext) inboxFile() string { return filepath.Join(c.folder(), "inbox.jsonl") }

// hasMail reports whether anything lies in the inbox.
func (c *fileContext) hasMail(context.Context) bool {
	info, err := c.home.fs.Stat(c.inboxFile())
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist) // whoever reads it is told why not
	}
	return info.Size() > 0
}

// put appends a message.
func (c *fileContext) put(m Mail) error {
	record, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return c.inboxLocked(disk.Lock, func() error {
		if info, err := c.home.fs.Stat(c.inboxFile()); err == nil {
			if err := checkRoom(c.name, info.Size(), int64(len(record))); err != nil {
				return err
			}
		}
		return c.appendTo(c.inboxFile(), [][]byte{record})
	})
}

// waiting reads the messages. A line that is not one is reported and stays.
func (c *fileContext) waiting(ctx context.Context) (waiting []Mail, err error) {
	err = c.inboxLocked(waitLock(ctx), func() (err error) {
		waiting, _, err = c.readInbox()
		return err
	})
	return waiting, err
}

// change replaces the messages; lines that are none stay.
func (c *fileContext) change(step func([]Mail) ([]Mail, error)) error {
	return c.inboxLocked(disk.Lock, func() error {
		waiting, bad, err := c.readInbox()
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
			bad = append(bad, record)
		}
		return disk.Replace(c.home.fs, c.inboxFile(), bytes.Join(append(bad, nil), []byte("\n")), 0o600)
	})
}

// inboxLocked runs a step while no other process uses the inbox.
func (c *fileContext) inboxLocked(take func(path string) (func(), error), step func() error) error {
	unlock, err := c.home.lockIn(c.folder(), ".inbox.lock", take)
	if err != nil {
		return err
	}
	defer unlock()
	return step()
}

// readInbox reads messages, and the lines that are none.
func (c *fileContext) readInbox() (mail []Mail, bad [][]byte, err error) {
	if info, err := c.home.fs.Stat(c.inboxFile()); err == nil && info.Size() > maxInbox {
		return nil, nil, &disk.TooLargeError{Path: c.inboxFile(), Max: maxInbox}
	}
	_, err = jsonl.Forward(c.home.fs, c.inboxFile(), func(line int, record []byte) bool {
		var m Mail
		if err := strictjson.Decode(record, &m); err != nil {
			c.store.report("%s:%d: not a message, it stays there until you correct or remove the line: %v",
				c.inboxFile(), line, err)
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
