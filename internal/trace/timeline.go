package trace

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/merge"
	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/plugin"
	"github.com/dustin/go-humanize/english"
	"github.com/tidwall/gjson"
)

// Row is one row of the timeline of a turn.
type Row struct {
	// Offset is the time since the beginning of the turn, Took how long the plugin
	// or tool took.
	Offset, Took time.Duration
	// Point is the hook point or the kind of step; Who is the plugin or tool.
	Point, Who string
	// Text says what the result was.
	Text string
	// Mark is a word for what deserves attention: "changed", "blocked", "failed",
	// "skipped", "ignored", "lost", or "".
	Mark string
	// Record is the record of the row, nil for a step.
	Record *plugin.Record
	// Step is the step of the row, nil for a record.
	Step *agent.Event
	// Withheld are the texts whose originals are not kept.
	Withheld []Withheld
}

// Rows returns the turn's rows, only the rows of one plugin if its name is given.
func (t Turn) Rows(only string) []Row {
	var rows []Row
	begin := t.Begin()
	for _, l := range t.Lines {
		switch {
		case l.Record != nil && (only == "" || l.Plugin == only):
			rows = append(rows, recordRow(l.Record, begin).withheld(l).in(l.agent()))
		case l.Step != nil && only == "" && !isBackground(l.Step):
			rows = append(rows, stepRow(l, begin).withheld(l).in(l.agent()))
		}
	}
	return rows
}

// isBackground reports whether a step has no interest: nothing was left out, or
// the person chose the context of the run.
func isBackground(s *agent.Event) bool {
	change, _ := changeOf(s)
	return s.Loaded != nil && loadedText(*s.Loaded) == "" || change == agent.ContextSwitched
}

func (r Row) withheld(l Line) Row {
	r.Withheld = l.Withheld
	for _, text := range l.Withheld {
		r.Text += "; " + strings.TrimPrefix(text.Path, "/") + " " + text.lengths()
	}
	return r
}

func recordRow(r *plugin.Record, begin time.Time) Row {
	row := Row{
		Offset: r.Time.Sub(begin), Took: time.Duration(r.DurationMS * float64(time.Millisecond)),
		Point: string(r.Point), Who: r.Plugin, Record: r,
	}
	if r.Event != "" {
		row.Point += " (" + r.Event + ")"
	}
	parts := []string{string(r.Result)}
	if len(r.Changed) > 0 {
		parts[0] += " " + strings.Join(r.Changed, " ")
	}
	if decision := decisionOf(r); decision != "" {
		parts[0] = fmt.Sprintf("decided %q", decision)
	}
	if r.Why != "" {
		parts[0] += ": " + r.Why
	}
	ran := merge.At(r.Answer, "/arguments")
	if ran != nil && r.Point == hookpoints.PreTool.Name && r.Result == plugin.Changed && len(r.Lost) == 0 {
		parts[0] += " to " + shown(ran)
	}
	if r.Result == plugin.Added {
		parts = nil // Did says it
	}
	parts = append(parts, r.Did...)
	if r.How != "" {
		parts = append(parts, r.How)
	}
	for _, lost := range r.Lost {
		parts = append(parts, fmt.Sprintf("its %s was replaced by %s", lost.Path, lost.Winner))
	}
	if r.Round != "" {
		parts = append(parts, "asked at once with the others of its round")
	}
	if r.Async {
		parts = append(parts, "nobody waited for it")
	}
	for _, call := range r.Discarded {
		parts = append(parts, discardedText(call))
	}
	row.Text = strings.Join(append(parts, r.Notes...), "; ")
	if r.Result != plugin.NoOpinion {
		row.Mark = string(r.Result)
	}
	if len(r.Lost) > 0 {
		row.Mark = "lost"
	}
	return row
}

// discardedText describes a call of a pure plugin before its turn.
func discardedText(call plugin.DiscardedCall) string {
	return fmt.Sprintf("called before its turn for %d ms, answer not used: %s", max(1, int(call.DurationMS)), call.Why)
}

func stepRow(l Line, begin time.Time) Row {
	s := l.Step
	row := Row{Offset: l.At.Sub(begin), Point: string(s.Kind), Step: s}
	switch {
	case s.Loaded != nil:
		row.Text = loadedText(*s.Loaded)
	case s.Request != nil:
		row.Who = s.Request.For
		row.Text = fmt.Sprintf("%d of %d tools, %d bytes, %s", len(s.Request.Offered), len(s.Request.Tools),
			s.Request.Bytes, s.Request.After)
	case s.Call != nil:
		row.Who, row.Took = s.Call.Tool, time.Duration(s.Call.DurationMS)*time.Millisecond
		row.Text = "ran"
		if !s.Call.Ran {
			row.Text, row.Mark = "did not run: "+s.Call.Why, "blocked"
		} else if s.Call.Exit != 0 {
			row.Text, row.Mark = failureOf(*s.Call), "failed"
		}
		if s.Call.How != "" {
			row.Text += "; " + s.Call.How
		}
		if s.Call.Served != nil {
			row.Text += "; MCP server " + s.Call.Served.Server + ": " + servedText(s.Call.Served)
		}
		if len(s.Call.Converted) > 0 {
			row.Text += "; converted from texts: " + strings.Join(s.Call.Converted, ", ")
		}
	case s.Permission != nil:
		row = permissionRow(row, s.Permission)
	case s.Subagent != nil:
		row = subagentRow(row, s)
	default:
		row.Text = s.Text
		if s.Kind == agent.EventError {
			row.Mark = "failed"
		}
	}
	return row
}

