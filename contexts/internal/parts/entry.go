package parts

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/google/uuid"
)

// Entry is one line of a transcript.
type Entry struct {
	// ID is unique.
	ID string `json:"id"`
	// Timestamp is in seconds since 1970.
	Timestamp int64 `json:"timestamp"`
	// From and To are the user, the context or a tool.
	From string `json:"from"`
	To   string `json:"to"`
	// Content is the text; for a tool call, its arguments as the model wrote them.
	Content string `json:"content"`
	// Type is the kind of the entry.
	Type Type `json:"entry_type"`
	// Metadata has more about some entries.
	Metadata *Metadata `json:"metadata,omitempty"`
	// Usage counts the tokens of the entry's response, nil if that is unknown.
	Usage *Usage `json:"-"`
}

// Type is the kind of an entry.
type Type string

// The kinds of entries. Compaction, Archival and ContextCreated are anchors:
// the window begins at the last of them.
const (
	TypeMessage        Type = "message"
	TypeToolCall       Type = "tool_call"
	TypeToolResult     Type = "tool_result"
	TypeContextCreated Type = "context_created"
	TypeCompaction     Type = "compaction"
	TypeArchival       Type = "archival"
	TypeSystemPrompt   Type = "system_prompt_changed"
	TypeSetAside       Type = "set_aside"
)

// Metadata has more about an entry. The original writes only the first two fields;
// the others are chibi's own.
type Metadata struct {
	Summary            string `json:"summary,omitempty"`
	TranscriptAnchorID string `json:"transcript_anchor_id,omitempty"`
	// Role is the message's role, if it does not follow from From and To.
	Role string `json:"role,omitempty"`
	// ToolCallID connects a tool call with its result.
	ToolCallID string `json:"tool_call_id,omitempty"`
	// RanWith, in a result, are the arguments that the tool ran with, if plugins changed the model's arguments.
	RanWith json.RawMessage `json:"ran_with,omitempty"`
	// Interrupted marks an answer that did not arrive completely.
	Interrupted bool `json:"interrupted,omitempty"`
	// Replacement is the conversation that an anchor begins with. It is part
	// of the anchor, so that a crash leaves both or neither.
	Replacement []Entry `json:"replacement,omitempty"`
	// Superseded is true if an anchor also removes the summary.
	Superseded bool `json:"summary_superseded,omitempty"`
	// Carried, in a store that many machines share, is a summary that an anchor keeps, or
	// that was copied: there the summary is a part of the entry that the window
	// begins with.
	Carried string `json:"summary_carried,omitempty"`
	// Session, in a compaction, is the id of the conversation that goes on.
	Session string `json:"session,omitempty"`
	// Delivered are the ids of the messages from other contexts that came with
	// a prompt.
	Delivered []string `json:"delivered,omitempty"`
	// Attempts has the number of this attempt, from 2, for messages that earlier prompts delivered too.
	Attempts map[string]int `json:"attempts,omitempty"`
	// Prompt marks a message that asks for an answer.
	Prompt *Prompt `json:"prompt,omitempty"`
	// Agents, in a result, are the sub-agents that the call started.
	Agents []AgentUse `json:"agents,omitempty"`
	// Demo marks prompts and answers of the built-in demo model; on an anchor, a summary that it wrote.
	Demo bool `json:"demo,omitempty"`
	// By says which program wrote the entry, in a store that many machines share.
	By *Writer `json:"by,omitempty"`
}

// Prompt marks a message as one that asks for an answer.
type Prompt struct {
	// Bytes is the length of the prompt itself, which is the end of the content;
	// mail may precede it.
	Bytes int `json:"bytes"`
	// Recipe is the recipe that the prompt comes from, if any.
	Recipe string `json:"recipe,omitempty"`
}

// Writer is a program that wrote an entry.
type Writer struct {
	Host string `json:"host"`
	User string `json:"user,omitempty"`
	// Version is the program's version, "" if that is unknown.
	Version string `json:"version,omitempty"`
}

// Mail is a message from one context to another.
type Mail struct {
	ID        string `json:"id"`
	Timestamp int64  `json:"timestamp"`
	From      string `json:"from"`
	To        string `json:"to"`
	Content   string `json:"content"`
	// SentBy is the context that sent it, if From is a different name that the sender chose.
	// The original does not write it.
	SentBy string `json:"sent_by,omitempty"`
	// Failure is the id of the message whose failure this one reports, "" for any other.
	Failure string `json:"failure,omitempty"`
	// Tries is how many runs have taken it and died before they answered it.
	Tries int `json:"-"`
}

// Sender returns the context that sent it, or the name that another program gave.
func (m Mail) Sender() string { return cmp.Or(m.SentBy, m.From) }

// AgentUse counts the tokens of a sub-agent.
type AgentUse struct {
	// ID is the sub-agent's id in its run, Type the recipe that defines it, or "general".
	ID   string `json:"id"`
	Type string `json:"type"`
	// Model is the model that it used, Status how it ended: "ran", "failed", "answered" or
	// "blocked".
	Model  string `json:"model"`
	Status string `json:"status"`
	// Responses is how often the model responded, InputTokens and OutputTokens count the tokens of that.
	Responses    int `json:"responses"`
	InputTokens  int `json:"input_tokens"`
	OutputTokens int `json:"output_tokens"`
}

// The roles of messages.
const (
	RoleUser      = "user"
	RoleAssistant = "assistant"
)

// UserMessage returns a message of a person to a context.
func UserMessage(user, context, text string) Entry {
	return newEntry(Entry{Type: TypeMessage, From: user, To: context, Content: text, Metadata: &Metadata{Role: RoleUser}})
}

