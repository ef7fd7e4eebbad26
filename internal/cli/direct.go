package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/tools"
)

// direct runs one tool for a person: -p NAME args... or -P TOOL json. No tool
// hooks fire, no model is asked. What the tool wrote goes to standard output,
// whether it failed or not.
func (s *session) direct(ctx context.Context) error {
	if err := app.Admit(s.Session); err != nil {
		return err
	}
	name, args, err := s.directCall()
	if err != nil {
		return err
	}
	tool, err := app.FindTool(s.Session, name)
	if err != nil {
		return err
	}
	if s.opts.tool != nil {
		if args, err = s.Agent.PrepareArguments(tool.Spec(), args); err != nil {
			return usage("tool %q: %v", tool.Spec().Name, err)
		}
	}
	result, err := tool.Call(ctx, tools.Call{Arguments: args, Context: s.Name()})
	if err != nil {
		return err
	}
	defer result.File.Close()
	output, why := written(result)
	operation := "call_tool"
	if s.opts.plugin != nil {
		operation = "run_plugin"
	}
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

// directCall says which tool is called with which arguments.
func (p *program) directCall() (name string, args json.RawMessage, err error) {
	if p.opts.plugin != nil {
		words := p.opts.tail
		if words == nil {
			words = []string{}
		}
		args, err = json.Marshal(map[string]any{"args": words})
		return p.opts.plugin[0], args, err
	}
	text := strings.TrimSpace(strings.Join(p.opts.tail, " "))
	if text == "" {
		text = "{}"
	}
	if args, err = argumentsOf(text); err != nil {
		return "", nil, usage("-P %s: %v", p.opts.tool[0], err)
	}
	return p.opts.tool[0], args, nil
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
