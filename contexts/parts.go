package contexts

import (
	"context"
	"time"
)

// The parts of a store. Files and memory implement these interfaces; the rules that
// are the same for both are implemented once, on top of them: in conversation.go,
// history.go, mailbox.go, notes.go, lock.go, lifecycle.go and state.go.

// backend keeps the contexts of one home.
type backend interface {
	names
	registry
	locks
	// open returns the parts of the context that r names.
	open(r *ref) keeper
}

// ref names a context. Renaming the context changes it for all its parts.
type ref struct {
	store *Store
	name  string
	held  bool   // this handle has taken the context's lock
	first string // the id of the first entry of a context that has none; "": nobody asked
}

// keeper holds the parts of one context.
type keeper struct {
	transcript entryStore
	views      viewer // nil: the store keeps no views
	texts      texts
	inbox      inbox
}

// names is the list of contexts and what is known of each.
type names interface {
	exists(ctx context.Context, name string) bool
	names(ctx context.Context) ([]string, error)
	// create makes an empty context; it is not an error if it exists.
	create(name string) error
	// rename fails with ErrExists if the new name is taken.
	rename(from, to string) error
	// remove removes contexts; it is not an error if they do not exist. free frees
	// their disk space.
	remove(name string) error
	free() error
	// lastUse returns when something in a context was last written, zero if that is
	// unknown.
	lastUse(name string) time.Time
}

// registry keeps the state of the contexts.
type registry interface {
	state(ctx context.Context) (*stateFile, error)
	// current returns the current and the previous context, expiring the entries with
	// a rule to be destroyed. Each run calls them, so they do not read the whole state
	// into memory.
	current(ctx context.Context) (State, error)
	expiring(ctx context.Context) ([]contextState, error)
	// touch records that a context was used now.
	touch(name string) error
	// update changes it while nobody else can.
	update(change func(*stateFile)) error
}

// locks keep other processes out of a context.
type locks interface {
	// lock takes a context's lock; lost is closed when the lock is lost, nil if
	// that cannot happen. The error is a *LockedError when patience is over.
	lock(ctx context.Context, r *ref, p patience) (unlock func(), lost <-chan struct{}, err error)
	holder(ctx context.Context, name string) (h Holder, inUse bool)
}

// entryStore keeps the entries of one context, in their order.
type entryStore interface {
	// append adds entries to the transcript and to the window. The first entry of
	// a transcript says that the context was created.
	append(entries []Entry) error
	// begin adds an anchor, with which a new window begins, and applies the
	// anchor's effect on the summary.
	begin(anchor Entry) error
	window(ctx context.Context) ([]Entry, error)
	// begins returns the first entries of the window, two if it has as many. What it costs
	// does not depend on the window's length.
	begins(ctx context.Context) ([]Entry, error)
	// scan calls each with entries, until it returns false.
	scan(ctx context.Context, s scan, each func(Entry) (more bool)) error
	// noteSystemPrompt stores the whole system prompt of a turn, and adds the
	// context's own one to the transcript if it is not the one added last.
	noteSystemPrompt(combined string) error
}

// scan says which entries are wanted, and in which order. The result may include
// entries of another time or without the text.
type scan struct {
	backward     bool // from the last one backward
	since, until time.Time
	text         string
}

// texts keeps small texts of one context and of the home.
type texts interface {
	text(ctx context.Context, name string) (string, error)
	// setText replaces a text; an empty one is removed.
	setText(name, text string) error
	prompt(ctx context.Context, name string) (string, error)
	setPrompt(name, text string) error
}

// inbox keeps the messages to one context.
type inbox interface {
	hasMail(ctx context.Context) bool
	waiting(ctx context.Context) ([]Mail, error)
	// put adds a message; a full inbox is an error, see checkRoom.
	put(m Mail) error
	// change replaces the waiting messages by those that stay, while nobody else
	// can change them.
	change(step func(waiting []Mail) (stay []Mail, err error)) error
}
