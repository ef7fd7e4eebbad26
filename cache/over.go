package cache

import (
	"context"
	"errors"
	"slices"
)

// Over returns a cache that saves into one cache and also reads what another one has. Clean
// and Clear are about the first one only.
func Over(own Cache, other Browser) Cache { return over{own, other} }

type over struct {
	Cache
	other Browser
}

// Open opens an entry of either.
func (o over) Open(ctx context.Context, id string) (*Reader, error) {
	r, err := o.Cache.Open(ctx, id)
	if errors.Is(err, ErrNotFound) {
		return o.other.Open(ctx, id)
	}
	return r, err
}

// List lists the entries of both, the newest first.
func (o over) List(ctx context.Context) ([]Entry, error) {
	own, err := o.Cache.List(ctx)
	if err != nil {
		return nil, err
	}
	others, err := o.other.List(ctx)
	list := slices.Concat(own, others)
	sortByAge(list)
	return list, err
}
