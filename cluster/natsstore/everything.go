package natsstore

import (
	"context"
	"errors"

	"github.com/chibi-host/chibi/store"
)

// everythingBatch is how many messages one answer brings: a busy machine takes it in before the server
// gives up the connection, and one that fails is asked for again without those before it.
const everythingBatch = 5000

// everything returns the newest message of each subject of a filter, as far as the leader
// knows when it is asked, at least. The newest of all comes first, to more, which may say that
// no others are wanted.
func (s stream) everything(ctx context.Context, filter string, more func(newest message) bool) (
	map[string]message, error) {
	newest, err := s.newestRetried(ctx, filter)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil || !more(newest) {
		return nil, err
	}
	all := map[string]message{}
	isOne := true // what comes until the target is one answer
	for p := (part{filter, 1, newest.seq}); ; {
		end, err := s.part(ctx, p, all)
		if err != nil {
			return nil, err
		}
		if end.last > 0 {
			p.from = end.last + 1
		}
		switch {
		case end.pending > 0:
			isOne = false
			continue
		case isOne:
			return all, nil
		}
		// A document that changed between two answers is behind its first place, where the server that
		// gave the last one must have had it.
		newest, err := s.newestRetried(ctx, filter)
		if errors.Is(err, store.ErrNotFound) || err == nil && newest.seq < p.from {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		p.target, isOne = newest.seq, true
	}
}

// part are messages of a filter from a sequence on, as many as one answer brings. The server that
// gives it has come to the target if it has none left.
type part struct {
	filter       string
	from, target uint64
}

// part reads messages into all. It asks again while the server that answers is behind.
func (s stream) part(ctx context.Context, p part, all map[string]message) (end batchEnd, err error) {
	var found []message
	err = s.retry(ctx, func(ctx context.Context) (err error) {
		found = found[:0]
		end, err = s.read(ctx, batch{Seq: p.from, Next: p.filter, Count: everythingBatch}, func(m message) (bool, error) {
			found = append(found, m.slim())
			return true, nil
		})
		if err == nil && end.last == 0 {
			end.pending = 0
		}
		if err == nil && end.pending == 0 && max(end.last, p.from-1) < p.target {
			return &passing{"the server that answered is behind"}
		}
		return err
	})
	for _, m := range found {
		all[m.subject] = m
	}
	return end, err
}
