package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/term/editor"
)

// rememberedPrompts is how many earlier prompts of a context the arrow keys
// bring back.
const rememberedPrompts = 200

// chat is a conversation with a person at a terminal.
type chat struct {
	*session
	editor *editor.Editor
}

// chat asks the person on the terminal for prompts until they end it with
// Ctrl-D. Ctrl-C during an answer ends the answer only; a prompt that fails does
// not end the conversation either.
func (s *session) chat(ctx context.Context) error {
	history, err := s.earlierPrompts(ctx)
	if err != nil {
		return err
	}
	c := &chat{s, &editor.Editor{In: s.stdin, Out: s.screen.Terminal(s.stdin), History: history}}
	c.editor.Complete = c.complete
	s.out.Line(command.Fill("Enter sends, Alt-Enter or a backslash before it begins a new line, /help lists the "+
		"commands, Ctrl-D ends. Context: "+s.Name(), command.HelpWidth(s.screen), 0, 0))
	for {
		s.screen.AtPrompt()
		text, err := c.editor.Read(ctx, "> ")
		switch {
		case errors.Is(err, io.EOF):
			fmt.Fprintln(s.screen.Stderr())
			return nil
		case errors.Is(err, editor.ErrInterrupted):
			fmt.Fprintln(s.screen.Stderr())
			return context.Canceled
		case err != nil:
			return err
		}
		if err := c.take(ctx, text); ctx.Err() != nil {
			return err
		} else if errors.Is(err, errChatEnds) {
			return nil
		} else if errors.Is(err, context.Canceled) {
			c.editor.Forget()
			s.out.Notef("%s", interruption(text))
		} else if err != nil {
			s.out.Errorf("%v", err)
		}
	}
}

// take takes what the person typed: a command, or a prompt. Ctrl-C interrupts
// either without ending the program.
func (c *chat) take(ctx context.Context, text string) error {
	if c.turn != nil {
		turn, done := c.turn(ctx)
		defer done()
		ctx = turn
	}
	if name, word, ok := commandLine(text); ok {
		return c.do(ctx, name, word)
	}
	return c.Ask(ctx, unescaped(text))
}

// interruption says what Ctrl-C has ended: an answer, of which what has arrived is
// kept, or a command that has changed nothing.
func interruption(text string) string {
	if name, _, ok := commandLine(text); ok && name != answerAgain {
		return "interrupted"
	}
	return "interrupted; what has arrived is kept"
}

// earlierPrompts are the last prompts of this context.
func (s *session) earlierPrompts(ctx context.Context) (prompts []string, err error) {
	err = s.Context.History(ctx, contexts.Query{Last: rememberedPrompts, Keep: isPrompt},
		func(e contexts.Entry) bool {
			prompts = append(prompts, e.PromptText())
			return true
		})
	return prompts, err
}

// isPrompt reports whether it is known of an entry what a person typed.
func isPrompt(e contexts.Entry) bool {
	return e.Type == contexts.TypeMessage && e.Role() == "user" &&
		(e.Metadata == nil || e.Metadata.Prompt != nil || e.Metadata.Delivered == nil)
}