// AssistantMessage returns a message of the model.
func AssistantMessage(context, text string) Entry {
	return newEntry(Entry{Type: TypeMessage, From: context, To: "user", Content: text,
		Metadata: &Metadata{Role: RoleAssistant}})
}

// ToolCall returns the model's call of a tool; arguments is its text as written.
func ToolCall(context, tool, id, arguments string) Entry {
	return newEntry(Entry{Type: TypeToolCall, From: context, To: tool, Content: arguments,
		Metadata: &Metadata{ToolCallID: id}})
}

// ToolResult returns the part of a tool's output that the model sees.
func ToolResult(context, tool, id, text string) Entry {
	return newEntry(Entry{Type: TypeToolResult, From: tool, To: context, Content: text,
		Metadata: &Metadata{ToolCallID: id}})
}

// newEntry returns an entry with an id and the present time.
func newEntry(e Entry) Entry {
	e.ID, e.Timestamp = uuid.NewString(), time.Now().Unix()
	return e
}

// NewAnchor returns an entry with which a window begins.
func NewAnchor(kind Type, context, content string, meta Metadata) Entry {
	return newEntry(Entry{Type: kind, From: "system", To: context, Content: content, Metadata: &meta})
}

// ContextCreated returns the first entry of a transcript, with the given
// conversation.
func ContextCreated(context string, conversation []Entry) Entry {
	return NewAnchor(TypeContextCreated, context, "Context created", Metadata{Replacement: conversation})
}

// SystemPromptChange returns the entry for a new system prompt.
func SystemPromptChange(context, text string) Entry {
	return newEntry(Entry{Type: TypeSystemPrompt, From: "system", To: context, Content: text, Metadata: &Metadata{}})
}

// Interrupted marks the entry as incomplete.
func (e Entry) Interrupted() Entry {
	meta := MetaOf(e)
	meta.Interrupted = true
	e.Metadata = &meta
	return e
}

// RanWith adds to a result the arguments that the tool ran with in place of the model's.
func (e Entry) RanWith(arguments json.RawMessage) Entry {
	meta := MetaOf(e)
	meta.RanWith = arguments
	e.Metadata = &meta
	return e
}

// WithAgents returns a result with the sub-agents that its call started.
func WithAgents(e Entry, agents []AgentUse) Entry {
	meta := MetaOf(e)
	meta.Agents = agents
	e.Metadata = &meta
	return e
}

// Delivering records that messages from other contexts came with the entry.
func (e Entry) Delivering(mail []Mail) Entry {
	meta := MetaOf(e)
	meta.Delivered, meta.Attempts = nil, nil
	for _, m := range mail {
		meta.Delivered = append(meta.Delivered, m.ID)
		if m.Tries == 0 {
			continue
		}
		if meta.Attempts == nil {
			meta.Attempts = map[string]int{}
		}
		meta.Attempts[m.ID] = m.Tries + 1
	}
	e.Metadata = &meta
	return e
}

// ByDemo reports whether the demo model made the entry or the summary that it sets.
func ByDemo(e Entry) bool { return e.Metadata != nil && e.Metadata.Demo }

// OfDemo returns entries with the mark of the demo model.
func OfDemo(entries []Entry) []Entry {
	marked := slices.Clone(entries)
	for i, e := range marked {
		meta := MetaOf(e)
		meta.Demo = true
		marked[i].Metadata = &meta
	}
	return marked
}

// MetaOf returns a copy of the metadata.
func MetaOf(e Entry) Metadata {
	if e.Metadata == nil {
		return Metadata{}
	}
	return *e.Metadata
}

// Role returns a message's role: "user" or "assistant". Entries of the original do
// not have it; there, a message to "user" is the assistant's.
func (e Entry) Role() string {
	switch {
	case e.Metadata != nil && e.Metadata.Role != "":
		return e.Metadata.Role
	case e.To == "user":
		return RoleAssistant
	}
	return RoleUser
}

// CallID returns the id that connects a tool call with its result; "" in entries of
// the original.
func (e Entry) CallID() string {
	if e.Metadata == nil {
		return ""
	}
	return e.Metadata.ToolCallID
}

// ReplacementOf returns the conversation that an anchor begins with.
func ReplacementOf(e Entry) []Entry {
	if e.Metadata == nil {
		return nil
	}
	return e.Metadata.Replacement
}

// withoutReplacement returns the entry in the form for windows.
func withoutReplacement(e Entry) Entry {
	if len(ReplacementOf(e)) > 0 {
		meta := *e.Metadata
		meta.Replacement = nil
		e.Metadata = &meta
	}
	return e
}

// IsAnchor reports whether the window begins here.
func IsAnchor(e Entry) bool {
	return e.Type == TypeContextCreated || e.Type == TypeCompaction || e.Type == TypeArchival
}

// Encode encodes entries as the original does: "<" and similar characters are not
// escaped.
func Encode(entries []Entry) ([][]byte, error) {
	var records [][]byte
	for _, e := range entries {
		record, err := strictjson.Encode(e)
		if err != nil {
			return nil, err
		}
		records = append(records, record)
	}
	return records, nil
}

// View has further values for each line of a view of a conversation for scripts. A view has lines
// of JSON in the form of Claude Code's transcripts, which scripts for it and for other agents read.
type View struct {
	// Cwd is the working directory, Version the program's, Model the model's name.
	Cwd, Version, Model string
}

// Usage counts the tokens of a response. It is not stored.
type Usage struct{ InputTokens, OutputTokens int }
