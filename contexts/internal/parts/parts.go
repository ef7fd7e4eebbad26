// Package parts has what the rules of package contexts and the places that keep contexts know
// both: entries and mail, bounds, and the interfaces of the parts of a context, which each place
// implements. It uses the words of package contexts.
//
// It promises nothing by itself: entries are plain data, and what a window begins with, which
// prompts have an answer and which summary an anchor sets follows from them alone.
package parts

import (
	"context"
	"time"

	"github.com/chibi-host/chibi/contexts/internal/registry"
)

// The parts of a store. Files, a shared store and memory implement these interfaces; the rules
// that are the same for all are implemented once, on top of them, by package contexts.

// Backend keeps the contexts of one home.
type Backend interface {
	names
	Registry
	upkeep
	// Parts returns the parts of the context that r names.
	Parts(r *Ref) Keeper
}

// Ref names a context. Renaming the context changes it for all its parts.
type Ref struct {
	Settings *Settings
	Name     string
	Held     bool   // this handle has taken the context's lock
	Around   bool   // this handle reports damaged records and leaves them out, where they are errors else
	Ahead    *Ahead // what its next lock reads ahead; nil: nothing
	Used     bool   // when the lock is given back, it is recorded that the context was used
	first    string // the id of the first entry of a context that has none; "": nobody asked
}

// Ahead is what a handle reads as soon as it has the lock, besides the window and the texts. Changes
// between that and the first use have no effect until the next use.
type Ahead struct {
	// Mail is the inbox: for those who know that nothing which may send to it, such as a plugin, runs
	// before they read it.
	Mail bool
	// Reflection is read at the same time as the mail, whenever that is.
	Reflection bool
}

// Keeper holds the parts of one context.
type Keeper struct {
	Transcript EntryStore
	Views      Viewer // nil: the store keeps no views
	Texts      Texts
	Inbox      Inbox
	Lock       Lock
	Tape       Tape
	Scripts    Dropbox // nil: scripts read the files themselves, or there are none
	Mender     Mender
}

// Dropbox serves scripts that know the files of a home, where a store that many machines share
// keeps a context.
type Dropbox interface {
	// Keep keeps copies of the context's files in the home's directory.
	Keep(ctx context.Context) error
	// SendDropped sends messages that scripts have put into the copy of the inbox.
	SendDropped(ctx context.Context) error
}

// names is the list of contexts and what is known of each.
type names interface {
	Exists(ctx context.Context, name string) bool
	Names(ctx context.Context) ([]string, error)
	// Create makes an empty context unless there is one of that name. Of several callers, in
	// whatever processes, isNew is true for one.
	Create(ctx context.Context, name string) (isNew bool, err error)
	// Rename fails with ErrExists if the new name is taken.
	Rename(from, to string) error
	// Remove removes a context; it is not an error if it does not exist. Free frees the
	// disk space.
	Remove(name string) error
	// LastUse returns when something in a context was last written, zero if that is unknown.
	LastUse(ctx context.Context, name string) time.Time
}

// Sharing is a backend that many machines use. There is one, in a package that imports this one;
// the others would have nothing to say here.
type Sharing interface {
	// ID returns the id that stands for a context in place of its name, "" if there is none.
	ID(ctx context.Context, name string) (string, error)
	// First describes the first contexts by name, at most n. It reads nothing about the others.
	First(ctx context.Context, n int) ([]registry.Context, error)
	// Newest describes the contexts that were used last, at most n, by name.
	Newest(ctx context.Context, n int) ([]registry.Context, error)
	// Activity tells who uses contexts, and which have mail. It asks for each of them, or once
	// for all that there are.
	Activity(ctx context.Context, names []string, all bool) (Activity, error)
	// AgesAt returns the time by which ages are counted; an error says that this machine cannot
	// count them.
	AgesAt(ctx context.Context) (time.Time, error)
	// Check looks at the data besides conversations.
	Check(ctx context.Context, damaged func(text string)) error
}

// Activity is what happens in contexts, by their names.
type Activity struct {
	Holders map[string]Holder // of those that a process uses
	HasMail map[string]bool
}

// upkeep is what is done for a home as a whole, now and then, and the locks that others have.
type upkeep interface {
	// Free frees the disk space of removed contexts.
	Free() error
	// Daily reports whether a day has passed since it last returned true or Tidied was called, and
	// up to which place of Walk that was; "": to the end.
	Daily(ctx context.Context) (isDue bool, after string, err error)
	// Tidied notes that the daily work was done now, and up to which place.
	Tidied(ctx context.Context, upTo string) error
	// Housekeep finishes what was interrupted, and registers contexts that are not.
	Housekeep(ctx context.Context) error
	Holder(ctx context.Context, name string) (h Holder, inUse bool)
	// End ends the lock of a context, whoever holds it.
	End(ctx context.Context, name string) error
}

