package disk

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// ErrBusy means that others write a file all the time.
var ErrBusy = errors.New("another program writes to it all the time; try again when that program has ended")

// errOthers means that somebody else has written a file since it was read, or is about to.
var errOthers = errors.New("somebody else writes")

// How often a change is tried, and how much longer is waited before each attempt.
const (
	changeAttempts = 50
	changePause    = time.Millisecond
)

// Change changes a file of at most max bytes that programs write too which take no lock of ours.
// change gets the content, nil if there is no file, and returns the new one, nil for none. If
// somebody else has written meanwhile, by renaming or in place, that stands, and the change is
// made again to what they wrote; it can be made several times. After a crash the file is a whole
// one, as before or after; an existing one keeps its mode, and its owner if that can be done. The
// name must not be a link. On Linux nothing that others write is lost where the file system can
// exchange files, unless they put a new file there in the moment of the exchange and read ours before that is
// taken back, microseconds later. Elsewhere what they write between the last look and the renaming is lost.
func Change(fsys FS, name string, max int64, change func(data []byte) ([]byte, error)) error {
	for attempt := range changeAttempts {
		time.Sleep(time.Duration(attempt) * changePause)
		s := shared{fsys, name, max, attempt < changeAttempts/2}
		if err := s.attempt(change); !errors.Is(err, errOthers) {
			return err
		}
	}
	return fmt.Errorf("%s: %w", name, ErrBusy)
}

// shared is a file that others write too.
type shared struct {
	fsys FS
	name string
	max  int64
	// waits says that chibi waits for programs that have the file open to write. Some have it open for
	// ever, and file systems of other machines cannot always tell.
	waits bool
}

// attempt changes the file, unless others do.
func (s shared) attempt(change func(data []byte) ([]byte, error)) error {
	f, err := s.hold()
	if err != nil {
		return err
	}
	f.close()
	was := f.data
	now, err := change(bytes.Clone(was))
	switch {
	case err != nil && f.isOpen:
		return errOthers // what they write may not be whole yet
	case err != nil || bytes.Equal(was, now) && (was == nil) == (now == nil):
		return err
	case was == nil:
		return s.make(now)
	case now == nil:
		return s.remove(was)
	}
	return s.replace(was, now)
}

// make makes the file, which was not there.
func (s shared) make(now []byte) error {
	temp, err := writeTemp(s.fsys, s.name, now, 0o644)
	if err != nil {
		return err
	}
	if err := s.fsys.RenameNew(temp, s.name); err != nil {
		s.fsys.Remove(temp)
		return orOthers(err, fs.ErrExist)
	}
	return s.fsys.SyncDir(filepath.Dir(s.name))
}

// remove removes the file. It gets another name first: what then turns out to be somebody else's
// gets its own again, unless there is a newer one.
func (s shared) remove(was []byte) error {
	f, err := s.holdIf(was)
	if err != nil {
		return err
	}
	defer f.close()
	away := TempName(s.name)
	if err := s.fsys.RenameNew(s.name, away); err != nil {
		return orOthers(err, fs.ErrNotExist)
	}
	if !s.isOld(away, f) {
		if err := s.fsys.RenameNew(away, s.name); errors.Is(err, fs.ErrExist) {
			s.fsys.Remove(away)
		} else if err != nil {
			return err
		}
		return errOthers
	}
	return errors.Join(s.fsys.Remove(away), s.fsys.SyncDir(filepath.Dir(s.name)))
}

func (s shared) replace(was, now []byte) error {
	temp, err := writeTemp(s.fsys, s.name, now, 0o600) // others must not read what they may not
	if err != nil {
		return err
	}
	old, err := s.holdIf(was)
	if err == nil {
		defer old.close() // when temp is removed: until then nobody opens what the file was
		err = s.dress(temp, old.info)
	}
	if err == nil {
		err = s.put(temp, old)
	}
	s.fsys.Remove(temp)
	return err
}

