package cache

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Check reads all outputs of a cache and compares them with their hashes. It calls damaged
// with a sentence about each that cannot be used, and returns how many are intact.
func Check(ctx context.Context, c Cache, damaged func(text string)) (good int, err error) {
	list, err := c.List(ctx)
	if err != nil {
		return 0, err
	}
	isListed := map[string]bool{}
	for _, e := range list {
		isListed[e.ID] = true
		switch err := Verify(ctx, c, e); {
		case err == nil:
			good++
		case errors.Is(err, ErrNotFound) && isPast(ctx, c, e):
		case errors.Is(err, ErrNotFound):
			damaged(fmt.Sprintf("cached output %q is damaged or missing", e.ID))
		default:
			return good, fmt.Errorf("cached output %q: %w", e.ID, err)
		}
	}
	ids, err := describedIn(ctx, c)
	for _, id := range ids {
		if !isListed[id] {
			damaged(fmt.Sprintf("the description of cached output %q is damaged", id))
		}
	}
	return good, err
}

// describedIn lists the ids of all outputs that have a description, whatever it says.
func describedIn(ctx context.Context, c Cache) (ids []string, err error) {
	switch c := c.(type) {
	case Files:
		names, err := c.dir.names()
		for _, n := range names {
			if id, ok := strings.CutSuffix(n.Name(), ".meta.json"); ok {
				ids = append(ids, id)
			}
		}
		return ids, err
	case *Shared:
		r, ok, err := c.inStore(ctx)
		if err != nil || !ok {
			return nil, err
		}
		_, known, err := r.entries(ctx)
		for id := range known {
			ids = append(ids, id)
		}
		return ids, err
	}
	return nil, nil
}
