package hookpoints

import (
	"encoding/json"
	"fmt"
)

// FinalCall is a call that plugins can no longer change.
type FinalCall struct {
	// Arguments are the arguments of the call, as plugins have left them.
	Arguments json.RawMessage `json:"arguments"`
	// ToolCallID is the model's identifier of the call.
	ToolCallID string `json:"tool_call_id,omitempty"`
}

// PreFileReadPayload is the payload of pre_file_read.
type PreFileReadPayload struct {
	// ToolName is the tool's name.
	ToolName string `json:"tool_name"`
	// Path is the file or directory to read or search: absolute, with all links resolved.
	Path string `json:"path"`
	// NamedPath is the absolute path with its links; absent if it is the same.
	NamedPath string `json:"named_path,omitempty"`
	FinalCall
	// Cwd is the working directory; of a command, the directory in which it would run.
	Cwd string `json:"cwd"`
	InContext
}

// PreFileWritePayload is the payload of pre_file_write.
type PreFileWritePayload struct {
	// ToolName is the tool's name.
	ToolName string `json:"tool_name"`
	// Path is the file to write: absolute, with all links resolved.
	Path string `json:"path"`
	// NamedPath is the absolute path with its links; absent if it is the same.
	NamedPath string `json:"named_path,omitempty"`
	// Content is the new text of the file; null if the call has only a part of it, as for an edit.
	Content *string `json:"content"`
	// Operation is what an edit does, as in the arguments; absent for other tools.
	Operation string `json:"operation,omitempty"`
	// Exists is true if the file exists.
	Exists bool `json:"exists"`
	// Diff is the change as a unified diff of at most 64 KiB, "" if chibi does not know it.
	Diff string `json:"diff"`
	FinalCall
	// Cwd is the working directory; of a command, the directory in which it would run.
	Cwd string `json:"cwd"`
	InContext
}

// PreShellExecPayload is the payload of pre_shell_exec.
type PreShellExecPayload struct {
	// ToolName is the tool's name.
	ToolName string `json:"tool_name"`
	// Command is the command line.
	Command string `json:"command"`
	// Commands are its simple commands, also those in substitutions, sh -c, env, xargs and the like, with the
	// variables before them and the directories of programs; null if chibi cannot parse the line, if a shell may
	// read it otherwise, and if it sets a variable whose value runs by itself.
	Commands *[]string `json:"commands"`
	FinalCall
	// Cwd is the working directory; of a command, the directory in which it would run.
	Cwd string `json:"cwd"`
	InContext
}

// PreFetchURLPayload is the payload of pre_fetch_url.
type PreFetchURLPayload struct {
	// ToolName is the tool's name.
	ToolName string `json:"tool_name"`
	// URL is the URL, "" for a tool without a URL among its arguments.
	URL string `json:"url"`
	// Host is the host in the URL, "" if there is none.
	Host string `json:"host"`
	// AddressClass is the kind of the host's address, such as "public", "loopback" or "private_network"; of several
	// addresses, of the first that is not public. "" for a name without an address, and for names in calls of
	// plugins' tools, which chibi does not look up.
	AddressClass string `json:"address_class"`
	// Safety is "sensitive" if chibi knows the address and it is not public, "no_url" without a URL, "public"
	// otherwise.
	Safety Safety `json:"safety"`
	// Reason says why it is sensitive; absent otherwise.
	Reason string `json:"reason,omitempty"`
	// Summary is the beginning of the arguments if there is no URL; absent otherwise.
	Summary string `json:"summary,omitempty"`
	FinalCall
	// Cwd is the working directory; of a command, the directory in which it would run.
	Cwd string `json:"cwd"`
	InContext
}

// PreMCPCallPayload is the payload of pre_mcp_call.
type PreMCPCallPayload struct {
	// ToolName is the tool's name for the model, such as mcp__files__read.
	ToolName string `json:"tool_name"`
	// Server is the name of the MCP server in the configuration, "" for a plugin's tool whose name does not have it.
	Server string `json:"server"`
	// Tool is the server's name of the tool.
	Tool string `json:"tool"`
	// ReadOnly is true if the server says that the tool only reads, and the configuration trusts the server.
	ReadOnly bool `json:"read_only,omitempty"`
	FinalCall
	// Cwd is the working directory; of a command, the directory in which it would run.
	Cwd string `json:"cwd"`
	InContext
}

// PrePermissionPayload is the payload of pre_permission.
type PrePermissionPayload struct {
	// ToolName is the tool's name.
	ToolName string `json:"tool_name"`
	FinalCall
	// Category is the tool's kind: "shell" for one that runs commands, "read", "write", "edit", "search", "fetch",
	// "agent" or "mcp"; absent if it has none.
	Category string `json:"category,omitempty"`
	// Subject is the argument that the category is about, such as the command, the path or the URL; absent if the
	// call has no such argument.
	Subject string `json:"subject,omitempty"`
	// AskedBy is who wants chibi to ask: a rule, a plugin, or the category's default.
	AskedBy string `json:"asked_by"`
	// Reason says why; absent if nobody did.
	Reason string `json:"reason,omitempty"`
	// Rule is the rule that would allow such calls from now on; absent if none can.
	Rule string `json:"rule,omitempty"`
	// Cwd is the working directory; of a command, the directory in which it would run.
	Cwd string `json:"cwd"`
	InContext
}

