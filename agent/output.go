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
	// status is the outcome of the call, blockedBy the plugin that blocked it.
	status    hookpoints.CallStatus
	blockedBy string
	// why is the reason why the call did not run, "" if it ran.
	why string
	// exit is the tool's exit status, 0 if it succeeded; took is how long it ran, how in
	// which way.
	exit int
	how  string
	// served says how long an MCP server took, nil if there was none.
	served *tools.Served
	took   time.Duration
	// ranWith are the arguments that the tool got if plugins changed the arguments of the model.
	ranWith json.RawMessage
	// failure says how a process failed. preface is the part at the beginning of
	// the text that the tool did not write; "" if a plugin replaced the text.
	failure, preface string
	// note is what the model reads behind the output, "" if there is nothing to say.
	note string
	// fromCache is true if it was read from the cache; then it is not cached again.
	fromCache bool
}

func newOutput(result tools.Result, kind tools.Kind) output {
	status, exit := hookpoints.StatusRan, result.Exit
	if result.Failed {
		status = hookpoints.StatusFailed
		exit = max(1, exit)
	}
	return output{
		text: result.Told(), file: result.File, status: status, exit: exit, how: result.How,
		served: result.Served, note: result.Note,
		failure: cmp.Or(result.Failure, result.Reason), preface: result.Preface(), fromCache: kind == tools.File,
	}
}

// denied returns the answer to the model about a call that is not run.
func denied(err error) output {
	text := "Error: " + err.Error()
	return output{text: text, why: text, preface: "Error: ", status: hookpoints.StatusDenied, exit: 1}
}

// blocked returns the answer to the model about a call that a plugin blocks: the
// plugin's reason, and the plugin's name unless the reason has it.
func blocked(v hookpoints.PreToolAnswer) output {
	if v.Halt {
		v.BlockedBy, v.Message = v.Halted.Plugin, haltedError(v.Halted).Error()
	}
	o := output{text: v.Message, why: v.Message, status: hookpoints.StatusBlocked, blockedBy: v.BlockedBy, exit: 1}
	if !strings.Contains(v.Message, fmt.Sprintf("plugin %q", v.BlockedBy)) {
		o.text += hookpoints.BlockedNote(v.BlockedBy)
	}
	return o
}

// reason returns a line about why the call did not run or failed; "" if it ran and
// succeeded.
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

func (c *toolCall) event() *CallEvent {
	o := &c.out
	event := &CallEvent{ID: c.inv.ToolCallID, Tool: c.inv.ToolName, Arguments: c.inv.Arguments, Ran: o.status.DidRun(),
		Why: o.why, BlockedBy: o.blockedBy, DurationMS: o.took.Milliseconds(), Exit: o.exit, How: o.how,
		Served: newServedEvent(o.served), Converted: c.converted}
	if o.status == hookpoints.StatusFailed {
		event.Failure = cmp.Or(o.failure, o.text)
	}
	return event
}

// written is the event about what the tool of a call wrote.
func (c *toolCall) written() *CallEvent {
	event := c.event()
	event.Output, event.Failure = c.out.toolText(), c.out.reason()
	event.Bytes = max(c.out.file.Size(), int64(len(event.Output)))
	return event
}

// discard removes the file of an output that is no longer needed.
func (o *output) discard() {
	o.file.Close()
	o.file = nil
}

// replace replaces the whole output by a text.
func (o *output) replace(text string) {
	o.discard()
	o.text, o.preface = text, ""
}

// outcome tells plugins how the call ended.
func (o *output) outcome() hookpoints.Outcome {
	return hookpoints.Outcome{Status: o.status, BlockedBy: o.blockedBy}
}

// toolText returns the text that the tool wrote itself.
func (o *output) toolText() string { return strings.TrimPrefix(o.text, o.preface) }

// filterOutput fires pre_tool_output and applies its answer to a tool's output. refine corrects
// what plugins make of it.
func (c *toolCall) filterOutput(ctx context.Context, refine ...plugin.Refine) error {
	answer, err := plugin.Fire(ctx, c.agent.Host, hookpoints.PreToolOutput, hookpoints.PreToolOutputPayload{
		ToolName: c.inv.ToolName, Arguments: c.inv.Arguments, Output: c.out.text,
		Extent:  hookpoints.Extent{Truncated: c.out.file != nil, OutputPath: c.out.file.Path()},
		Outcome: c.out.outcome(), Preface: c.out.preface, ToolCallID: c.inv.ToolCallID,
		Category: c.inv.Category, Subject: c.inv.Subject,
		ExitCode: c.out.exit, DurationMS: c.out.took.Milliseconds(), InRecipe: c.inv.InRecipe,
	}, refine...)
	c.contexts = append(c.contexts, answer.Contexts...)
	halt(c.step, answer.Halted)
	switch {
	case err != nil:
		return err
	case answer.Block:
		c.out.replace(answer.Message)
	case answer.Output != nil:
		if c.out.file != nil {
			c.agent.Output.notice("hooks saw only the first 1 MiB of the output of %s; their replacement is the whole "+
				"output", c.inv.ToolName)
		}
		c.out.replace(*answer.Output)
	}
	return nil
}
