package natsstore

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/chibi-host/chibi/store"
)

// A subscription hears of a document when it is published, which is before it is stored,
// and may miss one when connections break. So a message is only a reason to look: the newest
// message below the prefix, as the leader knows it, is what counts.

const (
	// lookTime is how often the watcher looks without a message.
	lookTime = 30 * time.Second
	// storeTime bounds how long the watcher looks for a document that a message names: longer than a change of leader.
	storeTime = 15 * time.Second
	// earlyLooks are the first looks: the servers tell each other of a subscription while
	// others already publish.
	earlyLook = 100 * time.Millisecond
)

type watching struct {
	docs    documents
	filter  string
	heard   chan *nats.Msg
	signals chan struct{}
	seen    uint64 // the newest message that was signaled
}

func (e *engine) watch(ctx context.Context, prefix string) (<-chan struct{}, error) {
	if err := store.CheckPrefix(prefix); err != nil {
		return nil, err
	}
	w := &watching{
		docs: e.docs, filter: e.c.layout.under(prefix), heard: make(chan *nats.Msg, 1), signals: make(chan struct{}, 1),
	}
	subscription, err := w.subscribe(ctx)
	if err == nil {
		w.seen, err = w.newest(ctx)
	}
	if err != nil {
		if subscription != nil {
			_ = subscription.Unsubscribe()
		}
		about(&err, "watching", prefix)
		return nil, err
	}
	go w.run(ctx, subscription)
	return w.signals, nil
}

// subscribe subscribes, and waits until the server has accepted that.
func (w *watching) subscribe(ctx context.Context) (s *nats.Subscription, err error) {
	s, err = w.docs.nc.Subscribe(w.filter, func(m *nats.Msg) {
		select {
		case w.heard <- m:
		default: // it is about to look anyway
		}
	})
	if err != nil {
		return nil, translated(ctx, err)
	}
	err = w.docs.retry(ctx, func(ctx context.Context) error {
		ctx, done := w.docs.begin(ctx, w.filter)
		defer done()
		if err := w.docs.nc.FlushWithContext(ctx); err != nil {
			return translated(ctx, err)
		}
		return deniedSubscription(w.docs.nc.LastError(), w.filter)
	})
	return s, err
}

// deniedSubscription returns the error of a subscription if the last error that the server
// told is about it.
func deniedSubscription(err error, filter string) error {
	if !errors.Is(err, nats.ErrPermissionViolation) {
		return nil
	}
	text := strings.TrimPrefix(err.Error(), nats.ErrPermissionViolation.Error()+": ")
	if !concerns(text, filter) {
		return nil
	}
	return &deniedError{text}
}

// newest returns the sequence of the newest message below the prefix, 0 if there is none.
func (w *watching) newest(ctx context.Context) (uint64, error) {
	m, err := w.docs.newestRetried(ctx, w.filter)
	if errors.Is(err, store.ErrNotFound) {
		return 0, nil
	}
	return m.seq, err
}

// run signals until the context ends.
func (w *watching) run(ctx context.Context, s *nats.Subscription) {
	defer close(w.signals)
	defer func() { _ = s.Unsubscribe() }()
	reconnected := w.docs.nc.StatusChanged(nats.CONNECTED, nats.CLOSED)
	defer w.docs.nc.RemoveStatusListener(reconnected)
	for wait := earlyLook; ; wait = min(3*wait, lookTime) {
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-w.heard:
			w.lookUntilStored(ctx)
		case <-reconnected:
			w.look(ctx)
		case <-timer.C:
			w.look(ctx)
		}
		timer.Stop()
		if w.docs.nc.IsClosed() {
			return
		}
	}
}

// look signals if something was stored since the last signal.
func (w *watching) look(ctx context.Context) bool {
	newest, err := w.newest(ctx)
	if err != nil || newest <= w.seen {
		return false
	}
	w.seen = newest
	select {
	case w.signals <- struct{}{}:
	default:
	}
	return true
}

// lookUntilStored looks until the document that a message names is stored. It may never
// be: the store may have refused it.
func (w *watching) lookUntilStored(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	for pause := firstPause / 4; !w.look(ctx); pause = min(2*pause, longestPause) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}
