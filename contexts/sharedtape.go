package contexts

import (
	"bytes"
	"context"

	"github.com/chibi-host/chibi/store"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// sharedTape is the log of a context as it is stored.
type sharedTape struct{ *sharedTranscript }

// records reads the log up to where it ends now.
func (t sharedTape) records(ctx context.Context, each func(stored) error) error {
	id, err := t.find(ctx)
	if err != nil || id == "" {
		return err
	}
	tail, err := t.home.engine.Log.Tail(ctx, id)
	if err != nil || tail.Last == 0 {
		return err
	}
	return t.upTo(ctx, id, tail, each)
}

func (t sharedTape) upTo(ctx context.Context, id string, tail store.Tail, each func(stored) error) error {
	var failed error
	err := t.home.engine.Log.Read(ctx, id, store.Range{Last: tail.Last}, func(r store.Record) bool {
		t.decode(r, func(line []byte, e Entry) bool {
			var entry stored
			if entry, failed = withoutSummary(stored{entry: e, record: line}); failed == nil {
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

// write appends to the tail that the log has at the beginning: if others append meanwhile,
// adding fails.
func (t sharedTape) write(ctx context.Context, step func(tapeWriter) error) error {
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

func (w *sharedTapeWriter) records(ctx context.Context, each func(stored) error) error {
	if w.tail.Last == 0 {
		return nil
	}
	return w.upTo(ctx, w.id, w.tail, each)
}

// add appends a record, and further ones that each begin with an anchor: a window begins
// with a record.
func (w *sharedTapeWriter) add(list []stored) error {
	for len(list) > 0 {
		next := 1
		for next < len(list) && !list[next].entry.isAnchor() {
			next++
		}
		if err := w.addRecord(list[:next]); err != nil {
			return err
		}
		list = list[next:]
	}
	return nil
}

func (w *sharedTapeWriter) addRecord(list []stored) (err error) {
	r := store.Record{ID: newID(), Begins: list[0].entry.isAnchor()}
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
func withSummary(e stored) ([]byte, error) {
	if e.summary == "" || e.summary == summaryIn(e.entry) {
		return e.record, nil
	}
	return sjson.SetBytes(e.record, "metadata.summary_carried", e.summary)
}

// withoutSummary returns an entry as other stores keep it.
func withoutSummary(e stored) (stored, error) {
	if e.entry.meta().Carried == "" {
		return e, nil
	}
	meta := e.entry.meta()
	meta.Carried = ""
	e.entry.Metadata = &meta
	var err error
	e.record, err = sjson.DeleteBytes(e.record, "metadata.summary_carried")
	if err == nil && gjson.GetBytes(e.record, "metadata").Raw == "{}" { // made for the summary
		e.record, err = sjson.DeleteBytes(e.record, "metadata")
	}
	return e, err
}

// setSummary cannot change the summary by itself: it is a part of the entry that the window
// begins with.
func (t sharedTape) setSummary(string) error { return nil }

// noted reads the document of the last system prompt.
func (t sharedTape) noted(ctx context.Context) (notedPrompts, error) {
	texts := sharedTexts{t.sharedContext}
	m, err := texts.combined(ctx)
	if err != nil {
		return notedPrompts{}, err
	}
	own, err := texts.text(ctx, textSystemPrompt)
	return notedPrompts{combined: m.LastCombinedPrompt, own: own != "" && sumOf(own) == m.SystemPromptSum}, err
}

// setNoted replaces it.
func (t sharedTape) setNoted(n notedPrompts) error {
	texts, m := sharedTexts{t.sharedContext}, meta{LastCombinedPrompt: n.combined}
	if n.own {
		own, err := texts.text(context.Background(), textSystemPrompt)
		if err != nil {
			return err
		}
		m.SystemPromptSum = sumOf(own)
	}
	return texts.setCombined(m)
}
