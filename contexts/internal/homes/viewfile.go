package homes

import (
	"bytes"
	"path/filepath"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/jsonl"
	"github.com/chibi-host/chibi/internal/strictjson"
)

// viewFile is transcript-view.jsonl. It is derived from the window: nothing reads it but
// scripts, and writing it waits for no disk.
type viewFile struct {
	*fileHome
	ref    *parts.Ref
	writer *viewWriter // nil: no view is kept
}

func (v *viewFile) file() string {
	return filepath.Join(v.directory(v.ref.Name), "transcript-view.jsonl")
}

// endsWith reports whether the view ends as a window does whose last entry is given. It
// then continues there.
func (v *viewFile) endsWith(last parts.Entry) (bool, error) {
	var line struct {
		UUID    string `json:"uuid"`
		Session string `json:"sessionId"`
	}
	err := jsonl.Backward(v.fs, v.file(), func(_ int64, record []byte) bool {
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
func (v *viewFile) rewrite(window []parts.Entry) error {
	v.writer.parent = ""
	if len(window) > 0 {
		v.writer.session = parts.SessionID(window[0])
	}
	lines, err := v.writer.lines(window)
	if err != nil {
		return err
	}
	return disk.ReplaceDerived(v.fs, v.file(), bytes.Join(append(lines, nil), []byte("\n")))
}

// added adds entries to the view, if one is kept.
func (v *viewFile) added(entries []parts.Entry) {
	if v.writer == nil {
		return
	}
	lines, err := v.writer.lines(entries)
	if err == nil && len(lines) > 0 {
		_, err = jsonl.AppendDerived(v.fs, v.file(), lines...)
	}
	v.reportError(err)
}

// begun writes the view of a new window, if one is kept.
func (v *viewFile) begun(window []parts.Entry) {
	if v.writer != nil {
		v.reportError(v.rewrite(window))
	}
}

// reportError reports that the view could not be written. chibi writes it again when somebody asks
// for it again.
func (v *viewFile) reportError(err error) {
	if err != nil {
		parts.Report(v.settings, "context %q: writing the view for scripts: %v", v.ref.Name, err)
	}
}
