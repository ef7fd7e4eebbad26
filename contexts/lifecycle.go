package contexts

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrExists reports that a context of that name already exists.
var ErrExists = errors.New("there is such a context already")

// Rename gives the context another name.
func (o *owner) Rename(to string) error {
	if err := ValidName(to); err != nil {
		return err
	}
	s, from := o.ref.store, o.ref.name
	err := s.backend.rename(from, to)
	if err == nil {
		o.ref.name = to
		err = s.backend.moved(from, to)
	}
	if err != nil {
		return fmt.Errorf("renaming context %q to %q: %w", from, to, err)
	}
	return nil
}

// Delete removes the context with everything in it. Its disk space is freed before
// anything is written, so that it also works on a full disk.
func (o *owner) Delete() (current string, err error) {
	home := o.ref.store.backend
	err = home.remove(o.ref.name)
	if err == nil {
		err = home.free()
	}
	if err == nil {
		current, err = home.forget(o.ref.name)
	}
	if err != nil {
		return current, fmt.Errorf("deleting context %q: %w", o.ref.name, err)
	}
	return current, nil
}

// Expired is a context that was removed because it had expired.
type Expired struct {
	Name string
	// Why is the setting that asked for it.
	Why string
}

// Expire removes expired contexts. One that cannot be removed does not keep the others.
func (s *Store) Expire(ctx context.Context, inUse string) (removed []Expired, err error) {
	entries, err := s.backend.expiring(ctx)
	if err != nil || len(entries) == 0 {
		return nil, err
	}
	state, err := s.backend.current(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	var failed error
	for _, e := range entries {
		why := e.isDue(s.Now(), s.backend.lastUse)
		if why == "" || e.Name == state.Current || e.Name == inUse || !s.Exists(ctx, e.Name) {
			continue
		}
		gone, err := expire(ctx, &ref{store: s, name: e.Name})
		if failed = errors.Join(failed, err); gone {
			removed, names = append(removed, Expired{e.Name, why}), append(names, e.Name)
		}
	}
	if len(names) == 0 {
		return nil, failed
	}
	if err = s.backend.free(); err == nil {
		_, err = s.backend.forget(names...)
	}
	return removed, errors.Join(failed, err)
}

// expire removes a context, unless it is in use, or was used just before; then a later run
// removes it.
func expire(ctx context.Context, r *ref) (gone bool, err error) {
	home := r.store.backend
	unlock, _, err := home.lock(ctx, r, noPatience)
	var inUse *LockedError
	if errors.As(err, &inUse) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer unlock()
	e, err := home.entry(ctx, r.name)
	if err != nil || e == nil || e.isDue(r.store.Now(), home.lastUse) == "" {
		return false, err
	}
	if err := home.remove(r.name); err != nil {
		return false, fmt.Errorf("deleting context %q: %w", r.name, err)
	}
	return true, nil
}

// isDue returns why a context is to be removed, "" if it is not. lastUse returns
// when something in it was last written: of contexts used with -C nothing else is
// known.
func (e contextState) isDue(now time.Time, lastUse func(name string) time.Time) string {
	if e.DestroyAt >= 1 && now.After(time.Unix(e.DestroyAt, 0)) {
		return fmt.Sprintf("destroy_at was %s", time.Unix(e.DestroyAt, 0).Format(time.DateTime))
	}
	idle := time.Duration(e.DestroyAfterSecondsInactive) * time.Second
	if idle < time.Second || e.LastActivityAt < 1 {
		return ""
	}
	last := time.Unix(e.LastActivityAt, 0)
	if written := lastUse(e.Name); written.After(last) {
		last = written
	}
	if now.Sub(last) <= idle {
		return ""
	}
	return fmt.Sprintf("nothing happened in it for %s", idle)
}