// Registry keeps the state of the contexts.
type Registry interface {
	// State reads the state of all contexts.
	State(ctx context.Context) (*registry.File, error)
	// Current returns the current and the previous context, and expiring the entries
	// with a rule to be destroyed. Each run calls them, so they do not read the whole state
	// into memory.
	Current(ctx context.Context) (registry.State, error)
	Expiring(ctx context.Context) ([]registry.Context, error)
	// Walk calls each with the contexts that exist, in an order that goes on after a place, until it
	// returns an error or ctx ends, which is the error then. The information may have only the name
	// and the reason to destroy the context. place is the place of the context in the order; "" is before
	// the first one.
	Walk(ctx context.Context, after string, each func(place string, c registry.Context) error) error
	// Entry returns the state of one context, nil if there is none.
	Entry(ctx context.Context, name string) (*registry.Context, error)
	// Touch records that a context was used now.
	Touch(name string) error
	// Enter makes a context the current one, and says that it was used now.
	Enter(name string) (from string, err error)
	// Change changes the state of a context.
	Change(name string, change func(*registry.Context)) error
	// Describe replaces the state of contexts by the state that another registry has of
	// them. Of the two times of last use, it keeps the later one.
	Describe(list []registry.Context) error
	// Moved gives the entry of a context another name.
	Moved(from, to string) error
	// Forget removes deleted contexts. It returns the current context.
	Forget(names ...string) (current string, err error)
}

// Lock takes a context's lock, which keeps other processes out; lost is closed when the lock is
// lost, nil if that cannot happen. The error is a *LockedError when patience is over.
type Lock func(ctx context.Context, p Patience) (unlock func(), lost <-chan struct{}, err error)

// EntryStore keeps the entries of one context, in their order.
type EntryStore interface {
	// Append adds entries to the transcript and to the window. The first entry of
	// a transcript says that the context was created.
	Append(entries []Entry) error
	// Begin adds an anchor, with which a new window begins, and applies the
	// anchor's effect on the summary.
	Begin(anchor Entry) error
	Window(ctx context.Context) ([]Entry, error)
	// Begins returns the first entries of the window, two if it has as many. Its cost does
	// not depend on the window's length.
	Begins(ctx context.Context) ([]Entry, error)
	// Each calls each with entries, until it returns false.
	Each(ctx context.Context, s Wanted, each func(Entry) (more bool)) error
	// NoteSystemPrompt stores the whole system prompt of a turn, and adds the
	// context's own one to the transcript if it is not the one added last.
	NoteSystemPrompt(combined string) error
}

// Wanted says which entries are wanted, and in which order. The result may include
// entries of another time or without the text.
type Wanted struct {
	Backward     bool // from the last one backward
	Since, Until time.Time
	Text         string
}

// Texts keeps small texts of one context and of the home.
type Texts interface {
	Text(ctx context.Context, name string) (string, error)
	// SetText replaces a text; an empty one is removed.
	SetText(name, text string) error
	// ChangeText replaces a text while nobody else can change it.
	ChangeText(name string, change func(old string) (string, error)) error
	Prompt(ctx context.Context, name string) (string, error)
	SetPrompt(name, text string) error
}

// Inbox keeps the messages to one context.
type Inbox interface {
	HasMail(ctx context.Context) bool
	Waiting(ctx context.Context) ([]Mail, error)
	// Put adds a message; a full inbox is an error, see CheckRoom.
	Put(m Mail) error
	// Change replaces the waiting messages by those that stay, while nobody else
	// can change them.
	Change(step func(waiting []Mail) (stay []Mail, err error)) error
	// Watch reports that messages have come; the channel is closed when ctx ends.
	Watch(ctx context.Context) (<-chan struct{}, error)
}

// Tape is the transcript of one context as it is stored, for copies.
type Tape interface {
	// Records calls each with the entries that the transcript has now, the oldest first,
	// until it returns an error, which is returned. It reports lines that are not entries.
	Records(ctx context.Context, each func(Stored) error) error
	// Write calls step with a writer, and makes the window from the written entries.
	Write(ctx context.Context, step func(TapeWriter) error) error
	// SetSummary replaces the summary by itself, if the store can do that.
	SetSummary(text string) error
	// Noted and SetNoted are about the system prompts of the last turn.
	Noted(ctx context.Context) (NotedPrompts, error)
	SetNoted(n NotedPrompts) error
}

// TapeWriter adds entries to a transcript that nobody else changes meanwhile: they wait, or
// adding fails.
type TapeWriter interface {
	Records(ctx context.Context, each func(Stored) error) error
	Add(list []Stored) error
}

// Stored is an entry as it is stored: record is all of it, including members that this version of the
// program does not know. summary is the summary of the window which begins with the entry, for stores
// that do not keep it by itself; empty otherwise.
type Stored struct {
	Entry   Entry
	Record  []byte
	Summary string
}

// NotedPrompts are the system prompts of the last turn.
type NotedPrompts struct {
	// Combined is the whole prompt, own is true if the context's own one, as it is now, was
	// added to the transcript.
	Combined string
	Own      bool
}

// The texts of a context, by the names of their files.
const (
	TextSystemPrompt = "system_prompt.md"
	TextSummary      = "summary.md"
	TextTodos        = "todos.md"
	TextGoals        = "goals.md"
	TextLocalConfig  = "local.toml"
	TextFailedMail   = "failed.jsonl"
)

// The prompts of a home.
const (
	PromptSystem     = "chibi"
	PromptReflection = "reflection"
)

// Viewer keeps a view of a context for scripts.
type Viewer interface {
	// Keep brings the view up to date and keeps it so. It returns the view's path.
	Keep(ctx context.Context, v View) (path string, err error)
}
