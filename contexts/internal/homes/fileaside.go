package homes

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/jsonl"
	"github.com/chibi-host/chibi/internal/strictjson"
)

// keepAside keeps bytes that are taken out of a context in a file of this machine. Its name is made of
// them: whoever keeps them again, after a crash, changes nothing.
func (f *fileHome) keepAside(name, begins string, data []byte) (path string, err error) {
	sum := sha256.Sum256(data)
	path = filepath.Join(Layout{f.home}.SetAside(name), begins+"-"+hex.EncodeToString(sum[:8]))
	if err := disk.MkdirAll(f.fs, filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	return path, disk.ReplacePrivate(f.fs, path, data)
}

// fileMender takes damaged lines out of the files of a context.
type fileMender struct{ *fileTranscript }

func (m fileMender) mender() parts.Mender { return parts.Mender{SetAside: m.setAside, Keep: m.keep} }

// keep keeps bytes in the context's directory.
func (m fileMender) keep(begins string, data []byte) (path string, err error) {
	return m.home.keepAside(m.Name, begins, data)
}

// setAside takes out lines of the transcript, in the place of which come notes, and of the inbox.
func (m fileMender) setAside(ctx context.Context, each func(parts.Aside)) error {
	if !m.home.hasContext(m.Name) {
		return nil
	}
	err := m.locked(waitLock(ctx), func() error { return m.entriesAside(each) })
	inbox := fileInbox{m.fileContext}
	if err != nil || !inbox.HasMail(ctx) {
		return err
	}
	return inbox.locked(waitLock(ctx), func() error {
		_, err := m.linesAside(lines{inbox.file(), func(line []byte) error { return strictjson.Decode(line, &parts.Mail{}) },
			func(parts.Aside) ([]byte, error) { return nil, nil }}, each)
		return err
	})
}

// entriesAside takes lines out of the transcript that are not entries. The caller holds its lock.
func (m fileMender) entriesAside(each func(parts.Aside)) error {
	segments, err := m.entries.log.Segments()
	if err != nil {
		return err
	}
	changed := false
	for _, s := range segments {
		var last parts.Entry // the note has its time
		isEntry := func(line []byte) error {
			var e parts.Entry
			if err := strictjson.Decode(line, &e); err != nil {
				return err
			}
			last = e
			return nil
		}
		note := func(a parts.Aside) ([]byte, error) {
			text := fmt.Sprintf("A damaged line is set aside; its bytes are in %s.", a.Path)
			return strictjson.Encode(parts.AsideNote(m.Name, text, last.Timestamp))
		}
		some, err := m.linesAside(lines{s.Path, isEntry, note}, each)
		if err != nil {
			return err
		}
		changed = changed || some
	}
	if changed {
		_, err = m.rebuild()
	}
	return err
}

// lines are the lines of a file.
type lines struct {
	path    string
	isGood  func(line []byte) error
	instead func(parts.Aside) ([]byte, error) // what comes in the place of one that is not, nil: nothing
}

// maxMended bounds a file that lines are taken out of: it is read into memory.
const maxMended = 256 << 20

// linesAside takes lines out of a file that are not good. It keeps their bytes before it replaces
// the file, and calls each after that.
func (m fileMender) linesAside(l lines, each func(parts.Aside)) (changed bool, err error) {
	data, err := disk.ReadFile(m.home.fs, l.path, maxMended)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	var kept bytes.Buffer
	var list []parts.Aside
	number := 0
	for line := range bytes.Lines(data) {
		number++
		text, isWhole := bytes.CutSuffix(line, []byte("\n"))
		why := error(nil)
		switch {
		case !isWhole || len(bytes.TrimSpace(text)) == 0: // readers leave it out, and the next writer cuts a torn end
		case len(text) > jsonl.MaxRecord:
			why = fmt.Errorf("it has %d bytes", len(text))
		default:
			why = l.isGood(text)
		}
		if why == nil {
			kept.Write(line)
			continue
		}
		a := parts.Aside{What: fmt.Sprintf("%s:%d: %v", l.path, number, why)}
		if a.Path, err = m.keep(filepath.Base(l.path), line); err != nil {
			return false, err
		}
		list = append(list, a)
		instead, err := l.instead(a)
		if err != nil {
			return false, err
		}
		if instead != nil {
			kept.Write(append(instead, '\n'))
		}
	}
	if len(list) == 0 {
		return false, nil
	}
	if err := disk.Replace(m.home.fs, l.path, kept.Bytes(), 0o600); err != nil {
		return false, err
	}
	for _, a := range list {
		each(a)
	}
	return true, nil
}
