package cli

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/chat"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/cli/operation"
	"github.com/chibi-host/chibi/internal/cli/output"
	"github.com/chibi-host/chibi/internal/term/screen"
)

func runFlags(ctx context.Context, p *program, words []string) error {
	o, out := &p.opts, p.env.Out
	out.Messages = o.jsonOutput || o.jsonConfig
	if o.jsonConfig && !o.help && !o.version && !o.jsonSchema {
		if err := readInput(ctx, p); err != nil {
			return err
		}
		words = nil
		o.applyTo(out)
		out.Messages = o.jsonOutput
	}
	switch {
	case o.help:
		return printHelp(p)
	case o.version:
		return out.Answer("show_version", output.Fields{"version": version()}, "chibi "+version())
	case o.jsonSchema:
		return out.JSON(inputSchema(flagsOf(p.rows)))
	}
	return runPrompt(ctx, p, words)
}

func runPrompt(ctx context.Context, p *program, words []string) (err error) {
	todo, err := planRun(ctx, p, words)
	if err != nil {
		return err
	}
	opts, err := p.env.Request(todo.purpose)
	if err != nil {
		return err
	}
	opts.Model.Early = todo.asks && !todo.chat && !p.opts.mail.Asked
	s, err := app.Open(ctx, opts)
	if err != nil {
		return err
	}
	run := &operation.Run{Session: s, Out: p.env.Out, Confirm: p.env.Confirm, Within: p.env.Within != nil}
	defer func() { run.Session.Close() }() // it may have moved to another context
	app.ReportSkipped(s)
	if todo.asks {
		if err := s.Connect(); err != nil {
			return err
		}
	}
	err = s.Start(ctx)
	defer func() {
		err = errors.Join(err, run.Session.End(ctx, err))
		app.Cleanup(ctx, run.Session)
	}()
	if err != nil {
		return err
	}
	return todo.carryOut(ctx, p, run)
}

type plan struct {
	purpose app.Purpose
	asks    bool   // it asks the model
	chat    bool   // a person types the prompts
	prompt  string // the prompt if chat is false; "": none, or only the recipe's
}

func planRun(ctx context.Context, p *program, words []string) (todo plan, err error) {
	o, isTyped := &p.opts, screen.IsTerminal(p.env.Stdin)
	if err := checkCombination(o, words, isTyped); err != nil {
		return todo, err
	}
	if err := confirmPrompt(ctx, p, words); err != nil {
		return todo, err
	}
	if wantsPrompt(o, words, isTyped) {
		todo.chat = isTyped && !hasPrompt(o, words)
		if !todo.chat {
			if todo.prompt, err = readPrompt(ctx, p, words); err != nil {
				return todo, err
			}
			if strings.TrimSpace(todo.prompt) == "" && o.recipe == nil && o.asked.AtLeast(operation.Settles) == nil {
				return todo, command.Usage("there is no prompt; write it after the flags, or pipe it in; see chibi --help")
			}
		}
	}
	todo.asks = todo.chat || todo.prompt != "" || o.recipe != nil || o.asked.Need() >= operation.NeedsModel
	todo.purpose = app.ToWork
	if !todo.asks && o.asked.Need() == operation.NeedsNothing {
		todo.purpose = app.ToManage
	}
	return todo, nil
}

func (todo plan) carryOut(ctx context.Context, p *program, run *operation.Run) error {
	if err := run.Session.Enter(ctx); err != nil {
		return err
	}
	if err := p.opts.asked.Run(ctx, *run); err != nil {
		return err
	}
	prompt, err := recipePrompt(ctx, run.Session, p.opts.args, todo.prompt)
	switch {
	case err != nil:
		return err
	case todo.chat:
		return chat.Hold(ctx, run, chat.Person{Stdin: p.env.Stdin, Begin: p.begin})
	case prompt != "":
		return run.Session.Ask(ctx, prompt)
	}
	return nil
}

// wantsPrompt reports whether this run asks the model. Without words, standard input is
// read only if there is nothing else to do; isTyped means that it is a terminal.
func wantsPrompt(o *options, words []string, isTyped bool) bool {
	switch {
	case o.forceModel:
		return hasPrompt(o, words) || o.asked.AtLeast(operation.Joins) == nil || !isTyped
	case o.noModel, o.asked.AtLeast(operation.Shows) != nil:
		return false
	}
	return hasPrompt(o, words) || o.asked.AtLeast(operation.Joins) == nil
}

