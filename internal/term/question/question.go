// Package question asks a person at a terminal whether a tool call may happen, and asks the
// questions of MCP servers during a call.
//
// It promises that the person sees what would happen, with every character that could hide
// something shown as an escape and each row of foreign text marked; that text typed before the
// question is not an answer; and that only a clear yes allows. An empty line means no.
package question

import (
	"context"
	"errors"
	"io"
	"os"
	"sort"
	"strings"
	"unicode"

	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/term/typing"
	"github.com/chibi-host/chibi/permissions"
)

// Terminal is where a question is asked.
type Terminal struct {
	// File is the terminal, which edits lines.
	File *os.File
	// Flush discards what was typed and not read.
	Flush func()
	// Columns and Rows are its size; below 1: unknown.
	Columns, Rows int
	// Colours says that it shows colours.
	Colours bool
	// Config is the name of the file to which an answer for always adds a rule.
	Config string
}

// Ask asks about one call and waits for the answer without a time limit. If ctx ends it
// leaves the cursor on a new line. Errors are the end of ctx, and [permissions.ErrNobody]
// if the terminal is gone.
func Ask(ctx context.Context, t Terminal, q permissions.Question) (permissions.Answer, error) {
	var answer permissions.Answer
	err := hold(ctx, t, func(d *dialog) (err error) {
		d.q = q
		answer, err = d.ask()
		return err
	})
	if err != nil {
		return permissions.Answer{}, err
	}
	return answer, nil
}

// hold holds a dialog at a terminal. It is not an error if the person ends it, as with Ctrl-D.
func hold(ctx context.Context, t Terminal, talk func(*dialog) error) error {
	in, err := typing.NewReader(ctx, t.File)
	if err != nil {
		return err
	}
	defer in.Close()
	err = talk(&dialog{Terminal: t, page: page{columns: t.Columns, colours: t.Colours}, in: in})
	switch {
	case ctx.Err() != nil:
		io.WriteString(t.File, "\n")
		return ctx.Err()
	case err != nil && !errors.Is(err, io.EOF):
		return permissions.ErrNobody
	}
	return nil
}

type dialog struct {
	Terminal
	page
	q    permissions.Question
	most int // how many rows of each foreign text are shown at first
	in   io.Reader
	rest []byte // what was read after a line
}

// ask shows the question and reads lines until one is an answer. Without an answer, as
// after Ctrl-D, the answer is no.
func (d *dialog) ask() (permissions.Answer, error) {
	d.most = max(1, sort.Search(maxRows, func(i int) bool { return !d.fits(i + 1) }))
	d.show(d.q, d.most)
	d.help()
	if err := d.send(); err != nil {
		return permissions.Answer{}, err
	}
	d.Flush()
	for {
		line, err := d.line()
		if err != nil {
			return permissions.Answer{}, err
		}
		answer, settled, err := d.understand(line)
		if settled || err != nil {
			return answer, err
		}
	}
}

// fits reports whether the question fits the terminal with so many rows of each foreign text,
// so that the person sees what wants to happen, where and why without scrolling.
func (d *dialog) fits(most int) bool {
	whole := dialog{Terminal: d.Terminal, page: page{columns: d.columns}, q: d.q, most: most}
	whole.show(d.q, most)
	whole.help()
	return d.Rows < 1 || strings.Count(whole.out.String(), "\n") < d.Rows
}

// understand interprets what the person typed; settled is false if it is not an answer.
func (d *dialog) understand(line string) (answer permissions.Answer, settled bool, err error) {
	word, reason := divide(line)
	hasRule := d.q.Rule != ""
	switch strings.ToLower(word) {
	case "", "n", "no":
		return permissions.Answer{Reason: reason}, true, nil
	case "m", "more":
		d.show(d.q, 0)
		d.help()
		return answer, false, nil
	}
	switch word = strings.ToLower(word); {
	case reason != "":
	case word == "y" || word == "yes":
		return permissions.Answer{Allow: true, Scope: permissions.Once}, true, nil
	case hasRule && (word == "r" || word == "run"):
		return permissions.Answer{Allow: true, Scope: permissions.ThisRun}, true, nil
	case d.q.Lasting() != "" && (word == "a" || word == "always"):
		return d.confirmAlways()
	}
	d.text("That is not an answer.")
	d.help()
	return answer, false, nil
}

func (d *dialog) confirmAlways() (answer permissions.Answer, settled bool, err error) {
	d.text("This rule would be added to [permissions] allow in " + term.Visible(d.Config) + ":")
	d.block(d.q.Rule, plain, 0)
	d.text("It would hold in all later runs. Write it? y = yes, Enter = back to the question")
	line, err := d.line()
	if err != nil {
		return answer, false, err
	}
	if word := strings.ToLower(strings.TrimSpace(line)); word == "y" || word == "yes" {
		return permissions.Answer{Allow: true, Scope: permissions.Always}, true, nil
	}
	d.help()
	return answer, false, nil
}

func (d *dialog) help() {
	answers := "y = yes, once; "
	switch {
	case d.q.Lasting() != "":
		d.text("r and a allow what this rule matches:")
		d.block(d.q.Rule, plain, d.most)
		answers += "r = yes, in this run; a = always; "
	case d.q.Rule != "":
		d.text("r allows what this rule matches:")
		d.block(d.q.Rule, plain, d.most)
		answers += "r = yes, in this run; "
	}
	answers += "Enter or n = no; n REASON = no, and the model learns the reason"
	if d.cut {
		answers += "; m = show all of it"
	}
	d.text(answers)
}

const maxTyped = 4 << 10

func (d *dialog) line() (string, error) {
	d.out.WriteString("> ")
	if err := d.send(); err != nil {
		return "", err
	}
	buf := make([]byte, maxTyped)
	for {
		if line, rest, found := strings.Cut(string(d.rest), "\n"); found {
			d.rest = []byte(rest)
			return strings.ToValidUTF8(strings.TrimSuffix(line, "\r"), "\uFFFD"), nil
		}
		n, err := d.in.Read(buf)
		if n == 0 {
			if err == nil || errors.Is(err, io.EOF) {
				io.WriteString(d.File, "\n")
				err = io.EOF
			}
			return "", err
		}
		d.rest = append(d.rest, buf[:n]...)
		if len(d.rest) > maxTyped {
			d.rest = nil
		}
	}
}

func (d *dialog) send() error {
	_, err := io.WriteString(d.File, d.out.String())
	d.out.Reset()
	return err
}

// divide divides an answer into its first word and the reason behind it, without the
// punctuation and the "because" between them.
func divide(line string) (word, reason string) {
	line = strings.TrimSpace(line)
	end := strings.IndexFunc(line, func(c rune) bool { return !unicode.IsLetter(c) })
	if end < 0 {
		return line, ""
	}
	reason = strings.TrimLeft(line[end:], " ,.:;-")
	if rest, found := cutFold(reason, "because"); found {
		reason = rest
	}
	return line[:end], reason
}

func cutFold(text, word string) (rest string, found bool) {
	if len(text) < len(word) || !strings.EqualFold(text[:len(word)], word) {
		return text, false
	}
	rest = strings.TrimLeft(text[len(word):], " \t")
	return rest, rest != text[len(word):]
}
