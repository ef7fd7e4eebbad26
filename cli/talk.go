package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// talk does what the flags say, and asks the model if there is a prompt.
func (p *program) talk(ctx context.Context, words []string) (err error) {
	if p.opts.version {
		_, err := fmt.Fprintln(p.screen.Stdout(), "chibi", version())
		return err
	}
	prompt := ""
	if p.wantsPrompt() {
		if prompt, err = p.readPrompt(ctx, words); err != nil {
			return err
		}
		if err := p.checkPrompt(prompt); err != nil {
			return err
		}
	}
	s, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	s.sayLeftOut()
	if p.wantsPrompt() {
		if err := s.connect(); err != nil {
			return err
		}
	}
	if err := s.agent.Start(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.agent.End(ctx)) }()
	if err := s.enter(ctx); err != nil {
		return err
	}
	return p.act(ctx, s, prompt)
}

// act does the one thing that the run is for.
func (p *program) act(ctx context.Context, s *session, prompt string) error {
	switch {
	case p.opts.list:
		return p.listContexts(s)
	case p.opts.current:
		return p.showContext(s)
	case p.opts.plugin != "" || p.opts.tool != "":
		return p.direct(ctx, s)
	case prompt == "":
		return nil
	}
	return s.ask(ctx, prompt)
}

// wantsPrompt says whether this run asks the model.
func (p *program) wantsPrompt() bool {
	o := p.opts
	return !o.list && !o.current && o.plugin == "" && o.tool == ""
}

// checkPrompt refuses an empty prompt, unless a switch was all that was wanted.
func (p *program) checkPrompt(prompt string) error {
	if strings.TrimSpace(prompt) != "" || p.opts.switchTo != "" {
		return nil
	}
	return usage("there is no prompt; write it after the flags, or pipe it in; see chibi --help")
}
