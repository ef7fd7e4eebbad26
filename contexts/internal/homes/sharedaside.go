package homes

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/store"
)

// Programs only append to a log, and a user of the store may do nothing else. So a damaged record stays where it
// is, and a document says that it is set aside: whoever comes to the record looks for that.

// asideDoc says that a record is set aside.
type asideDoc struct {
	Why string `json:"why"`
	// Host has the file Path with the bytes of the record, which was stored at Written.
	Host    string `json:"host"`
	Path    string `json:"path"`
	Written int64  `json:"written"`
}

func asidePrefix(id string) string { return prefixAside + id + "." }

// note is the entry in the place of the record at a position.
func (d asideDoc) note(name string, pos uint64) parts.Entry {
	text := fmt.Sprintf("Record %d is damaged and set aside: %s. Its bytes are in %s on %s.", pos, d.Why, d.Path, d.Host)
	e := parts.AsideNote(name, clip.Text(text, maxNote), d.Written)
	e.ID = "set-aside-" + strconv.FormatUint(pos, 10) // it is made each time that it is read
	return e
}

const maxNote = 4096 // characters

// asideAt returns the entry in the place of a record that was set aside. The documents are read once
// until the lock is taken or given back.
func (c *sharedContext) asideAt(ctx context.Context, pos uint64) (note parts.Entry, isAside bool, err error) {
	if c.asides == nil {
		asides := map[uint64]asideDoc{}
		err = c.home.engine.Docs.List(ctx, asidePrefix(c.id), func(d store.Doc) bool {
			at, err := strconv.ParseUint(strings.TrimPrefix(d.Key, asidePrefix(c.id)), 10, 64)
			if err != nil {
				return true
			}
			var a asideDoc
			strictjson.Decode(d.Data, &a) // one that says nothing more still says that
			asides[at] = a
			return true
		})
		if err != nil {
			return note, false, err
		}
		c.asides = asides
	}
	a, isAside := c.asides[pos]
	return a.note(c.Name, pos), isAside, nil
}

// readLog calls each with the records of a part of the context's log, until it returns false. In the
// place of a damaged one that was set aside comes one that has the note of it.
func (c *sharedContext) readLog(ctx context.Context, part store.Range, each func(store.Record) (more bool)) error {
	return logPart{c.home.engine.Log, c.id, part}.each(ctx, each, func(d *store.DamageError) (more bool, err error) {
		note, isAside, err := c.asideAt(ctx, d.Pos)
		switch {
		case err != nil:
			return false, err
		case isAside:
			data, err := parts.Encode([]parts.Entry{note})
			return err == nil && each(store.Record{Pos: d.Pos, Time: d.Time, Data: data[0]}), err
		case c.Around:
			parts.Report(c.Settings, "context %q, %v", c.Name, d)
			return true, nil
		}
		return false, fmt.Errorf("%w; chibi store check --repair sets it aside with its bytes", d)
	})
}

// logPart is a part of a log.
type logPart struct {
	log  store.Log
	name string
	store.Range
}

// each reads it, and goes on behind damaged records as long as damaged says so.
func (p logPart) each(ctx context.Context, each func(store.Record) (more bool),
	damaged func(*store.DamageError) (more bool, err error)) error {
	for {
		err := p.log.Read(ctx, p.name, p.Range, each)
		d, isDamaged := errors.AsType[*store.DamageError](err)
		if !isDamaged {
			return err
		}
		if more, err := damaged(d); err != nil || !more {
			return err
		}
		if d.Pos <= max(1, p.First) && p.Backward || d.Pos == p.Last && !p.Backward {
			return nil
		}
		if p.Backward {
			p.Last = d.Pos - 1
		} else {
			p.First = d.Pos + 1
		}
	}
}

// sharedMender takes what is damaged out of a context.
type sharedMender struct{ *sharedContext }

func (m sharedMender) mender() parts.Mender { return parts.Mender{SetAside: m.setAside, Keep: m.keep} }

// keep keeps bytes on this machine.
func (m sharedMender) keep(begins string, data []byte) (path string, err error) {
	return m.home.host.keepAside(m.Name, begins, data)
}