// put gives the finished file the name, and temp to the one that had it.
func (s shared) put(temp string, old held) error {
	own, err := s.fsys.Stat(temp)
	if err != nil {
		return err
	}
	// Whoever reads the file between the exchange and the next reads what may be taken back: the last look
	// is right before it.
	if !s.isStill(s.name, old.info) {
		return errOthers
	}
	dir := filepath.Dir(s.name)
	err = s.fsys.Exchange(temp, s.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errOthers
	case err != nil: // not every file system can
		return errors.Join(s.fsys.Rename(temp, s.name), s.fsys.SyncDir(dir))
	case !s.isOld(temp, old):
		return s.giveBack(temp, own)
	}
	if err := s.fsys.SyncDir(dir); err != nil || !old.isWanted() {
		return err
	}
	return s.giveBack(temp, own) // somebody was opening the old file when it was exchanged
}

// giveBack exchanges the files again, as what came back is somebody else's. If that does not bring
// back the file that was put there, somebody has put another one there since: the newest counts.
func (s shared) giveBack(temp string, put fs.FileInfo) error {
	for range changeAttempts {
		theirs, err := s.fsys.Stat(temp)
		if err != nil {
			return err
		}
		if err := s.fsys.Exchange(temp, s.name); err != nil {
			return orOthers(err, fs.ErrNotExist) // they removed it
		}
		if s.isStill(temp, put) {
			break
		}
		put = theirs
	}
	return errOthers
}

// isOld reports whether what a name stands for now is what was read, and nobody waits to write to it.
// First comes what takes no time: whoever reads meanwhile reads what may be taken back.
func (s shared) isOld(name string, old held) bool {
	if !s.isStill(name, old.info) || old.isWanted() {
		return false
	}
	data, err := ReadFile(s.fsys, name, s.max)
	return err == nil && bytes.Equal(data, old.data)
}

// isStill reports whether a name leads to an examined file, and nobody has written to it.
func (s shared) isStill(name string, examined fs.FileInfo) bool {
	now, err := s.fsys.Stat(name)
	return err == nil && sameFile(examined, now) && examined.Size() == now.Size() &&
		examined.ModTime().Equal(now.ModTime())
}

// sameFile is os.SameFile, also for files of tests.
func sameFile(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) || a.Sys() != nil && a.Sys() == b.Sys()
}

// holdIf holds the file if its content is what it was.
func (s shared) holdIf(was []byte) (held, error) {
	f, err := s.hold()
	if err == nil && (f.data == nil || !bytes.Equal(was, f.data)) {
		f.close()
		err = errOthers
	}
	return f, err
}

// hold opens and reads the file; its data are nil if there is none. Where the system can, nobody
// opens it for writing before it is closed.
func (s shared) hold() (f held, err error) {
	f.file, err = s.fsys.OpenFile(s.name, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return held{}, nil
	}
	if err == nil {
		f.isHeld, err = hold(f.file)
	}
	f.isOpen = errors.Is(err, errOthers)
	if f.isOpen && !s.waits {
		err = nil
	}
	if err == nil {
		f.info, err = f.file.Stat()
	}
	if err == nil {
		f.data, err = readAll(f.file, s.name, s.max)
	}
	if err == nil && f.isOpen && len(f.data) == 0 {
		err = errOthers // it was truncated and will be written
	}
	if err != nil {
		f.close()
		return held{}, err
	}
	if f.data == nil {
		f.data = []byte{}
	}
	return f, nil
}

// held is an open file with its content. If isHeld, nobody opens it for writing before it is closed; if
// isOpen, somebody already has.
type held struct {
	file           File
	info           fs.FileInfo
	data           []byte
	isHeld, isOpen bool
}

// isWanted reports whether somebody waits to write to the file.
func (f held) isWanted() bool { return f.isHeld && isWanted(f.file) }

func (f held) close() {
	if f.file != nil {
		f.file.Close()
	}
}

// dress gives a new file the owner and the permissions of the one that it will replace.
func (s shared) dress(temp string, like fs.FileInfo) error {
	real, is := s.fsys.(OS)
	if !is {
		return nil
	}
	return real.dress(temp, like)
}

// orOthers returns errOthers for an error that somebody else has brought about.
func orOthers(err, theirs error) error {
	if errors.Is(err, theirs) {
		return errOthers
	}
	return err
}
