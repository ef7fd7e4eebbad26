package storage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/usage"
	"github.com/chibi-host/chibi/store"
	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
)

// Collect removes what a place keeps for nothing: expired contexts, outputs beyond the limits
// of the configuration, and what interrupted deletions and machines that died have left. It
// calls told with a sentence about each thing that it removed. In a shared store one machine
// does it at a time.
func (p Place) Collect(ctx context.Context, c *Contents, told func(text string)) error {
	set, err := p.Limits()
	if err != nil {
		return usage.Error{Err: err}
	}
	if _, err := c.AgesAt(ctx); err != nil {
		return p.about(err)
	}
	free, err := c.collecting(ctx)
	if err != nil {
		return p.about(err)
	}
	err = errors.Join(c.expire(ctx, told), c.cleanCaches(ctx, set, told), c.removeLeft(ctx, told))
	free()
	return errors.Join(err, c.Housekeep(ctx))
}

// collecting takes the lease of who cleans up a shared store.
func (c *Contents) collecting(ctx context.Context) (free func(), err error) {
	if c.Engine == nil {
		return func() {}, nil
	}
	host, _ := os.Hostname()
	holder, err := json.Marshal(contexts.Holder{PID: os.Getpid(), Host: host, Since: time.Now().UTC()})
	if err != nil {
		return nil, err
	}
	lease, err := c.Engine.Leases.Take(ctx, "gc", holder)
	var held *store.HeldError
	if errors.As(err, &held) {
		return nil, fmt.Errorf("another machine cleans it up now: %w", err)
	}
	if err != nil {
		return nil, err
	}
	return func() { lease.Release(context.WithoutCancel(ctx)) }, nil
}

// expire removes expired contexts.
func (c *Contents) expire(ctx context.Context, told func(string)) error {
	removed, err := c.Expire(ctx, "")
	for _, e := range removed {
		told(fmt.Sprintf("destroyed context %q: %s", e.Name, e.Why))
	}
	return err
}

// cleanCaches removes outputs beyond the limits of a configuration.
func (c *Contents) cleanCaches(ctx context.Context, set Limits, told func(string)) error {
	names, err := c.Names(ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		conversation, err := c.Context(name)
		if err != nil {
			return err
		}
		removed, err := c.Cache(name).Clean(ctx, set.of(ctx, conversation, youngEntry))
		if removed > 0 {
			told(fmt.Sprintf("removed %s of context %q", english.Plural(removed, "cached output", ""), name))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// removeLeft removes outputs in a shared store that belong to no context.
func (c *Contents) removeLeft(ctx context.Context, told func(string)) error {
	if c.Engine == nil {
		return nil
	}
	removed, bytes, err := cache.RemoveLeft(ctx, c.Engine)
	if removed > 0 {
		told(fmt.Sprintf("removed what was left of %s, %s", english.Plural(removed, "cached output", ""),
			humanize.IBytes(uint64(max(bytes, 0)))))
	}
	return err
}

// Verify reads everything of a place. It calls damaged with a sentence about each thing that
// cannot be used.
func (c *Contents) Verify(ctx context.Context, damaged func(text string)) (read contexts.Checked, outputs int,
	err error) {
	read, err = contexts.Check(ctx, c.Store, damaged, func(name string) error {
		in := func(text string) { damaged(fmt.Sprintf("context %q: %s", name, text)) }
		good, err := cache.Check(ctx, c.Cache(name), in)
		outputs += good
		return err
	})
	return read, outputs, err
}
