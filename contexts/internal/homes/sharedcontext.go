package homes

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/store"
)

// sharedHome is the home in the store.
type sharedHome struct {
	settings *parts.Settings
	engine   *store.Engine
	host     *fileHome // what is on this machine
	docs     *nameDocs
	user     func() string // who runs this process

	mu    sync.Mutex
	gone  map[string]bool // ids of contexts that this process deleted
	rooms map[string]room // what inboxes hold to which this process has sent, by id
}

// sharedContext is the part of a handle that its parts share: which context it is, and,
// while the handle has the lock, what it knows of it.
type sharedContext struct {
	*parts.Ref
	home *sharedHome

	id     string     // "": it was not looked up yet
	asked  time.Time  // when it was looked up
	tenure *tenure    // nil: the handle has not got the lock
	seen   store.Tail // while the lock is held: no mark has come up to here since it was taken
	taken  error      // why nothing is stored any more, while the lock is held

	known   *sharedWindow        // the window while the lock is held, nil: not read yet
	texts   map[string]store.Doc // the texts while the lock is held, nil: not read yet
	mail    []mailDoc            // the inbox as it was last read
	hasRead bool                 // the inbox was read since mail was last removed
	unsent  *unsentFile          // what this handle could not store yet

	asides map[uint64]asideDoc // the records that were set aside, by position; nil: not read yet
}

// isHeld reports whether the handle has the lock of a context that is there.
func (c *sharedContext) isHeld() bool { return c.tenure != nil && !c.home.isGone(c.id) }

// checkLock returns an error if the handle has lost the lock.
func (c *sharedContext) checkLock() error {
	if c.taken != nil || c.tenure == nil {
		return c.taken
	}
	select {
	case <-c.tenure.lost:
		return parts.ErrLost
	default:
		return nil
	}
}

// find looks the context up; id is "" if there is none. Whoever has the lock has done so:
// without it, another process may rename or remove the context between two operations.
func (c *sharedContext) find(ctx context.Context) (id string, err error) {
	if c.isHeld() {
		return c.id, nil
	}
	n, err := c.home.docs.lookup(ctx, c.Name)
	c.found(n)
	return n.ID, err
}

// found notes which context has the name.
func (c *sharedContext) found(n named) {
	if n.ID != c.id {
		c.asides = nil
	}
	c.id, c.asked = n.ID, time.Now()
}

// make is like find, and makes the context if there is none.
func (c *sharedContext) make(ctx context.Context) (id string, err error) {
	if c.isHeld() {
		return c.id, nil
	}
	n, _, err := c.home.docs.make(ctx, c.Name)
	c.found(n)
	return n.ID, err
}

// forget drops what is only known while the lock is held.
func (c *sharedContext) forget() {
	c.tenure, c.taken, c.known, c.texts, c.asides = nil, nil, nil, nil, nil
	c.seen = store.Tail{}
	c.mail, c.hasRead = nil, false
}

func (h *sharedHome) isGone(id string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.gone[id]
}

// mailDoc is a message as it is stored.
type mailDoc struct {
	parts.Mail
	// Large is true if the content is too large for a document: it is the only record of a
	// log of its own, see largeMail.
	Large bool `json:"large,omitempty"`

	doc store.Doc
}

// room is what an inbox held when it was last listed, with what this process has sent since.
type room struct {
	held   int
	listed time.Time
}

// sharedWindow is the window of a context with where it ends in the log.
type sharedWindow struct {
	tail    store.Tail
	begun   bool          // the transcript has entries
	entries []parts.Entry // without the lock, the first ones, or all
}

// summary returns the summary that the window begins with.
func (w *sharedWindow) summary() string {
	if len(w.entries) == 0 {
		return ""
	}
	return summaryIn(w.entries[0])
}

// summaryIn returns the summary that is a part of an anchor, or of another entry that a window
// begins with.
func summaryIn(anchor parts.Entry) string {
	summary, _ := parts.SummaryOf(anchor)
	return cmp.Or(parts.MetaOf(anchor).Carried, summary)
}

// add adds what was appended.
func (w *sharedWindow) add(tail store.Tail, entries []parts.Entry) {
	w.tail, w.begun = tail, true
	if slices.ContainsFunc(entries, parts.IsAnchor) {
		w.entries = parts.WindowOf(entries)
		return
	}
	w.entries = append(w.entries, parts.WindowOf(entries)...)
}

// freshName is how long a handle that has looked its context up need not do so again when
// it takes the lock.
const freshName = 5 * time.Second
