package contexts

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrExists says that there is a context of that name already.
var ErrExists = errors.New("there is such a context already")

// Rename gives the context another name.
func (o *owner) Rename(to string) error {
	if err := ValidName(to); err != nil {
		return err
	}
	s, from := o.ref.store, o.ref.name
	err := ErrExists
	if !s.backend.exists(context.Background(), to) {
		err = s.backend.rename(from, to)
	}
	if err == nil {
		o.ref.name = to
		err = s.backend.update(func(state *stateFile) { state.rename(from, to) })
	}
	if err != nil {
		return fmt.Errorf("renaming context %q to %q: %w", from, to, err)
	}
	return nil
}

// Delete removes the context with everything in it. Its room is free before
// anything is written, so that it works on a full disk too.
func (o *owner) Delete() (current string, err error) {
	home := o.ref.store.backend
	err = home.remove(o.ref.name)
	if err == nil {
		err = home.free()
	}
	if err == nil {
		current, err = forget(home, o.ref.name)
	}
	if err != nil {
		return current, fmt.Errorf("deleting context %q: %w", o.ref.name, err)
	}
	return current, nil
}

// forget takes contexts that are gone out of the registry. It returns the current
// context.
func forget(r registry, names ...string) (current string, err error) {
	err = r.update(func(state *stateFile) {
		for _, name := range names {
			state.forget(name)
		}
		current = state.Current
	})
	return current, err
}

// Expired is a context that was removed because its time was over.
type Expired struct {
	Name string
	// Why is the setting that asked for it.
	Why string
}

// Expire removes the contexts whose time is over.
func (s *Store) Expire(ctx context.Context, inUse string) (removed []Expired, err error) {
	state, err := s.backend.state(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range state.Contexts {
		why := e.isDue(s.now(), s.backend.lastUse)
		if why == "" || e.Name == state.Current || e.Name == inUse || !s.Exists(ctx, e.Name) {
			continue
		}
		if gone, err := expire(ctx, s.backend, &ref{store: s, name: e.Name}); err != nil {
			return removed, err
		} else if gone {
			removed, names = append(removed, Expired{e.Name, why}), append(names, e.Name)
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	if err = s.backend.free(); err == nil {
		_, err = forget(s.backend, names...)
	}
	return removed, err
}

// expire removes a context, unless it is in use; its time comes again.
func expire(ctx context.Context, home backend, r *ref) (gone bool, err error) {
	if err := ValidName(r.name); err != nil {
		return false, err
	}
	unlock, _, err := home.lock(ctx, r, noPatience)
	if err != nil {
		return false, nil
	}
	defer unlock()
	return true, home.remove(r.name)
}

// isDue says why a context is to be removed, "" if it is not. lastUse is when
// something in it was written last: with -C that is all that is known.
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
