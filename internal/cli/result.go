package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/google/uuid"
)

// say prints the result of a command on standard output: a line, or with
// --json-output an object.
func (p *program) say(format string, args ...any) error {
	return p.answer("", nil, fmt.Sprintf(format, args...))
}

// fields are the members of an object that an operation answers.
type fields = map[string]any

// answer prints what an operation answers on standard output: a text for people,
// or with --json-output an object, which says the same as data too. Operations
// have the names that they have in --json-config; docs/JSON.md lists their data.
func (p *program) answer(operation string, data any, text string) error {
	if p.opts.jsonOutput {
		m := newMessage("result", text)
		m.Operation, m.Data = operation, data
		return p.printJSONLine(m)
	}
	_, err := fmt.Fprintln(p.screen.Stdout(), text)
	return err
}

// done is answer for an operation that tells people nothing.
func (p *program) done(operation string, data any, text string) error {
	if !p.opts.jsonOutput {
		return nil
	}
	return p.answer(operation, data, text)
}

// answerFile is answerLarge for the content of a file.
func (p *program) answerFile(operation string, data any, path string) error {
	f, err := disk.OpenRegular(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return p.answerLarge(operation, data, f)
}

// answerLarge is answer for a text that is too large for memory. It is printed as it
// is, or as a string of JSON.
func (p *program) answerLarge(operation string, data any, content io.Reader) error {
	if !p.opts.jsonOutput {
		_, err := io.Copy(p.screen.Stdout(), content)
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
	text := &quoter{to: p.screen.Stdout()}
	fmt.Fprintf(text.to, "%s%s", before, member)
	if _, err = io.Copy(text, content); err == nil {
		err = text.flush()
	}
	fmt.Fprintf(text.to, "%s\n", after)
	return err
}

// quoter writes a text as the inside of a string of JSON.
type quoter struct {
	to   io.Writer
	rest []byte // the beginning of a character
}

// Write quotes all whole characters.
func (q *quoter) Write(p []byte) (int, error) {
	text := append(q.rest, p...)
	whole := clip.Whole(text)
	q.rest = bytes.Clone(text[whole:])
	return len(p), q.quote(text[:whole])
}

// flush quotes what is left.
func (q *quoter) flush() error { return q.quote(q.rest) }

func (q *quoter) quote(text []byte) error {
	quoted := strictjson.Quote(string(text))
	_, err := q.to.Write(quoted[1 : len(quoted)-1])
	return err
}

// printColumns prints rows on standard output, their columns aligned.
func (p *program) printColumns(rows [][]string) error { return writeColumns(p.screen.Stdout(), rows) }

func writeColumns(out io.Writer, rows [][]string) error {
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	for _, row := range rows {
		for len(row) > 1 && row[len(row)-1] == "" {
			row = row[:len(row)-1]
		}
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	return w.Flush()
}

// message is what --json-output prints for what is not part of a conversation,
// in the format of the original.
type message struct {
	ID        string `json:"id"`
	Timestamp int64  `json:"timestamp"`
	From      string `json:"from"`
	To        string `json:"to"`
	Content   string `json:"content"`
	Type      string `json:"entry_type"` // "result", "diagnostic" or "error"
	// Operation and Data are ours: what of --json-config the result is of, and what
	// it says, for programs.
	Operation string `json:"operation,omitempty"`
	Data      any    `json:"data,omitempty"`
}

func newMessage(kind, text string) message {
	return message{ID: uuid.NewString(), Timestamp: time.Now().Unix(), From: "system", To: "user",
		Content: text, Type: kind}
}

// printJSON prints a value as indented JSON.
func (p *program) printJSON(v any) error {
	line, err := strictjson.Encode(v)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, line, "", "  "); err != nil {
		return err
	}
	_, err = fmt.Fprintln(p.screen.Stdout(), b.String())
	return err
}

// printJSONLine prints a value as one line of JSON.
func (p *program) printJSONLine(v any) error {
	line, err := strictjson.Encode(v)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.screen.Stdout(), "%s\n", line)
	return err
}
