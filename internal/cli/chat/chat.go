// Package chat has the conversation with a person at a terminal: prompts, commands, and
// the output while the model answers.
package chat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/cli/operation"
	"github.com/chibi-host/chibi/internal/cli/output"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/term/editor"
)

// grace is how long after an answer Ctrl-C may still be meant for it.
const grace = time.Second

// rememberedPrompts is how many earlier prompts of a context the arrow keys can recall.
const rememberedPrompts = 200

// BeginFunc begins an answer that Ctrl-C ends without ending the program.
type BeginFunc func(context.Context) (turn context.Context, done func())

// Person is who types the prompts, at a terminal.
type Person struct {
	Stdin *os.File
	Begin BeginFunc
}

type conversation struct {
	*operation.Run
	Person
	editor *editor.Editor
}

// Hold reads prompts from the terminal until the person ends the conversation with
// Ctrl-D or with Ctrl-C twice on an empty line. Ctrl-C during an answer ends only the answer,
// and a prompt that fails does not end the conversation. When the person switches to another context, the run uses the
// session of that context from then on.
func Hold(ctx context.Context, run *operation.Run, p Person) error {
	history, err := earlierPrompts(ctx, run)
	if err != nil {
		return err
	}
	out := run.Out
	c := &conversation{run, p, &editor.Editor{In: p.Stdin, Out: out.Screen.Terminal(p.Stdin), History: history}}
	release, err := c.editor.Hold(ctx)
	if err != nil {
		return err
	}
	defer release()
	defer out.Screen.MarkPastes(ctx, c.editor.Out)()
	c.editor.Complete = func(line string) []string { return complete(ctx, c, line) }
	out.Line(term.Fill("Enter sends, Alt-Enter or a backslash before it begins a new line, /help lists the "+
		"commands, Ctrl-D ends. Context: "+run.Session.Name(), output.HelpWidth(out.Screen), 0, 0))
	for {
		out.Screen.AtPrompt()
		text, err := c.editor.Read(ctx, "> ")
		switch {
		case errors.Is(err, io.EOF):
			fmt.Fprintln(out.Screen.Stderr())
			return nil
		case errors.Is(err, editor.ErrInterrupted):
			fmt.Fprintln(out.Screen.Stderr())
			return context.Canceled
		case err != nil:
			return err
		}
		err = c.take(ctx, text)
		c.editor.Grace = grace
		switch {
		case ctx.Err() != nil:
			return err
		case errors.Is(err, errEnd):
			return nil
		case errors.Is(err, context.Canceled):
			c.editor.Forget()
			out.Notef("%s", interruption(text))
		case err != nil:
			out.Errorf("%v", err)
		}
	}
}

// take runs what the person typed: a command or a prompt. Ctrl-C interrupts it without
// ending the program.
func (c *conversation) take(ctx context.Context, text string) error {
	turn, done := c.Begin(ctx)
	defer done()
	if name, word, ok := commandLine(text); ok {
		return runCommand(turn, c, name, word)
	}
	return c.Session.Ask(turn, unescape(text))
}

// interruption returns the message for a command or an answer that Ctrl-C has ended.
func interruption(text string) string {
	if name, _, ok := commandLine(text); ok && name != retryName {
		return "interrupted"
	}
	return "interrupted; chibi keeps the part that has arrived"
}

func earlierPrompts(ctx context.Context, run *operation.Run) (prompts []string, err error) {
	err = run.Session.Context.History(ctx, contexts.Query{Last: rememberedPrompts, Keep: isPrompt},
		func(e contexts.Entry) bool {
			prompts = append(prompts, e.PromptText())
			return true
		})
	return prompts, err
}

// isPrompt reports whether an entry is a prompt of which it is known what the person
// typed.
func isPrompt(e contexts.Entry) bool {
	return e.Type == contexts.TypeMessage && e.Role() == "user" &&
		(e.Metadata == nil || e.Metadata.Prompt != nil || e.Metadata.Delivered == nil)
}
