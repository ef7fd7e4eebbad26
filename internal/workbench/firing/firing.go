// Package firing fires one hook point at plugins, and shows the answer of each plugin and
// the combined answer.
package firing

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/merge"
	"github.com/chibi-host/chibi/plugin"
)

// Firing is a point with a payload, and the plugins' answers to it.
type Firing struct {
	// Info is the point, Payload its payload.
	Info    hookpoints.Info
	Payload json.RawMessage
	// Records describe what each plugin did, in plugin order. Fire appends to them: a
	// caller may begin with records of plugins that are not asked.
	Records []plugin.Record

	result json.RawMessage // the combined answer, nil if there is none
}

// Fire fires the point at a host's plugins and keeps their records and the combined
// answer. It sets the host's Trace.
func (f *Firing) Fire(ctx context.Context, host *plugin.Host) (err error) {
	host.Trace = func(r plugin.Record) { f.Records = append(f.Records, r) }
	f.result, err = plugin.FireJSON(ctx, host, f.Info, f.Payload)
	return err
}

// Object returns the firing as a value for JSON.
func (f *Firing) Object() any {
	return map[string]any{"point": f.Info.Name, "payload": f.Payload, "records": f.Records,
		"answer": OrNothing(f.result), "changed": f.changes()}
}

// OrNothing returns an answer, an empty object if there is none.
func OrNothing(answer json.RawMessage) json.RawMessage {
	if answer == nil {
		return json.RawMessage("{}")
	}
	return answer
}

// Print prints the payload, each plugin's answer, the combined one, and what it changes.
func (f *Firing) Print(w io.Writer) {
	fmt.Fprintf(w, "%s (%s), payload:\n  %s\n", f.Info.Name, f.Info.Mode, f.Payload)
	if len(f.Records) == 0 {
		fmt.Fprintln(w, "no plugin has a hook here")
	}
	for i, r := range f.Records {
		text := string(r.Result)
		if r.Why != "" {
			text += ": " + r.Why
		}
		fmt.Fprintf(w, "%d. %s: %s (%.0f ms)\n", i+1, term.Name(r.Plugin), term.Line(text), r.DurationMS)
		if r.Answer != nil {
			fmt.Fprintf(w, "   answered %s\n", r.Answer)
		}
		for _, did := range r.Did {
			fmt.Fprintf(w, "   it %s\n", term.Line(did))
		}
		for _, l := range r.Lost {
			fmt.Fprintf(w, "   its %s was replaced by plugin %q\n", l.Path, l.Winner)
		}
		for _, note := range r.Notes {
			fmt.Fprintf(w, "   note: %s\n", term.Line(note))
		}
	}
	fmt.Fprintf(w, "combined: %s\n", OrNothing(f.result))
	for _, c := range f.changes() {
		fmt.Fprintf(w, "  %s\n  - %s\n  + %s\n", c.Path, c.Before, c.After)
	}
}

type change struct {
	Path   string          `json:"path"`
	Before json.RawMessage `json:"before"`
	After  json.RawMessage `json:"after"`
}

func (f *Firing) changes() []change {
	list := []change{}
	for _, field := range f.Info.Fields {
		if !field.Rule.Rewrites() {
			continue
		}
		where := "/" + field.Name
		before, after := merge.At(f.Payload, where), merge.At(f.result, where)
		if before == nil || after == nil {
			continue
		}
		for _, d := range merge.Diff(before, after) {
			list = append(list, change{where + d.Path, orNull(d.Before), orNull(d.After)})
		}
	}
	return list
}

func orNull(value []byte) json.RawMessage {
	if value == nil {
		return json.RawMessage("null")
	}
	return value
}
