package natsstore_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/chibi-host/chibi/store"
)

// forgotten is as short as a stream may remember the ids of its messages.
const forgotten = 100 * time.Millisecond

// unanswered makes a call of the machine that is cut off, whose answer is lost; between
// happens after the server has carried it out. It returns when the call has been repeated.
func (p partition) unanswered(t *testing.T, call func() error, done func() bool, between func()) error {
	t.Helper()
	p.proxy.FreezeAnswers()
	ended := make(chan error, 1)
	go func() { ended <- call() }()
	for deadline := time.Now().Add(time.Minute); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the server does not carry out the call")
		}
	}
	between()
	p.proxy.Cut()
	return <-ended
}

// forget lets the streams forget the ids of their messages at once, if they should.
func (p partition) forget(t *testing.T, should bool) {
	t.Helper()
	for _, stream := range []string{"chibi_" + p.home + "_log", "KV_chibi_" + p.home} {
		if should {
			change(t, p.server, stream, func(c *nats.StreamConfig) { c.Duplicates = forgotten })
		}
	}
}

func TestAnAppendWhoseAnswerIsLostIsStoredOnce(t *testing.T) {
	for _, remembers := range []bool{true, false} {
		for _, since := range []string{"nothing", "another record", "removed"} {
			t.Run(fmt.Sprintf("remembered %v, %s", remembers, since), func(t *testing.T) {
				p, ctx := newPartition(t), t.Context()
				p.forget(t, !remembers)
				first, err := p.other.Log.Append(ctx, "a", store.Tail{}, store.Record{ID: "first"})
				if err != nil {
					t.Fatal(err)
				}
				var got, now store.Tail
				err = p.unanswered(t, func() (err error) {
					got, err = p.cut.Log.Append(ctx, "a", first, store.Record{ID: "second", Begins: true})
					return err
				}, func() bool {
					now, err = p.other.Log.Tail(ctx, "a")
					return err == nil && now != first
				}, func() {
					switch since {
					case "another record":
						if _, err := p.other.Log.Append(ctx, "a", now, store.Record{ID: "third"}); err != nil {
							t.Error(err)
						}
					case "removed":
						if err := p.other.Log.Remove(ctx, "a"); err != nil {
							t.Error(err)
						}
					}
					time.Sleep(3 * forgotten)
				})
				if since == "removed" {
					if !errors.Is(err, store.ErrConflict) {
						t.Errorf("a log that was removed since: %v", err)
					}
					return
				}
				if err != nil || got != now {
					t.Errorf("%+v in place of %+v, %v", got, now, err)
				}
				n := map[string]int{"nothing": 2, "another record": 3}[since]
				if err := readAll(ctx, p.other, store.Range{}, n); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestAMessageWhoseAnswerIsLostIsNotDeliveredTwice: it was stored, read and removed by
// another machine before the one that sent it tried again.
func TestAMessageWhoseAnswerIsLostIsNotDeliveredTwice(t *testing.T) {
	p, ctx := newPartition(t), t.Context()
	var sent store.Doc
	err := p.unanswered(t, func() error {
		_, err := p.cut.Docs.Put(ctx, "mail.a.b", []byte("hello"), 0)
		return err
	}, func() (there bool) {
		var err error
		sent, err = p.other.Docs.Get(ctx, "mail.a.b")
		return err == nil
	}, func() {
		if _, err := p.other.Docs.Put(ctx, "mail.a.b", nil, sent.Rev); err != nil {
			t.Error(err)
		}
	})
	if err != nil {
		t.Errorf("sending: %v", err)
	}
	if _, err := p.other.Docs.Get(ctx, "mail.a.b"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the message is there again: %v", err)
	}
}

func TestADocumentWhoseAnswerIsLostIsStoredOnce(t *testing.T) {
	for _, remembers := range []bool{true, false} {
		p, ctx := newPartition(t), t.Context()
		p.forget(t, !remembers)
		var rev uint64
		var stored store.Doc
		err := p.unanswered(t, func() (err error) {
			rev, err = p.cut.Docs.Put(ctx, "name.a", []byte("x"), 0)
			return err
		}, func() bool {
			var err error
			stored, err = p.other.Docs.Get(ctx, "name.a")
			return err == nil
		}, func() { time.Sleep(3 * forgotten) })
		if err != nil || rev != stored.Rev {
			t.Errorf("remembered %v: revision %d in place of %d, %v", remembers, rev, stored.Rev, err)
		}
	}
}

// TestALeaseWhoseAnswersAreLost: neither a renewal nor giving it back needs its answer.
func TestALeaseWhoseAnswersAreLost(t *testing.T) {
	p, ctx := newPartition(t), t.Context()
	lease, err := p.cut.Leases.Take(ctx, "k", []byte("me"))
	if err != nil {
		t.Fatal(err)
	}
	nc, err := nats.Connect(p.server.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := nc.JetStream()
	if err != nil {
		t.Fatal(err)
	}
	stored := func() uint64 {
		m, err := js.GetLastMsg("KV_chibi_"+p.home, "$KV.chibi_"+p.home+".lease.k")
		if err != nil {
			t.Error(err)
			return 0
		}
		return m.Sequence
	}
	renewed := func() func() bool {
		first := stored()
		return func() bool { return stored() > first }
	}
	isFree := func() bool {
		held := false
		err := p.other.Leases.Held(ctx, "", func(string, store.HeldError) bool { held = true; return true })
		return err == nil && !held
	}
	if err = p.unanswered(t, func() error { return nil }, renewed(), func() {}); err != nil {
		t.Fatal(err)
	}
	for again := renewed(); !again(); time.Sleep(5 * time.Millisecond) {
		select {
		case <-lease.Lost():
			t.Fatal("the lease is lost because a renewal was not answered")
		default:
		}
	}
	if _, err := p.cut.Docs.Get(ctx, store.FormatKey); err != nil { // its answer comes behind that of the renewal
		t.Fatal(err)
	}
	err = p.unanswered(t, func() error { return lease.Release(ctx) }, isFree, func() {})
	if err != nil {
		t.Errorf("giving it back: %v", err)
	}
	if next, err := p.other.Leases.Take(ctx, "k", nil); err != nil || !next.Fresh() {
		t.Errorf("the next one: %v", err)
	}
}
