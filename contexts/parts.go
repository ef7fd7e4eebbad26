package contexts

import (
	"context"
	"time"
)

// The parts of a store. Files, a shared store and memory implement these interfaces; the rules
// that are the same for all are implemented once, on top of them, by package contexts.

// backend keeps the contexts of one home.
type backend interface {
	names
	registry
	locks
	upkeep
	// open returns the parts of the context that r names.
	open(r *ref) keeper
}

// ref names a context. Renaming the context changes it for all its parts.
type ref struct {
	settings *Settings
	name     string
	held     bool   // this handle has taken the context's lock
	first    string // the id of the first entry of a context that has none; "": nobody asked
}

// keeper holds the parts of one context.
type keeper struct {
	transcript entryStore
	views      viewer // nil: the store keeps no views
	texts      texts
	inbox      inbox
	lock       lock
	tape       tape
	scripts    dropbox // nil: scripts read the files themselves, or there are none
}

// dropbox serves scripts that know the files of a home, where a store that many machines share
// keeps a context.
type dropbox interface {
	// keep keeps copies of the context's files in the home's directory.
	keep(ctx context.Context) error
	// sendDropped sends what scripts have put into the copy of the inbox.
	sendDropped(ctx context.Context) error
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
	// id returns what a context has instead of its name in a store that many machines
	// share, "" elsewhere and if there is none.
	id(ctx context.Context, name string) (string, error)
}

// activity is a backend that can tell at once which contexts are in use, and which have mail.
type activity interface {
	activity(ctx context.Context, names []string) (inUse, hasMail map[string]bool, err error)
}

// checker is a backend that looks at what it keeps besides conversations.
type checker interface {
	check(ctx context.Context, damaged func(text string)) error
}

// upkeep is what is done for a home as a whole, now and then.
type upkeep interface {
	// daily reports whether a day has passed since it last returned true.
	daily(ctx context.Context) (bool, error)
	// housekeep finishes what was interrupted, and registers contexts that are not.
	housekeep(ctx context.Context) error
	// isShared reports whether many machines use the store.
	isShared() bool
}

// registry keeps the state of the contexts.
type registry interface {
	// state reads what is known of all contexts.
	state(ctx context.Context) (*stateFile, error)
	// current returns the current and the previous context, and expiring the entries
	// with a rule to be destroyed. Each run calls them, so they do not read the whole state
	// into memory.
	current(ctx context.Context) (State, error)
	expiring(ctx context.Context) ([]contextState, error)
	// entry returns what is known of one context, nil if nothing is.
	entry(ctx context.Context, name string) (*contextState, error)
	// touch records that a context was used now.
	touch(name string) error
	// enter makes a context the current one, and says that it was used now.
	enter(name string) (from string, err error)
	// change changes what is known of a context.
	change(name string, change func(*contextState)) error
	// describe puts what another registry knows of contexts in the place of what is known
	// of them. Each was last used when the later of both says.
	describe(list []contextState) error
	// moved gives the entry of a context another name.
	moved(from, to string) error
	// forget removes deleted contexts. It returns the current context.
	forget(names ...string) (current string, err error)
}

// lock takes a context's lock, which keeps other processes out; lost is closed when the lock is
// lost, nil if that cannot happen. The error is a *LockedError when patience is over.
type lock func(ctx context.Context, p patience) (unlock func(), lost <-chan struct{}, err error)

// locks are the locks that others have.
type locks interface {
	holder(ctx context.Context, name string) (h Holder, inUse bool)
	// end ends the lock of a context, whoever holds it.
	end(ctx context.Context, name string) error
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
	// changeText replaces a text while nobody else can change it.
	changeText(name string, change func(old string) (string, error)) error
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
	// watch reports that messages have come; the channel is closed when ctx ends.
	watch(ctx context.Context) (<-chan struct{}, error)
}

// tape is the transcript of one context as it is stored, for copies.
type tape interface {
	// records calls each with the entries that the transcript has now, the oldest first,
	// until it returns an error, which is returned. What is not an entry is reported.
	records(ctx context.Context, each func(stored) error) error
	// write calls step with a writer, and makes the window of what was written.
	write(ctx context.Context, step func(tapeWriter) error) error
	// setSummary replaces the summary by itself, if the store can do that.
	setSummary(text string) error
	// noted and setNoted are about the system prompts of the last turn.
	noted(ctx context.Context) (notedPrompts, error)
	setNoted(n notedPrompts) error
}

// tapeWriter adds entries to a transcript that nobody else changes meanwhile: they wait, or
// adding fails.
type tapeWriter interface {
	records(ctx context.Context, each func(stored) error) error
	add(list []stored) error
}

// stored is an entry as it is stored: record is all of it, also what this version of the
// program does not know. summary is that of the window which begins with the entry, for stores
// that do not keep it by itself; empty otherwise.
type stored struct {
	entry   Entry
	record  []byte
	summary string
}

// notedPrompts are the system prompts of the last turn.
type notedPrompts struct {
	// combined is the whole prompt, own is true if the context's own one, as it is now, was
	// added to the transcript.
	combined string
	own      bool
}
