package kodelet

import (
	"encoding/json"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/tidwall/gjson"
)

// toolOutput is Kodelet's structured result of a tool. The text of the output
// is metadata.output, and error where the tool failed.
type toolOutput struct {
	ToolName     string   `json:"toolName"`
	Success      bool     `json:"success"`
	Error        string   `json:"error,omitempty"`
	MetadataType string   `json:"metadataType"`
	Metadata     metadata `json:"metadata"`
	Timestamp    string   `json:"timestamp"`
}

// metadata is that of Kodelet's bash tool where there is a command, else that
// of its custom tools.
type metadata struct {
	Command       string `json:"command,omitempty"`
	ExitCode      int    `json:"exitCode"`
	Output        string `json:"output"`
	ExecutionTime int64  `json:"executionTime"` // nanoseconds
	WorkingDir    string `json:"workingDir,omitempty"`
}

func (c codec) toolOutput(p hookpoints.ToolOutput, now time.Time) toolOutput {
	out := toolOutput{
		ToolName: p.ToolName, Success: p.ExitCode == 0, MetadataType: "custom_tool", Timestamp: now.UTC().Format(time.RFC3339Nano),
		Metadata: metadata{ExitCode: p.ExitCode, Output: p.Output, ExecutionTime: p.DurationMS * int64(time.Millisecond)},
	}
	if command := gjson.GetBytes(p.Arguments, "command"); command.Type == gjson.String {
		out.MetadataType, out.Metadata.Command, out.Metadata.WorkingDir = "bash", command.String(), c.opts.Dir
	}
	if !out.Success {
		out.Error = p.Output
	}
	return out
}

// changedText is the text that a hook's output has in the place of ours: what it
// changed of the two places where it stands; one that took the text out leaves
// nothing. ok is false if it changed nothing.
func changedText(output json.RawMessage, p hookpoints.ToolOutput) (text string, ok bool) {
	value := func(path string) (string, bool) {
		v := gjson.GetBytes(output, path)
		return v.String(), v.Type == gjson.String
	}
	text, ok = value("metadata.output")
	if ok && text != p.Output {
		return text, true
	}
	if failure, has := value("error"); has && failure != p.Output && failure != "" {
		return failure, true
	}
	_, hasError := value("error")
	if !ok && !hasError && gjson.GetBytes(output, "metadata").IsObject() && p.Output != "" {
		return "", true // the text was taken out
	}
	return "", false
}

// noEffect lists what a hook changed in an output that nothing here reads.
func noEffect(output json.RawMessage, sent toolOutput) (names []string) {
	ours, err := json.Marshal(sent)
	if err != nil {
		return nil
	}
	for _, path := range []string{"toolName", "success", "metadataType", "metadata.command", "metadata.exitCode", "metadata.executionTime", "metadata.workingDir"} {
		theirs := gjson.GetBytes(output, path)
		if theirs.Exists() && theirs.Raw != gjson.GetBytes(ours, path).Raw {
			names = append(names, "output."+path)
		}
	}
	return names
}
