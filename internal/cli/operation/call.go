package operation

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/cli/output"
	"github.com/chibi-host/chibi/internal/toolbox"
	"github.com/chibi-host/chibi/tools"
)

// CallRows are the operations that call tools, without tool hooks and without the
// model.
func CallRows() []Row {
	return []Row{
		{&cmdline.Flag{Name: "plugin", Letters: "p", Command: &cmdline.Command{Names: []string{"run_plugin"},
			Answers: "a result; `content` is the tool's output", Data: "`tool`, `failed`, `failure`: why, or `null`"},
			About: `run a plugin's tool directly; it gets {"args": [...]}`,
			Takes: []cmdline.Value{{Word: "NAME", Kind: cmdline.PluginOrTool, Member: "name"},
				{Word: "[args...]", Kind: cmdline.Rest, Member: "args"}}},
			Operation{Role: Shows, Phase: PhaseCall, Needs: NeedsGuards, Run: runPlugin}},
		{&cmdline.Flag{Name: "call-tool", Letters: "P", Command: &cmdline.Command{Names: []string{"call_tool"},
			Answers: "a result; `content` is the tool's output", Data: "`tool`, `failed`, `failure`: why, or `null`"},
			About: "call any tool directly with JSON arguments",
			Takes: []cmdline.Value{{Word: "TOOL", Kind: cmdline.Tool, Member: "name"},
				{Word: "[json]", Kind: cmdline.Rest, Member: "args"}}},
			Operation{Role: Shows, Phase: PhaseCall, Needs: NeedsGuards, Run: callTool}},
	}
}

func runPlugin(ctx context.Context, run Run, given cmdline.Given) error {
	if err := app.GuardsOf(run.Session).Admit(); err != nil {
		return err
	}
	if run.Within {
		return CallAsModel(ctx, run.Out, run.Session,
			ModelCall{Operation: "run_plugin", Tool: given.Values[0], Words: given.Rest})
	}
	args, err := json.Marshal(map[string]any{"args": append([]string{}, given.Rest...)})
	if err != nil {
		return err
	}
	tool, err := toolbox.Of(run.Session.Agent, run.Session.Loaded.Plugins).Find(given.Values[0])
	if err != nil {
		return err
	}
	result, err := tool.Call(ctx, tools.Call{Arguments: args, Context: run.Session.Name()})
	if err != nil {
		return err
	}
	return output.AnswerToolResult(run.Out, output.ToolCall{Operation: "run_plugin", Tool: tool.Spec().Name}, result)
}

// callTool calls a tool with the JSON that the words form together.
func callTool(ctx context.Context, run Run, given cmdline.Given) error {
	if err := app.GuardsOf(run.Session).Admit(); err != nil {
		return err
	}
	name := given.Values[0]
	args, err := output.ToolArguments(name, strings.Join(given.Rest, " "))
	if err != nil {
		return err
	}
	if run.Within {
		return CallAsModel(ctx, run.Out, run.Session,
			ModelCall{Operation: "call_tool", Tool: name, Arguments: args})
	}
	tool, result, err := toolbox.Of(run.Session.Agent, run.Session.Loaded.Plugins).Call(ctx, name, args)
	if err != nil {
		return err
	}
	return output.AnswerToolResult(run.Out, output.ToolCall{Operation: "call_tool", Tool: tool.Spec().Name}, result)
}

// ModelCall is a call that is made as the model would make it: with the filters, hooks and rules of a
// turn. So are all calls within a command of a model.
type ModelCall struct {
	// Operation is the operation that asked for it, as named in --json-config.
	Operation string
	// Tool is the name of the tool, or of the plugin that offers it.
	Tool string
	// Arguments are the tool's arguments; if they are nil, the plugin gets Words as -p gives them.
	Arguments json.RawMessage
	Words     []string
}

// CallAsModel makes a call and prints what the model would see.
func CallAsModel(ctx context.Context, out *output.Printer, s *app.Session, c ModelCall) error {
	tool, err := toolbox.Of(s.Agent, s.Loaded.Plugins).Find(c.Tool)
	if err != nil {
		return err
	}
	spec := tool.Spec()
	if spec.Category == tools.CategoryAgent { // it asks the model
		if err := s.Connect(); err != nil {
			return err
		}
	}
	var seen, failure string
	if c.Arguments != nil {
		seen, failure, err = s.Agent.CallTool(ctx, spec.Name, c.Arguments)
	} else {
		seen, failure, err = agent.CallWords(ctx, s.Agent, spec.Name, c.Words)
	}
	if err != nil {
		return err
	}
	return output.AnswerToolCall(out, output.ToolCall{Operation: c.Operation, Tool: spec.Name, Failure: failure}, seen)
}