// setAside takes records and messages out.
func (m sharedMender) setAside(ctx context.Context, each func(parts.Aside)) error {
	if err := m.records(ctx, each); err != nil || m.id == "" {
		return err
	}
	return m.messages(ctx, each)
}

// records sets aside the records that the engine cannot use, and those that have lines which are not
// entries.
func (m sharedMender) records(ctx context.Context, each func(parts.Aside)) error {
	tail, err := m.end(ctx)
	if err != nil || tail.Last == 0 {
		return err
	}
	var failed error
	read := func(r store.Record) bool {
		var why error
		decodeRecord(r.Data, func([]byte, parts.Entry) bool { return true }, func(line int, err error) bool {
			why = fmt.Errorf("line %d is not an entry: %w", line, err)
			return false
		})
		if why != nil {
			failed = m.record(ctx, &store.DamageError{Pos: r.Pos, Time: r.Time, Data: r.Data, Err: why}, each)
		}
		return failed == nil
	}
	err = logPart{m.home.engine.Log, m.id, store.Range{Last: tail.Last}}.each(ctx, read,
		func(d *store.DamageError) (bool, error) { return true, m.record(ctx, d, each) })
	return errors.Join(failed, err)
}

// record sets a record aside unless it is.
func (m sharedMender) record(ctx context.Context, damage *store.DamageError, each func(parts.Aside)) error {
	if _, isAside, err := m.asideAt(ctx, damage.Pos); err != nil || isAside {
		return err
	}
	path, err := m.keep(fmt.Sprintf("record-%d", damage.Pos), damage.Data)
	if err != nil {
		return err
	}
	host, _ := os.Hostname()
	doc := asideDoc{Why: damage.Err.Error(), Host: host, Path: path, Written: damage.Time.Unix()}
	key := asidePrefix(m.id) + strconv.FormatUint(damage.Pos, 10)
	if _, err := putJSON(ctx, m.home.engine, store.Doc{Key: key}, doc); err != nil && !errors.Is(err, store.ErrConflict) {
		return err
	}
	m.asides[damage.Pos] = doc
	each(parts.Aside{What: fmt.Sprintf("context %q, %v", m.Name, damage), Path: path})
	return nil
}

// messages sets aside documents that are not messages, and those whose content is damaged or missing.
func (m sharedMender) messages(ctx context.Context, each func(parts.Aside)) error {
	docs, err := m.home.listed(ctx, mailPrefix(m.id))
	return forAll(docs, err, func(d store.Doc) error {
		_, err := sharedInbox(m).message(ctx, m.id, d)
		if bad, isBad := errors.AsType[badMessage](err); isBad {
			return m.message(ctx, d, bad, each)
		}
		return err
	})
}

// message sets a document aside that is not a message.
func (m sharedMender) message(ctx context.Context, d store.Doc, why badMessage, each func(parts.Aside)) error {
	path, err := m.keep("message", d.Data)
	if err != nil {
		return err
	}
	log := largeMail(m.id, strings.TrimPrefix(d.Key, mailPrefix(m.id)))
	isLarge := store.CheckLog(log) == nil
	if isLarge {
		if err := m.content(ctx, log); err != nil {
			return err
		}
	}
	if err := m.home.removeDoc(ctx, d); err != nil {
		return err
	}
	each(parts.Aside{What: fmt.Sprintf("context %q, message %.80q: %v", m.Name, d.Key, why), Path: path})
	if isLarge {
		return m.home.engine.Log.Remove(ctx, log)
	}
	return nil
}

// content keeps what there is of a large message's content.
func (m sharedMender) content(ctx context.Context, log string) error {
	var failed error
	keep := func(data []byte) bool {
		_, failed = m.keep("message-content", data)
		return failed == nil
	}
	err := logPart{m.home.engine.Log, log, store.Range{}}.each(ctx, func(r store.Record) bool { return keep(r.Data) },
		func(d *store.DamageError) (bool, error) { return keep(d.Data), nil })
	return errors.Join(failed, err)
}
