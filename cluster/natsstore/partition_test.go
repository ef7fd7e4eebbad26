package natsstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/chibi-host/chibi/cluster/internal/natstest"
	"github.com/chibi-host/chibi/contexts/contexttest"
	"github.com/chibi-host/chibi/store"
)

// leaseOfTests is how long leases of the tests below last.
const leaseOfTests = 3 * time.Second

// partition is a store with two machines, of which the first can be cut off.
type partition struct {
	server     *natstest.Server
	home       string
	proxy      *natstest.Proxy
	cut, other *store.Engine
}

func newPartition(t *testing.T) partition {
	t.Helper()
	s := natstest.Start(t, "", natstest.Always, "")
	url := natstest.NewHome(t, s.URL(), 1)
	home := url[strings.LastIndexByte(url, '/')+1:]
	p := partition{server: s, home: home, proxy: natstest.StartProxy(t, s.Address())}
	through := strings.Replace(url, s.Address(), p.proxy.Address(), 1)
	p.cut = natstest.Open(t, store.Options{URL: through, Lease: leaseOfTests, Timeout: time.Minute})
	p.other = natstest.Open(t, store.Options{URL: url, Lease: leaseOfTests})
	return p
}

// TestAHolderThatIsCutOffLosesItsLease: another machine takes over when the lease has
// ended, and is told that it was not given back.
func TestAHolderThatIsCutOffLosesItsLease(t *testing.T) {
	p := newPartition(t)
	held, err := p.cut.Leases.Take(t.Context(), "k", []byte("cut off"))
	if err != nil {
		t.Fatal(err)
	}
	lost := held.Lost() // asked for later, it could be closed by that
	p.proxy.Freeze()
	start := time.Now()
	next := takeWhenItEnds(t, p.other, "k")
	if next.Fresh() {
		t.Error("the next holder was not told that the lease before was not given back")
	}
	select {
	case <-lost:
	case <-time.After(leaseOfTests + soon - time.Since(start)):
		t.Errorf("the holder that is cut off does not know after %v that its lease is lost", time.Since(start))
	}
	p.proxy.Thaw()
	if err := held.Release(t.Context()); !errors.Is(err, store.ErrLost) {
		t.Errorf("giving back a lease that was lost: %v", err)
	}
	select {
	case <-next.Lost():
		t.Error("the next holder lost its lease to the one before")
	default:
	}
	if err := next.Release(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestAConversationGoesOnAfterItWasCutOff: nobody took the context while the lease was over. A renewal
// that was on its way arrives late.
func TestAConversationGoesOnAfterItWasCutOff(t *testing.T) {
	p := newPartition(t)
	contexttest.Cut{Engine: p.cut, Other: p.other, Freeze: p.proxy.Freeze, Thaw: p.proxy.Thaw}.GoesOn(t)
}

// TestWhatTheMarkOfTheNextHolderIsFor: a machine that is cut off in the midst of an append
// goes on with it later. If the next holder has appended something first, that append is
// refused. If it has not, the late one is stored and the rightful one is refused.
func TestWhatTheMarkOfTheNextHolderIsFor(t *testing.T) {
	for _, marked := range []bool{true, false} {
		t.Run(fmt.Sprintf("mark %v", marked), func(t *testing.T) {
			p := newPartition(t)
			ctx := t.Context()
			tail, err := p.other.Log.Append(ctx, "a", store.Tail{}, store.Record{ID: "first"})
			if err != nil {
				t.Fatal(err)
			}
			p.proxy.Freeze()
			late := make(chan error, 1)
			go func() {
				_, err := p.cut.Log.Append(ctx, "a", tail, store.Record{ID: "late"})
				late <- err
			}()
			rightful := tail
			if marked {
				if rightful, err = p.other.Log.Append(ctx, "a", tail, store.Record{ID: "mark"}); err != nil {
					t.Fatal(err)
				}
			}
			p.proxy.Thaw()
			if err := <-late; errors.Is(err, store.ErrConflict) != marked || !marked && err != nil {
				t.Errorf("the late append: %v", err)
			}
			_, err = p.other.Log.Append(ctx, "a", rightful, store.Record{ID: "rightful"})
			if errors.Is(err, store.ErrConflict) == marked || marked && err != nil {
				t.Errorf("the rightful append: %v", err)
			}
		})
	}
}

// TestACallEndsWithItsContextAlthoughNobodyAnswers: the error says both.
func TestACallEndsWithItsContextAlthoughNobodyAnswers(t *testing.T) {
	p := newPartition(t)
	p.proxy.Freeze()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := p.cut.Docs.Get(ctx, "name.a")
	if !errors.Is(err, store.ErrUnavailable) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

func TestAStoreThatIsFullRefusesAndIsRead(t *testing.T) {
	s := natstest.Start(t, "", natstest.Always, "")
	url := natstest.NewHome(t, s.URL(), 1)
	home := url[strings.LastIndexByte(url, '/')+1:]
	for _, stream := range []string{"chibi_" + home + "_log", "chibi_" + home + "_out", "KV_chibi_" + home} {
		change(t, s, stream, func(c *nats.StreamConfig) { c.MaxBytes = 1 << 20 })
	}
	e := natstest.Open(t, store.Options{URL: url})
	data := bytes.Repeat([]byte("x"), 100<<10)
	var tail store.Tail
	var err error
	for n := 0; err == nil && n < 20; n++ {
		var next store.Tail
		if next, err = e.Log.Append(t.Context(), "a", tail, store.Record{ID: fmt.Sprint(n), Data: data}); err == nil {
			tail = next
		}
	}
	if !errors.Is(err, store.ErrTooLarge) || tail.Count < 5 {
		t.Fatalf("appending to a full store after %d records: %v", tail.Count, err)
	}
	if _, err := e.Blobs.Put(t.Context(), "a", bytes.NewReader(make([]byte, 5<<20))); !errors.Is(err, store.ErrTooLarge) {
		t.Errorf("a large value: %v", err)
	}
	if _, err := e.Blobs.Open(t.Context(), "a"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a value that was not stored: %v", err)
	}
	err = nil
	for n := 0; err == nil && n < 20; n++ {
		_, err = e.Docs.Put(t.Context(), fmt.Sprintf("name.%d", n), data, 0)
	}
	if !errors.Is(err, store.ErrTooLarge) {
		t.Errorf("a document: %v", err)
	}
	if err := readAll(t.Context(), e, store.Range{Last: tail.Last}, int(tail.Count)); err != nil {
		t.Errorf("reading: %v", err)
	}
	if got, err := e.Log.Tail(t.Context(), "a"); err != nil || got != tail {
		t.Errorf("the tail is %+v in place of %+v, %v", got, tail, err)
	}
	if err := e.Log.Remove(t.Context(), "a"); err != nil {
		t.Errorf("removing: %v", err)
	}
	if _, err := e.Log.Append(t.Context(), "a", store.Tail{}, store.Record{ID: "again", Data: data}); err != nil {
		t.Errorf("when there is room again: %v", err)
	}
}

// takeWhenItEnds takes a lease as soon as the one before ends.
func takeWhenItEnds(t *testing.T, e *store.Engine, key string) store.Lease {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for {
		l, err := e.Leases.Take(t.Context(), key, []byte("next"))
		var held *store.HeldError
		switch {
		case err == nil:
			return l
		case !errors.As(err, &held) || time.Now().After(deadline):
			t.Fatalf("taking the lease: %v", err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}
