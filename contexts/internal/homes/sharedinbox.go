package homes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/store"
)

// sharedInbox are the messages to a context, a document each. Their order is the order of the
// revisions.
type sharedInbox struct{ *sharedContext }

// largeMail returns the log of a message's content that is too large for a document.
func largeMail(id, mail string) string { return id + "-" + mail }

func mailPrefix(id string) string { return prefixMail + id + "." }

// Put makes the context, and puts a document.
func (b sharedInbox) Put(m parts.Mail) error {
	b.ahead.mail = nil
	ctx := context.Background()
	id, err := b.make(ctx)
	if err != nil {
		return err
	}
	if err := b.checkRoom(ctx, id, len(m.Content)); err != nil {
		return err
	}
	d := mailDoc{Mail: m}
	err = b.putDoc(ctx, id, d)
	if errors.Is(err, store.ErrTooLarge) {
		_, err = b.home.engine.Log.Append(ctx, largeMail(id, m.ID), store.Tail{},
			store.Record{ID: newID(), Data: []byte(m.Content)})
		d.Content, d.Large = "", true
		if err == nil || errors.Is(err, store.ErrConflict) { // it is there, from a put that was interrupted
			err = b.putDoc(ctx, id, d)
		}
	}
	return err
}

// putDoc puts the document of a message. It can only be there already if the store has
// stored it and did not say so.
func (b sharedInbox) putDoc(ctx context.Context, id string, d mailDoc) error {
	_, err := putJSON(ctx, b.home.engine, store.Doc{Key: mailPrefix(id) + d.ID}, d)
	if errors.Is(err, store.ErrConflict) {
		return nil
	}
	return err
}

// maxRoomAge is how long an inbox is not listed again while this process sends to it.
const maxRoomAge = time.Minute

// hasRoom reports whether a message fits, as far as is known without listing the inbox, and
// counts it.
func (h *sharedHome) hasRoom(id string, more int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	r, known := h.rooms[id]
	if !known || time.Since(r.listed) > maxRoomAge || r.held+more > parts.MaxInbox {
		return false
	}
	r.held += more
	h.rooms[id] = r
	return true
}

// checkRoom rejects a message that does not fit. The bound is approximate: what others have sent
// since this process has listed the inbox is not counted, for a minute at most.
func (b sharedInbox) checkRoom(ctx context.Context, id string, more int) error {
	if b.home.hasRoom(id, more) {
		return nil
	}
	held := 0
	err := b.home.engine.Docs.List(ctx, mailPrefix(id), func(d store.Doc) bool {
		held += len(d.Data)
		return held+more <= parts.MaxInbox
	})
	if err != nil {
		return err
	}
	b.home.mu.Lock()
	b.home.rooms[id] = room{held + more, time.Now()}
	b.home.mu.Unlock()
	return parts.CheckRoom(b.Name, int64(held), int64(more))
}

func (b sharedInbox) HasMail(ctx context.Context) bool {
	id, err := b.find(ctx)
	if err != nil {
		return true // reading it returns the error
	}
	if id == "" {
		return false
	}
	found, err := b.home.hasMail(ctx, id)
	return found || err != nil
}

// hasMail reports whether messages wait in the inbox of the context with an id.
func (h *sharedHome) hasMail(ctx context.Context, id string) (found bool, err error) {
	err = h.engine.Docs.List(ctx, mailPrefix(id), func(store.Doc) bool {
		found = true
		return false
	})
	return found, err
}

// Waiting reads the messages. A document that is not one is reported and stays.
func (b sharedInbox) Waiting(ctx context.Context) ([]parts.Mail, error) {
	list, err := b.read(ctx)
	if err != nil {
		return nil, err
	}
	b.mail, b.hasRead = list, true
	return mailOf(list), nil
}

func mailOf(list []mailDoc) (mail []parts.Mail) {
	for _, d := range list {
		mail = append(mail, d.Mail)
	}
	return mail
}

func (b sharedInbox) read(ctx context.Context) (list []mailDoc, err error) {
	id, err := b.find(ctx)
	if err != nil || id == "" {
		return nil, err
	}
	docs, err := b.takeMail(ctx, id)
	slices.SortFunc(docs, func(a, b store.Doc) int { return cmp.Compare(a.Rev, b.Rev) })
	err = forAll(docs, err, func(d store.Doc) error {
		m, err := b.message(ctx, id, d)
		if bad, isBad := errors.AsType[badMessage](err); isBad {
			parts.Report(b.Settings, "context %q, message %.80q: %v; it stays in the store", b.Name, d.Key, bad)
			return nil
		}
		if err == nil && m.ID != "" {
			list = append(list, m)
		}
		return err
	})
	return list, err
}

// listed reads the documents whose keys have a prefix. Without an error the list is not nil.
func (h *sharedHome) listed(ctx context.Context, prefix string) ([]store.Doc, error) {
	docs := []store.Doc{}
	err := h.engine.Docs.List(ctx, prefix, func(d store.Doc) bool {
		docs = append(docs, d)
		return true
	})
	return docs, err
}

// badMessage says what is wrong with a document that should be a message.
type badMessage struct{ error }

