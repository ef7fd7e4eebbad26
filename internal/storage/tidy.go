package storage

import (
	"context"
	"errors"
	"time"

	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/store"
)

// Told hears what chibi removes, and how far that is. Each function must be set.
type Told struct {
	// Destroyed hears of a context, Cleaned of outputs of a context, and Left of outputs that
	// belong to none.
	Destroyed func(contexts.Expired)
	Cleaned   func(context string, outputs int)
	Left      func(outputs int, bytes int64)
	// Done hears after each context how many are done.
	Done func(contexts int)
}

// tidying removes from all contexts what is kept for nothing.
type tidying struct {
	Caches
	inUse string
	told  Told
}

// contexts goes through the contexts after a place. It returns the place of the last one, "" if it came
// to the end. One whose turn alone takes longer than there is time counts as
// done, so that it does not keep the others for ever.
func (t tidying) contexts(ctx context.Context, after string) (upTo string, err error) {
	t.Host.Tidy()
	now, err := t.Store.AgesAt(ctx)
	if err != nil {
		return after, err
	}
	upTo = after
	var failed error
	n := 0
	err = t.Store.Visit(ctx, after, t.inUse, func(v contexts.Visited) error {
		err := t.context(ctx, v, now)
		if ctx.Err() == nil || upTo == after {
			upTo = v.Place
		}
		if ctx.Err() != nil || errors.Is(err, store.ErrUnavailable) {
			return err
		}
		failed = errors.Join(failed, err)
		n++
		t.told.Done(n)
		return nil
	})
	if err != nil {
		return upTo, errors.Join(failed, err)
	}
	return "", failed
}

// context removes one context if it has expired, or else what killed runs have left in it, and
// outputs beyond the limits.
func (t tidying) context(ctx context.Context, v contexts.Visited, now time.Time) error {
	why, err := v.Expire(ctx)
	if why != "" {
		t.told.Destroyed(contexts.Expired{Name: v.Name, Why: why})
		return err
	}
	t.Host.TidyContexts(v.Name)
	if err != nil || !t.Limits.Cleans {
		return err
	}
	removed, err := t.clean(ctx, v.Name, cache.Limits{MinAge: youngEntry, Now: now})
	if removed > 0 {
		t.told.Cleaned(v.Name, removed)
	}
	return err
}

// home removes what belongs to no context: outputs in a shared store, and what interrupted deletions
// have left.
func (t tidying) home(ctx context.Context) error {
	if t.Engine != nil {
		removed, bytes, err := t.sharing.removeLeft(ctx, t.Engine)
		if removed > 0 {
			t.told.Left(removed, bytes)
		}
		if err != nil {
			return err
		}
	}
	return t.Housekeep(ctx)
}

// Run is a run that ends.
type Run struct {
	// Context is its context, IsTransient says that it does not become the current one.
	Context     string
	IsTransient bool
	// Destroyed hears which contexts were removed because they had expired.
	Destroyed func(contexts.Expired)
	// Bound bounds what is done once a day; nil: 2 seconds.
	Bound func(context.Context) (context.Context, context.CancelFunc)
}

// Cleaned says what a run has cleaned.
type Cleaned struct {
	// Outputs is how many outputs were removed.
	Outputs int
	// IsCut is true if the time was over before everything was done: it goes on another day.
	IsCut bool
}

// dailyTime bounds what a run does once a day: a person waits for it.
const dailyTime = 2 * time.Second

// Cleanup cleans up at the end of a run of a context, until ctx ends: in files the cache of the
// context, if that is configured, and once a day all contexts, for a short time, beginning where that
// ended the last time. A run with a transient context leaves the latter to others. In a store that
// machines share, one of them does it once a day for all.
func (c Caches) Cleanup(ctx context.Context, run Run) (done Cleaned, err error) {
	if ctx.Err() != nil {
		return done, nil
	}
	if c.Limits.Cleans && !c.IsShared() {
		if done.Outputs, err = c.clean(ctx, run.Context, cache.Limits{MinAge: youngEntry}); err != nil {
			return done, err
		}
	}
	if run.IsTransient {
		return done, nil
	}
	isDue, after, err := c.Daily(ctx)
	if err != nil || !isDue {
		return done, err
	}
	err = c.daily(ctx, run, after, &done)
	return done, err
}

// daily does for a short time what is done once a day, and notes where it ended.
func (c Caches) daily(ctx context.Context, run Run, after string, done *Cleaned) error {
	bound := run.Bound
	if bound == nil {
		bound = func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, dailyTime)
		}
	}
	bounded, end := bound(ctx)
	defer end()
	t := tidying{c, run.Context, Told{Destroyed: run.Destroyed, Cleaned: func(_ string, n int) { done.Outputs += n },
		Left: func(int, int64) {}, Done: func(int) {}}}
	upTo, err := t.contexts(bounded, after)
	if upTo == "" && bounded.Err() == nil {
		err = errors.Join(err, t.home(bounded))
	}
	if done.IsCut = bounded.Err() != nil; done.IsCut {
		err = nil // it is what the time that was over has cut
	}
	if upTo == after {
		return err
	}
	return errors.Join(err, t.note(ctx, upTo))
}

// noteTime bounds how long somebody waits who has ended the run.
const noteTime = time.Second

// note notes up to which context everything is done.
func (t tidying) note(ctx context.Context, upTo string) error {
	ctx, end := context.WithTimeout(context.WithoutCancel(ctx), noteTime)
	defer end()
	return t.Tidied(ctx, upTo)
}
