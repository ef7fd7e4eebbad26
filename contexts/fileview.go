package contexts

import (
	"bytes"
	"context"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/jsonl"
	"github.com/chibi-host/chibi/internal/strictjson"
)

// viewer keeps a view of a context for scripts.
type viewer interface {
	// keep brings the view up to date and keeps it so. It returns the view's path.
	keep(ctx context.Context, v View) (path string, err error)
}

// fileView is transcript-view.jsonl. It is derived from the window: nothing reads it but
// scripts, and writing it waits for no disk.
type fileView struct {
	*fileTranscript
	writer *viewWriter // nil: no view is kept
}

func (v *fileView) file() string { return v.path("transcript-view.jsonl") }

// keep compares the end of the view with that of the window, and writes it anew if they
// differ.
func (v *fileView) keep(ctx context.Context, what View) (string, error) {
	if !v.home.hasContext(v.name) {
		v.writer = &viewWriter{View: what, session: v.firstID()}
		return v.file(), nil
	}
	err := v.locked(waitLock(ctx), func() error {
		if err := syncWindow(v.fileTranscript); err != nil {
			return err
		}
		v.writer = &viewWriter{View: what}
		begins, err := v.fileTranscript.file.begins(1)
		if err != nil {
			return err
		}
		if len(begins) == 0 {
			v.writer.session = v.firstID()
			return disk.ReplaceDerived(v.home.fs, v.file(), nil)
		}
		v.writer.session = sessionID(begins[0])
		if isCurrent, err := v.isCurrent(); err != nil || isCurrent {
			return err
		}
		entries, err := v.readOrRebuild()
		if err != nil {
			return err
		}
		return v.rewrite(entries)
	})
	if err != nil {
		v.writer = nil
	}
	return v.file(), err
}

// isCurrent reports whether the view ends as the window does. It then continues there.
func (v *fileView) isCurrent() (bool, error) {
	last, found, err := v.lastOf(v.fileTranscript.file.path())
	if err != nil || !found {
		return false, err
	}
	var line struct {
		UUID    string `json:"uuid"`
		Session string `json:"sessionId"`
	}
	err = jsonl.Backward(v.home.fs, v.file(), func(_ int64, record []byte) bool {
		strictjson.Decode(record, &line)
		return false
	})
	if err != nil || line.UUID != viewID(last) || line.Session != v.writer.session {
		return false, err
	}
	v.writer.parent = line.UUID
	return true, nil
}

// rewrite writes the view of a window.
func (v *fileView) rewrite(window []Entry) error {
	v.writer.parent = ""
	if len(window) > 0 {
		v.writer.session = sessionID(window[0])
	}
	lines, err := v.writer.lines(window)
	if err != nil {
		return err
	}
	return disk.ReplaceDerived(v.home.fs, v.file(), bytes.Join(append(lines, nil), []byte("\n")))
}

// added adds entries to the view, if one is kept.
func (v *fileView) added(entries []Entry) {
	if v.writer == nil {
		return
	}
	lines, err := v.writer.lines(entries)
	if err == nil && len(lines) > 0 {
		_, err = jsonl.AppendDerived(v.home.fs, v.file(), lines...)
	}
	v.reportError(err)
}

// begun writes the view of a new window, if one is kept.
func (v *fileView) begun(window []Entry) {
	if v.writer != nil {
		v.reportError(v.rewrite(window))
	}
}

// reportError reports that the view could not be written. It is written anew when somebody
// asks for it again.
func (v *fileView) reportError(err error) {
	if err != nil {
		v.store.report("context %q: writing the view for scripts: %v", v.name, err)
	}
}
