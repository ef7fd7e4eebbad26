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
	if err := tools.Check(tool.Spec().Parameters, args); s.opts.tool != nil && err != nil && !errors.Is(err, tools.ErrSchema) {
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
	if !json.Valid([]byte(text)) {
		return "", nil, usage("-P %s: the arguments are not valid JSON; write them as one word in quotes: '{\"key\": \"value\"}'", p.opts.tool[0])
	}
	return p.opts.tool[0], json.RawMessage(text), nil
}
