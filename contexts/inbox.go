package contexts

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/jsonl"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/google/uuid"
)

// Mail is a message from one context to another.
type Mail struct {
	ID        string `json:"id"`
	Timestamp int64  `json:"timestamp"`
	From      string `json:"from"`
	To        string `json:"to"`
	Content   string `json:"content"`
	// SentBy is the context that sent it, where From is a name that the sender
	// chose. The original does not write it.
	SentBy string `json:"sent_by,omitempty"`
}

func (c *Context) inboxFile() string { return filepath.Join(c.folder(), "inbox.jsonl") }

// Send puts a message into the context's inbox, which its next turn reads. The
// context is made if it does not exist, and may be in use. When Send returns
// without an error, the message survives a crash of the machine. sentBy is the
// context that sends it, where from is another name, or "".
func (c *Context) Send(from, sentBy, text string) error {
	if sentBy == from {
		sentBy = ""
	}
	mail := Mail{ID: uuid.NewString(), Timestamp: c.store.now().Unix(), From: from, To: c.name,
		Content: text, SentBy: sentBy}
	record, err := json.Marshal(mail)
	if err == nil {
		err = c.store.CheckMessage(text)
	}
	if err == nil {
		err = c.inboxLocked(func() error {
			if info, err := c.store.fs.Stat(c.inboxFile()); err == nil && info.Size()+int64(len(record)) > maxInbox {
				return fmt.Errorf("its inbox is full, %d bytes wait there; let it read them first (chibi -B %s)",
					info.Size(), c.name)
			}
			return c.appendTo(c.inboxFile(), [][]byte{record})
		})
	}
	if err != nil {
		return fmt.Errorf("sending to context %q: %w", c.name, err)
	}
	return nil
}

// Mail is what waits in the inbox and is not part of the conversation yet. The
// entry that takes it into the conversation says so with [Entry.Delivering];
// when that is stored, and answered if it is a prompt, RemoveMail empties the
// inbox. Whatever happens in between, a message is
// delivered exactly once. A line that is not a message is reported and stays. One
// prompt takes as many as [Limits] say, at least one; the others come next.
func (c *Context) Mail() ([]Mail, error) {
	if !c.store.HasMail(c.name) {
		return nil, nil
	}
	var waiting []Mail
	err := c.inboxLocked(func() (err error) {
		waiting, _, err = c.readInbox()
		return err
	})
	if err == nil {
		waiting, err = c.undelivered(waiting)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the inbox of context %q: %w", c.name, err)
	}
	return c.forOnePrompt(waiting), nil
}

// forOnePrompt are the first of the messages, as many as a prompt takes along.
func (c *Context) forOnePrompt(waiting []Mail) []Mail {
	size, most := 0, c.store.Limits.withDefaults().Inbox
	for i, m := range waiting {
		size += len(m.Content) + len(m.From)
		if i > 0 && size > most {
			c.store.report("context %q: %d messages come with this prompt, %d more with the next ones",
				c.name, i, len(waiting)-i)
			return waiting[:i]
		}
	}
	return waiting
}

// RemoveMail removes from the inbox what is part of the conversation. Messages
// that came in the meantime stay.
func (c *Context) RemoveMail() error {
	if !c.store.HasMail(c.name) {
		return nil
	}
	err := c.inboxLocked(func() error {
		waiting, bad, err := c.readInbox()
		if err != nil {
			return err
		}
		stay, err := c.undelivered(waiting)
		if err != nil {
			return err
		}
		if len(stay) == len(waiting) {
			return nil
		}
		for _, m := range stay {
			record, err := json.Marshal(m)
			if err != nil {
				return err
			}
			bad = append(bad, record)
		}
		return disk.Replace(c.store.fs, c.inboxFile(), bytes.Join(append(bad, nil), []byte("\n")), 0o600)
	})
	if err != nil {
		return fmt.Errorf("emptying the inbox of context %q: %w", c.name, err)
	}
	return nil
}

// HasMail reports whether anything lies in a context's inbox.
func (s *Store) HasMail(name string) bool {
	info, err := s.fs.Stat(filepath.Join(s.folder(name), "inbox.jsonl"))
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist) // whoever reads it is told why not
	}
	return info.Size() > 0
}

// inboxLocked runs a step while no other process uses the inbox.
func (c *Context) inboxLocked(step func() error) error {
	unlock, err := c.lockIn(c.folder(), ".inbox.lock", disk.Lock)
	if err != nil {
		return err
	}
	defer unlock()
	return step()
}

// readInbox reads messages, and the lines that are none.
func (c *Context) readInbox() (mail []Mail, bad [][]byte, err error) {
	if info, err := c.store.fs.Stat(c.inboxFile()); err == nil && info.Size() > maxInbox {
		return nil, nil, &disk.TooLargeError{Path: c.inboxFile(), Max: maxInbox}
	}
	_, err = jsonl.Forward(c.store.fs, c.inboxFile(), func(line int, record []byte) bool {
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

// recentEntries is how many of the latest entries are searched at least for
// mail that they delivered.
const recentEntries = 200

// undelivered leaves out mail that an entry of the transcript has delivered. No
// entry from before the mail can have done that, but clocks are set back at
// times, so some older ones are searched too.
func (c *Context) undelivered(mail []Mail) ([]Mail, error) {
	if len(mail) == 0 {
		return nil, nil
	}
	oldest := slices.MinFunc(mail, func(a, b Mail) int { return int(a.Timestamp - b.Timestamp) }).Timestamp
	delivered := deliveries{ids: map[string]bool{}}
	seen := 0
	err := c.latest(func(e Entry) bool {
		seen++
		delivered.add(e)
		return e.Timestamp >= oldest || seen < recentEntries
	})
	return slices.DeleteFunc(slices.Clone(mail), func(m Mail) bool { return delivered.ids[m.ID] }), err
}
