package kodelet

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/tidwall/gjson"
)

// toolOutput is Kodelet's structured result of a tool. The text of the output
// is metadata.output, and error where the tool failed.
type toolOutput struct {
	ToolName     string `json:"toolName"`
	Success      bool   `json:"success"`
	Error        string `json:"error,omitempty"`
	MetadataType string `json:"metadataType"`
	Metadata     any    `json:"metadata"`
	Timestamp    string `json:"timestamp"`
}

// metadata is the metadata of Kodelet's bash tool if the call has a command, otherwise of its
// custom tools.
type metadata struct {
	Command       string `json:"command,omitempty"`
	ExitCode      int    `json:"exitCode"`
	Output        string `json:"output"`
	ExecutionTime int64  `json:"executionTime"` // nanoseconds
	WorkingDir    string `json:"workingDir,omitempty"`
}

// notRun is the metadata of a call that was blocked or denied.
type notRun struct {
	ToolName string `json:"tool_name"`
	Reason   string `json:"reason"`
}

func (c codec) toolOutput(p hookpoints.PreToolOutputPayload, now time.Time) toolOutput {
	out := toolOutput{
		ToolName: p.ToolName, Success: p.ExitCode == 0, MetadataType: "custom_tool",
		Timestamp: now.UTC().Format(time.RFC3339Nano),
	}
	if p.Status != "" && !p.Status.DidRun() {
		reason := strings.TrimSuffix(strings.TrimPrefix(p.Output, p.Preface), hookpoints.BlockedNote(p.BlockedBy))
		out.MetadataType, out.Metadata, out.Error = "blocked", notRun{p.ToolName, reason}, prefixOf(p)+reason
		return out
	}
	ran := metadata{ExitCode: p.ExitCode, Output: p.Output, ExecutionTime: p.DurationMS * int64(time.Millisecond)}
	if command := gjson.GetBytes(p.Arguments, "command"); command.Type == gjson.String {
		out.MetadataType, ran.Command, ran.WorkingDir = "bash", command.String(), c.opts.Dir
	}
	if !out.Success {
		out.Error = p.Output
	}
	out.Metadata = ran
	return out
}

// prefixOf is the text that Kodelet puts before the reason why a call did not run.
func prefixOf(p hookpoints.PreToolOutputPayload) string {
	switch p.Status {
	case hookpoints.StatusBlocked:
		return "blocked by hook: "
	case hookpoints.StatusDenied:
		return "denied: "
	}
	return ""
}

// changedText returns the text that a hook put in place of the one that was sent, in either
// of the two members that hold it; if the hook removed the text, it is empty. ok is false
// if the hook did not change the text.
func changedText(output json.RawMessage, p hookpoints.PreToolOutputPayload, sent toolOutput) (text string, ok bool) {
	value := func(path string) (string, bool) {
		v := gjson.GetBytes(output, path)
		return v.String(), v.Type == gjson.String
	}
	place, ours := "metadata.output", p.Output
	if blocked, is := sent.Metadata.(notRun); is {
		place, ours = "metadata.reason", blocked.Reason
	}
	text, ok = value(place)
	if ok && text != ours {
		return text, true
	}
	if failure, has := value("error"); has && failure != p.Output && failure != sent.Error && failure != "" {
		return strings.TrimPrefix(failure, prefixOf(p)), true
	}
	_, hasError := value("error")
	if !ok && !hasError && gjson.GetBytes(output, "metadata").IsObject() && p.Output != "" {
		return "", true // the text was removed
	}
	return "", false
}

// noEffect lists the members that a hook changed although chibi does not read them.
func noEffect(output json.RawMessage, sent toolOutput) (names []string) {
	ours, err := json.Marshal(sent)
	if err != nil {
		return nil
	}
	for _, path := range unread() {
		theirs := gjson.GetBytes(output, path)
		if theirs.Exists() && theirs.Raw != gjson.GetBytes(ours, path).Raw {
			names = append(names, "output."+path)
		}
	}
	return names
}

// unread lists the members of an output that chibi does not read.
func unread() []string {
	return []string{
		"toolName", "success", "metadataType", "metadata.command", "metadata.exitCode", "metadata.executionTime",
		"metadata.workingDir", "metadata.tool_name",
	}
}
