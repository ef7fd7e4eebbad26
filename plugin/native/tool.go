package native

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/chibi-host/chibi/tools"
	"github.com/dustin/go-humanize"
)

type tool struct {
	program
	spec    tools.Spec
	timeout time.Duration
	inherit bool
}

var _ tools.Tool = tool{}

// tool returns the tool of a schema. The person's timeout for the plugin overrides the timeout of
// the schema, which overrides Options.ToolTimeout.
func (p program) tool(owner string, s schema, override plugin.Override) tool {
	timeout := DefaultToolTimeout
	for _, set := range []time.Duration{p.opts.ToolTimeout, s.timeout(), override.Timeout} {
		if set > 0 {
			timeout = set
		}
	}
	spec := tools.Spec{Name: s.Name, Description: s.Description, Parameters: s.Parameters,
		Kind: tools.Plugin, Owner: owner, Category: s.category(), Uncategorized: s.Category == noCategory,
		Subject: s.Subject, Parallel: s.Parallel}
	inherit := cmp.Or(override.Stdin, s.Stdin) == "inherit"
	return tool{program: p, spec: spec, timeout: timeout, inherit: inherit}
}

// Spec describes the tool.
func (t tool) Spec() tools.Spec { return t.spec }

// Call runs the executable and returns its output.
func (t tool) Call(ctx context.Context, call tools.Call) (tools.Result, error) {
	env := append(t.told(plugin.IdentityOf(ctx)), "CHIBI_TOOL_NAME="+t.spec.Name)
	if mark := t.within(); mark != "" {
		env = append(env, "CHIBI_WITHIN="+mark)
	}
	out, err := t.runner.Run(ctx, process.Command{
		Path:         t.path,
		Env:          env,
		Stdin:        append(slices.Clip(call.Arguments), '\n'),
		Data:         &process.Data{Var: "CHIBI_TOOL_ARGS", Value: call.Arguments},
		InheritStdin: t.inherit,
		Timeout:      t.timeout,
		MaxOutput:    t.opts.maxToolOutput(),
		Spool:        t.opts.Spool,
	})
	file := tools.NewOutputFile(out.Spooled, out.Size)
	err = cmp.Or(err, out.Err())
	if err != nil && (ctx.Err() != nil || errors.Is(err, context.Canceled)) {
		file.Close()
		return tools.Result{}, cmp.Or(ctx.Err(), err)
	}
	if !t.inherit && !out.Asked && err != nil && isQuestion(out.Stderr) {
		err = fmt.Errorf("%w; it seems to ask the person: stdin = \"inherit\" in [plugins.%q] of the configuration lets it "+
			"read the answer", err, t.spec.Owner)
	}
	if out.Unread {
		err = unread(err, call.Arguments)
	}
	if errors.Is(err, process.ErrSpool) {
		file.Close()
		file = nil
	}
	result := tools.Result{Text: begin(out), File: file}
	if err != nil {
		result.Failed, result.Failure, result.Exit = true, failure(err, out), max(0, out.Exit)
	}
	return result, nil
}

// within returns the value of CHIBI_WITHIN for a call; "": it has none.
func (t tool) within() string {
	if t.opts.Within == nil || t.spec.Category != tools.CategoryShell {
		return ""
	}
	return t.opts.Within(t.spec.Name)
}

// isQuestion reports whether a text ends like a question.
func isQuestion(text string) bool {
	text = strings.ToLower(strings.TrimRight(text, " \t\r\n:>"))
	return slices.ContainsFunc([]string{"?", "[y/n]", "(y/n)", "[yes/no]", "(yes/no)"}, func(end string) bool {
		return strings.HasSuffix(text, end)
	})
}

// unread is the error of a call whose arguments were passed on standard input only
// and were not read.
func unread(err error, arguments []byte) error {
	text := fmt.Sprintf("the tool did not read its arguments: %s are too large for CHIBI_TOOL_ARGS, "+
		"so they are on standard input only; make them smaller", humanize.Bytes(uint64(len(arguments))))
	if err != nil {
		return fmt.Errorf("%w; %s", err, text)
	}
	return errors.New(text)
}

// maxToolOutput is the bound on a tool's output; output that is kept in memory has
// the default bound of processes.
func (o Options) maxToolOutput() int64 {
	switch {
	case o.Spool == nil:
		return 0
	case o.MaxToolOutput > 0:
		return o.MaxToolOutput
	}
	return DefaultMaxToolOutput
}

// begin returns the output, or the beginning of a spooled one, cut after a whole
// character.
func begin(out process.Outcome) string {
	data := out.Stdout
	if out.Spooled != nil {
		data = data[:clip.Whole(data)]
	}
	return text(data)
}

// failure is the text that tells the model why a call failed.
func failure(err error, out process.Outcome) string {
	said := fmt.Sprintf("Error: %v", err)
	if stderr := strings.TrimSpace(out.Stderr); strings.Contains(stderr, "\n") {
		said += "\nstderr ends with:\n" + stderr
	}
	return said
}

func text(out []byte) string { return strings.ToValidUTF8(string(out), "\uFFFD") }