// message reads a message, the zero one if it was handled meanwhile. Its id comes from the
// document's key: by that it is removed. The error is a badMessage if the document cannot be used.
func (b sharedInbox) message(ctx context.Context, id string, d store.Doc) (m mailDoc, err error) {
	if err := strictjson.Decode(d.Data, &m); err != nil {
		return mailDoc{}, badMessage{fmt.Errorf("not a message: %w", err)}
	}
	m.ID, m.doc = strings.TrimPrefix(d.Key, mailPrefix(id)), store.Doc{Key: d.Key, Rev: d.Rev}
	if !m.Large {
		return m, nil
	}
	if err := store.CheckLog(largeMail(id, m.ID)); err != nil {
		return mailDoc{}, badMessage{err}
	}
	isThere, err := b.readLarge(ctx, id, &m)
	if _, isDamaged := errors.AsType[*store.DamageError](err); isDamaged {
		return mailDoc{}, badMessage{fmt.Errorf("its content is damaged: %w", err)}
	}
	if err == nil && !isThere {
		return mailDoc{}, b.missing(ctx, d.Key)
	}
	return m, err
}

// readLarge reads the content of a large message, and reports whether it is there. Where its log
// ends is asked first: without that, a server that has not heard of it yet has nothing.
func (b sharedInbox) readLarge(ctx context.Context, id string, m *mailDoc) (isThere bool, err error) {
	log := largeMail(id, m.ID)
	tail, err := b.home.engine.Log.Tail(ctx, log)
	if err != nil || tail.Last == 0 {
		return false, err
	}
	err = b.home.engine.Log.Read(ctx, log, store.Range{Last: tail.Last}, func(r store.Record) bool {
		m.Content, isThere = string(r.Data), true
		return false
	})
	return isThere, err
}

// missing is the error for a message whose content is not there, nil if it has been handled: then the
// message was removed first.
func (b sharedInbox) missing(ctx context.Context, key string) error {
	_, err := b.home.engine.Docs.Get(ctx, key)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return badMessage{errors.New("its content is not there")}
}

// Change removes the messages that do not stay: those that this handle has read, else those
// that are there.
func (b sharedInbox) Change(step func([]parts.Mail) ([]parts.Mail, error)) error {
	ctx := context.Background()
	if err := b.checkLock(); err != nil {
		return err // the messages are another one's now
	}
	list, err := b.mail, error(nil)
	if !b.hasRead {
		list, err = b.read(ctx)
	}
	if err != nil || len(list) == 0 {
		return err
	}
	stay, err := step(mailOf(list))
	if err != nil {
		return err
	}
	for _, d := range list {
		if slices.ContainsFunc(stay, func(m parts.Mail) bool { return m.ID == d.ID }) {
			continue
		}
		if err := b.removeMail(ctx, d); err != nil {
			return err
		}
	}
	b.mail, b.hasRead = nil, false
	return nil
}

func (b sharedInbox) removeMail(ctx context.Context, d mailDoc) error {
	if err := b.home.removeDoc(ctx, d.doc); err != nil || !d.Large {
		return err
	}
	id, _, _ := strings.Cut(strings.TrimPrefix(d.doc.Key, prefixMail), ".")
	return b.home.engine.Log.Remove(ctx, largeMail(id, d.ID))
}

// lookForName is how often it is looked whether the name of a watched inbox is another
// context's by now.
const lookForName = 30 * time.Second

// Watch makes the context: its id is what can be watched.
func (b sharedInbox) Watch(ctx context.Context) (<-chan struct{}, error) {
	id, err := b.make(ctx)
	if err != nil {
		return nil, err
	}
	w := &inboxWatch{sharedInbox: b, arrived: make(chan struct{}, 1)}
	if err := w.begin(ctx, id); err != nil {
		return nil, err
	}
	go w.forward(ctx)
	return w.arrived, nil
}

// inboxWatch passes on that mail has come, and follows the name to another context.
type inboxWatch struct {
	sharedInbox
	arrived chan struct{}

	id   string // of the context that has the name
	puts <-chan struct{}
	end  context.CancelFunc
}

// begin watches the inbox of another context.
func (w *inboxWatch) begin(ctx context.Context, id string) error {
	ctx, end := context.WithCancel(ctx)
	puts, err := w.home.engine.Watch(ctx, mailPrefix(id))
	if err != nil {
		end()
		return err
	}
	if w.end != nil {
		w.end()
	}
	w.id, w.puts, w.end = id, puts, end
	return nil
}

func (w *inboxWatch) forward(ctx context.Context) {
	defer close(w.arrived)
	defer func() { w.end() }()
	again := time.NewTicker(lookForName)
	defer again.Stop()
	for {
		select {
		case _, open := <-w.puts:
			if !open {
				return
			}
		case <-again.C:
			n, _, err := w.home.docs.make(ctx, w.Name)
			if err != nil || n.ID == w.id {
				continue
			}
			if err := w.begin(ctx, n.ID); err != nil {
				parts.Report(w.Settings, "%v", fmt.Errorf("watching the inbox of context %q: %w", w.Name, err))
				return
			}
		}
		select {
		case w.arrived <- struct{}{}:
		default:
		}
	}
}
