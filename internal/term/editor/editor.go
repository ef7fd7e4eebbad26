// Package editor reads prompts from a person at a terminal, with history and multi-line
// input.
//
// It promises that Read restores the terminal's modes, that a pasted text is one prompt
// whatever it contains, and that it writes only to the given terminal. It edits one line
// at a time and treats every character as one column wide.
package editor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/term/typing"
	tty "golang.org/x/term"
)

// ErrInterrupted means that the person pressed Ctrl-C twice on an empty line.
var ErrInterrupted = errors.New("interrupted at the prompt")

// Editor reads prompts. It is not safe for concurrent use.
type Editor struct {
	// In is the terminal for input, Out that for output; they may be the same file.
	In, Out *os.File
	// History are earlier prompts, the oldest first. Read adds to it.
	History []string
	// Complete lists the completions of the first line of a prompt, when the person
	// presses Tab at its end; nil: no completion.
	Complete func(line string) []string
	// Grace is how long after the begin of Read Ctrl-C only clears the line: it may be meant
	// for what ended just before.
	Grace time.Duration

	typed typed // what was typed after the last prompt
}

// lineBreak represents a line break when a prompt is shown on one line.
const lineBreak = "⏎"

// Read reads one prompt that is not blank. A pasted text of several lines is a part of it if the
// terminal marks it. Enter ends it, except after a backslash, which
// continues it on the next line. Ctrl-C clears what is typed. label is shown before the first
// line. Errors are io.EOF for Ctrl-D on an empty line, ErrInterrupted, the error of ctx, and errors
// of the terminal.
func (e *Editor) Read(ctx context.Context, label string) (string, error) {
	restore, err := e.raw()
	if err != nil {
		return "", err
	}
	defer restore()
	in, err := typing.NewReader(ctx, e.In)
	if err != nil {
		return "", err
	}
	defer in.Close()
	keys := &keyboard{typed: &e.typed, in: in, ctx: ctx.Err}
	defer keys.used()
	for begun, warned := time.Now(), false; ; {
		text, err := e.lines(keys, label)
		switch isEmpty := text == ""; {
		case errors.Is(err, errCleared) && isEmpty && warned:
			return "", ErrInterrupted
		case errors.Is(err, errCleared):
			warned = isEmpty && time.Since(begun) >= e.Grace
			e.cleared(isEmpty)
		case err != nil:
			return "", keys.why(err)
		case strings.TrimSpace(text) != "":
			text = keys.expand(text)
			e.History = append(e.History, text)
			return text, nil
		}
	}
}

// cleared begins a new line after Ctrl-C, and says how to end if nothing was typed.
func (e *Editor) cleared(isEmpty bool) {
	text := "^C\r\n"
	if isEmpty {
		text += "To end, press Ctrl-D, or Ctrl-C twice.\r\n"
	}
	io.WriteString(e.Out, text)
}

// Hold keeps what is typed outside of Read for the next Read, and off the screen, until the
// returned function is called or ctx ends.
func (e *Editor) Hold(ctx context.Context) (release func(), err error) {
	restore, err := typing.Quiet(e.In)
	if err != nil {
		return nil, err
	}
	// At the end of ctx at once: the next Ctrl-C ends the program. Then once more, as Read may
	// have been under way.
	stop := context.AfterFunc(ctx, restore)
	return func() { stop(); restore() }, nil
}

// Forget discards what was typed after the last prompt.
func (e *Editor) Forget() { e.typed = typed{} }

// lines reads lines up to one that does not go on. What was typed before errCleared is
// returned too.
func (e *Editor) lines(keys *keyboard, label string) (string, error) {
	screen := e.screen(keys, label)
	var b strings.Builder
	isFirst := true
	screen.AutoCompleteCallback = func(line string, pos int, key rune) (string, int, bool) {
		switch {
		case key == clears:
			b.WriteString(line)
			keys.cleared = true
			return line, len(line), true
		case key == '\t' && isFirst && pos == len(line):
			return e.completion(screen, line)
		}
		return "", 0, false
	}
	for {
		line, err := screen.ReadLine()
		if err != nil {
			return b.String(), err
		}
		line = strings.ReplaceAll(line, lineBreak, "\n")
		before, more := strings.CutSuffix(line, `\`)
		b.WriteString(before)
		if !more {
			return b.String(), nil
		}
		b.WriteByte('\n')
		isFirst = false
		screen.SetPrompt(strings.Repeat(".", max(1, len(label)-1)) + " ")
	}
}

func (e *Editor) screen(keys *keyboard, label string) *tty.Terminal {
	screen := tty.NewTerminal(struct {
		io.Reader
		io.Writer
	}{keys, e.Out}, label)
	screen.History = (*history)(e)
	if width, height, err := tty.GetSize(int(e.Out.Fd())); err == nil && width > 0 {
		screen.SetSize(width, height)
	}
	return screen
}

func (e *Editor) raw() (restore func(), err error) {
	state, err := tty.MakeRaw(int(e.In.Fd()))
	if err != nil {
		return nil, fmt.Errorf("preparing the terminal: %w", err)
	}
	return func() { tty.Restore(int(e.In.Fd()), state) }, nil
}

// history adapts an editor's history to the terminal, with one line for each prompt. Read
// adds whole prompts to it, not single lines.
type history Editor

// Add ignores single lines.
func (h *history) Add(string) {}

func (h *history) Len() int { return len(h.History) }

func (h *history) At(i int) string {
	return strings.ReplaceAll(term.Plain(h.History[len(h.History)-1-i]), "\n", lineBreak)
}

func (e *Editor) completion(screen *tty.Terminal, line string) (string, int, bool) {
	if e.Complete == nil {
		return "", 0, false
	}
	list := e.Complete(line)
	if len(list) == 0 {
		return "", 0, false
	}
	next := common(list)
	if next == line && len(list) > 1 {
		var shown []string
		for _, text := range list {
			shown = append(shown, term.Line(text))
		}
		screen.Write([]byte(strings.Join(shown, "  ") + "\n"))
	}
	return next, len(next), true
}

// common returns the longest common prefix, in whole characters.
func common(list []string) string {
	begin := list[0]
	for _, text := range list[1:] {
		for !strings.HasPrefix(text, begin) {
			begin = strings.ToValidUTF8(begin[:len(begin)-1], "")
		}
	}
	return begin
}

type keyboard struct {
	*typed
	in      *typing.Reader
	ctx     func() error
	cleared bool // Ctrl-C was pressed; the next read says so
}

// escapeTime is how long after Escape a key is a part of the same key: Alt and a letter are
// Escape and the letter at once.
const escapeTime = 100 * time.Millisecond

// errCleared ends a line at Ctrl-C.
var errCleared = errors.New("the line was cleared")

func (k *keyboard) why(err error) error {
	if k.ctx() != nil {
		return k.ctx()
	}
	return err
}

// Read reads keys, at most to the end of a line: text that was typed after it is for the next
// prompt.
func (k *keyboard) Read(p []byte) (int, error) {
	if k.cleared {
		k.cleared = false
		return 0, errCleared
	}
	for len(k.pending) == 0 {
		buf := make([]byte, 4096)
		n, err := k.in.Read(buf)
		if n > 0 {
			k.feed(buf[:n])
			if k.isEscape() && !k.in.More(escapeTime) {
				k.endKey()
			}
			continue
		}
		if err == nil {
			err = io.EOF
		}
		return 0, err
	}
	line := k.pending
	if end := bytes.IndexAny(line, "\r\n"+string(clears)); end >= 0 {
		line = line[:end+1]
	}
	n := copy(p, line)
	k.pending = k.pending[n:]
	return n, nil
}
