// Package editor reads prompts from a person at a terminal, with history and
// several lines.
//
// It promises that the terminal is as it was when Read returns, that a pasted
// text is one prompt whatever it contains and however long it is, and that it
// prints nowhere but on the terminal it is given. It edits one line at a time,
// and counts every character as one column wide.
package editor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/chibi-host/chibi/internal/term"
	tty "golang.org/x/term"
)

// ErrInterrupted says that the person pressed Ctrl-C.
var ErrInterrupted = errors.New("interrupted at the prompt")

// Editor reads prompts. It is not safe for concurrent use.
type Editor struct {
	// In is the terminal, Out is where it is drawn; they may be one file.
	In, Out *os.File
	// History are earlier prompts, the oldest first. Read adds to it.
	History []string
	// Complete lists what the first line of a prompt may become, when the person
	// presses Tab at its end; nil for nothing.
	Complete func(line string) []string

	typed typed // what came behind the last prompt
}

// lineBreak stands for a line break where a prompt is shown on one line.
const lineBreak = "⏎"

// Read reads one prompt, which is not blank. Enter ends it; after a backslash
// it goes on on the next line. label stands before the first line. Errors are
// io.EOF for Ctrl-D on an empty line, ErrInterrupted, the end of ctx, and what
// the terminal reports.
func (e *Editor) Read(ctx context.Context, label string) (string, error) {
	restore, err := e.raw()
	if err != nil {
		return "", err
	}
	defer restore()
	keys, err := newKeyboard(ctx, e.In, &e.typed)
	if err != nil {
		return "", err
	}
	defer keys.close()
	defer keys.used()
	screen := tty.NewTerminal(struct {
		io.Reader
		io.Writer
	}{keys, e.Out}, label)
	screen.History = (*history)(e)
	if width, height, err := tty.GetSize(int(e.Out.Fd())); err == nil && width > 0 {
		screen.SetSize(width, height)
	}
	for {
		text, err := e.lines(screen, label)
		if err != nil {
			return "", keys.why(err)
		}
		if text = keys.expand(text); strings.TrimSpace(text) != "" {
			e.History = append(e.History, text)
			return text, nil
		}
	}
}

// Forget drops what was typed behind the last prompt.
func (e *Editor) Forget() { e.typed = typed{} }

// lines reads lines until one does not end with a backslash.
func (e *Editor) lines(screen *tty.Terminal, label string) (string, error) {
	screen.SetPrompt(label)
	screen.AutoCompleteCallback = e.completion(screen)
	var b strings.Builder
	for {
		line, err := screen.ReadLine()
		if err != nil {
			return "", err
		}
		line = strings.ReplaceAll(line, lineBreak, "\n")
		before, more := strings.CutSuffix(line, `\`)
		b.WriteString(before)
		if !more {
			return b.String(), nil
		}
		b.WriteByte('\n')
		screen.AutoCompleteCallback = nil
		screen.SetPrompt(strings.Repeat(".", max(1, len(label)-1)) + " ")
	}
}

// raw takes the terminal from the line discipline and asks it to mark what is
// pasted.
func (e *Editor) raw() (restore func(), err error) {
	state, err := tty.MakeRaw(int(e.In.Fd()))
	if err != nil {
		return nil, fmt.Errorf("preparing the terminal: %w", err)
	}
	io.WriteString(e.Out, "\x1b[?2004h")
	return func() {
		io.WriteString(e.Out, "\x1b[?2004l")
		tty.Restore(int(e.In.Fd()), state)
	}, nil
}

// history shows an editor's history to the terminal, on one line each. What is
// sent is added by Read, not line by line.
type history Editor

// Add ignores single lines.
func (h *history) Add(string) {}

// Len counts the prompts.
func (h *history) Len() int { return len(h.History) }

// At is the prompt before the last i, as it can be shown.
func (h *history) At(i int) string {
	return strings.ReplaceAll(term.Plain(h.History[len(h.History)-1-i]), "\n", lineBreak)
}
