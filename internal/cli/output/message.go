package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/google/uuid"
)

// Notef prints a sentence for the person on standard error.
func (p *Printer) Notef(format string, args ...any) { p.Line("chibi: " + fmt.Sprintf(format, args...)) }

// Notice is like Notef, for a sentence that is printed only once. It is safe for concurrent
// use.
func (p *Printer) Notice(text string) {
	if p.said.first(text) {
		p.Notef("%s", text)
	}
}

// onceOnly remembers texts. It is safe for concurrent use.
type onceOnly struct {
	mu    sync.Mutex
	texts map[string]bool
}

func (o *onceOnly) first(text string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.texts[text] {
		return false
	}
	if o.texts == nil {
		o.texts = map[string]bool{}
	}
	o.texts[text] = true
	return true
}

// Detail prints a sentence for a person who wants to know more.
func (p *Printer) Detail(text string) {
	if p.Verbose {
		p.Line("[" + text + "]")
	}
}

// Errorf prints the error that ends the program.
func (p *Printer) Errorf(format string, args ...any) {
	p.put("error", "chibi: "+fmt.Sprintf(format, args...))
}

// Line prints one line on standard error, on a line of its own.
func (p *Printer) Line(text string) { p.put("diagnostic", text) }

// put is like Line, for one kind of message.
func (p *Printer) put(kind, text string) {
	if p.Messages {
		if data, err := json.Marshal(newMessage(kind, text)); err == nil {
			text = string(data)
		}
	}
	p.Screen.Line(text)
}

// message is a line of --json-output that is not part of a conversation, in the
// format of the original.
type message struct {
	ID        string `json:"id"`
	Timestamp int64  `json:"timestamp"`
	From      string `json:"from"`
	To        string `json:"to"`
	Content   string `json:"content"`
	Type      string `json:"entry_type"` // "result", "diagnostic" or "error"
	// Operation and Data are ours: the command of --json-config that the result
	// belongs to, and the result as data for programs.
	Operation string `json:"operation,omitempty"`
	Data      any    `json:"data,omitempty"`
}

func newMessage(kind, text string) message {
	return message{ID: uuid.NewString(), Timestamp: time.Now().Unix(), From: "system", To: "user",
		Content: text, Type: kind}
}

type quoter struct {
	to   io.Writer
	rest []byte // the beginning of a character
}

func (q *quoter) Write(p []byte) (int, error) {
	text := append(q.rest, p...)
	whole := clip.Whole(text)
	q.rest = bytes.Clone(text[whole:])
	return len(p), q.quote(text[:whole])
}

func (q *quoter) quote(text []byte) error {
	quoted := strictjson.Quote(string(text))
	_, err := q.to.Write(quoted[1 : len(quoted)-1])
	return err
}
