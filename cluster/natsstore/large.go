package natsstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/chibi-host/chibi/store"
)

// Records that do not fit into a message: their data is in pieces below the subject of
// their log, and the record says under which name.

// putLarge stores a record whose data does not fit into a message.
func (l logs) putLarge(ctx context.Context, w write) (uint64, error) {
	if len(w.data) > store.MaxRecord {
		return 0, fmt.Errorf("a record of %d bytes is larger than %d: %w", len(w.data), store.MaxRecord, store.ErrTooLarge)
	}
	upload := newID()
	p := pieces{stream: l.stream, prefix: w.subject + "." + upload}
	if err := p.upload(ctx, bytes.NewReader(w.data)); err != nil {
		p.drop()
		return 0, err
	}
	w.data = nil
	w.header[headerLarge] = []string{upload + " " + strconv.FormatInt(p.size, 10)}
	seq, err := l.put(ctx, w)
	if errors.Is(err, store.ErrConflict) { // after any other error it may be stored, by an attempt that was not answered
		p.drop()
	}
	return seq, err
}

// errRemoved reports a record that was removed with its log since a server sent it that had not
// heard of that yet.
var errRemoved = errors.New("the record was removed")

// largeData returns the data of a record, which may be elsewhere. The error is errRemoved if the
// record is not there any more either.
func (l logs) largeData(ctx context.Context, m message) ([]byte, error) {
	text := m.header.Get(headerLarge)
	if text == "" {
		return nonNil(m.data), nil
	}
	upload, size, err := parseLarge(text)
	if err != nil {
		return nil, m.damaged("its header %s %v", headerLarge, err)
	}
	data := make([]byte, size)
	p := pieces{stream: l.stream, prefix: m.subject + "." + upload, size: size}
	_, err = p.readAt(ctx, data, 0)
	switch {
	case errors.Is(err, store.ErrNotFound): // of the log or the record itself, that would say something else
		if err := l.isThere(ctx, m); err != nil {
			return nil, err
		}
		return nil, m.damaged("its data, in %s, is not there", upload)
	case errors.Is(err, errPiece):
		return nil, m.damaged("%w", err)
	case err != nil:
		return nil, fmt.Errorf("message %d: %w", m.seq, err)
	}
	return data, nil
}

// parseLarge reads the header of a large record: the name of an upload, which becomes a
// part of a subject, and a size.
func parseLarge(text string) (upload string, size int64, err error) {
	upload, number, _ := strings.Cut(text, " ")
	if !isUpload(upload) {
		return "", 0, errors.New("names no upload")
	}
	size, err = strconv.ParseInt(number, 10, 64)
	if err != nil || size < 1 || size > store.MaxRecord {
		return "", 0, fmt.Errorf("says a size of %.40q", number)
	}
	return upload, size, nil
}

// isThere asks the leader for a record. The error is errRemoved if it is not there.
func (l logs) isThere(ctx context.Context, m message) error {
	return l.retry(ctx, func(ctx context.Context) error {
		next, err := l.next(ctx, m.subject, m.seq)
		if errors.Is(err, store.ErrNotFound) || err == nil && next.seq != m.seq {
			return errRemoved
		}
		return err
	})
}
