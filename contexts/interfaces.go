package contexts

import "context"

// What an agent needs of a [Context] are interfaces, named after what their users do, so that
// each user takes only what it needs.

// Conversation holds the entries, and the part of them that is sent to the model.
type Conversation interface {
	// Name returns the context's name.
	Name() string
	// Append adds entries to the conversation. When it returns without an error,
	// they survive a crash of the machine.
	Append(entries ...Entry) error
	// Window returns the part of the conversation that is sent to the model. Its
	// cost depends on the length of the window, not of the transcript.
	Window(ctx context.Context) ([]Entry, error)
	// Session returns which conversation the context has. Its cost depends on no length.
	Session(ctx context.Context) (Session, error)
	// KeepView makes the context keep a view of the window for scripts, as long as this
	// handle is used, and returns its path; "" if the store has no files.
	KeepView(ctx context.Context, v View) (path string, err error)
	// Unanswered returns the messages of the latest prompt if it got no answer,
	// none if it did. The prompt need no longer be in the window.
	Unanswered(ctx context.Context) (prompt []Entry, err error)
	// Archive empties the window and removes the summary. The entries stay in the
	// transcript.
	Archive() error
	// Compact makes the given entries of the window the whole window, and summary
	// the summary of the others, which stay in the transcript. The summary must not
	// be empty.
	Compact(summary string, keep []Entry) error
	// Replace makes the given entries the whole window. The entries so far stay in
	// the transcript, before an anchor; the summary stays as it is.
	Replace(entries []Entry) error
	// Supersede is like Replace, with entries that make the summary obsolete: the
	// summary is removed in the same step.
	Supersede(entries []Entry) error
}

// Notes are texts that the model keeps for itself.
type Notes interface {
	// Todos returns the list of todos, "" if there is none.
	Todos(ctx context.Context) (string, error)
	// SetTodos replaces the list of todos.
	SetTodos(text string) error
	// Goals returns the list of goals, "" if there is none.
	Goals(ctx context.Context) (string, error)
	// SetGoals replaces the list of goals.
	SetGoals(text string) error
	// Reflection returns the model's notes about itself, for all contexts of the
	// home.
	Reflection(ctx context.Context) (string, error)
	// SetReflection replaces the model's notes about itself.
	SetReflection(text string) error
}

// Prompts are the parts of a system prompt.
type Prompts interface {
	// SystemPrompt returns the context's own system prompt, else the home's, else
	// "".
	SystemPrompt(ctx context.Context) (string, error)
	// SetSystemPrompt gives the context its own system prompt; with "" it uses the
	// home's again.
	SetSystemPrompt(text string) error
	// NoteSystemPrompt stores the final system prompt of a turn, and adds the
	// context's own one to the transcript if it has changed.
	NoteSystemPrompt(combined string) error
	// Prompt returns a prompt for all contexts of the home, "" if there is none.
	Prompt(ctx context.Context, name string) (string, error)
	// Summary returns the summary of earlier conversation, "" if there is none.
	Summary(ctx context.Context) (string, error)
}

// Mailbox receives messages from other contexts and sends some to them.
type Mailbox interface {
	// Mail returns the messages in the inbox that wait for a prompt. The entry that
	// delivers them lists them with [Entry.Delivering]; when the turn of a prompt ends,
	// whether all went well or not, RemoveMail removes them from the
	// inbox. If a prompt got no answer at all, its messages wait for the next one, as if they
	// had not been delivered. If a run died in the midst of its answer, Mail returns its
	// messages again, with [Mail.Tries]: the caller calls Fail or delivers them once more. No
	// others are delivered twice. One prompt takes as many as [Limits] allow, at least one;
	// the others follow with the next prompts.
	Mail(ctx context.Context) ([]Mail, error)
	// RemoveMail removes the messages from the inbox that are part of the
	// conversation. Messages that arrived in the meantime stay.
	RemoveMail() error
	// Fail takes a message out of the inbox that is not delivered once more, and keeps it
	// where a person finds it.
	Fail(m Mail) error
	// Report sends a text about such a message to the context that sent it. isSent is false
	// if another program sent it, under a name that no context can have.
	Report(failed Mail, text string) (isSent bool, err error)
	// Send puts a message into the inbox of another context, which may be in use
	// and is created if it does not exist. from names the sender; if that is not
	// the name of this context, the message also has the name of this context.
	Send(to, from, text string) error
	// CheckMessage returns an error for a message that is too large to be sent.
	CheckMessage(text string) error
}
