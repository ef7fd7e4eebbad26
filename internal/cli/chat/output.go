package chat

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/cli/output"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/term/markdown"
	"github.com/chibi-host/chibi/internal/term/screen"
	"github.com/chibi-host/chibi/plugin"
	"github.com/dustin/go-humanize"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
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
func Output(out *output.Printer, format Format) agent.Output {
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
func showEvent(out *output.Printer, event agent.Event) {
	if event.Kind == agent.EventOutput {
		showOutput(out, event)
		return
	}
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

// describe returns an event as a line for people, which begins with the sub-agent in which it
// happened; "" for an event that is shown in another way.
func describe(event agent.Event, arguments func(json.RawMessage) string) string {
	text := describeKind(event, arguments)
	if text == "" || event.Agent == "" {
		return text
	}
	return event.Agent + ": " + text
}

func describeKind(event agent.Event, arguments func(json.RawMessage) string) string {
	switch event.Kind {
	case agent.EventTool:
		return withText("tool "+term.Name(event.Call.Tool), callText(*event.Call, arguments))
	case agent.EventCall:
		return describeFailure(*event.Call, arguments)
	case agent.EventFollowUp:
		return withText("follow-up by "+term.Name(event.By), event.Text)
	case agent.EventRecursion:
		return withText("another round", event.Text)
	case agent.EventAgent:
		return describeSubagent(*event.Subagent)
	case agent.EventCompacted:
		return withText("compacted", event.Text)
	}
	return ""
}

// describeSubagent returns how a sub-agent ended and what it took; "" for one that begins,
// whose call is shown.
func describeSubagent(a agent.AgentEvent) string {
	if a.Status == "" {
		return ""
	}
	return fmt.Sprintf("sub-agent %s (%s): %s", a.ID, term.Name(a.Type), term.Clip(a.Outcome(), maxReason))
}

// describeFailure returns a call that did not run as a line; "" for other calls, which were
// shown when they began, and whose output is.
func describeFailure(c agent.CallEvent, arguments func(json.RawMessage) string) string {
	who := "tool " + term.Name(c.Tool)
	switch {
	case c.BlockedBy != "":
		return withText(who+": blocked by plugin "+term.Name(c.BlockedBy), arguments(c.Arguments))
	case !c.Ran:
		why := strings.TrimPrefix(c.Why, "Error: ")
		why = strings.TrimPrefix(why, fmt.Sprintf("tool %q did not run: ", c.Tool))
		return who + ": not run: " + term.Clip(why, maxReason)
	}
	return ""
}

// maxReason bounds the reason of a call that did not run or failed, in characters.
const maxReason = 1000

// withText returns a title with a text, if the text is not blank.
func withText(title, text string) string {
	if strings.TrimSpace(text) == "" {
		return title
	}
	return title + ": " + text
}

// shortArguments returns a call's arguments in a short form: a single text as it is, or
// a command followed by the other arguments.
func shortArguments(args json.RawMessage) string {
	members := gjson.ParseBytes(args).Map()
	command := members["command"]
	if len(members) == 1 {
		for _, only := range members {
			command = only
		}
	}
	switch {
	case len(members) == 0:
		return ""
	case command.Type != gjson.String:
		return string(args)
	case len(members) == 1:
		return command.Str
	}
	rest, err := sjson.DeleteBytes(args, "command")
	if err != nil {
		return string(args)
	}
	return command.Str + " " + string(rest)
}

// Records prints a line each time that chibi asked a plugin.
func Records(out *output.Printer) func(plugin.Record) {
	return func(r plugin.Record) { out.Line(recordLine(r)) }
}

func recordLine(r plugin.Record) string {
	what := string(r.Result)
	if len(r.Changed) > 0 {
		what += " " + strings.Join(r.Changed, " ")
	}
	if r.Why != "" {
		what += " (" + r.Why + ")"
	}
	if r.Result == plugin.Added {
		what = ""
	}
	what = strings.TrimPrefix(strings.Join(slices.Insert(slices.Clone(r.Did), 0, what), "; "), "; ")
	point := string(r.Point)
	if r.Event != "" {
		point += ", " + r.Event
	}
	if r.Agent != "" {
		point = r.Agent + " " + point
	}
	parts := []string{fmt.Sprintf("[%s] %s: %s", point, term.Name(r.Plugin), what)}
	if r.How != "" {
		parts = append(parts, r.How)
	}
	for _, l := range r.Lost {
		parts = append(parts, fmt.Sprintf("lost %s to %s", l.Path, l.Winner))
	}
	parts = append(parts, r.Notes...)
	if r.Result != plugin.Skipped {
		parts = append(parts, fmt.Sprintf("%.1f ms, received %s", r.DurationMS, humanize.IBytes(uint64(r.PayloadBytes))))
	}
	return strings.Join(parts, "; ")
}
