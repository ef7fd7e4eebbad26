package cli

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"
)

// say prints the result of an operation on standard output: a line, or with
// --json-output an object.
func (p *program) say(format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	if p.opts.jsonOutput {
		return p.printJSONLine(newMessage("result", text))
	}
	_, err := fmt.Fprintln(p.screen.Stdout(), text)
	return err
}

// printColumns prints rows on standard output, their columns aligned.
func (p *program) printColumns(rows [][]string) error {
	w := tabwriter.NewWriter(p.screen.Stdout(), 0, 8, 2, ' ', 0)
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
}

func newMessage(kind, text string) message {
	return message{ID: uuid.NewString(), Timestamp: time.Now().Unix(), From: "system", To: "user",
		Content: text, Type: kind}
}
