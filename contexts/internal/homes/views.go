package homes

import (
	"context"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/internal/disk"
)

// fileView is the view of a context in files.
type fileView struct {
	*viewFile
	transcript *fileTranscript
}

// Keep compares the end of the view with the end of the window, and writes it again if they
// differ.
func (v *fileView) Keep(ctx context.Context, what parts.View) (string, error) {
	if !v.hasContext(v.ref.Name) {
		v.writer = &viewWriter{View: what, session: v.ref.FirstID()}
		return v.file(), nil
	}
	t := v.transcript
	err := t.locked(waitLock(ctx), func() error {
		if err := syncWindow(t); err != nil {
			return err
		}
		v.writer = &viewWriter{View: what}
		begins, err := t.file.begins(1)
		if err != nil {
			return err
		}
		if len(begins) == 0 {
			v.writer.session = v.ref.FirstID()
			return disk.ReplaceDerived(v.fs, v.file(), nil)
		}
		v.writer.session = parts.SessionID(begins[0])
		last, found, err := t.lastOf(t.file.path())
		if err == nil && found {
			if isCurrent, err := v.endsWith(last); err != nil || isCurrent {
				return err
			}
		}
		if err != nil {
			return err
		}
		entries, err := t.readOrRebuild()
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

// sharedView is transcript-view.jsonl in this machine's directory of a context.
type sharedView struct {
	*viewFile
	transcript *sharedTranscript
}

// Keep compares the end of the view with the end of the window, and writes it again if they
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
