package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/dustin/go-humanize"
)

// systemPromptOperations set system prompts.
func systemPromptOperations(o *options) []row {
	text := cmdline.Value{Word: "TEXT", Kind: cmdline.File, Member: "prompt"}
	setCommand := &cmdline.Command{Names: []string{"set_system_prompt"}, Data: "`context`"}
	return []row{
		{&cmdline.Flag{Name: "set-current-system-prompt", Letters: "y", Takes: []cmdline.Value{text},
			About:   "a text, or a file that holds it",
			Command: setCommand, Members: []string{"system_prompt_override.persistent"}},
			operation{role: joins, phase: phaseSystemPrompt, run: onCurrent(setSystemPrompt)}},
		{&cmdline.Flag{Name: "set-system-prompt", Letters: "Y", Command: setCommand,
			Takes: []cmdline.Value{{Word: "NAME", Kind: cmdline.Context, Member: "context"}, text}},
			operation{role: shows, phase: phaseSystemPrompt, run: setOtherSystemPrompt}},
		{Flag: &cmdline.Flag{Name: "transient-system-prompt", Letters: "e",
			Aliases: []string{"ephemeral-system-prompt", "set-prompt"},
			Takes:   []cmdline.Value{{Word: "TEXT", Kind: cmdline.File}},
			About:   "the same as -y for this run only; nothing of it is kept",
			Members: []string{"system_prompt_override.transient", "system_prompt_override.ephemeral"},
			Into:    cmdline.List(&o.runSystemPrompt)}},
	}
}

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
func setSystemPrompt(_ context.Context, s *session, name, text string) error {
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

// setOtherSystemPrompt does so with a context that need not exist.
func setOtherSystemPrompt(ctx context.Context, s *session, given cmdline.Given) error {
	name, err := app.Resolve(ctx, s.Store, given.Values[0])
	if err != nil {
		return app.UsageError{Err: err}
	}
	return setSystemPrompt(ctx, s, name, given.Values[1])
}
