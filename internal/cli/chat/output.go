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
	// Plain shows an answer as it comes.
	Plain Format = iota
	// Markdown renders it, block by block as it comes.
	Markdown
)

// Output shows answers on standard output, or the new entries if the printer prints
// JSON, and all else on standard error.
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

// showEvent tells a person what happens in a turn: on a terminal a dim line each,
// with -v in full, wherever standard error goes.
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

// renderMarkdown shows answers as Markdown.
func renderMarkdown(s *screen.Screen, shown *agent.Output) {
	var r *markdown.Renderer
	shown.Text = func(delta string) {
		if r == nil {
			r = markdown.New(s.Answer(), s.Columns())
		}
		r.Write([]byte(delta))
	}
	shown.TextEnd = func() {
		if r != nil {
			r.Close()
			r = nil
		}
	}
}
