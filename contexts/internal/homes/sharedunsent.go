package homes

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/jsonfile"
	"github.com/chibi-host/chibi/store"
)

// What a handle could not store, because the store did not answer in time, is kept in a
// file on this machine. The handle tries it again before it stores anything else, and so
// does whoever takes the context's lock on this machine next.

// outbox keeps what could not be stored, and stores it later.
type outbox struct{ *sharedTranscript }

func (h *sharedHome) unsentDir() string { return filepath.Join(h.host.home, "unsent") }

// keep writes a record to a file. why is why it could not be stored.
func (t outbox) keep(p pending, why error) error {
	r := p.record
	if t.unsent == nil {
		t.unsent = &unsentFile{Context: t.Name, ID: p.id, After: p.after.tail, At: t.Settings.Now().UTC(),
			path: filepath.Join(t.home.unsentDir(), r.ID+unsentEnding)}
	}
	t.unsent.Records = append(t.unsent.Records, unsentRecord{r.ID, r.Begins, string(r.Data)})
	err := disk.MkdirAll(t.home.host.fs, t.home.unsentDir(), 0o700)
	if err == nil {
		err = jsonfile.Write(jsonfile.File{Path: t.unsent.path, FS: t.home.host.fs, Private: true}, t.unsent)
	}
	if err != nil {
		return errors.Join(why, fmt.Errorf("keeping it on this machine: %w", err))
	}
	t.added(p.after, p.after.tail, p.entries) // what follows comes after it
	failed := &parts.UnsentError{Context: t.Name, Path: t.unsent.path, Err: why}
	parts.Report(t.Settings, "%v", failed)
	return failed
}

// alsoUnsent keeps further entries behind those that could not be stored yet.
func (t outbox) alsoUnsent(follow func(*sharedWindow) []parts.Entry, why error) error {
	if t.unsent == nil || !errors.Is(why, store.ErrUnavailable) {
		return why
	}
	w := t.known
	if w == nil {
		w = &sharedWindow{tail: t.unsent.After, begun: true}
	}
	entries := follow(w)
	record, err := encodeRecord(entries, t.home.writer())
	if err != nil || len(entries) == 0 {
		return errors.Join(why, err)
	}
	return t.keep(pending{t.unsent.ID, w, record, entries}, why)
}

// sendUnsent stores what this handle could not store, and, when it has just taken the
// lock, what earlier runs on this machine could not.
func (t outbox) sendUnsent(ctx context.Context) error {
	if t.taken != nil {
		return t.taken
	}
	if f := t.unsent; f != nil {
		if err := t.mayStillSend(ctx, f); err != nil {
			return err
		}
		if err := t.send(ctx, f); err != nil {
			return err
		}
		t.unsent, t.known = nil, nil
	}
	if !t.isHeld() || t.known != nil {
		return nil
	}
	for _, path := range t.home.unsentFiles() {
		f, err := t.home.readUnsent(path)
		if err != nil {
			parts.Report(t.Settings, "a file that chibi could not store earlier: %v", err)
			continue
		}
		if f.ID != t.id {
			continue
		}
		if err := t.send(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

// mayStillSend returns an error if another process has taken the context over since this
// one could not store something. It is for the next run then.
func (t outbox) mayStillSend(ctx context.Context, f *unsentFile) error {
	if !t.isHeld() {
		return nil
	}
	_, err := t.overtaken(ctx, f.ID, f.After, nil)
	return err
}

// unsentFiles lists the files of what could not be stored on this machine.
func (h *sharedHome) unsentFiles() (paths []string) {
	list, err := h.host.fs.ReadDir(h.unsentDir())
	if err != nil {
		return nil
	}
	for _, e := range list {
		if strings.HasSuffix(e.Name(), unsentEnding) {
			paths = append(paths, filepath.Join(h.unsentDir(), e.Name()))
		}
	}
	return paths
}

// send stores records if nothing but marks has come after what they follow, and removes
// the file. Otherwise it says where they lie.
func (t outbox) send(ctx context.Context, f *unsentFile) error {
	if t.isHeld() {
		if _, err := t.overtaken(ctx, f.ID, t.seen, nil); err != nil {
			return err
		}
	}
	tail, stored, isOvertaken, err := t.since(ctx, f)
	if err != nil {
		return err
	}
	left := slices.DeleteFunc(slices.Clone(f.Records), func(r unsentRecord) bool { return stored[r.ID] })
	if len(left) > 0 && isOvertaken {
		t.sayKept(f)
		return nil
	}
	for _, r := range left {
		tail, err = t.home.engine.Log.Append(ctx, f.ID, tail, store.Record{ID: r.ID, Begins: r.Begins, Data: []byte(r.Data)})
		if err != nil {
			return err
		}
		t.seen = tail
	}
	if err := disk.Remove(t.home.host.fs, f.path); err != nil {
		return err
	}
	parts.Report(t.Settings, "context %q: chibi has now stored the entries that it could not store at %s", t.Name,
		f.At.Local().Format(time.DateTime))
	return nil
}

// sayAgain is how often chibi tells a person of entries that it could not store.
const sayAgain = 24 * time.Hour

// sayKept says that something stays on this machine, at one run a day.
func (t outbox) sayKept(f *unsentFile) {
	now := t.Settings.Now()
	if now.Sub(f.Said).Abs() < sayAgain {
		return
	}
	name := strings.TrimSuffix(filepath.Base(f.path), unsentEnding)
	parts.Report(t.Settings, "context %q has gone on since %s, when something could not be stored: that is kept in %s; "+
		"chibi unsent show %[4]s shows it, chibi unsent add %[4]s adds it to the context as a note, and chibi unsent remove "+
		"%[4]s removes it", t.Name, f.At.Local().Format(time.DateTime), f.path, name[:min(len(name), 8)])
	f.Said = now.UTC()
	if err := jsonfile.Write(jsonfile.File{Path: f.path, FS: t.home.host.fs, Private: true}, f); err != nil {
		parts.Report(t.Settings, "%v", err) // the next run says it again
	}
}

// since looks at what has come after what the records of a file follow: which of them are
// there, and whether there is anything else.
func (t outbox) since(ctx context.Context, f *unsentFile) (tail store.Tail, stored map[string]bool,
	isOvertaken bool, err error) {
	stored = map[string]bool{}
	if tail, err = t.home.engine.Log.Tail(ctx, f.ID); err != nil || tail.Last <= f.After.Last {
		return tail, stored, tail.Last < f.After.Last, err
	}
	between := store.Range{First: f.After.Last + 1, Last: tail.Last}
	err = t.readLog(ctx, between, func(r store.Record) bool {
		if f.has(r.ID) {
			stored[r.ID] = true
		} else if !isMarkLine(r.Data) {
			isOvertaken = true
		}
		return true
	})
	return tail, stored, isOvertaken, err
}