// loadedText counts plugins and tools, and names plugins that were left out; "" if
// none were left out.
func loadedText(loaded agent.LoadedEvent) string {
	var leftOut []string
	for _, p := range loaded.Plugins {
		if p.Skipped != "" {
			leftOut = append(leftOut, p.Name)
		}
	}
	if len(leftOut) == 0 {
		return ""
	}
	return english.Plural(len(loaded.Plugins)-len(leftOut), "plugin", "") + ", " +
		english.Plural(len(loaded.Tools), "tool", "") + "; left out: " + strings.Join(leftOut, ", ")
}

// Print writes the turn as a timeline that fits a terminal of so many columns; 0
// means no limit. paint colours a word by its mark.
func (t Turn) Print(w io.Writer, only string, columns int, paint func(mark, text string) string) {
	rows := t.Rows(only)
	fmt.Fprintf(w, "%s in context %s\n", t.Begin().Local().Format("2006-01-02 15:04:05"), t.Context)
	var longest time.Duration
	pointWidth, whoWidth := 0, 0
	for _, r := range rows {
		longest = max(longest, r.Took)
		pointWidth, whoWidth = max(pointWidth, len(r.Point)), max(whoWidth, len(term.Name(r.Who)))
	}
	pointWidth, whoWidth = min(pointWidth, 40), min(whoWidth, 30)
	if columns > 0 && columns < 100 { // names of plugins are more useful than names of foreign events
		pointWidth = min(pointWidth, max(10, columns-36-whoWidth))
	}
	for _, r := range rows {
		head := fmt.Sprintf("%8s  %-*s  %-*s  %-10s  ", offset(r.Offset), pointWidth,
			term.Clip(term.Line(r.Point), pointWidth),
			whoWidth, term.Clip(term.Name(r.Who), whoWidth), bar(r.Took, longest))
		text, room := term.Line(r.Text), columns-len([]rune(head))
		switch {
		case columns <= 0:
		case room < 24: // on a narrow terminal the text has a line of its own
			head, text = term.Clip(strings.TrimRight(head, " "), columns)+"\n    ", term.Clip(text, max(10, columns-4))
		default:
			text = term.Clip(text, room)
		}
		fmt.Fprintln(w, strings.TrimRight(head+paint(r.Mark, text), " \n"))
	}
}

func offset(d time.Duration) string { return fmt.Sprintf("%.3f s", max(0, d).Seconds()) }

// bar shows a duration relative to the longest one, as a bar and in milliseconds.
func bar(d, longest time.Duration) string {
	if d <= 0 || longest <= 0 {
		return ""
	}
	return strings.Repeat("#", max(1, int(4*d/longest))) + " " + milliseconds(d)
}

// milliseconds returns a duration in milliseconds. A resident plugin answers in less than one, and
// a short script on a fast machine.
func milliseconds(d time.Duration) string {
	if d < time.Millisecond {
		return fmt.Sprintf("%.2f ms", float64(d)/float64(time.Millisecond))
	}
	return fmt.Sprintf("%d ms", d.Milliseconds())
}

func permissionRow(row Row, p *agent.PermissionEvent) Row {
	row.Who, row.Text = p.Tool, decidedText(p)
	if p.Asked != nil {
		row.Took = time.Duration(p.Asked.DurationMS) * time.Millisecond
	}
	if p.Decision != permissions.Allow {
		row.Mark = "blocked"
	}
	return row
}

func subagentRow(row Row, s *agent.Event) Row {
	a := s.Subagent
	row.Who = a.ID
	switch a.Status {
	case "":
		row.Text = fmt.Sprintf("begins (%s): %s", a.Type, s.Text)
		return row
	case hookpoints.SpawnFailed:
		row.Mark = "failed"
	case hookpoints.SpawnBlocked:
		row.Mark = "blocked"
	}
	row.Took = time.Duration(a.DurationMS) * time.Millisecond
	row.Text = a.Outcome()
	return row
}

// decisionOf returns what a plugin decided at a permission point, "" for other records.
func decisionOf(r *plugin.Record) string {
	if r.Result != plugin.Changed || !hookpoints.AsksPermission(r.Point) {
		return ""
	}
	return gjson.GetBytes(r.Answer, "decision").String()
}

func (r Row) in(agent string) Row {
	if agent != "" {
		r.Point = agent + " " + r.Point
	}
	return r
}
