package contexts

import (
	"context"
	"time"
)

// The parts of a context are interfaces, named after what their users do, so that
// each takes what it needs and no more. Every store implements them, and package
// contexttest says what they promise. What is written is durable when the call
// returns, and takes no context.Context: Ctrl-C keeps what has arrived. Reading
// and waiting take one.

// Context is a conversation with all that belongs to it. It is not safe for
// concurrent use; each goroutine opens its own.
type Context interface {
	Conversation
	Transcript
	Notes
	Prompts
	Mailbox
	Locker
	Lifecycle
}

// Conversation holds what is said, and the part of it that the model is sent.
type Conversation interface {
	// Name is the context's name.
	Name() string
	// Append adds entries to the conversation. When it returns without an error,
	// they survive a crash of the machine.
	Append(entries ...Entry) error
	// Window is the part of the conversation that the model is sent. Its cost
	// depends on the length of the window, not of the transcript.
	Window(ctx context.Context) ([]Entry, error)
	// Unanswered are the messages of the latest prompt if it got no answer, none
	// if it did. It need not be in the window any more.
	Unanswered(ctx context.Context) (prompt []Entry, err error)
	// Archive empties the window and removes the summary. What was said stays in
	// the transcript.
	Archive() error
	// Compact makes the given entries of the window the whole window, and summary
	// the summary of what left it. The rest stays in the transcript. The summary
	// must not be empty.
	Compact(summary string, keep []Entry) error
	// Replace makes the given entries the whole window. The entries so far stay in
	// the transcript, before an anchor; the summary stays as it is.
	Replace(entries []Entry) error
	// Supersede is Replace with entries that hold what the summary said: the
	// summary goes too, in the same step.
	Supersede(entries []Entry) error
}

// Transcript reads all that was ever said.
type Transcript interface {
	// History calls each with the selected entries of the whole transcript, from
	// the oldest on, until it returns false. Memory is bounded by First or Last,
	// not by the transcript. Copies that the original made of messages that it
	// kept come once.
	History(ctx context.Context, q Query, each func(Entry) (more bool)) error
}

// Notes are what the model keeps for itself.
type Notes interface {
	// Todos is the list of todos, "" if there is none.
	Todos(ctx context.Context) (string, error)
	// SetTodos replaces the list of todos.
	SetTodos(text string) error
	// Goals is the list of goals, "" if there is none.
	Goals(ctx context.Context) (string, error)
	// SetGoals replaces the list of goals.
	SetGoals(text string) error
	// Reflection is what the model noted about itself, for all contexts of the
	// home.
	Reflection(ctx context.Context) (string, error)
	// SetReflection replaces what the model noted about itself.
	SetReflection(text string) error
}

// Prompts are what a system prompt is made of.
type Prompts interface {
	// SystemPrompt is the context's own system prompt, or the home's, or "".
	SystemPrompt(ctx context.Context) (string, error)
	// SetSystemPrompt gives the context a system prompt of its own; "" makes it
	// use the home's again.
	SetSystemPrompt(text string) error
	// NoteSystemPrompt keeps what became of the system prompt of a turn, and in
	// the transcript the context's own one, if it has changed.
	NoteSystemPrompt(combined string) error
	// Prompt is a prompt for all contexts of the home, "" if there is none.
	Prompt(ctx context.Context, name string) (string, error)
	// Summary is the summary of earlier conversation, "" if there is none.
	Summary(ctx context.Context) (string, error)
}

// Mailbox receives messages from other contexts and sends some to them.
type Mailbox interface {
	// Mail is what waits in the inbox and is not part of the conversation yet. The
	// entry that takes it into the conversation says so with [Entry.Delivering];
	// when that is stored, and answered if it is a prompt, RemoveMail empties the
	// inbox. Whatever happens in between, a message is delivered exactly once. One
	// prompt takes as many as [Limits] say, at least one; the others come next.
	Mail(ctx context.Context) ([]Mail, error)
	// RemoveMail removes from the inbox what is part of the conversation. Messages
	// that came in the meantime stay.
	RemoveMail() error
	// Send puts a message into the inbox of another context, which is made if it
	// does not exist, and may be in use. from names the sender; the message says
	// which context sent it, if that is another name.
	Send(to, from, text string) error
	// CheckMessage refuses a message that is too large to be sent.
	CheckMessage(text string) error
}

// Locker keeps others out of a context. Whoever holds a conversation takes its
// lock, so that another's entries do not come in between; all else is safe
// without it.
type Locker interface {
	// Lock makes the context this process's own until unlock is called. The error
	// is a *LockedError if another process has it. held ends when ctx does, with
	// unlock, and when the lock is lost, as a lease on a shared store can be: what
	// must not happen without the lock runs on held.
	Lock(ctx context.Context) (held context.Context, unlock func(), err error)
	// WaitLock is Lock that waits for another process, until ctx ends.
	WaitLock(ctx context.Context) (held context.Context, unlock func(), err error)
}

// Lifecycle ends contexts and renames them. The caller holds the lock.
type Lifecycle interface {
	// Rename gives the context another name. The lock stays valid, and what is
	// known of the context stays with it. The error is ErrExists if the name is
	// taken.
	Rename(to string) error
	// Delete removes the context with everything in it. It returns the context
	// that is current then. A crash leaves all of it or, for every purpose,
	// nothing.
	Delete() (current string, err error)
}

// Home is the contexts of one home.
type Home interface {
	Directory
	Registry
}

// Directory finds contexts.
type Directory interface {
	// Context opens a context, which need not exist. It writes nothing.
	Context(name string) (Context, error)
	// Exists reports whether there is such a context. If that cannot be found out
	// it says yes, and whatever is done with the context fails with the reason.
	Exists(ctx context.Context, name string) bool
	// Names lists the contexts that there are.
	Names(ctx context.Context) ([]string, error)
	// List describes the contexts by name: those that there are, and the current
	// one.
	List(ctx context.Context) ([]Info, error)
	// Info describes one context, which need not exist.
	Info(ctx context.Context, name string) (Info, error)
	// HasMail reports whether anything lies in a context's inbox.
	HasMail(ctx context.Context, name string) bool
	// Holder says which process uses a context, if one does.
	Holder(ctx context.Context, name string) (h Holder, inUse bool)
	// NewName is a name for a new context: the local date and time, after a prefix
	// if there is one, with a number if that is taken.
	NewName(ctx context.Context, prefix string) (string, error)
}

// Registry knows which contexts are in use, and for how long.
type Registry interface {
	// State reads which contexts are in use.
	State(ctx context.Context) (State, error)
	// Switch makes a context the current one, and the one before the previous one.
	Switch(name string) (from string, err error)
	// Touch notes that a context was used now.
	Touch(name string) error
	// SetDestroyRule changes when a context is to be removed. What is nil stays as
	// it is.
	SetDestroyRule(name string, at *time.Time, afterInactive *time.Duration) error
	// Expire removes the contexts whose time is over: destroy_at has passed, or
	// nothing happened in them for destroy_after_seconds_inactive. The current
	// context, the one named inUse, and those that a process uses stay.
	Expire(ctx context.Context, inUse string) (removed []Expired, err error)
}
