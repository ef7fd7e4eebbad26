package homes

import (
	"context"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/internal/disk"
)

// fileTranscript keeps the entries of a context: the transcript, and the file that
// holds the window.
type fileTranscript struct {
	*fileContext
	entries entryLog
	file    windowFile
	view    *viewFile
}

// Append adds entries to the transcript, and then to the window.
func (t *fileTranscript) Append(entries []parts.Entry) error {
	records, err := parts.Encode(entries)
	if err != nil {
		return err
	}
	return t.locked(disk.Lock, func() error {
		if err := syncWindow(t); err != nil {
			return err
		}
		records, err := t.entries.record(records)
		if err != nil {
			return err
		}
		t.file.reportError(t.file.append(records))
		t.view.added(entries)
		t.entries.rotate(records)
		return nil
	})
}

// Begin adds an anchor to the transcript and rebuilds the window. Messages that are
// no longer in the window are appended to transcript.md first.
func (t *fileTranscript) Begin(anchor parts.Entry) error {
	return t.locked(disk.Lock, func() error {
		old, err := t.readOrRebuild()
		if err != nil {
			return err
		}
		if err := t.archiveText(parts.Dropped(old, parts.ReplacementOf(anchor))); err != nil {
			return err
		}
		records, err := parts.Encode([]parts.Entry{parts.GoingOn(anchor, old)})
		if err != nil {
			return err
		}
		if records, err = t.entries.record(records); err != nil {
			return err
		}
		window, err := t.rebuild()
		t.file.reportError(err)
		t.view.begun(window)
		t.entries.rotate(records)
		return nil
	})
}

// archiveText appends messages to transcript.md, for people and their tools.
func (c *fileContext) archiveText(list []parts.Entry) error {
	var b strings.Builder
	for _, e := range list {
		fmt.Fprintf(&b, "[%s]: %s\n\n", strings.ToUpper(e.Role()), e.Content)
	}
	if b.Len() == 0 {
		return nil
	}
	return disk.Append(c.home.fs, c.path("transcript.md"), []byte(b.String()), 0o600)
}

// locked runs a step while no other process can write the transcript. Interrupted
// work is finished first.
func (t *fileTranscript) locked(take func(path string) (func(), error), step func() error) error {
	unlock, err := t.home.lockIn(t.path("transcript"), ".transcript.lock", take)
	if err != nil {
		return err
	}
	defer unlock()
	end, err := t.entries.log.Begin(t.migrate)
	if err != nil {
		return err
	}
	defer end()
	return step()
}

// Window reads the file that holds the window. It takes the transcript's lock only
// if that file is behind and no process uses the context: a process that does
// brings it up to date.
func (t *fileTranscript) Window(ctx context.Context) (entries []parts.Entry, err error) {
	if !t.home.hasContext(t.Name) {
		return nil, nil
	}
	if !t.isUnfinished() {
		if entries, isCurrent, err := t.current(func(string, ...any) {}); err != nil || isCurrent {
			return entries, err
		}
		if !t.Held && t.home.isLocked(t.Name) {
			entries, _, err := t.entries.sinceAnchor()
			return entries, err
		}
	}
	err = t.locked(waitLock(ctx), func() (err error) {
		entries, err = t.readOrRebuild()
		return err
	})
	if disk.IsReadOnly(err) {
		entries, err = t.readOnly()
	}
	return entries, err
}

// Begins reads the file that holds the window, from its beginning.
func (t *fileTranscript) Begins(ctx context.Context) ([]parts.Entry, error) {
	if !t.home.hasContext(t.Name) {
		return nil, nil
	}
	if !t.isUnfinished() {
		if behind, err := t.isBehind(); err == nil && !behind {
			if list, err := t.file.begins(2); err == nil {
				return list, nil
			}
		}
	}
	entries, err := t.Window(ctx)
	return entries[:min(2, len(entries))], err
}

// readOrRebuild is like window, under the transcript's lock.
func (t *fileTranscript) readOrRebuild() ([]parts.Entry, error) {
	entries, isCurrent, err := t.current(parts.Reporter(t.Settings))
	if err != nil || isCurrent {
		return entries, err
	}
	return t.rebuild()
}

// readOnly is like readOrRebuild, for a home that cannot be written.
func (t *fileTranscript) readOnly() ([]parts.Entry, error) {
	entries, isCurrent, err := t.current(parts.Reporter(t.Settings))
	if err != nil || isCurrent {
		return entries, err
	}
	entries, _, err = t.entries.sinceAnchor()
	return entries, err
}

// current reads the file that holds the window. It is not current if it is behind the
// transcript, or has a line that is not an entry: its lines are not made durable one by
// one, and what a power failure leaves of them can be anything. Without a transcript there
// is nothing else to read, and such lines are left out. say gets the first such line of a
// window that is not current.
func (t *fileTranscript) current(say func(string, ...any)) (entries []parts.Entry, isCurrent bool, err error) {
	behind, err := t.isBehind()
	if err != nil || behind {
		return nil, false, err
	}
	entries, bad, err := t.file.read()
	if err != nil || len(bad) == 0 {
		return entries, err == nil, err
	}
	hasTranscript, err := t.entries.hasBegun()
	if err != nil {
		return nil, false, err
	}
	if hasTranscript {
		say("%s; the window is read from the transcript", bad[0])
		return nil, false, nil
	}
	for _, line := range bad {
		parts.Report(t.Settings, "%s, left out of the conversation", line)
	}
	return entries, true, nil
}

// syncWindow updates a window that is behind the transcript.
func syncWindow(t *fileTranscript) error {
	behind, err := t.isBehind()
	if err == nil && behind {
		_, err = t.rebuild()
	}
	return err
}

// isBehind compares the ends of the window and the transcript. If the transcript
// ends with an anchor, it also compares the anchors: the entries that an anchor
// keeps are in the window before it and after it.
func (t *fileTranscript) isBehind() (bool, error) {
	if t.file.isDirty() {
		return true, nil
	}
	last, found, err := t.entries.last()
	if err != nil || !found {
		return false, err
	}
	ends, _, err := t.lastOf(t.file.path())
	if err != nil {
		return false, err
	}
	if !parts.IsAnchor(last) {
		return ends.ID != last.ID, nil
	}
	begins, err := t.file.first()
	wanted := last.ID
	if kept := parts.ReplacementOf(last); len(kept) > 0 {
		wanted = kept[len(kept)-1].ID
	}
	return begins != last.ID || ends.ID != wanted, err
}

// rebuild rebuilds the window. If the anchor is new to the window, its effect on
// the summary is applied too.
func (t *fileTranscript) rebuild() ([]parts.Entry, error) {
	entries, anchor, err := t.entries.sinceAnchor()
	if err != nil {
		return entries, err
	}
	if err := t.applySummary(anchor); err != nil {
		return entries, err
	}
	return entries, t.file.write(entries)
}

// applySummary updates summary.md according to an anchor, unless the window already
// has that anchor: then the summary may have been edited by hand since.
func (t *fileTranscript) applySummary(anchor *parts.Entry) error {
	if anchor == nil {
		return nil
	}
	begins, err := t.file.first()
	if err != nil || begins == anchor.ID {
		return err
	}
	if summary, isSet := parts.SummaryOf(*anchor); isSet {
		return t.texts().replace(parts.TextSummary, summary)
	}
	return nil
}
