package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
)

// output is a tool's output on its way to the model: a text, or a file with the
// beginning of it as text.
type output struct {
	text string
	file *tools.OutputFile
	// status says what became of the call, blockedBy which plugin blocked it.
	status    hookpoints.CallStatus
	blockedBy string
	// why is the reason of whoever kept the call from running, "" if it ran.
	why string
	// exit and took are the tool's exit status, 0 if it succeeded, and time.
	exit int
	took time.Duration
	// ranWith are the arguments that plugins made of those that the model wrote.
	ranWith json.RawMessage
	// converted are the places of the model's arguments that were converted.
	converted []string
	// failure says how a process failed. preface is what the text begins with
	// that is not the tool's own; "" if a plugin replaced the text.
	failure, preface string
	// fromCache says that it was read from the cache and is not cached again.
	fromCache bool
}

// newOutput is what a tool that ran has left.
func newOutput(result tools.Result, kind tools.Kind) output {
	status, exit := hookpoints.StatusRan, result.Exit
	if result.Failed {
		status = hookpoints.StatusFailed
		exit = max(1, exit)
	}
	return output{
		text: result.Told(), file: result.File, status: status, exit: exit,
		failure: result.Failure, preface: result.Preface(), fromCache: kind == tools.File,
	}
}

// denied is what the model is told of a call that is not run.
func denied(err error) output {
	text := "Error: " + err.Error()
	return output{text: text, why: text, preface: "Error: ", status: hookpoints.StatusDenied, exit: 1}
}

// blocked is what the model is told of a call that a plugin blocks: the plugin's
// reason, and which one it is unless the reason names it.
func blocked(v hookpoints.PreToolAnswer) output {
	o := output{text: v.Message, why: v.Message, status: hookpoints.StatusBlocked, blockedBy: v.BlockedBy, exit: 1}
	if !strings.Contains(v.Message, fmt.Sprintf("plugin %q", v.BlockedBy)) {
		o.text += hookpoints.BlockedNote(v.BlockedBy)
	}
	return o
}

// reason says in a line why the call did not run or failed; "" if it ran and did
// not.
func (o *output) reason() string {
	if o.status == hookpoints.StatusRan {
		return ""
	}
	why, _, _ := strings.Cut(strings.TrimSpace(cmp.Or(o.failure, o.text)), "\n")
	why = strings.TrimPrefix(why, "Error: ")
	if by := fmt.Sprintf("plugin %q", o.blockedBy); o.blockedBy != "" && !strings.Contains(why, by) {
		why = "blocked by " + by + ": " + why
	}
	return cmp.Or(why, string(o.status))
}

// withConverted is the output of a call whose arguments were converted.
func (o output) withConverted(converted []string) output {
	o.converted = converted
	return o
}

// event is the call as an event of the turn.
func (o *output) event(inv hookpoints.PreToolPayload) *CallEvent {
	s := &CallEvent{ID: inv.ToolCallID, Tool: inv.ToolName, Arguments: inv.Arguments, Ran: o.status.DidRun(),
		Why: o.why, BlockedBy: o.blockedBy, DurationMS: o.took.Milliseconds(), Exit: o.exit, Converted: o.converted}
	switch {
	case o.status == hookpoints.StatusFailed && o.failure != "":
		s.Failure = o.failure
	case o.status == hookpoints.StatusFailed:
		s.Failure = o.text
	}
	return s
}

// discard removes the file of an output that nobody needs any more.
func (o *output) discard() {
	o.file.Close()
	o.file = nil
}

// replace puts a text in the place of the whole output.
func (o *output) replace(text string) {
	o.discard()
	o.text, o.preface = text, ""
}

// toolText is the text that the tool wrote itself.
func (o *output) toolText() string { return strings.TrimPrefix(o.text, o.preface) }

// filterOutput takes a tool's output through pre_tool_output.
func (t *turn) filterOutput(ctx context.Context, inv hookpoints.PreToolPayload, o *output) error {
	answer, err := plugin.Fire(ctx, t.agent.Host, hookpoints.PreToolOutput, hookpoints.PreToolOutputPayload{
		ToolName: inv.ToolName, Arguments: inv.Arguments, Output: o.text, Truncated: o.file != nil, OutputPath: o.file.Path(),
		Status: o.status, BlockedBy: o.blockedBy, Preface: o.preface, ToolCallID: inv.ToolCallID,
		ExitCode: o.exit, DurationMS: o.took.Milliseconds(), Recipe: inv.Recipe, Nested: inv.Nested,
	})
	switch {
	case err != nil:
		return err
	case answer.Block:
		o.replace(answer.Message)
	case answer.Output != nil:
		if o.file != nil {
			t.agent.notice("hooks saw only the first 1 MiB of the output of %s; what they replaced it with is the whole "+
				"output now",
				inv.ToolName)
		}
		o.replace(*answer.Output)
	}
	return nil
}
