package contexts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/contexts/internal/registry"
)

// Expired is a context that was removed because it had expired.
type Expired struct {
	Name string
	// Why is the setting that asked for it.
	Why string
}

// Expire removes expired contexts: destroy_at has passed, or nothing happened in them for
// destroy_after_seconds_inactive. The current context, the one named inUse, and those that a
// process uses stay. One that cannot be removed does not keep the others.
func (m maintenance) Expire(ctx context.Context, inUse string) (removed []Expired, err error) {
	rules, err := m.store.backend.Expiring(ctx)
	if err != nil || len(rules) == 0 {
		return nil, err
	}
	x, err := m.expiring(ctx, inUse)
	if err != nil {
		return nil, err
	}
	var failed error
	for _, rule := range rules {
		if ctx.Err() != nil {
			break
		}
		why, err := x.expire(ctx, rule)
		if failed = errors.Join(failed, err); why != "" {
			removed = append(removed, Expired{rule.Name, why})
		}
	}
	return removed, errors.Join(failed, x.finish(), ctx.Err())
}

// Visited is a context that [Store.Visit] passes on.
type Visited struct {
	Name string
	// Place is the place of the context in the order.
	Place string
	// Expire removes the context if it has expired, see [Store.Expire], and returns why; "" if it
	// stays.
	Expire func(ctx context.Context) (why string, err error)
}

// Visit calls each with all contexts, until it returns an error or ctx ends, which is the error then.
// after is the place of a context that an earlier visit came to, which goes on there; "": it begins.
// The context that is named inUse does not expire.
func (m maintenance) Visit(ctx context.Context, after, inUse string, each func(Visited) error) error {
	x, err := m.expiring(ctx, inUse)
	if err != nil {
		return err
	}
	err = m.store.backend.Walk(ctx, after, func(place string, c registry.Context) error {
		expire := func(ctx context.Context) (string, error) { return x.expire(ctx, c) }
		return each(Visited{Name: c.Name, Place: place, Expire: expire})
	})
	return errors.Join(err, x.finish())
}

// expiry removes expired contexts one by one.
type expiry struct {
	maintenance
	now     time.Time // by which ages are counted
	stay    [2]string
	removed []string
}

func (m maintenance) expiring(ctx context.Context, inUse string) (*expiry, error) {
	now, err := m.AgesAt(ctx)
	if err != nil {
		return nil, err
	}
	state, err := m.store.backend.Current(ctx)
	return &expiry{maintenance: m, now: now, stay: [2]string{state.Current, inUse}}, err
}

// expire removes a context if its rule says so, and returns why.
func (x *expiry) expire(ctx context.Context, rule registry.Context) (why string, err error) {
	why = x.due(ctx, rule)
	if why == "" || slices.Contains(x.stay[:], rule.Name) || !x.store.Exists(ctx, rule.Name) {
		return "", nil
	}
	gone, err := x.remove(ctx, rule.Name)
	if !gone {
		return "", err
	}
	x.removed = append(x.removed, rule.Name)
	return why, err
}

// due returns why a context must go, "" if it may stay.
func (x *expiry) due(ctx context.Context, rule registry.Context) string {
	return rule.IsDue(x.now, func(name string) time.Time { return x.store.backend.LastUse(ctx, name) })
}

// remove removes a context, unless it is in use, or was used just before; then a later run
// removes it.
func (x *expiry) remove(ctx context.Context, name string) (gone bool, err error) {
	home := x.store.backend
	unlock, _, err := x.store.open(name).Lock(ctx, parts.NoPatience)
	if _, ok := errors.AsType[*LockedError](err); ok {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer unlock()
	e, err := home.Entry(ctx, name)
	if err != nil || e == nil || x.due(ctx, *e) == "" {
		return false, err
	}
	if err := home.Remove(name); err != nil {
		return false, fmt.Errorf("deleting context %q: %w", name, err)
	}
	return true, nil
}

// finish frees what the removed contexts took, and forgets them.
func (x *expiry) finish() error {
	if len(x.removed) == 0 {
		return nil
	}
	home := x.store.backend
	if err := home.Free(); err != nil {
		return err
	}
	_, err := home.Forget(x.removed...)
	return err
}
