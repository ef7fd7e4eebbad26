package homes

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/jsonfile"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/store"
	"github.com/google/uuid"
)

// SendDropped sends what plugins have put into inbox.jsonl in this machine's directory of a
// context that a store keeps for many machines, each line as a message.
func (c *copies) SendDropped(ctx context.Context) error {
	if c.check() != nil {
		return nil // keep says so: the inbox belongs to a context in files
	}
	return c.send(ctx)
}

// sending is what inbox.jsonl is called while its lines are sent, with a part that is
// never used again: a run that is killed meanwhile does not send a line twice.
const sending = "inbox.jsonl.sending-"

// send sends messages that plugins have put there, and messages that a killed run has left.
func (c *copies) send(ctx context.Context) error {
	err := c.home.fs.Rename(c.path("inbox.jsonl"), c.path(sending+uuid.NewString()))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	entries, listed := c.home.fs.ReadDir(c.home.directory(c.ref.Name))
	if !errors.Is(listed, fs.ErrNotExist) {
		err = errors.Join(err, listed)
	}
	for _, e := range entries {
		if err == nil && strings.HasPrefix(e.Name(), sending) {
			err = c.sendFile(ctx, c.path(e.Name()))
		}
	}
	return err
}

// sendFile sends the lines of a file, and removes it. It keeps a line that is not a message aside.
func (c *copies) sendFile(ctx context.Context, path string) error {
	text, err := disk.ReadFile(c.home.fs, path, parts.MaxInbox)
	if _, ok := errors.AsType[*disk.TooLargeError](err); ok {
		return jsonfile.File{Path: path, FS: c.home.fs, Report: c.ref.Settings.Report}.SetAside()
	}
	if err != nil {
		return err
	}
	var bad [][]byte
	for n, line := range bytes.Split(text, []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		m, err := c.message(filepath.Base(path), n, line)
		if err != nil {
			parts.Report(c.ref.Settings, "%s:%d: not a message, it is kept in %s: %v", c.path("inbox.jsonl"), n+1, badLines, err)
			bad = append(bad, line)
			continue
		}
		if err := errors.Join(ctx.Err(), c.inbox.Put(m)); err != nil {
			return fmt.Errorf("sending what plugins have put into inbox.jsonl: %w", err)
		}
	}
	if len(bad) > 0 {
		if err := c.home.appendTo(c.path(badLines), bad); err != nil {
			return err
		}
	}
	return disk.Remove(c.home.fs, path)
}

// badLines is the file with lines of inbox.jsonl that are not messages.
const badLines = "inbox.damaged.jsonl"

// message reads a line. It gets an id if it has none by which the store can keep it.
func (c *copies) message(file string, n int, line []byte) (m parts.Mail, err error) {
	if err := strictjson.Decode(line, &m); err != nil {
		return m, err
	}
	if m.Content == "" {
		return m, errors.New(`it has no "content"`)
	}
	if err := parts.CheckMessage(c.ref.Settings.Limits, m.Content); err != nil {
		return m, err
	}
	if store.CheckID(m.ID) != nil {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %s", file, n, line))
		m.ID = hex.EncodeToString(sum[:16])
	}
	if m.Timestamp <= 0 || m.Timestamp > c.ref.Settings.Now().Add(time.Hour).Unix() {
		m.Timestamp = c.ref.Settings.Now().Unix()
	}
	m.To = c.ref.Name
	return m, nil
}
