package contexts

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/chibi-host/chibi/contexts/internal/parts"
)

// copy copies the entries that the target does not have.
func (c entryCopy) copy(ctx context.Context) error {
	isCurrent, err := c.isCurrent(ctx)
	if err != nil || isCurrent {
		return err
	}
	s, err := c.summary(ctx)
	if err != nil {
		return err
	}
	err = c.tape.Write(ctx, func(w parts.TapeWriter) error {
		var have entryCount
		if err := w.Records(ctx, have.add); err != nil {
			return err
		}
		return c.rest(ctx, have, s, w.Add)
	})
	var diverged *DivergedError
	if err != nil && !errors.As(err, &diverged) {
		err = fmt.Errorf("copying context %q: %w", c.done.Name, err)
	}
	return err
}

// compare counts the entries that the target does not have.
func (c entryCopy) compare(ctx context.Context) error {
	isCurrent, err := c.isCurrent(ctx)
	if err != nil || isCurrent {
		return err
	}
	var have entryCount
	if err := c.tape.Records(ctx, have.add); err != nil {
		return err
	}
	return c.rest(ctx, have, summaryAt{}, func([]parts.Stored) error { return nil })
}

// isCurrent reports whether both transcripts end with the same entry. It is only trusted
// if no other entry has the same id: messages of the original may come several times.
func (c entryCopy) isCurrent(ctx context.Context) (bool, error) {
	from, err := newest(ctx, c.source.conversation)
	if err != nil || from.ID == "" || from.Type == TypeMessage && parts.MetaOf(from).Role == "" {
		return false, err
	}
	to, err := newest(ctx, c.target.conversation)
	return to.ID == from.ID, err
}

func newest(ctx context.Context, c *conversation) (last Entry, err error) {
	err = c.transcript.Each(ctx, parts.Wanted{Backward: true}, func(e Entry) bool {
		if e.Type != TypeSetAside {
			last = e
		}
		return e.Type == TypeSetAside
	})
	return last, err
}

// summaryAt is a summary and how many entries come before the one that its window begins with.
type summaryAt struct {
	text   string
	before int
}

// summary returns the summary of the source, which may have it apart from its anchor, changed
// by hand, or without an anchor. The window begins with the last anchor of the transcript, and
// without one with the first entry that windows have: the original's window may lack what it
// begins with. The text is read last: an older one with a newer anchor would stay in the copy.
func (c entryCopy) summary(ctx context.Context) (s summaryAt, err error) {
	if text, err := c.source.Summary(ctx); err != nil || text == "" {
		return s, err
	}
	n, begun := 0, false
	err = c.fromTape.Records(ctx, func(e parts.Stored) error {
		if parts.IsAnchor(e.Entry) || !begun && e.Entry.Type != TypeSystemPrompt {
			s.before, begun = n, true
		}
		n++
		return nil
	})
	if err != nil {
		return s, err
	}
	s.text, err = c.source.Summary(ctx)
	return s, err
}

// rest calls add with the entries behind those that the target has, in pieces.
func (c entryCopy) rest(ctx context.Context, have entryCount, s summaryAt, add func([]parts.Stored) error) error {
	seen, size, n := entryCount{}, 0, -1
	var piece []parts.Stored
	flush := func() error {
		if len(piece) == 0 {
			return nil
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if err := add(piece); err != nil {
			return err
		}
		c.done.Entries += len(piece)
		piece, size = nil, 0
		c.progress()
		return nil
	}
	err := c.fromTape.Records(ctx, func(e parts.Stored) error {
		if n++; n == s.before {
			e.Summary = s.text
		}
		if seen.n < have.n {
			return c.recognize(&seen, have, e)
		}
		e.Record = bytes.Clone(e.Record)
		piece, size = append(piece, e), size+len(e.Record)
		if len(piece) < maxPiece && size < maxPieceBytes {
			return nil
		}
		return flush()
	})
	if err != nil {
		return err
	}
	if seen.n < have.n {
		return &DivergedError{c.done.Name}
	}
	return flush()
}

// The bounds of what is added at once; a single entry may be larger.
const (
	maxPiece      = DefaultMaxEntries
	maxPieceBytes = 256 << 10
)

// recognize counts an entry that the target should have too.
func (c entryCopy) recognize(seen *entryCount, have entryCount, e parts.Stored) error {
	if err := seen.add(e); err != nil {
		return err
	}
	if seen.n == have.n && seen.sum() != have.sum() {
		return &DivergedError{c.done.Name}
	}
	return nil
}

// entryCount counts entries, and tells apart those with other ids or in another order.
type entryCount struct {
	n    int
	hash hash.Hash
}

func (n *entryCount) add(e parts.Stored) error {
	if n.hash == nil {
		n.hash = sha256.New()
	}
	n.n++
	if e.Entry.ID == "" { // of another program
		n.hash.Write(e.Record)
	}
	_, err := io.WriteString(n.hash, e.Entry.ID+"\n")
	return err
}

func (n *entryCount) sum() string {
	if n.hash == nil {
		return ""
	}
	return string(n.hash.Sum(nil))
}
