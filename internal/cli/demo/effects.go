package demo

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/plugin"
	"github.com/dustin/go-humanize/english"
)

func effect(r plugin.Record) string {
	text := string(r.Result)
	if r.Why != "" {
		text += ": " + r.Why
	}
	if r.Result == plugin.Changed {
		text += " " + strings.Join(r.Changed, " ") + ": " + term.Clip(string(r.Answer), 100)
	}
	return text
}

func summary(p plugin.Plugin, records []plugin.Record) string {
	name := p.Name
	asked := 0
	var points, effects []string
	for _, r := range records {
		if r.Plugin != name || r.Result == plugin.Skipped {
			continue
		}
		asked++
		if !slices.Contains(points, string(r.Point)) {
			points = append(points, string(r.Point))
		}
		effects = append(effects, r.Did...)
		if r.Result != plugin.NoOpinion && r.Result != plugin.Added {
			effects = append(effects, strings.TrimSpace(string(r.Result)+" "+strings.Join(r.Changed, " ")))
		}
	}
	switch {
	case len(p.Hooks) == 0:
		return name + ": a tool, no hooks"
	case asked == 0:
		return name + ": none of its hooks fired"
	case len(effects) == 0:
		effects = []string{"changed nothing"}
	}
	slices.Sort(effects)
	return fmt.Sprintf("%s: saw %s (%s), %s", name, english.Plural(asked, "event", ""), strings.Join(points, ", "),
		strings.Join(slices.Compact(effects), ", "))
}
