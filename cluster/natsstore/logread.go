package natsstore

import (
	"context"
	"errors"
	"math"

	"github.com/chibi-host/chibi/store"
)

func (l logs) Read(ctx context.Context, log string, r store.Range, each func(store.Record) bool) (err error) {
	if err := store.CheckLog(log); err != nil {
		return err
	}
	defer about(&err, "log", log)
	reading := &reading{logs: l, subject: l.layout.log(log), r: r}
	reading.take = func(ctx context.Context, m message) (bool, error) { return reading.hand(ctx, m, each) }
	if r.Backward {
		return reading.backward(ctx)
	}
	return reading.forward(ctx)
}

type reading struct {
	logs
	subject string
	r       store.Range
	take    func(context.Context, message) (more bool, err error)
}

// forward reads in the order of positions.
func (g *reading) forward(ctx context.Context) error {
	for from := max(1, g.r.First); ; {
		found, finished, err := g.ahead(ctx, from)
		if err != nil {
			return err
		}
		for _, m := range found {
			if more, err := g.take(ctx, m); err != nil || !more {
				return err
			}
			from = m.seq + 1
		}
		if finished {
			return nil
		}
		if len(found) == 0 {
			return errors.New("the server says that there are records, and sends none")
		}
	}
}

// ahead returns records from a position on, as many as one answer has. They are handed out
// afterwards, so that nobody waits for the receiver.
func (g *reading) ahead(ctx context.Context, from uint64) (found []message, finished bool, err error) {
	err = g.retry(ctx, func(ctx context.Context) error {
		found, finished = nil, false
		end, err := g.read(ctx, g.batch(from), func(m message) (bool, error) {
			if g.r.Last == 0 || m.seq <= g.r.Last {
				found = append(found, m)
			}
			finished = g.r.Last > 0 && m.seq >= g.r.Last
			return !finished, nil
		})
		if err != nil || finished || end.pending > 0 && end.last > 0 {
			return err
		}
		finished = true
		return g.complete(ctx, max(from, end.last+1))
	})
	return found, finished, err
}

func (g *reading) batch(from uint64) batch {
	b := batch{Seq: from, Next: g.subject, Count: maxBatch}
	if from == 1 && !g.r.Since.IsZero() {
		since := g.r.Since.UTC()
		b.Seq, b.Start = 0, &since
	}
	if g.r.Last > 0 && g.r.Last-min(g.r.Last, from) < maxBatch {
		b.Count = int(g.r.Last-min(g.r.Last, from)) + 1
	}
	return b
}

// complete returns nil if no record is missing from a position on. The server that answered
// may be behind: if records up to a certain one were asked for, the leader says what there is.
func (g *reading) complete(ctx context.Context, from uint64) error {
	if g.r.Last == 0 {
		return nil
	}
	newest, err := g.newest(ctx, g.subject)
	switch {
	case errors.Is(err, store.ErrNotFound), err == nil && (newest.seq < from || newest.time.Before(g.r.Since)):
		return nil
	case err != nil:
		return err
	}
	return &passing{"the server that answered is behind"}
}

// hand calls each with a message's record.
func (g *reading) hand(ctx context.Context, m message, each func(store.Record) bool) (more bool, err error) {
	if m.subject != g.subject || m.time.Before(g.r.Since) || m.seq < g.r.First {
		return true, nil
	}
	r, err := record(m)
	if err != nil {
		return false, err
	}
	r.Data, err = g.largeData(ctx, m)
	switch {
	case errors.Is(err, errRemoved):
		return true, nil
	case err != nil:
		return false, err
	}
	return each(r), nil
}

const (
	// firstStep is how many positions are looked at first when reading backward, stepFactor
	// by how much more each time that few records are among them.
	firstStep  = 64
	stepFactor = 8
	fewRecords = 64
)

// backward reads the newest records first: a step back in positions, then the records from
// there on, handed out in reverse.
func (g *reading) backward(ctx context.Context) error {
	high, err := g.newestWanted(ctx)
	if err != nil || high == 0 {
		return err
	}
	for step := uint64(firstStep); high >= max(1, g.r.First); {
		low := max(1, g.r.First, high-min(high, step-1))
		found, whole, err := g.between(ctx, low, high)
		switch {
		case err != nil:
			return err
		case !whole && low < high:
			step = max(1, (high-low+1)/2)
			continue
		}
		for i := len(found) - 1; i >= 0; i-- {
			more, err := g.take(ctx, found[i])
			if err != nil || !more {
				return err
			}
			if found[i].time.Before(g.r.Since) {
				return nil
			}
		}
		if len(found) < fewRecords {
			step = min(step*stepFactor, math.MaxInt32)
		}
		high = low - 1
	}
	return nil
}

// newestWanted returns the position from which to read backward, 0 if there is nothing.
func (g *reading) newestWanted(ctx context.Context) (uint64, error) {
	newest, err := g.newestRetried(ctx, g.subject)
	if errors.Is(err, store.ErrNotFound) {
		return 0, nil
	}
	if g.r.Last > 0 {
		return min(newest.seq, g.r.Last), err
	}
	return newest.seq, err
}

// between returns the messages between two sequences, unless they are too many for one
// answer.
func (g *reading) between(ctx context.Context, low, high uint64) (found []message, whole bool, err error) {
	err = g.retry(ctx, func(ctx context.Context) error {
		found, whole = nil, false
		b := batch{Seq: low, Next: g.subject, Count: int(high-low) + 1}
		end, err := g.read(ctx, b, func(m message) (bool, error) {
			if whole = m.seq >= high; m.seq <= high {
				found = append(found, m)
			}
			return !whole, nil
		})
		if err != nil || whole || end.pending > 0 {
			return err
		}
		whole = true
		return g.upToDate(ctx, max(low, end.last+1), high)
	})
	return found, whole, err
}

// upToDate returns nil if the leader has no message from a sequence up to another one.
func (g *reading) upToDate(ctx context.Context, from, high uint64) error {
	next, err := g.next(ctx, g.subject, from)
	switch {
	case errors.Is(err, store.ErrNotFound), err == nil && next.seq > high:
		return nil
	case err != nil:
		return err
	}
	return &passing{"the server that answered is behind"}
}
