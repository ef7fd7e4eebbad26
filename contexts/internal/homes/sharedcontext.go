package homes

import (
	"context"
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
	ahead   ahead                // what was read when the lock was taken, until it is used
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

// end returns where the log of the context ends; the zero tail if it has none.
func (c *sharedContext) end(ctx context.Context) (tail store.Tail, err error) {
	id, err := c.find(ctx)
	if err == nil && id != "" {
		tail, err = c.home.engine.Log.Tail(ctx, id)
	}
	return tail, err
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
	c.mail, c.hasRead, c.ahead = nil, false, ahead{}
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

// freshName is how long a handle that has looked its context up need not do so again when
// it takes the lock.
const freshName = 5 * time.Second

// ahead is what a turn reads first. It is read as soon as the lock is held, and not before: until then
// others may change it. Each value is used once. A value that could not be read is nil; the code
// that needs it reads it again and returns the error.
type ahead struct {
	tail       store.Tail
	window     *sharedWindow
	texts      map[string]store.Doc
	mail       []store.Doc
	reflection *store.Doc

	withMail bool // read the reflection with the mail
}

// readAhead finds where the log ends, and reads at the same time the values that the handle asks
// for. It returns when all have come.
func (c *sharedContext) readAhead(ctx context.Context, end func(context.Context) (store.Tail, error)) (a ahead,
	err error) {
	if c.Ahead == nil {
		a.tail, err = end(ctx)
		return a, err
	}
	id := c.id
	ctx, giveUp := context.WithCancel(ctx)
	defer giveUp()
	calls := []func(context.Context){
		func(ctx context.Context) {
			if a.tail, err = end(ctx); err != nil {
				giveUp() // there is no lock
				return
			}
			if w, err := (windows{c}).upTo(ctx, a.tail, 0); err == nil {
				a.window = w
			}
		},
		func(ctx context.Context) {
			if texts, err := c.home.textsOf(ctx, id); err == nil {
				a.texts = texts
			}
		},
	}
	if a.withMail = c.Ahead.Reflection; c.Ahead.Mail {
		calls = append(calls, c.mailCalls(id, &a, &a.mail, new(error))...)
	}
	store.Together(ctx, calls...)
	return a, err
}

// mailCalls are the calls that read the inbox, and the reflection if the handle wants it with that.
func (c *sharedContext) mailCalls(id string, a *ahead, mail *[]store.Doc, err *error) []func(context.Context) {
	calls := []func(context.Context){func(ctx context.Context) {
		if *mail, *err = c.home.listed(ctx, mailPrefix(id)); *err != nil {
			*mail = nil
		}
	}}
	if a.withMail {
		a.withMail = false
		calls = append(calls, func(ctx context.Context) {
			if d, err := c.home.get(ctx, keyReflection); err == nil {
				a.reflection = &d
			}
		})
	}
	return calls
}

// use makes the handle use what was read when the lock was taken. The window is another one if something
// was appended since.
func (c *sharedContext) use(read ahead) {
	c.Ahead, c.ahead = nil, read
	c.texts = read.texts
	if c.seen == read.tail {
		c.known = read.window
	}
}

// takeMail returns the documents of the inbox, those that were read ahead if there are any.
func (c *sharedContext) takeMail(ctx context.Context, id string) (docs []store.Doc, err error) {
	if docs = c.ahead.mail; docs != nil {
		c.ahead.mail = nil
		return docs, nil
	}
	store.Together(ctx, c.mailCalls(id, &c.ahead, &docs, &err)...)
	return docs, err
}
