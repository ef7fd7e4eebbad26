package cli

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/chibi-host/chibi/internal/app"
	tty "golang.org/x/term"
)

// main does what the flags say.
func (p *program) main(ctx context.Context, words []string) error {
	o := &p.opts
	p.screen.json = o.jsonOutput || o.jsonConfig
	if o.jsonConfig && !o.help && !o.version && !o.jsonSchema {
		if err := p.readInput(ctx); err != nil {
			return err
		}
		words, p.screen.json = nil, o.jsonOutput
	}
	switch {
	case o.help:
		return p.help()
	case o.version:
		return p.answer("show_version", fields{"version": version()}, "chibi "+version())
	case o.jsonSchema:
		return p.printInputSchema()
	}
	p.screen.quiet = o.quiet
	return p.talk(ctx, words)
}

// talk carries out the operations that the flags name, and asks the model if
// there is a prompt.
func (p *program) talk(ctx context.Context, words []string) (err error) {
	if err := p.checkCombination(words); err != nil {
		return err
	}
	prompt, chat := "", false
	if p.wantsPrompt(words) {
		if chat = len(words) == 0 && p.opts.prompt == nil && p.opts.recipe == nil && isTerminal(p.stdin); !chat {
			if prompt, err = p.readPrompt(ctx, words); err != nil {
				return err
			}
		}
		if !chat && strings.TrimSpace(prompt) == "" && p.opts.recipe == nil && !p.opts.acts() {
			return usage("there is no prompt; write it after the flags, or pipe it in; see chibi --help")
		}
	}
	asks := chat || prompt != "" || p.opts.recipe != nil || p.opts.needsModel()
	request := p.request()
	if !asks && p.opts.compactOther == nil && p.opts.plugin == nil && p.opts.tool == nil {
		request.Purpose = app.ToManage
	}
	s, err := p.open(ctx, request)
	if err != nil {
		return err
	}
	defer func() { s.Close() }() // it may have moved to another context
	app.ReportSkipped(s.Session)
	if asks {
		if err := s.Connect(); err != nil {
			return err
		}
	}
	err = s.Start(ctx)
	defer func() {
		err = errors.Join(err, s.End(ctx, err))
		app.Cleanup(ctx, s.Session)
	}()
	if err != nil {
		return err
	}
	if err := s.Enter(ctx); err != nil {
		return err
	}
	if err := s.operate(ctx); err != nil {
		return err
	}
	if prompt, err = s.recipePrompt(ctx, prompt); err != nil {
		return err
	}
	switch {
	case chat:
		return s.chat(ctx)
	case prompt != "":
		return s.Ask(ctx, prompt)
	}
	return nil
}

// wantsPrompt reports whether this run asks the model. Without words, standard
// input is read only if nothing else was to be done.
func (p *program) wantsPrompt(words []string) bool {
	o := &p.opts
	if o.noModel && !o.forceModel {
		return false
	}
	if o.shows() != "" && !o.forceModel {
		return false
	}
	return len(words) > 0 || o.prompt != nil || o.recipe != nil || !o.operates() || o.forceModel && !isTerminal(p.stdin)
}

// shows names the first flag that shows something or is about another context:
// such a run asks the model only with -X. "" if there is none.
func (o *options) shows() string {
	for _, f := range []struct {
		name  string
		given bool
	}{
		{"-l", o.current}, {"-L", o.list}, {"-d", o.destroy}, {"-D", o.destroyOther != nil}, {"-A", o.archiveOther != nil},
		{"-Z", o.compactOther != nil}, {"-R", o.renameOther != nil}, {"-g", o.log != nil}, {"-G", o.logOther != nil},
		{"-n", o.inspect != nil}, {"-N", o.inspectOther != nil}, {"-Y", o.systemPromptOther != nil},
		{"-p", o.plugin != nil}, {"-P", o.tool != nil}, {"no_op", o.nothing},
	} {
		if f.given {
			return f.name
		}
	}
	return ""
}

// operates reports whether there is anything to do besides asking.
func (o *options) operates() bool {
	return o.shows() != "" || o.archive || o.compact || o.mail || o.mailOther != nil || o.rename != nil ||
		o.clearCache || o.clearCacheFor != nil || o.cleanupCache || o.systemPrompt != nil || o.save ||
		o.destroySettings() != nil
}

// acts reports whether a run without a prompt still does something.
func (o *options) acts() bool { return o.operates() || o.switchTo != nil || o.username != nil }

// needsModel reports whether an operation asks the model.
func (o *options) needsModel() bool {
	return o.compact || o.mail || o.mailOther != nil
}

// checkCombination refuses flags that cannot be meant together, before anything
// is done.
func (p *program) checkCombination(words []string) error {
	o := &p.opts
	hasPrompt := len(words) > 0 || o.prompt != nil || o.recipe != nil
	switch {
	case hasPrompt && !o.forceModel && o.noModel:
		return usage("-x asks no model, but there is a prompt; leave one of them out")
	case hasPrompt && !o.forceModel && o.shows() != "":
		return usage("%s does not ask the model, but there is a prompt; add -X to do both, or leave the prompt out",
			o.shows())
	case hasPrompt && o.destroy:
		return usage("-d destroys the context that the prompt would be asked in; leave one of them out")
	case o.runSystemPrompt != nil && !p.wantsPrompt(words) && !o.mail && o.mailOther == nil:
		return usage("-e is a system prompt for this run alone, which asks no model; -y sets one that stays")
	case o.args != nil && o.recipe == nil:
		return usage("--arg gives a recipe its arguments; name one with --recipe")
	case o.save && o.set == nil:
		return usage("--save keeps what --set says; there is no --set")
	case o.noModel && !o.forceModel && !o.acts():
		return usage("there is nothing to do; see chibi --help")
	}
	_, err := o.debugKeys()
	return err
}

func isTerminal(f *os.File) bool { return tty.IsTerminal(int(f.Fd())) }
