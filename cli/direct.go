package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/tools"
)

// direct runs one tool for a person: -p NAME args... or -P TOOL json. No tool
// hooks fire, no model is asked.
func (s *session) direct(ctx context.Context) error {
	if err := s.admit(); err != nil {
		return err
	}
	name, args, err := s.directCall()
	if err != nil {
		return err
	}
	tool, err := s.findTool(name)
	if err != nil {
		return err
	}
	if err := tools.Check(tool.Spec().Parameters, args); s.opts.tool != nil && err != nil &&
		!errors.Is(err, tools.ErrSchema) {
		return usage("tool %q: %v", tool.Spec().Name, err)
	}
	result, err := tool.Call(ctx, tools.Call{Arguments: args, Context: s.agent.Context.Name()})
	if err != nil {
		return err
	}
	if result.File != "" {
		defer disk.Discard(result.File)
		if err := s.copyOut(result.File); err != nil {
			return err
		}
		result.Text = ""
	}
	if result.Failed {
		return fmt.Errorf("tool %q: %s", tool.Spec().Name, strings.TrimPrefix(result.Told(), "Error: "))
	}
	if result.File != "" {
		return nil
	}
	return s.say("%s", strings.TrimSuffix(result.Text, "\n"))
}

// copyOut prints a large output as it is.
func (s *session) copyOut(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(s.screen.Stdout(), f)
	return err
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
