package storage

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/contexts"
)

// Limits are the limits of a configuration for cached outputs.
type Limits struct {
	MaxAge   time.Duration
	MaxBytes int64
	// Cleans says that runs remove what is beyond them.
	Cleans bool
}

// Caches are the caches of tool outputs of a home's contexts, with the limits of a
// configuration.
type Caches struct {
	*Contents
	Limits Limits
}

// Clean removes what is beyond the limits in the caches of all contexts, unless it is
// younger than minAge.
func (c Caches) Clean(ctx context.Context, minAge time.Duration) (removed int, err error) {
	names, err := c.Store.Names(ctx)
	if err != nil {
		return 0, err
	}
	now, err := c.Store.AgesAt(ctx)
	for _, name := range names {
		if err != nil {
			break
		}
		var n int
		n, err = c.clean(ctx, name, cache.Limits{MinAge: minAge, Now: now})
		removed += n
	}
	return removed, err
}

// clean removes what is beyond the limits in the cache of one context, and of the ages that are
// given. It keeps outputs that its conversation's window still names.
func (c Caches) clean(ctx context.Context, name string, ages cache.Limits) (removed int, err error) {
	conversation, err := c.Store.Context(name)
	if err != nil {
		return 0, err
	}
	ages.MaxAge, ages.MaxBytes, ages.Keep = c.Limits.MaxAge, c.Limits.MaxBytes, namedIn(ctx, conversation)
	return c.Cache(name).Clean(ctx, ages)
}

// namedIn returns a function that reports whether the window of a context names an
// entry. If the window cannot be read, every entry counts as named. The window is read
// at the first call.
func namedIn(ctx context.Context, c *contexts.Context) func(id string) bool {
	window := sync.OnceValues(func() ([]byte, error) {
		entries, err := c.Window(ctx)
		if err != nil {
			return nil, err
		}
		return json.Marshal(entries)
	})
	return func(id string) bool {
		text, err := window()
		return err != nil || bytes.Contains(text, []byte(id))
	}
}

// youngEntry is the age below which an entry is kept at the end of a run: another
// process may be about to store its stub in the conversation.
const youngEntry = 10 * time.Minute
