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
)

// Collect removes what a place keeps for nothing, until ctx ends: expired contexts, outputs beyond the
// limits of the configuration, and what interrupted deletions and machines that died have left. In a
// shared store one machine does it at a time.
func (p Place) Collect(ctx context.Context, c *Contents, told Told) error {
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
	set.Cleans = true
	t := tidying{Caches{c, set}, "", told}
	_, err = t.contexts(ctx, "")
	free() // finishing deletions takes it too
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err = errors.Join(err, t.home(ctx)); err != nil {
		return err
	}
	return t.note(ctx, "")
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
	if _, ok := errors.AsType[*store.HeldError](err); ok {
		return nil, fmt.Errorf("another machine cleans it up now: %w", err)
	}
	if err != nil {
		return nil, err
	}
	return func() {
		ctx, end := context.WithTimeout(context.WithoutCancel(ctx), noteTime)
		defer end()
		lease.Release(ctx)
	}, nil
}

// Verify reads everything of a place. It calls damaged with a sentence about each thing that cannot be
// used, and setAside with what it took out of contexts; nil: it takes nothing out.
func (c *Contents) Verify(ctx context.Context, damaged func(text string), setAside func(contexts.Aside)) (
	read contexts.Checked, outputs int, err error) {
	how := contexts.Checking{Damaged: damaged, SetAside: setAside, Each: func(name string) error {
		in := func(text string) { damaged(fmt.Sprintf("context %q: %s", name, text)) }
		good, err := cache.Check(ctx, c.Cache(name), in)
		outputs += good
		return err
	}}
	read, err = contexts.Check(ctx, c.Store, how)
	return read, outputs, err
}
