package natsstore

import (
	"context"
	"errors"

	"github.com/chibi-host/chibi/store"
)

// everything returns the newest message of each subject of a filter, as far as the leader
// knows when it is asked, at least. The newest of all comes first, to more, which may say that
// no others are wanted; after a failure it may come again.
func (s stream) everything(ctx context.Context, filter string, more func(newest message) bool) (all map[string]message,
	err error) {
	err = s.retry(ctx, func(ctx context.Context) error {
		all = nil
		newest, err := s.newest(ctx, filter)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil || !more(newest) {
			return err
		}
		all, err = s.everythingUpTo(ctx, filter, newest.seq)
		return err
	})
	return all, err
}

// everythingUpTo reads the messages of a filter, which has one of the given sequence or had
// it. The error is ErrUnavailable if the server that answers is behind.
func (s stream) everythingUpTo(ctx context.Context, filter string, target uint64) (map[string]message, error) {
	all := map[string]message{}
	for from := uint64(1); ; {
		end, err := s.read(ctx, batch{Seq: from, Next: filter, Count: maxBatch}, func(m message) (bool, error) {
			all[m.subject] = m.slim()
			return true, nil
		})
		switch {
		case err != nil:
			return nil, err
		case end.pending > 0 && end.last > 0:
			// A document that changes between two answers is behind its first place, where the
			// server that gives the second one must have it.
			newest, err := s.newest(ctx, filter)
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return nil, err
			}
			from, target = end.last+1, max(target, newest.seq)
		case max(end.last, from-1) < target:
			return nil, &passing{"the server that answered is behind"}
		default:
			return all, nil
		}
	}
}
