package natsstore

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"

	"github.com/chibi-host/chibi/store"
)

// How long the mark of a removed document stays.
const (
	// Where documents have copies it is longer than any server may be behind that answers.
	removedFor = "1h"
	// A single server that was killed reads its files anew, and finds what a mark had replaced if
	// the mark has ended and the file was not written again since (nats-server issue 8505); copies
	// agree on what was removed. Marks that never end would make lists slow.
	removedForAlone = "720h"
)

// reserve is what remains of the server's max_payload for headers.
const reserve = 8 << 10

// documents keeps documents: the newest message of each subject.
type documents struct{ stream }

func (d documents) Get(ctx context.Context, key string) (_ store.Doc, err error) {
	if err := checkDocKey(key); err != nil {
		return store.Doc{}, err
	}
	defer about(&err, "document", key)
	m, err := d.newestOf(ctx, key)
	if err != nil {
		return store.Doc{}, err
	}
	return store.Doc{Key: key, Rev: m.seq, Data: nonNil(m.data)}, nil
}

func (d documents) newestOf(ctx context.Context, key string) (message, error) {
	m, err := d.newestRetried(ctx, d.layout.doc(key))
	if err == nil && m.isRemoved() {
		return m, store.ErrNotFound
	}
	return m, err
}

// Put stores or removes a document.
func (d documents) Put(ctx context.Context, key string, data []byte, rev uint64) (_ uint64, err error) {
	if err := checkDocKey(key); err != nil {
		return 0, err
	}
	defer about(&err, "document", key)
	return d.change(ctx, key, data, rev)
}

func (d documents) change(ctx context.Context, key string, data []byte, rev uint64) (uint64, error) {
	if err := d.checkSize(data); err != nil {
		return 0, err
	}
	id := newID()
	w := write{subject: d.layout.doc(key), after: rev, id: id, msgID: id, unique: true, data: data, overRemoved: true}
	if data == nil {
		if rev == 0 {
			return 0, errors.New("a document that must not exist cannot be removed")
		}
		var err error
		if w.header, err = d.mark(ctx); err != nil {
			return 0, err
		}
	}
	return d.put(ctx, w)
}

// mark returns the headers of the mark of a removed document.
func (d documents) mark(ctx context.Context) (nats.Header, error) {
	if d.copies.Load() == 0 {
		info, err := d.infoRetried(ctx)
		if err != nil {
			return nil, err
		}
		d.copies.Store(int64(info.Config.Replicas))
	}
	stays := removedFor
	if d.copies.Load() <= 1 {
		stays = removedForAlone
	}
	return nats.Header{headerKV: {"PURGE"}, headerTTL: {stays}}, nil
}

// checkSize returns an error if data does not fit into one message.
func (c *connection) checkSize(data []byte) error {
	if limit := c.pieceLimit(); int64(len(data)) > limit {
		return fmt.Errorf("%d bytes are more than the %d that fit into a message: %w", len(data), limit, store.ErrTooLarge)
	}
	return nil
}

// pieceLimit is how much data fits into one message.
func (c *connection) pieceLimit() int64 { return c.nc.MaxPayload() - reserve }

func (d documents) List(ctx context.Context, prefix string, each func(store.Doc) bool) (err error) {
	if err := store.CheckPrefix(prefix); err != nil {
		return err
	}
	defer about(&err, "documents", prefix)
	handed := map[string]bool{}
	hand := func(m message) (more bool) {
		key, isThere := d.document(m, prefix)
		if !isThere || isReserved(key) || handed[key] {
			return true
		}
		handed[key] = true
		return each(store.Doc{Key: key, Rev: m.seq, Data: nonNil(m.data)})
	}
	// Whoever only wants to know whether there is a document mostly has it from the first message.
	found, err := d.everything(ctx, d.layout.under(prefix), hand)
	if err != nil {
		return err
	}
	for _, m := range found {
		if !hand(m) {
			return nil
		}
	}
	return nil
}

// walkBatch is how many documents one answer brings to a walk.
const walkBatch = 1000

// Walk reads the messages in their order.
func (d documents) Walk(ctx context.Context, prefix string, after uint64, each func(store.Doc) bool) (err error) {
	if err := store.CheckPrefix(prefix); err != nil {
		return err
	}
	defer about(&err, "documents", prefix)
	for {
		var page []message
		var end batchEnd
		err := d.retry(ctx, func(ctx context.Context) (err error) {
			page = nil
			b := batch{Seq: after + 1, Next: d.layout.under(prefix), Count: walkBatch}
			end, err = d.read(ctx, b, func(m message) (bool, error) {
				page = append(page, m)
				return true, nil
			})
			return err
		})
		if err != nil {
			return err
		}
		for _, m := range page {
			key, isThere := d.document(m, prefix)
			if isThere && !isReserved(key) && !each(store.Doc{Key: key, Rev: m.seq, Data: nonNil(m.data)}) {
				return nil
			}
		}
		if after = end.last; end.pending == 0 || end.last == 0 {
			return nil
		}
	}
}

// document returns the key of the document that a message is; false if it was removed, or does
// not begin with the prefix.
func (d documents) document(m message, prefix string) (key string, isThere bool) {
	key, ok := strings.CutPrefix(m.subject, d.layout.docPrefix())
	return key, ok && strings.HasPrefix(key, prefix) && store.CheckKey(key) == nil && !m.isRemoved()
}

// all returns the messages of all documents whose key begins with a prefix, and that
// were not removed.
func (d documents) all(ctx context.Context, prefix string) (map[string]message, error) {
	newest, err := d.everything(ctx, d.layout.under(prefix), func(message) bool { return true })
	if err != nil {
		return nil, err
	}
	found := make(map[string]message, len(newest))
	for _, m := range newest {
		if key, isThere := d.document(m, prefix); isThere {
			found[key] = m
		}
	}
	return found, nil
}

func nonNil(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}
