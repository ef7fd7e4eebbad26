package homes

import (
	"context"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/internal/disk"
)

// sharedView is transcript-view.jsonl in this machine's directory of a context.
type sharedView struct {
	viewFile
	transcript *sharedTranscript
}

// Keep compares the end of the view with that of the window, and writes it anew if they
// differ.
func (v *sharedView) Keep(ctx context.Context, what parts.View) (string, error) {
	v.writer = &viewWriter{View: what}
	window, err := v.transcript.Window(ctx)
	if err == nil {
		err = v.bringUp(window)
	}
	if err != nil {
		v.writer = nil
	}
	return v.file(), err
}

func (v *sharedView) bringUp(window []parts.Entry) error {
	if err := disk.MkdirAll(v.fs, v.directory(v.ref.Name), 0o700); err != nil {
		return err
	}
	if len(window) == 0 {
		v.writer.session = v.ref.FirstID()
		return disk.ReplaceDerived(v.fs, v.file(), nil)
	}
	v.writer.session = parts.SessionID(window[0])
	if isCurrent, err := v.endsWith(window[len(window)-1]); err != nil || isCurrent {
		return err
	}
	return v.rewrite(window)
}

// added brings the view up to date with what was stored.
func (v *sharedView) added(entries []parts.Entry, window func() []parts.Entry) {
	for _, e := range entries {
		if parts.IsAnchor(e) {
			v.begun(window())
			return
		}
	}
	v.viewFile.added(entries)
}
