package contexts

import (
	"context"
	"errors"

	"github.com/chibi-host/chibi/contexts/internal/transcript"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/jsonfile"
	"github.com/chibi-host/chibi/internal/strictjson"
)

// fileTape is the transcript in files, as it is stored.
type fileTape struct{ transcript *fileTranscript }

// records reads the transcript's files. A context without a transcript may have a window
// that another program wrote.
func (f fileTape) records(ctx context.Context, each func(stored) error) error {
	if !f.transcript.home.hasContext(f.transcript.name) {
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
		report(f.transcript.settings, "%s, left out", line)
	}
	if err != nil {
		return err
	}
	records, err := encode(entries)
	for i, record := range records {
		if err = each(stored{entry: entries[i], record: record}); err != nil {
			break
		}
	}
	return err
}

// read reads parts of the transcript.
func (f fileTape) read(ctx context.Context, segments []transcript.Segment, each func(stored) error) (found bool,
	err error) {
	for _, s := range segments {
		var failed error
		err := s.Forward(func(line int, record []byte) bool {
			found = true
			e := stored{record: record}
			if err := strictjson.Decode(record, &e.entry); err != nil {
				report(f.transcript.settings, "%s:%d: not an entry, left out: %v", s.Path, line, err)
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

// write holds the transcript's lock while step writes.
func (f fileTape) write(_ context.Context, step func(tapeWriter) error) error {
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

func (w *fileTapeWriter) records(ctx context.Context, each func(stored) error) error {
	segments, err := w.transcript.entries.log.Segments()
	if err == nil {
		_, err = w.read(ctx, segments, each)
	}
	return err
}

func (w *fileTapeWriter) add(list []stored) error {
	records := make([][]byte, len(list))
	for i, e := range list {
		records[i] = e.record
	}
	if err := w.transcript.entries.log.Append(records); err != nil {
		return err
	}
	w.hasAdded = true
	w.transcript.entries.rotate(records)
	return nil
}

// setSummary replaces summary.md.
func (f fileTape) setSummary(text string) error {
	return f.transcript.texts().setText(textSummary, text)
}

// noted reads context_meta.json.
func (f fileTape) noted(ctx context.Context) (notedPrompts, error) {
	m, err := metaFile{f.transcript.fileContext}.read()
	if err != nil {
		return notedPrompts{}, err
	}
	own, err := f.transcript.texts().text(ctx, textSystemPrompt)
	return notedPrompts{combined: m.LastCombinedPrompt, own: own != "" && sumOf(own) == m.SystemPromptSum}, err
}

// setNoted replaces context_meta.json.
func (f fileTape) setNoted(n notedPrompts) error {
	return f.transcript.locked(disk.Lock, func() error {
		own, err := f.transcript.texts().text(context.Background(), textSystemPrompt)
		if err != nil {
			return err
		}
		file, after := metaFile{f.transcript.fileContext}, meta{LastCombinedPrompt: n.combined}
		if n.own {
			after.SystemPromptTime, after.SystemPromptSum = file.modTime(textSystemPrompt), sumOf(own)
		}
		return jsonfile.Write(file.file(), after)
	})
}
