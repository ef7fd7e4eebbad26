package app

import (
	"context"
	"errors"

	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/chibi-host/chibi/tools/mcp"
)

// filler returns what asks the person at the terminal for MCP servers; nil: nobody can be asked.
func filler(s *Session) func(context.Context, mcp.Question) (mcp.Answer, error) {
	t, ok := terminalOf(s)
	fill := s.opts.Permissions.Fill
	if fill == nil || !ok {
		return nil
	}
	return func(ctx context.Context, q mcp.Question) (mcp.Answer, error) {
		tty, err := t.lender.Borrow(ctx, t.beside)
		if errors.Is(err, process.ErrNoTerminal) {
			return mcp.Answer{Action: mcp.Decline}, nil
		}
		if err != nil {
			return mcp.Answer{}, err
		}
		defer tty.Return()
		return fill(ctx, tty.File, tty.Flush, q)
	}
}

// terminal asks the person at the terminal, which it takes from plugins for that time.
type terminal struct {
	lender *process.Lender
	beside process.Company
	ask    Asking
}

// asker returns who asks the person; nil: nobody can be asked.
func asker(s *Session) permissions.Person {
	t, ok := terminalOf(s)
	if t.ask == nil || !ok {
		return nil
	}
	return t
}

// terminalOf returns the session's terminal; false: there is none.
func terminalOf(s *Session) (t terminal, ok bool) {
	t = terminal{lender: terminalLender(s), ask: s.opts.Permissions.Ask}
	if s.opts.Plugins.IsPiped {
		t.beside = process.WithReader
	}
	return t, t.lender.HasTerminal()
}

// Ask asks one question once no process has the terminal.
func (t terminal) Ask(ctx context.Context, q permissions.Question) (permissions.Answer, error) {
	tty, err := t.lender.Borrow(ctx, t.beside)
	if errors.Is(err, process.ErrNoTerminal) {
		return permissions.Answer{}, permissions.ErrNobody
	}
	if err != nil {
		return permissions.Answer{}, err
	}
	defer tty.Return()
	return t.ask(ctx, tty.File, tty.Flush, q)
}

// terminalLender lends the terminal to plugins and to chibi's own questions: there is one.
func terminalLender(s *Session) *process.Lender {
	s.lending.Lock()
	defer s.lending.Unlock()
	if s.lender == nil {
		lend := s.opts.Plugins.Lend
		if lend == nil {
			lend = func() func() { return func() {} }
		}
		s.lender = process.NewLender(ms(s.Config.Plugins.AskTimeoutMS), lend)
	}
	return s.lender
}