func hasPrompt(o *options, words []string) bool {
	return len(words) > 0 || o.prompt != nil || o.recipe != nil
}

func checkCombination(o *options, words []string, isTyped bool) error {
	prompt, alone := hasPrompt(o, words), o.asked.AtLeast(operation.Shows)
	removed := o.asked.AtLeast(operation.Removes)
	switch {
	case prompt && !o.forceModel && o.noModel:
		return command.Usage("-x does not ask the model, but there is a prompt; leave one of them out")
	case prompt && !o.forceModel && alone != nil:
		return command.Usage("%s does not ask the model, but there is a prompt; add -X to do both, or leave the prompt out",
			alone.Written())
	case prompt && removed != nil:
		return command.Usage("%s destroys the context of the prompt; leave one of them out",
			removed.Written())
	case o.runSystemPrompt != nil && !wantsPrompt(o, words, isTyped) && o.asked.Need() < operation.NeedsAnswer:
		return command.Usage("-e sets a system prompt for this run only, which does not ask the model; -y sets a lasting one")
	case o.noSave && o.switchTo != nil:
		return command.Usage("--no-save keeps nothing, and -c would switch for good; use -C")
	case o.noSave && o.asked.Keeps() != nil:
		return command.Usage("--no-save keeps nothing, so %s would change nothing; leave one of them out",
			o.asked.Keeps().Written())
	case o.listing.Check() != nil:
		return o.listing.Check()
	case o.noSave && o.asked.Empties() != nil && !wantsPrompt(o, words, isTyped):
		return command.Usage("--no-save keeps nothing, so %s without a prompt would change nothing; leave one of them out",
			o.asked.Empties().Written())
	case o.mail.Loop && !o.mail.Asked:
		return command.Usage("--loop is for --wait-for-mail, which is not given")
	case o.mail.Loop && wantsPrompt(o, words, isTyped):
		return command.Usage("--loop waits for mail until you end the run, and never comes to the prompt; " +
			"leave one of them out")
	case o.args != nil && o.recipe == nil:
		return command.Usage("--arg gives a recipe its arguments; name one with --recipe")
	case o.settings.Save && o.settings.Set == nil:
		return command.Usage("--save saves the values of --set, but there is no --set")
	case o.noModel && !o.forceModel && o.asked.AtLeast(operation.Settles) == nil:
		return command.Usage("there is nothing to do; see chibi --help")
	}
	_, err := o.debug.Keys()
	return err
}

func readPrompt(ctx context.Context, p *program, words []string) (string, error) {
	if p.opts.prompt != nil {
		return *p.opts.prompt, nil
	}
	text := strings.Join(words, " ")
	if (len(words) > 0 || p.opts.recipe != nil) && !isPiped(p.env.Stdin) {
		return text, nil
	}
	piped, err := p.env.Input(ctx, "the prompt")
	if err != nil {
		return "", err
	}
	return join(text, strings.TrimRight(piped, "\n")), nil
}

// isPiped reports whether standard input is a pipe or a file. If there are words, chibi
// does not wait for a terminal or a device.
func isPiped(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && (info.Mode().IsRegular() || info.Mode()&os.ModeNamedPipe != 0)
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}

// readInput reads the whole run from standard input, for --json-config. Of the flags on
// the command line, only those whose rows set Beside are used too.
func readInput(ctx context.Context, p *program) error {
	text, err := p.env.Input(ctx, "the run")
	if err != nil {
		return err
	}
	given := flagsOf(p.rows)
	p.opts = options{sharing: p.opts.sharing}
	p.rows = p.opts.table()
	flags := flagsOf(p.rows)
	cmdline.Copy(given, flags)
	if err := cmdline.ReadInput(flags, []byte(text), func(what string) { p.env.Out.Notef("%s", what) }); err != nil {
		return app.UsageError{Err: err}
	}
	p.opts.asked = operation.AskedOf(p.rows)
	return checkWithin(p.env.Within, &p.opts, p.rows)
}

func inputSchema(flags []*cmdline.Flag) cmdline.Schema {
	return cmdline.InputSchema(flags, map[cmdline.Kind]cmdline.Definition{
		cmdline.Thing:    {Name: "Inspectable", Schema: cmdline.Schema{"type": "string", "enum": operation.Inspectable()}},
		cmdline.DebugKey: {Name: "DebugKey", Schema: operation.DebugSchema()},
	})
}
