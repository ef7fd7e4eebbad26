package homes

import (
	"context"
	"errors"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/contexts/internal/transcript"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/jsonfile"
	"github.com/chibi-host/chibi/internal/strictjson"
)

// fileTape is the transcript in files, as it is stored.
type fileTape struct{ transcript *fileTranscript }

// Records reads the transcript's files. A context without a transcript may have a window
// that another program wrote.
func (f fileTape) Records(ctx context.Context, each func(parts.Stored) error) error {
	if !f.transcript.home.hasContext(f.transcript.Name) {
		return nil
	}
	segments, done, err := f.transcript.parts(ctx)
	defer done()
	if err != nil {
		return err
	}
	found, err := f.read(ctx, segments, each)
	if err != nil || found {
		return err
	}
	entries, bad, err := f.transcript.file.read()
	for _, line := range bad {
		parts.Report(f.transcript.Settings, "%s, left out", line)
	}
	if err != nil {
		return err
	}
	records, err := parts.Encode(entries)
	for i, record := range records {
		if err = each(parts.Stored{Entry: entries[i], Record: record}); err != nil {
			break
		}
	}
	return err
}

func (f fileTape) read(ctx context.Context, segments []transcript.Segment, each func(parts.Stored) error) (found bool,
	err error) {
	for _, s := range segments {
		var failed error
		err := s.Forward(func(line int, record []byte) bool {
			found = true
			e := parts.Stored{Record: record}
			if err := strictjson.Decode(record, &e.Entry); err != nil {
				parts.Report(f.transcript.Settings, "%s:%d: not an entry, left out: %v", s.Path, line, err)
				return true
			}
			if e.Entry.Type == parts.TypeSetAside {
				return true
			}
			if failed = ctx.Err(); failed == nil {
				failed = each(e)
			}
			return failed == nil
		})
		if err := errors.Join(failed, err); err != nil {
			return found, err
		}
	}
	return found, nil
}

// Write holds the transcript's lock while step writes.
func (f fileTape) Write(_ context.Context, step func(parts.TapeWriter) error) error {
	return f.transcript.locked(disk.Lock, func() error {
		w := &fileTapeWriter{fileTape: f}
		err := step(w)
		if w.hasAdded {
			_, rebuilt := f.transcript.rebuild()
			f.transcript.file.reportError(rebuilt)
		}
		return err
	})
}

// fileTapeWriter adds records to the active part of the transcript.
type fileTapeWriter struct {
	fileTape
	hasAdded bool
}

func (w *fileTapeWriter) Records(ctx context.Context, each func(parts.Stored) error) error {
	segments, err := w.transcript.entries.log.Segments()
	if err != nil {
		return err
	}
	_, err = w.read(ctx, segments, each)
	return err
}

func (w *fileTapeWriter) Add(list []parts.Stored) error {
	records := make([][]byte, len(list))
	for i, e := range list {
		records[i] = e.Record
	}
	if err := w.transcript.entries.log.Append(records); err != nil {
		return err
	}
	w.hasAdded = true
	w.transcript.entries.rotate(records)
	return nil
}

// SetSummary replaces summary.md.
func (f fileTape) SetSummary(text string) error {
	return f.transcript.texts().SetText(parts.TextSummary, text)
}

// Noted reads context_meta.json.
func (f fileTape) Noted(ctx context.Context) (parts.NotedPrompts, error) {
	m, err := f.transcript.readMeta()
	if err != nil {
		return parts.NotedPrompts{}, err
	}
	own, err := f.transcript.texts().Text(ctx, parts.TextSystemPrompt)
	return parts.NotedPrompts{Combined: m.LastCombinedPrompt, Own: own != "" && sumOf(own) == m.SystemPromptSum}, err
}

// SetNoted replaces context_meta.json.
func (f fileTape) SetNoted(n parts.NotedPrompts) error {
	return f.transcript.locked(disk.Lock, func() error {
		own, err := f.transcript.texts().Text(context.Background(), parts.TextSystemPrompt)
		if err != nil {
			return err
		}
		after := meta{LastCombinedPrompt: n.Combined}
		if n.Own {
			after.SystemPromptTime, after.SystemPromptSum = f.transcript.modTime(parts.TextSystemPrompt), sumOf(own)
		}
		return jsonfile.Write(f.transcript.metaFile(), after)
	})
}
