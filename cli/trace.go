package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/chibi-host/chibi/plugin"
	"github.com/dustin/go-humanize"
)

// maxTracedBytes bounds the payload and the answer in one trace record; larger
// ones are left out, their sizes stay.
const maxTracedBytes = 64 << 10

// tracer writes records to a trace file, and a readable line of each with -v.
type tracer struct {
	mu      sync.Mutex
	file    io.Writer // nil: no trace file
	line    func(string)
	verbose bool
	failed  bool
}

// record takes one record.
func (t *tracer) record(r plugin.Record) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.verbose {
		t.line(describe(r))
	}
	if t.file == nil || t.failed {
		return
	}
	if err := t.write(r); err != nil {
		t.failed = true
		t.line(fmt.Sprintf("chibi: writing the trace: %v; tracing stopped", err))
	}
}

func (t *tracer) write(r plugin.Record) error {
	if len(r.Payload) > maxTracedBytes {
		r.Payload = nil
	}
	if len(r.Answer) > maxTracedBytes {
		r.Answer = nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		return err
	}
	_, err := t.file.Write(b.Bytes())
	return err
}

// describe is a record as one line for people.
func describe(r plugin.Record) string {
	what := string(r.Result)
	if len(r.Changed) > 0 {
		what += " " + strings.Join(r.Changed, " ")
	}
	if r.Why != "" {
		what += " (" + r.Why + ")"
	}
	point := string(r.Point)
	if r.Event != "" {
		point += ", " + r.Event
	}
	parts := []string{fmt.Sprintf("[%s] %s: %s", point, r.Plugin, what)}
	for _, l := range r.Lost {
		parts = append(parts, fmt.Sprintf("lost %s to %s", l.Path, l.Winner))
	}
	parts = append(parts, r.Notes...)
	if r.Result != plugin.Skipped {
		parts = append(parts, fmt.Sprintf("%.1f ms, received %s", r.DurationMS, humanize.IBytes(uint64(r.PayloadBytes))))
	}
	return strings.Join(parts, "; ")
}
