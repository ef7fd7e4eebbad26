package chat

import (
	"encoding/json"
	"io"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/term/markdown"
	"github.com/chibi-host/chibi/internal/term/screen"
)

// Format is how answers are shown.
type Format int

const (
	// Plain shows an answer unchanged, as it arrives.
	Plain Format = iota
	// Markdown renders it block by block, as it arrives.
	Markdown
)

// Output shows answers on standard output, or the new entries if the printer prints
// JSON, and everything else on standard error.
func Output(out *command.Printer, format Format) agent.Output {
	shown := agent.Output{Notice: out.Notice, Waiting: out.Screen.Waiting,
		Event: func(event agent.Event) { showEvent(out, event) }}
	if out.Verbose {
		shown.Detail = out.Detail
	}
	switch {
	case out.AsJSON:
		shown.Entry = func(e contexts.Entry) { out.JSONLine(e) }
	case format == Markdown:
		renderMarkdown(out.Screen, &shown)
	default:
		shown.Text = func(delta string) { io.WriteString(out.Screen.Answer(), delta) }
	}
	return shown
}

// showEvent shows an event of a turn: on a terminal as a dim line; with -v in full, even
// if standard error is not a terminal.
func showEvent(out *command.Printer, event agent.Event) {
	if out.Verbose {
		if text := describe(event, func(args json.RawMessage) string { return string(args) }); text != "" {
			out.Detail(term.Line(text))
		}
		return
	}
	if text := describe(event, shortArguments); text != "" && !out.Messages {
		out.Screen.Aside(text)
	}
}

func renderMarkdown(s *screen.Screen, shown *agent.Output) {
	var draft *screen.Draft
	var r *markdown.Renderer
	shown.Text = func(delta string) {
		if r == nil {
			draft = screen.NewDraft(s)
			r = markdown.On(surface{draft})
		}
		r.Write([]byte(delta))
	}
	shown.TextEnd = func() {
		if r != nil {
			r.Close()
			draft.End()
			r = nil
		}
	}
}

type surface struct{ *screen.Draft }

// Look implements markdown.Surface.
func (s surface) Look() markdown.View {
	columns, rows, lost := s.Room()
	return markdown.View{Columns: columns, Rows: rows, Lost: lost}
}
