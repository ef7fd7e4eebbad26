package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/dustin/go-humanize"
)

// promptText is the system prompt that a person names: a text, or the content of
// the file that the text names, which is said.
func (p *program) promptText(text string) (string, error) {
	info, err := os.Stat(text)
	if err != nil || !info.Mode().IsRegular() {
		return text, nil
	}
	data, err := disk.ReadFile(disk.OS{}, text, contexts.MaxText)
	if err != nil {
		return "", fmt.Errorf("reading the system prompt: %w", err)
	}
	p.notice(fmt.Sprintf("the system prompt was read from the file %q (%s)", text, humanize.Bytes(uint64(len(data)))))
	return string(data), nil
}

// setSystemPrompt gives a context its own system prompt.
func (s *session) setSystemPrompt(_ context.Context, name, text string) error {
	text, err := s.promptText(text)
	if err != nil {
		return err
	}
	c, err := s.Store.Context(name)
	if err != nil {
		return app.UsageError{Err: err}
	}
	if err := c.SetSystemPrompt(text); err != nil {
		return err
	}
	s.detail("system prompt set for context %q", name)
	return s.done("set_system_prompt", fields{"context": name}, fmt.Sprintf("System prompt of context '%s' set", name))
}

func (s *session) setOtherSystemPrompt(ctx context.Context) error {
	name, err := app.Resolve(ctx, s.Store, s.opts.systemPromptOther[0])
	if err != nil {
		return app.UsageError{Err: err}
	}
	return s.setSystemPrompt(ctx, name, s.opts.systemPromptOther[1])
}
