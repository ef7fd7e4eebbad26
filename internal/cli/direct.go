package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/tools"
)

// callOperations call tools. No tool hooks fire, no model is asked.
func callOperations() []row {
	return []row{
		{&cmdline.Flag{Name: "plugin", Letters: "p", Command: &cmdline.Command{Names: []string{"run_plugin"},
			Answers: "a result; `content` is what the tool wrote", Data: "`tool`, `failed`, `failure`: why, or `null`"},
			About: `run a plugin's tool directly; it gets {"args": [...]}`,
			Takes: []cmdline.Value{{Word: "NAME", Kind: cmdline.PluginOrTool, Member: "name"},
				{Word: "[args...]", Kind: cmdline.Rest, Member: "args"}}},
			operation{role: shows, phase: phaseCall, needs: needsGuards, run: runPlugin}},
		{&cmdline.Flag{Name: "call-tool", Letters: "P", Command: &cmdline.Command{Names: []string{"call_tool"},
			Answers: "a result; `content` is what the tool wrote", Data: "`tool`, `failed`, `failure`: why, or `null`"},
			About: "call any tool directly with JSON arguments",
			Takes: []cmdline.Value{{Word: "TOOL", Kind: cmdline.Tool, Member: "name"},
				{Word: "[json]", Kind: cmdline.Rest, Member: "args"}}},
			operation{role: shows, phase: phaseCall, needs: needsGuards,
				run: func(ctx context.Context, s *session, given cmdline.Given) error {
					return callTool(ctx, s, given.Values[0], given.Rest)
				}}},
	}
}

// runPlugin gives a plugin's tool words.
func runPlugin(ctx context.Context, s *session, given cmdline.Given) error {
	if err := app.Admit(s.Session); err != nil {
		return err
	}
	args, err := json.Marshal(map[string]any{"args": append([]string{}, given.Rest...)})
	if err != nil {
		return err
	}
	tool, err := app.FindTool(s.Session, given.Values[0])
	if err != nil {
		return err
	}
	result, err := tool.Call(ctx, tools.Call{Arguments: args, Context: s.Name()})
	if err != nil {
		return err
	}
	return answerCall(s, "run_plugin", tool, result)
}

// callTool gives a tool the JSON that words are together.
func callTool(ctx context.Context, s *session, name string, words []string) error {
	if err := app.Admit(s.Session); err != nil {
		return err
	}
	text := strings.TrimSpace(strings.Join(words, " "))
	if text == "" {
		text = "{}"
	}
	args, err := argumentsOf(text)
	if err != nil {
		return usage("-P %s: %v", name, err)
	}
	tool, err := app.FindTool(s.Session, name)
	if err != nil {
		return err
	}
	if args, err = s.Agent.PrepareArguments(tool.Spec(), args); err != nil {
		return usage("tool %q: %v", tool.Spec().Name, err)
	}
	result, err := tool.Call(ctx, tools.Call{Arguments: args, Context: s.Name()})
	if err != nil {
		return err
	}
	return answerCall(s, "call_tool", tool, result)
}

// answerCall prints what a tool wrote on standard output, whether it failed or not.
func answerCall(s *session, operation string, tool tools.Tool, result tools.Result) (err error) {
	defer result.File.Close()
	output, why := written(result)
	data := called(tool.Spec().Name, why)
	switch {
	case result.File != nil:
		err = s.answerFile(operation, data, result.File.Path())
	case output != "" || why == "":
		err = s.answer(operation, data, strings.TrimSuffix(output, "\n"))
	default:
		err = s.done(operation, data, "")
	}
	return errors.Join(err, toolFailure(tool.Spec().Name, why))
}

// called is the data of a call: the tool, and why it failed; "" if it did not.
func called(name, why string) fields {
	data := fields{"tool": name, "failed": why != "", "failure": nil}
	if why != "" {
		data["failure"] = why
	}
	return data
}

// written is what a tool itself wrote, and in a line why it failed; "" if it did
// not. What it wrote to standard error has been shown.
func written(r tools.Result) (output, why string) {
	switch {
	case !r.Failed:
		return r.Text, ""
	case r.Failure == "":
		return "", strings.TrimPrefix(r.Text, "Error: ")
	}
	why, _, _ = strings.Cut(strings.TrimPrefix(r.Failure, "Error: "), "\n")
	return r.Text, why
}

// toolFailure is the error of a run whose tool failed; nil if why is "".
func toolFailure(name, why string) error {
	if why == "" {
		return nil
	}
	return fmt.Errorf("tool %q: %s", name, why)
}

// argumentsOf is what a person gives as a tool's arguments, in the spelling in
// which a tool receives a model's.
func argumentsOf(text string) (json.RawMessage, error) {
	args, err := strictjson.Arguments([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("the arguments are not valid JSON; write them as one word in quotes: '{\"key\": \"value\"}' "+
			"(%w)", err)
	}
	return args, nil
}
