package chat

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/plugin"
	"github.com/dustin/go-humanize"
)

// Records prints a line each time that a plugin was asked.
func Records(out *command.Printer) func(plugin.Record) {
	return func(r plugin.Record) { out.Line(recordLine(r)) }
}

// recordLine returns what a plugin did at a hook as the line that --verbose prints.
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