// PrePermissionAnswer is the answer at pre_permission, in place of the person's answer.
type PrePermissionAnswer struct {
	// Denied refuses the call; false says nothing.
	Denied bool `json:"denied,omitzero" merge:"strictest"`
	// Decision is "allow" or "deny", in the person's place; or "ask", which beats "allow" and leaves the question to
	// the person.
	Decision Decision `json:"decision,omitzero" merge:"strictest"`
	// Reason tells the model why, if the call is refused.
	Reason string `json:"reason,omitzero" merge:"with decision"`
	// Halt refuses the call and ends the turn.
	Halt bool `json:"halt,omitzero" merge:"halt"`
	// Message tells the person why the turn ends.
	Message string `json:"message,omitzero" merge:"with halt"`
	// SystemMessage is a text for the person, never for the model.
	SystemMessage string `json:"system_message,omitzero" merge:"tell"`
	// Halted says which plugin ended the turn. The host sets it; a plugin cannot.
	Halted Halted `json:"-"`
	// DecidedBy is the plugin whose decision it is. The host sets it; a plugin cannot.
	DecidedBy string `json:"-"`
}

// Verdict returns the stricter one of Denied and Decision, "" for no opinion.
func (a PrePermissionAnswer) Verdict() Decision { return verdict(a.Denied, a.Decision) }

// SetDecidedBy takes the name of the plugin whose decision it is.
func (a *PrePermissionAnswer) SetDecidedBy(plugin string) { a.DecidedBy = plugin }

// SetHalted takes the plugin that ended the turn.
func (a *PrePermissionAnswer) SetHalted(by Halted) { a.Halted = by }

// Safety says how harmless an address is.
type Safety string

// The values of Safety.
const (
	SafetyPublic    Safety = "public"
	SafetySensitive Safety = "sensitive"
	SafetyNoURL     Safety = "no_url"
)

// PermissionAnswer is the answer at permission points. Denied and Decision are one opinion:
// the stricter of the two.
type PermissionAnswer struct {
	// Denied refuses the call; false says nothing.
	Denied bool `json:"denied,omitzero" merge:"strictest"`
	// Decision is "deny", which refuses the call; "ask", so that chibi asks the person; or "allow", which spares the
	// question unless a rule, another plugin or the protection of the file is stricter.
	Decision Decision `json:"decision,omitzero" merge:"strictest"`
	// Reason tells the model why, if the call is refused, and the person whom chibi asks.
	Reason string `json:"reason,omitzero" merge:"with decision"`
	// SystemMessage is a text for the person, never for the model.
	SystemMessage string `json:"system_message,omitzero" merge:"tell"`
	// DecidedBy is the plugin whose decision it is. The host sets it; a plugin cannot.
	DecidedBy string `json:"-"`
}

// SetDecidedBy takes the name of the plugin whose decision it is.
func (a *PermissionAnswer) SetDecidedBy(plugin string) { a.DecidedBy = plugin }

// Verdict returns the stricter one of Denied and Decision, "" for no opinion.
func (a PermissionAnswer) Verdict() Decision { return verdict(a.Denied, a.Decision) }

func verdict(denied bool, decision Decision) Decision {
	if denied {
		return DecisionDeny
	}
	return decision
}

// Decision is what an answer says about a call that asks for permission; "" means no opinion.
type Decision string

// The decisions, from the strictest.
const (
	DecisionDeny  Decision = "deny"
	DecisionAsk   Decision = "ask"
	DecisionAllow Decision = "allow"
)

// Values lists the decisions, for schemas.
func (Decision) Values() []string {
	return []string{string(DecisionDeny), string(DecisionAsk), string(DecisionAllow)}
}

// UnmarshalText accepts a decision; "block", which hooks of other agents answer, is "deny". Any
// other text is an error, because it may have been meant as a denial.
func (d *Decision) UnmarshalText(text []byte) error {
	switch decided := Decision(text); decided {
	case "block":
		*d = DecisionDeny
		return nil
	case DecisionDeny, DecisionAsk, DecisionAllow:
		*d = decided
		return nil
	}
	return fmt.Errorf(`%.40q is not a decision; want "deny", "ask" or "allow"`, text)
}

// Words are the words for no: an answer that can refuse does so with any of Block, Denied and
// Decision, and says why with Message or Reason. The answer of each point
// teaches some of them; package merge takes the others for those.
type Words struct {
	// Block refuses; false says nothing.
	Block bool `json:"block,omitzero"`
	// Denied refuses; false says nothing.
	Denied bool `json:"denied,omitzero"`
	// Decision refuses if it is "deny".
	Decision Denial `json:"decision,omitzero"`
	// Message says why.
	Message string `json:"message,omitzero"`
	// Reason says why.
	Reason string `json:"reason,omitzero"`
}

// Denial is a [Decision] where an answer can only refuse: "deny"; or "allow" for no opinion.
type Denial string

// Values lists what has an effect, for schemas.
func (Denial) Values() []string { return []string{string(DecisionDeny)} }

// UnmarshalText accepts what a Decision accepts, except "ask", because chibi asks nobody there.
func (d *Denial) UnmarshalText(text []byte) error {
	var decided Decision
	if err := decided.UnmarshalText(text); err != nil || decided == DecisionAsk {
		return fmt.Errorf(`%.40q is not a decision here; want "deny"`, text)
	}
	*d = Denial(decided)
	return nil
}
