package contexts

import (
	"context"

	"github.com/chibi-host/chibi/internal/disk"
)

// sharedView is transcript-view.jsonl in this machine's directory of a context.
type sharedView struct {
	viewFile
	transcript *sharedTranscript
}

// keep compares the end of the view with that of the window, and writes it anew if they
// differ.
func (v *sharedView) keep(ctx context.Context, what View) (string, error) {
	v.writer = &viewWriter{View: what}
	window, err := v.transcript.window(ctx)
	if err == nil {
		err = v.bringUp(window)
	}
	if err != nil {
		v.writer = nil
	}
	return v.file(), err
}

func (v *sharedView) bringUp(window []Entry) error {
	if err := disk.MkdirAll(v.fs, v.directory(v.ref.name), 0o700); err != nil {
		return err
	}
	if len(window) == 0 {
		v.writer.session = v.ref.firstID()
		return disk.ReplaceDerived(v.fs, v.file(), nil)
	}
	v.writer.session = sessionID(window[0])
	if isCurrent, err := v.endsWith(window[len(window)-1]); err != nil || isCurrent {
		return err
	}
	return v.rewrite(window)
}

// added brings the view up to date with what was stored.
func (v *sharedView) added(entries []Entry, window func() []Entry) {
	for _, e := range entries {
		if e.isAnchor() {
			v.begun(window())
			return
		}
	}
	v.viewFile.added(entries)
}
