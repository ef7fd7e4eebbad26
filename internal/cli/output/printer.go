// Package output prints for commands and operations: results on standard output, for
// people or as JSON, and messages for a person on standard error.
package output

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/internal/term/screen"
)

// Printer prints the results of commands on standard output, and what a person
// should read on standard error.
type Printer struct {
	// Screen owns both.
	Screen *screen.Screen
	// AsJSON prints results as JSON objects, for --json-output; Messages does the
	// same for what is printed on standard error.
	AsJSON, Messages bool
	// Verbose also prints what matters only to a person who wants to know more.
	Verbose bool

	said onceOnly // notices that were printed
}

// Say prints the result of a command on standard output: a line, or an object with
// --json-output.
func (p *Printer) Say(format string, args ...any) error {
	return p.Answer("", nil, fmt.Sprintf(format, args...))
}

// Fields are the members of the result of an operation.
type Fields = map[string]any

// Answer prints the result of an operation on standard output: a text for people,
// or with --json-output an object that also has the data. Operations have the names
// that they have in --json-config; docs/JSON.md lists their data.
func (p *Printer) Answer(operation string, data any, text string) error {
	if p.AsJSON {
		m := newMessage("result", text)
		m.Operation, m.Data = operation, data
		return p.JSONLine(m)
	}
	_, err := fmt.Fprintln(p.Screen.Stdout(), text)
	return err
}

// Done is like Answer, for an operation that prints nothing for people.
func (p *Printer) Done(operation string, data any, text string) error {
	if !p.AsJSON {
		return nil
	}
	return p.Answer(operation, data, text)
}

// AnswerFile is like AnswerLarge, for the content of a file.
func (p *Printer) AnswerFile(operation string, data any, path string) error {
	f, err := disk.OpenRegular(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return p.AnswerLarge(operation, data, f)
}

// AnswerLarge is like Answer, for a text that is too large for memory. It is
// printed unchanged, or as a JSON string.
func (p *Printer) AnswerLarge(operation string, data any, content io.Reader) error {
	if !p.AsJSON {
		_, err := io.Copy(p.Screen.Stdout(), content)
		return err
	}
	m := newMessage("result", "")
	m.Operation, m.Data = operation, data
	line, err := strictjson.Encode(m)
	if err != nil {
		return err
	}
	const member = `"content":"`
	before, after, _ := bytes.Cut(line, []byte(member))
	text := &quoter{to: p.Screen.Stdout()}
	fmt.Fprintf(text.to, "%s%s", before, member)
	if _, err = io.Copy(text, content); err == nil {
		err = text.quote(text.rest)
	}
	fmt.Fprintf(text.to, "%s\n", after)
	return err
}

// Columns prints rows on standard output, with aligned columns.
func (p *Printer) Columns(rows [][]string) error { return WriteColumns(p.Screen.Stdout(), rows) }

// WriteColumns writes rows with aligned columns.
func WriteColumns(out io.Writer, rows [][]string) error {
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	for _, row := range rows {
		for len(row) > 1 && row[len(row)-1] == "" {
			row = row[:len(row)-1]
		}
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	return w.Flush()
}

// JSON prints a value as indented JSON.
func (p *Printer) JSON(v any) error {
	line, err := strictjson.Encode(v)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(p.Screen.Stdout(), strictjson.Indented(line))
	return err
}

// JSONLine prints a value as one line of JSON.
func (p *Printer) JSONLine(v any) error {
	line, err := strictjson.Encode(v)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.Screen.Stdout(), "%s\n", line)
	return err
}

// Paint colours a text according to mark, on a terminal.
func (p *Printer) Paint(mark, text string) string {
	colours := map[string]string{
		"changed": "35", "claimed": "35", "blocked": "31", "failed": "31", "lost": "33", "ignored": "33", "skipped": "2",
		"error": "31", "warning": "33", "ok": "32",
	}
	if !p.Screen.Coloured() || colours[mark] == "" {
		return text
	}
	return "\x1b[" + colours[mark] + "m" + text + "\x1b[0m"
}

// AnswerCleared answers that a context has no large tool outputs any more.
func (p *Printer) AnswerCleared(context string) error {
	return p.Answer("clear_cache", Fields{"context": context}, fmt.Sprintf("Cleared tool cache for context '%s'", context))
}
