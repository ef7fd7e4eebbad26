package operation

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/cli/output"
	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/dustin/go-humanize"
)

// Settings are the flags that change configuration values.
type Settings struct {
	Set  []string // KEY=VALUE
	Save bool

	username, runUsername []string
}

// Rows are the flags, which store their values in f.
func (f *Settings) Rows() []Row {
	return []Row{
		{&cmdline.Flag{Name: "set-username", Letters: "u", Takes: cmdline.Word("NAME", cmdline.Text),
			About:   "the name by which the model calls you in this context, from now on",
			Members: []string{"username_override.persistent"}, Into: cmdline.List(&f.username)},
			Operation{Role: Settles, Phase: PhaseSettings, Run: saveUsername}},
		{Flag: &cmdline.Flag{Name: "transient-username", Letters: "U", Aliases: []string{"ephemeral-username"},
			Takes: cmdline.Word("NAME", cmdline.Text), About: "the same for this run only",
			Members: []string{"username_override.transient", "username_override.ephemeral"},
			Into:    cmdline.List(&f.runUsername)}},
		{Flag: &cmdline.Flag{Name: "set", Letters: "s", Takes: cmdline.Word("KEY=VALUE", cmdline.Setting), Repeats: true,
			About:  "set a configuration value for this run, e.g. --set api.temperature=0.2",
			Beside: true, Into: cmdline.List(&f.Set)}},
		{&cmdline.Flag{Name: "save", About: "save the values of --set in this context's local.toml",
			Into: cmdline.Switch(&f.Save)},
			Operation{Role: Joins, Phase: PhaseSettings, Run: func(ctx context.Context, run Run, _ cmdline.Given) error {
				return saveLocal(ctx, run.Session, f.Set)
			}}},
	}
}

// Overrides are the settings of this run: --set, and -U or -u, which also applies to
// later runs.
func (f *Settings) Overrides() []string {
	pairs := f.Set
	for _, name := range [][]string{f.username, f.runUsername} {
		if name != nil {
			pairs = append(pairs[:len(pairs):len(pairs)], "username="+config.Quote(name[0]))
		}
	}
	return pairs
}

func saveUsername(ctx context.Context, run Run, given cmdline.Given) error {
	return saveLocal(ctx, run.Session, []string{"username=" + config.Quote(given.Values[0])})
}

// saveLocal changes keys in the local.toml of the session's context, keeps the rest,
// including comments, and reloads the configuration.
func saveLocal(ctx context.Context, s *app.Session, pairs []string) error {
	return app.ChangeLocalConfig(ctx, s, func(name string, text []byte) (_ []byte, err error) {
		for _, pair := range pairs {
			key, value, _ := strings.Cut(pair, "=")
			if text, err = config.Edit(name, text, strings.TrimSpace(key), value); err != nil {
				return nil, err
			}
		}
		return text, nil
	})
}

// Permissions are the flags about what tools may do in a run.
type Permissions struct{ app.PermissionOptions }

// Rows are the flags, which store their values in f.
func (f *Permissions) Rows() []Row {
	return []Row{
		{Flag: &cmdline.Flag{Name: "coding",
			About:  "offer the tools that read, write and search files, run commands and fetch URLs",
			Beside: true, Into: cmdline.Switch(&f.Coding)}},
		{Flag: &cmdline.Flag{Name: "allow", Takes: cmdline.Word("RULE", cmdline.Text), Repeats: true,
			About:  `allow calls that RULE matches without a question, e.g. --allow 'shell_exec(go test*)'`,
			Beside: true, Into: cmdline.List(&f.Allow)}},
		{Flag: &cmdline.Flag{Name: "deny", Takes: cmdline.Word("RULE", cmdline.Text), Repeats: true,
			About: "deny calls that RULE matches, whatever allows them", Beside: true, Into: cmdline.List(&f.Deny)}},
		{Flag: &cmdline.Flag{Name: "accept-edits", About: "do not ask before writing files of the project",
			Beside: true, Into: cmdline.Switch(&f.AcceptEdits)}},
		{Flag: &cmdline.Flag{Name: "trust-tools",
			About:  "answer each question with yes, except the questions of plugins; rules and plugins can still deny",
			Beside: true, Into: cmdline.Switch(&f.TrustTools)}},
		{Flag: &cmdline.Flag{Name: "no-tool-calls", About: "offer the model no tools",
			Members: []string{"flags.no_tool_calls"}, Beside: true, Into: cmdline.Switch(&f.NoToolCalls)}},
	}
}

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
			About:   "the same as -y for this run only; chibi does not save it",
			Members: []string{"system_prompt_override.transient", "system_prompt_override.ephemeral"},
			Into:    cmdline.List(forRun)}},
	}
}

// PromptText returns the system prompt that a person names: a text, or the content of
// the file that the text names. A notice says when it is a file's.
func PromptText(out *output.Printer, text string) (string, error) {
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
	text, err := PromptText(run.Out, text)
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
	run.Out.Detail(fmt.Sprintf("system prompt set for context %q", name))
	return run.Out.Done("set_system_prompt", output.Fields{"context": name},
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
