package operation

import (
	"context"
	"fmt"
	"os"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/dustin/go-humanize"
)

// SystemPromptRows are the flags that set system prompts; forRun receives the one for
// this run only.
func SystemPromptRows(forRun *[]string) []Row {
	text := cmdline.Value{Word: "TEXT", Kind: cmdline.File, Member: "prompt"}
	setCommand := &cmdline.Command{Names: []string{"set_system_prompt"}, Data: "`context`"}
	return []Row{
		{&cmdline.Flag{Name: "set-current-system-prompt", Letters: "y", Takes: []cmdline.Value{text},
			About:   "set the system prompt: a text, or the path of a file that contains it",
			Command: setCommand, Members: []string{"system_prompt_override.persistent"}},
			Operation{Role: Joins, Phase: PhaseSystemPrompt, Run: onCurrent(setSystemPrompt)}},
		{&cmdline.Flag{Name: "set-system-prompt", Letters: "Y", Command: setCommand,
			Takes: []cmdline.Value{{Word: "NAME", Kind: cmdline.Context, Member: "context"}, text}},
			Operation{Role: Shows, Phase: PhaseSystemPrompt, Run: setOtherSystemPrompt}},
		{Flag: &cmdline.Flag{Name: "transient-system-prompt", Letters: "e",
			Aliases: []string{"ephemeral-system-prompt", "set-prompt"},
			Takes:   []cmdline.Value{{Word: "TEXT", Kind: cmdline.File}},
			About:   "the same as -y for this run only; it is not saved",
			Members: []string{"system_prompt_override.transient", "system_prompt_override.ephemeral"},
			Into:    cmdline.List(forRun)}},
	}
}

// PromptText returns the system prompt that a person names: a text, or the content of
// the file that the text names. A notice says when it is a file's.
func PromptText(out *command.Printer, text string) (string, error) {
	info, err := os.Stat(text)
	if err != nil || !info.Mode().IsRegular() {
		return text, nil
	}
	data, err := disk.ReadFile(disk.OS{}, text, contexts.MaxText)
	if err != nil {
		return "", fmt.Errorf("reading the system prompt: %w", err)
	}
	out.Notice(fmt.Sprintf("the system prompt was read from the file %q (%s)", text, humanize.Bytes(uint64(len(data)))))
	return string(data), nil
}

func setSystemPrompt(_ context.Context, run Run, name, text string) error {
	text, err := PromptText(run.Env.Out, text)
	if err != nil {
		return err
	}
	c, err := run.Session.Store.Context(name)
	if err != nil {
		return app.UsageError{Err: err}
	}
	if err := c.SetSystemPrompt(text); err != nil {
		return err
	}
	run.Env.Out.Detail(fmt.Sprintf("system prompt set for context %q", name))
	return run.Env.Out.Done("set_system_prompt", command.Fields{"context": name},
		fmt.Sprintf("System prompt of context '%s' set", name))
}

// setOtherSystemPrompt gives a system prompt to the context that the first word
// names. It need not exist.
func setOtherSystemPrompt(ctx context.Context, run Run, given cmdline.Given) error {
	name, err := app.Resolve(ctx, run.Session.Store, given.Values[0])
	if err != nil {
		return app.UsageError{Err: err}
	}
	return setSystemPrompt(ctx, run, name, given.Values[1])
}
