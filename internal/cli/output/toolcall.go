package output

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/internal/toolbox"
	"github.com/chibi-host/chibi/internal/usage"
	"github.com/chibi-host/chibi/tools"
)

// ToolCall is a call of a tool that a person asked for.
type ToolCall struct {
	// Operation is the operation that asked for it, as named in --json-config.
	Operation string
	// Tool is the tool's name.
	Tool string
	// Failure is a line about why the call failed; "": it did not.
	Failure string
}

// Usage returns an error about the command line.
func Usage(format string, args ...any) error {
	return usage.Error{Err: fmt.Errorf(format, args...)}
}

// ToolArguments parses what a person writes as the arguments of a tool.
func ToolArguments(tool, text string) (json.RawMessage, error) {
	args, err := toolbox.Arguments(text)
	if err != nil {
		return nil, Usage("tool %q: %v", tool, err)
	}
	return args, nil
}

// AnswerToolCall prints the output of a call, whether it failed or not. If it
// failed that is the error.
func AnswerToolCall(out *Printer, call ToolCall, output string) error {
	err := out.Answer(call.Operation, call.data(), strings.TrimSuffix(output, "\n"))
	return errors.Join(err, call.err())
}

// AnswerToolResult prints what a tool wrote on standard output, whether the call
// failed or not, and closes it. Its standard error went out while it ran.
func AnswerToolResult(out *Printer, call ToolCall, result tools.Result) error {
	defer result.File.Close()
	output, why := splitResult(result)
	call.Failure = why
	switch {
	case result.File != nil:
		return errors.Join(out.AnswerFile(call.Operation, call.data(), result.File.Path()), call.err())
	case output != "" || why == "":
		return AnswerToolCall(out, call, output)
	}
	return errors.Join(out.Done(call.Operation, call.data(), ""), call.err())
}

func (c ToolCall) data() Fields {
	data := Fields{"tool": c.Tool, "failed": c.Failure != "", "failure": nil}
	if c.Failure != "" {
		data["failure"] = c.Failure
	}
	return data
}

func (c ToolCall) err() error {
	if c.Failure == "" {
		return nil
	}
	return fmt.Errorf("tool %q: %s", c.Tool, c.Failure)
}

// splitResult returns what a tool itself wrote, and a line about why it failed; ""
// if it did not.
func splitResult(r tools.Result) (output, why string) {
	switch {
	case !r.Failed:
		return r.Text, ""
	case r.Failure == "":
		return "", strings.TrimPrefix(r.Text, "Error: ")
	}
	why, _, _ = strings.Cut(strings.TrimPrefix(r.Failure, "Error: "), "\n")
	return r.Text, why
}
