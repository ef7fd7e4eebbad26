package contexts

import (
	"github.com/chibi-host/chibi/contexts/internal/homes"
	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/contexts/internal/registry"
)

// The words of the package that what keeps contexts knows too.
type (
	// Entry is one line of a transcript.
	Entry = parts.Entry
	// Type is the kind of an entry.
	Type = parts.Type
	// Metadata has more about an entry.
	Metadata = parts.Metadata
	// Prompt marks a message as one that asks for an answer.
	Prompt = parts.Prompt
	// Writer is a program that wrote an entry.
	Writer = parts.Writer
	// AgentUse counts the tokens of a sub-agent.
	AgentUse = parts.AgentUse
	// Usage counts the tokens of a response. It is not stored.
	Usage = parts.Usage
	// Answers finds prompts without an answer.
	Answers = parts.Answers
	// Session identifies the conversation of a context.
	Session = parts.Session
	// Mail is a message from one context to another.
	Mail = parts.Mail
	// View has further values for a view of a conversation for scripts, besides the entries.
	View = parts.View
	// State holds the current and the previous context.
	State = registry.State

	// Settings are the settings of a [Store].
	Settings = parts.Settings
	// Storage has the bounds at which the active part of a transcript becomes a partition.
	Storage = parts.Storage
	// Limits bound texts that a model or another program writes, in bytes.
	Limits = parts.Limits

	// Ahead is what [Context.ReadAhead] reads besides the window and the texts.
	Ahead = parts.Ahead
	// Holder is a process that uses a context.
	Holder = parts.Holder
	// LockedError reports that another process uses a context.
	LockedError = parts.LockedError
	// TakenError reports that the context was taken over by another process.
	TakenError = parts.TakenError
	// Unsent has entries that a run could not store in time there, see [Host.Unsent].
	Unsent = homes.Unsent
	// UnsentError reports entries that could not be stored in time in a store that many
	// machines share.
	UnsentError = parts.UnsentError

	// Host is the part of a home's directory that stays on this machine wherever the contexts are.
	Host = homes.Host
	// Layout names directories and files of a home on disk.
	Layout = homes.Layout
)

// The kinds of entries.
const (
	TypeMessage        = parts.TypeMessage
	TypeToolCall       = parts.TypeToolCall
	TypeToolResult     = parts.TypeToolResult
	TypeContextCreated = parts.TypeContextCreated
	TypeCompaction     = parts.TypeCompaction
	TypeArchival       = parts.TypeArchival
	TypeSystemPrompt   = parts.TypeSystemPrompt
	TypeSetAside       = parts.TypeSetAside
)

// The bounds of names and texts, and the defaults of [Storage] and [Limits].
const (
	MaxName              = registry.MaxName
	MaxText              = parts.MaxText
	DefaultMaxEntries    = parts.DefaultMaxEntries
	DefaultMaxTokens     = parts.DefaultMaxTokens
	DefaultMaxAge        = parts.DefaultMaxAge
	DefaultBytesPerToken = parts.DefaultBytesPerToken
	DefaultNote          = parts.DefaultNote
	DefaultMessage       = parts.DefaultMessage
	DefaultInbox         = parts.DefaultInbox
)

// DefaultName is the current context of a new home.
const DefaultName = registry.DefaultName

var (
	// ErrExists reports that a context of that name already exists.
	ErrExists = registry.ErrExists
	// ErrLost is the cause of the end of the context.Context from Lock if the lock was lost:
	// another process may use the context now.
	ErrLost = parts.ErrLost
)

// ValidName returns an error unless a context may have this name: 1 to 128 letters,
// digits, "-" and "_", and not "-" alone.
func ValidName(name string) error { return registry.ValidName(name) }

// UserMessage returns a message of a person to a context.
func UserMessage(user, context, text string) Entry { return parts.UserMessage(user, context, text) }

// AssistantMessage returns a message of the model.
func AssistantMessage(context, text string) Entry { return parts.AssistantMessage(context, text) }

// ToolCall returns the model's call of a tool; arguments is its text as written.
func ToolCall(context, tool, id, arguments string) Entry {
	return parts.ToolCall(context, tool, id, arguments)
}

// ToolResult returns the part of a tool's output that the model sees.
func ToolResult(context, tool, id, text string) Entry {
	return parts.ToolResult(context, tool, id, text)
}

// WithAgents returns a result with the sub-agents that its call started.
func WithAgents(e Entry, agents []AgentUse) Entry { return parts.WithAgents(e, agents) }

// Messages returns the messages among entries.
func Messages(entries []Entry) []Entry { return parts.Messages(entries) }

// Answered leaves out prompts without an answer, except the one with the id asking,
// whose answer is still to come; "" for none.
func Answered(entries []Entry, asking string) []Entry { return parts.Answered(entries, asking) }

// SessionOf returns the conversation of a window that is not empty, or of the beginning of
// one.
func SessionOf(window []Entry) Session { return parts.SessionOf(window) }

// ByDemo reports whether the demo model made an entry or the summary that it sets, see [Settings].
func ByDemo(e Entry) bool { return parts.ByDemo(e) }

// HostOf returns the part of a home that is on this machine. It writes nothing. It does
// not report damage of its files: only people read them.
func HostOf(home string) Host { return homes.HostOf(home) }
