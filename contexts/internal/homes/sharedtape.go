package homes

import (
	"bytes"
	"context"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/store"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// sharedTape is the log of a context as it is stored.
type sharedTape struct{ *sharedTranscript }

// Records reads the log up to where it ends now.
func (t sharedTape) Records(ctx context.Context, each func(parts.Stored) error) error {
	tail, err := t.end(ctx)
	if err != nil || tail.Last == 0 {
		return err
	}
	return t.upTo(ctx, tail, each)
}

func (t sharedTape) upTo(ctx context.Context, tail store.Tail, each func(parts.Stored) error) error {
	var failed error
	err := t.readLog(ctx, store.Range{Last: tail.Last}, func(r store.Record) bool {
		t.decode(ctx, r, func(line []byte, e parts.Entry) bool {
			if e.Type == parts.TypeSetAside {
				return true
			}
			var entry parts.Stored
			if entry, failed = withoutSummary(parts.Stored{Entry: e, Record: line}); failed == nil {
				failed = ctx.Err()
			}
			if failed == nil {
				failed = each(entry)
			}
			return failed == nil
		})
		return failed == nil
	})
	if failed != nil {
		return failed
	}
	return err
}

// Write appends to the tail that the log has at the beginning: if others append meanwhile,
// adding fails.
func (t sharedTape) Write(ctx context.Context, step func(parts.TapeWriter) error) error {
	id, err := t.make(ctx)
	if err != nil {
		return err
	}
	if t.isHeld() {
		if _, err := t.overtaken(ctx, id, t.seen, nil); err != nil {
			return err
		}
	}
	tail, err := t.home.engine.Log.Tail(ctx, id)
	if err != nil {
		return err
	}
	w := &sharedTapeWriter{sharedTape: t, id: id, tail: tail}
	if t.isHeld() {
		w.tail = t.seen
	}
	err = step(w)
	t.known, t.seen = nil, w.tail
	return err
}

// sharedTapeWriter appends records.
type sharedTapeWriter struct {
	sharedTape
	id   string
	tail store.Tail
}

func (w *sharedTapeWriter) Records(ctx context.Context, each func(parts.Stored) error) error {
	if w.tail.Last == 0 {
		return nil
	}
	return w.upTo(ctx, w.tail, each)
}

// Add appends a record, and further ones that each begin with an anchor: a window begins
// with a record.
func (w *sharedTapeWriter) Add(list []parts.Stored) error {
	for len(list) > 0 {
		next := 1
		for next < len(list) && !parts.IsAnchor(list[next].Entry) {
			next++
		}
		if err := w.addRecord(list[:next]); err != nil {
			return err
		}
		list = list[next:]
	}
	return nil
}

func (w *sharedTapeWriter) addRecord(list []parts.Stored) (err error) {
	r := store.Record{ID: newID(), Begins: parts.IsAnchor(list[0].Entry)}
	var lines [][]byte
	for _, e := range list {
		line, err := withSummary(e)
		if err != nil {
			return err
		}
		lines = append(lines, line)
	}
	r.Data = bytes.Join(append(lines, nil), []byte("\n"))
	w.tail, err = w.home.engine.Log.Append(context.Background(), w.id, w.tail, r)
	return err
}

// withSummary returns the record of an entry with the summary of the window that begins with
// it: other stores keep that apart.
func withSummary(e parts.Stored) ([]byte, error) {
	if e.Summary == "" || e.Summary == summaryIn(e.Entry) {
		return e.Record, nil
	}
	return sjson.SetBytes(e.Record, "metadata.summary_carried", e.Summary)
}

// withoutSummary returns an entry as other stores keep it.
func withoutSummary(e parts.Stored) (parts.Stored, error) {
	if parts.MetaOf(e.Entry).Carried == "" {
		return e, nil
	}
	meta := parts.MetaOf(e.Entry)
	meta.Carried = ""
	e.Entry.Metadata = &meta
	var err error
	e.Record, err = sjson.DeleteBytes(e.Record, "metadata.summary_carried")
	if err == nil && gjson.GetBytes(e.Record, "metadata").Raw == "{}" { // made for the summary
		e.Record, err = sjson.DeleteBytes(e.Record, "metadata")
	}
	return e, err
}

// SetSummary cannot change the summary by itself: it is a part of the entry that the window
// begins with.
func (t sharedTape) SetSummary(string) error { return nil }

// Noted reads the document of the last system prompt.
func (t sharedTape) Noted(ctx context.Context) (parts.NotedPrompts, error) {
	texts := sharedTexts{t.sharedContext}
	m, err := texts.combined(ctx)
	if err != nil {
		return parts.NotedPrompts{}, err
	}
	own, err := texts.Text(ctx, parts.TextSystemPrompt)
	return parts.NotedPrompts{Combined: m.LastCombinedPrompt, Own: own != "" && sumOf(own) == m.SystemPromptSum}, err
}

// SetNoted replaces it.
func (t sharedTape) SetNoted(n parts.NotedPrompts) error {
	texts, m := sharedTexts{t.sharedContext}, meta{LastCombinedPrompt: n.Combined}
	if n.Own {
		own, err := texts.Text(context.Background(), parts.TextSystemPrompt)
		if err != nil {
			return err
		}
		m.SystemPromptSum = sumOf(own)
	}
	return texts.setCombined(m)
}
