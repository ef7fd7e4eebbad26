package homes

import (
	"cmp"
	"context"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/store"
	"github.com/google/uuid"
)

// Shared keeps contexts in the store of an engine, and in a home's directory what is this
// machine's.
func Shared(s *parts.Settings, e *store.Engine, home string) parts.Backend {
	h := &sharedHome{settings: s, engine: e, host: &fileHome{settings: s, home: home, fs: disk.OS{}},
		docs: &nameDocs{settings: s, engine: e, known: map[string]named{}}, gone: map[string]bool{}, rooms: map[string]room{}}
	return sharedBackend{sharedNames{h}, sharedRegistry{h}, sharedLocks{h}, sharedUpkeep{h}}
}

// sharedBackend keeps contexts in a store that many machines share.
type sharedBackend struct {
	sharedNames
	sharedRegistry
	sharedLocks
	sharedUpkeep
}

// sharedHome is the home in the store.
type sharedHome struct {
	settings *parts.Settings
	engine   *store.Engine
	host     *fileHome // what is on this machine
	docs     *nameDocs

	mu    sync.Mutex
	gone  map[string]bool // ids of contexts that this process deleted
	rooms map[string]room // what inboxes hold to which this process has sent, by id
}

// sharedContext is the part of a handle that its parts share: which context it is, and,
// while the handle has the lock, what it knows of it.
type sharedContext struct {
	*parts.Ref
	home *sharedHome

	id    string    // "": it was not looked up yet
	asked time.Time // when it was looked up
	lease store.Lease
	seen  store.Tail // while the lock is held: no mark has come up to here since it was taken
	taken error      // why nothing is stored any more, while the lock is held

	known   *sharedWindow        // the window while the lock is held, nil: not read yet
	texts   map[string]store.Doc // the texts while the lock is held, nil: not read yet
	mail    []mailDoc            // the inbox as it was last read
	hasRead bool                 // the inbox was read since mail was last removed
	unsent  *unsentFile          // what this handle could not store yet
}

// Open returns the parts of the context that r names.
func (b sharedBackend) Open(r *parts.Ref) parts.Keeper {
	c := &sharedContext{Ref: r, home: b.sharedNames.sharedHome}
	t := &sharedTranscript{sharedContext: c}
	t.view = &sharedView{viewFile: viewFile{fileHome: c.home.host, ref: r}, transcript: t}
	k := parts.Keeper{Transcript: t, Views: t.view, Texts: sharedTexts{c}, Inbox: sharedInbox{c},
		Lock: contextLock{b.sharedLocks, c}.lock, Tape: sharedTape{t}}
	return withCopies(k, c.home.host, r)
}

// isHeld reports whether the handle has the lock of a context that is there.
func (c *sharedContext) isHeld() bool { return c.lease != nil && !c.home.isGone(c.id) }

// find looks the context up; id is "" if there is none. Whoever has the lock has done so:
// without it, another process may rename or remove the context between two operations.
func (c *sharedContext) find(ctx context.Context) (id string, err error) {
	if c.isHeld() {
		return c.id, nil
	}
	n, err := c.home.docs.lookup(ctx, c.Name)
	c.id, c.asked = n.ID, time.Now()
	return n.ID, err
}

// make is like find, and makes the context if there is none.
func (c *sharedContext) make(ctx context.Context) (id string, err error) {
	if c.isHeld() {
		return c.id, nil
	}
	n, err := c.home.docs.make(ctx, c.Name)
	c.id, c.asked = n.ID, time.Now()
	return n.ID, err
}

// forget drops what is only known while the lock is held.
func (c *sharedContext) forget() {
	c.lease, c.taken, c.known, c.texts = nil, nil, nil, nil
	c.seen = store.Tail{}
	c.mail, c.hasRead = nil, false
}

func (h *sharedHome) isGone(id string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.gone[id]
}

// writer says which program writes entries here.
func (h *sharedHome) writer() *parts.Writer {
	host, _ := os.Hostname()
	return &parts.Writer{Host: host, User: userName(), Version: h.settings.Program}
}

// userName returns who runs this process.
func userName() string {
	name := cmp.Or(os.Getenv("USER"), os.Getenv("LOGNAME"), os.Getenv("USERNAME"))
	if uid := os.Getuid(); name == "" && uid >= 0 {
		name = strconv.Itoa(uid)
	}
	return name
}

// newID returns a new id in the form of those of contexts.
func newID() string { return hexOf(uuid.New()) }
