package operation

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/cli/output"
	"github.com/chibi-host/chibi/internal/term"
)

// LogRows are the operations that show a conversation.
func LogRows() []Row {
	number := cmdline.Value{Word: "N", Kind: cmdline.Number, Member: "count"}
	showLogCommand := &cmdline.Command{Names: []string{"show_log"}, Answers: "entries"}
	return []Row{
		{&cmdline.Flag{Name: "show-current-log", Letters: "g", Takes: []cmdline.Value{number}, Command: showLogCommand,
			About: "show the last N entries; -N shows the first N, 0 shows all"},
			Operation{Role: Shows, Phase: PhaseShow, Run: onCurrent(showLog("-g"))}},
		{&cmdline.Flag{Name: "show-log", Letters: "G", Command: showLogCommand,
			Takes: []cmdline.Value{{Word: "NAME", Kind: cmdline.Context, Member: "context"}, number}},
			Operation{Role: Shows, Phase: PhaseShow, Run: onNamed(showLog("-G"))}},
	}
}

func showLog(flag string) onContext {
	return func(ctx context.Context, run Run, name, number string) error {
		return ShowLog(ctx, run, name, Count{By: flag, Text: number})
	}
}

// Count is a number of entries as a person typed it: N for the last N, -N for the first
// N, 0 for all.
type Count struct {
	By   string // the flag or command that takes it, for errors
	Text string
}

// ShowLog prints that many entries of a context's whole transcript.
func ShowLog(ctx context.Context, run Run, name string, count Count) error {
	n, err := strconv.Atoi(count.Text)
	if err != nil {
		return output.Usage("%s takes a number of entries, such as 10, or -10 for the first ten, or 0 for all; got %q",
			count.By, count.Text)
	}
	return PrintHistory(ctx, run, History{Context: name, Query: contexts.Query{Last: max(0, n), First: max(0, -n)}})
}

// DefaultLast is how many entries chibi shows by default.
const DefaultLast = 20

// History says which entries are printed.
type History struct {
	Context string
	Query   contexts.Query
	// JSON prints all entries of any type as JSON lines.
	JSON bool
	// Full also prints all of each tool call and its output, Times when each entry was written.
	Full, Times bool
}

// PrintHistory prints entries as they are read. Entries that are not conversation are
// shown and counted only with -v.
func PrintHistory(ctx context.Context, run Run, h History) error {
	c, err := run.Session.Store.Context(h.Context)
	if err != nil {
		return app.UsageError{Err: err}
	}
	q, out := h.Query, run.Out
	if !out.Verbose && !h.JSON {
		q.Keep = func(e contexts.Entry) bool { return isConversation(e.Type) }
	}
	answers := contexts.Answers{Each: func(e contexts.Entry, unanswered bool) bool {
		if h.JSON || out.AsJSON {
			err = out.JSONLine(e)
		} else {
			_, err = fmt.Fprint(out.Screen.Stdout(), entryText(e, look{unanswered, out.Verbose, h.Full || out.Verbose, h.Times}))
		}
		return err == nil
	}}
	each := answers.Add
	// the part may lack the answers
	if isPart := q.First > 0 || q.Text != "" || !q.Since.IsZero() || !q.Until.IsZero(); isPart {
		each = func(e contexts.Entry) bool { return answers.Each(e, false) }
	}
	if err := c.History(ctx, q, each); err != nil {
		return err
	}
	answers.End()
	return err
}

func isConversation(t contexts.Type) bool {
	return t == contexts.TypeMessage || t == contexts.TypeToolCall || t == contexts.TypeToolResult ||
		t == contexts.TypeSetAside
}

// look is how an entry is shown.
type look struct{ unanswered, verbose, full, timed bool }

// EntryText is all of an entry for people, with its time.
func EntryText(e contexts.Entry) string { return entryText(e, look{full: true, timed: true}) }

// entryText is an entry for people, in the format of the original.
func entryText(e contexts.Entry, l look) string {
	by := ""
	if l.timed {
		by = " " + time.Unix(e.Timestamp, 0).Format("2006-01-02 15:04")
	}
	if l.verbose {
		by += writtenBy(e)
	}
	switch {
	case e.Type == contexts.TypeMessage:
		note := ""
		if e.Metadata != nil && e.Metadata.Interrupted {
			note = " (interrupted)"
		}
		if l.unanswered {
			note = " (no answer)"
		}
		return fmt.Sprintf("[%s%s]: %s%s\n\n", strings.ToUpper(e.From), by, e.Content, note)
	case e.Type == contexts.TypeToolCall && l.full:
		return fmt.Sprintf("[TOOL CALL: %s%s]\n%s\n\n", e.To, by, e.Content)
	case e.Type == contexts.TypeToolCall:
		return fmt.Sprintf("[TOOL: %s%s] %s\n", e.To, by, brief(e.Content, maxBrief))
	case e.Type == contexts.TypeToolResult && l.full:
		return fmt.Sprintf("[TOOL RESULT: %s%s]%s\n%s\n\n", e.From, by, ranWith(e, math.MaxInt), e.Content)
	case e.Type == contexts.TypeToolResult:
		return fmt.Sprintf("  \u2192 %s%s\n", size(len(e.Content)), ranWith(e, maxBrief))
	}
	return fmt.Sprintf("[%s%s]: %s\n\n", strings.ToUpper(string(e.Type)), by, e.Content)
}

// ranWith says with which arguments a call ran if plugins changed the arguments of
// the model, in at most so many characters.
func ranWith(e contexts.Entry, most int) string {
	if e.Metadata == nil || e.Metadata.RanWith == nil {
		return ""
	}
	return " ran with " + brief(string(e.Metadata.RanWith), most)
}

// maxBrief is how many characters of arguments are shown in a list.
const maxBrief = 60

// brief returns the beginning of arguments, in a line.
func brief(arguments string, most int) string {
	return term.Clip(strings.Join(strings.Fields(arguments), " "), most)
}

// writtenBy says which program wrote an entry, as entries in a shared store do; "" in files.
func writtenBy(e contexts.Entry) string {
	if e.Metadata == nil || e.Metadata.By == nil {
		return ""
	}
	by, text := e.Metadata.By, ", "
	if by.User != "" {
		text += by.User + " "
	}
	text += "on " + by.Host
	if by.Version != "" {
		text += " with chibi " + by.Version
	}
	return term.Line(text)
}

func size(n int) string {
	if n < 1024 {
		return fmt.Sprintf("%db", n)
	}
	return fmt.Sprintf("%.1fkb", float64(n)/1024)
}
