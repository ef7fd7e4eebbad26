//go:build unix

package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chibi-host/chibi/cluster/internal/pgtest"
	"github.com/chibi-host/chibi/contexts/contexttest"
	"github.com/chibi-host/chibi/store"
)

// writers append to logs, two to each, until they are stopped, and remember what was
// acknowledged. With each record they send a message and change a value.
type writers struct {
	t       *testing.T
	stop    chan struct{}
	all     sync.WaitGroup
	stored  atomic.Int64
	mu      sync.Mutex
	records map[string][]string // by writer, in the order in which they were acknowledged
}

func startWriters(t *testing.T, url string, n int) *writers {
	w := &writers{t: t, stop: make(chan struct{}), records: map[string][]string{}}
	for i := range n {
		e := open(t, store.Options{URL: url, Timeout: 2 * time.Minute})
		w.all.Go(func() { w.write(e, fmt.Sprintf("log%d", i/2), fmt.Sprintf("w%d", i)) })
	}
	return w
}

func (w *writers) write(e *store.Engine, log, name string) {
	ctx, rev := context.Background(), uint64(0)
	for n := 0; ; n++ {
		select {
		case <-w.stop:
			return
		default:
		}
		id := fmt.Sprintf("%s-%d", name, n)
		err := appendBehind(ctx, e, log, store.Record{ID: id, Data: []byte(name)})
		if err == nil {
			_, err = e.Docs.Put(ctx, "mail."+name+"."+id, []byte(id), 0)
		}
		if err == nil {
			rev, err = e.Docs.Put(ctx, "text."+name, []byte(id), rev)
		}
		if err != nil {
			w.t.Errorf("%s: %v", id, err)
			return
		}
		w.stored.Add(1)
		w.mu.Lock()
		w.records[name] = append(w.records[name], id)
		w.mu.Unlock()
	}
}

// appendBehind appends a record behind whatever is the tail.
func appendBehind(ctx context.Context, e *store.Engine, log string, r store.Record) error {
	for {
		tail, err := e.Log.Tail(ctx, log)
		if err == nil {
			_, err = e.Log.Append(ctx, log, tail, r)
		}
		if !errors.Is(err, store.ErrConflict) {
			return err
		}
	}
}

// more waits until some more records were acknowledged.
func (w *writers) more(n int64) {
	w.t.Helper()
	for want := w.stored.Load() + n; w.stored.Load() < want; {
		if w.t.Failed() {
			w.t.FailNow()
		}
		time.Sleep(time.Millisecond)
	}
}

// check stops the writers and compares the store with what was acknowledged.
func (w *writers) check(e *store.Engine) {
	w.t.Helper()
	close(w.stop)
	w.all.Wait()
	w.checkDocs(e)
	found := map[string][]string{}
	for i := range len(w.records) / 2 {
		if err := e.Log.Read(context.Background(), fmt.Sprintf("log%d", i), store.Range{}, func(r store.Record) bool {
			found[string(r.Data)] = append(found[string(r.Data)], r.ID)
			return true
		}); err != nil {
			w.t.Fatal(err)
		}
	}
	for name, records := range w.records {
		if !slices.Equal(found[name], records) {
			w.t.Errorf("%s: %d records were acknowledged and %d are there, or in another order", name, len(records),
				len(found[name]))
		}
	}
	w.t.Logf("%d records", w.stored.Load())
}

func (w *writers) checkDocs(e *store.Engine) {
	w.t.Helper()
	docs := map[string]string{}
	if err := e.Docs.List(context.Background(), "", func(d store.Doc) bool {
		docs[d.Key] = string(d.Data)
		return true
	}); err != nil {
		w.t.Fatal(err)
	}
	for name, records := range w.records {
		for _, id := range records {
			if docs["mail."+name+"."+id] != id {
				w.t.Errorf("the message %s was acknowledged and is not there", id)
			}
		}
		if last := records[len(records)-1]; docs["text."+name] != last {
			w.t.Errorf("the value of %s is %q; want %q", name, docs["text."+name], last)
		}
	}
}

// faultCycles says how many times the server is killed, shut down, and paused, for a long run;
// .ci/cluster/faults sets it.
const faultCycles = "CHIBI_TEST_FAULTS"

// cycles are how many times a server is killed, shut down, and paused.
func cycles(t *testing.T) (kills, shutdowns, pauses int) {
	t.Helper()
	kills, shutdowns, pauses = 3, 1, 1
	if text := os.Getenv(faultCycles); text != "" {
		if _, err := fmt.Sscan(text, &kills, &shutdowns, &pauses); err != nil {
			t.Fatalf("%s: %v", faultCycles, err)
		}
	}
	return kills, shutdowns, pauses
}

// TestNothingIsLostWhenTheServerDies writes from eight places while it is killed, shut down and
// started again, and hangs.
func TestNothingIsLostWhenTheServerDies(t *testing.T) {
	kills, shutdowns, pauses := cycles(t)
	s := ownServer(t)
	url := home(t, s, "killed")
	w := startWriters(t, url, 8)
	cycle := func(name string, times int, fault func() error) {
		for range times {
			w.more(100)
			begin := time.Now()
			if err := fault(); err != nil {
				t.Fatal(name, err)
			}
			w.more(1)
			t.Logf("%s: writing went on after %s", name, time.Since(begin).Round(time.Millisecond))
		}
	}
	cycle("kill", kills, func() error { s.Kill(); return s.Restart() })
	cycle("shut down", shutdowns, func() error { s.Shutdown(); return s.Restart() })
	cycle("pause", pauses, func() error { s.Freeze(); time.Sleep(3 * time.Second); s.Thaw(); return nil })
	w.more(100)
	w.check(open(t, store.Options{URL: url}))
}

// TestAStandbyTakesOver: the URL names both servers, and the standby comes first.
func TestAStandbyTakesOver(t *testing.T) {
	p := newPair(t, "failover")
	p.url = fmt.Sprintf("postgres://postgres@127.0.0.1:%d,127.0.0.1:%d/postgres?home=failover", p.standby.Port,
		p.primary.Port)
	e := open(t, store.Options{URL: p.url})
	st, err := e.Status(t.Context())
	for end := time.Now().Add(time.Minute); len(st.Warnings) != 0 && time.Now().Before(end); { // until it follows
		time.Sleep(10 * time.Millisecond)
		st, err = e.Status(t.Context())
	}
	if err != nil || len(st.Servers) != 2 || st.Servers[1].Role != "standby" || len(st.Warnings) != 0 {
		t.Errorf("%+v, %v", st, err)
	}
	w := startWriters(t, p.url, 8)
	w.more(100)
	p.primary.Kill()
	if err := p.standby.Promote(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.more(100)
	w.check(e)
}

// TestNothingIsLostWhenTheStandbyHangsAndTakesOver writes from eight places while the standby hangs and
// the waiting for it is ended, so that the primary has what the standby never gets. Then the primary
// is lost, the standby takes over, and the old primary becomes its standby.
func TestNothingIsLostWhenTheStandbyHangsAndTakesOver(t *testing.T) {
	p := newPair(t, "hangs")
	w := startWriters(t, p.url, 8)
	_, _, times := cycles(t)
	for range times {
		w.more(100)
		p.standby.Freeze()
		for range 4 {
			p.cutAnyShort()
		}
		begin := time.Now()
		if err := p.standby.TakeOver(t.Context(), p.primary); err != nil {
			t.Fatal(err)
		}
		w.more(1)
		t.Logf("writing went on %s after the primary was lost", time.Since(begin).Round(time.Millisecond))
		p.primary, p.standby = p.standby, p.primary
		if err := p.standby.Follow(p.primary); err != nil {
			t.Fatal(err)
		}
		if err := p.primary.Require(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	w.more(100)
	w.check(open(t, store.Options{URL: p.url}))
}

func TestAServerThatDoesNotAnswerIsNotAvailable(t *testing.T) {
	s := ownServer(t)
	url := home(t, s, "gone")
	e, patient := open(t, store.Options{URL: url, Timeout: time.Second}), open(t, store.Options{URL: url})
	s.Freeze()
	if _, err := e.Docs.Get(t.Context(), "a"); !errors.Is(err, store.ErrUnavailable) {
		t.Error(err)
	}
	s.Thaw()
	s.Kill()
	if _, err := e.Docs.Get(t.Context(), "a"); !errors.Is(err, store.ErrUnavailable) {
		t.Error(err)
	}
	if err := s.Restart(); err != nil {
		t.Fatal(err)
	}
	if _, err := patient.Docs.Get(t.Context(), "a"); !errors.Is(err, store.ErrNotFound) {
		t.Error(err)
	}
}

// TestALeaseOfAHostThatIsCutOff: its holder knows after the lease's time that it is lost, and
// another host takes it, knowing that it was not given back.
func TestALeaseOfAHostThatIsCutOff(t *testing.T) {
	ctx, s := t.Context(), server(t)
	const lease = 2 * time.Second
	proxy, url := pgtest.NewProxy(t, s), home(t, s, "cutoff")
	host := open(t, store.Options{URL: proxy.Through(url), Lease: lease, Timeout: time.Minute})
	other := open(t, store.Options{URL: url, Lease: lease})
	held, err := host.Leases.Take(ctx, "work", []byte("host"))
	if err != nil {
		t.Fatal(err)
	}
	tail, err := host.Log.Append(ctx, "work", store.Tail{}, store.Record{ID: "a"})
	if err != nil {
		t.Fatal(err)
	}
	proxy.Freeze()
	frozen := time.Now()
	late := make(chan error, 1)
	go func() {
		_, err := host.Log.Append(ctx, "work", tail, store.Record{ID: "late"})
		late <- err
	}()
	<-held.Lost()
	if took := time.Since(frozen); took > lease+soon {
		t.Errorf("the holder knew after %s", took)
	}
	taken := takeSoon(t, other, "work")
	if taken.Fresh() {
		t.Error("the lease counts as given back")
	}
	if _, err := other.Log.Append(ctx, "work", tail, store.Record{ID: "mark"}); err != nil {
		t.Error(err)
	}
	proxy.Thaw()
	if err := <-late; !errors.Is(err, store.ErrConflict) {
		t.Errorf("the late append: %v", err)
	}
	if err := held.Release(ctx); !errors.Is(err, store.ErrLost) {
		t.Errorf("the late release: %v", err)
	}
	if err := taken.Release(ctx); err != nil {
		t.Error(err)
	}
}

// TestAConversationGoesOnAfterItWasCutOff: nobody took the context while the lease was over.
func TestAConversationGoesOnAfterItWasCutOff(t *testing.T) {
	s := server(t)
	const lease = 3 * time.Second
	proxy, url := pgtest.NewProxy(t, s), home(t, s, "goeson")
	host := open(t, store.Options{URL: proxy.Through(url), Lease: lease, Timeout: time.Minute})
	other := open(t, store.Options{URL: url, Lease: lease})
	contexttest.Cut{Engine: host, Other: other, Freeze: proxy.Freeze, Thaw: proxy.Thaw}.GoesOn(t)
}

// takeSoon takes a lease as soon as it has ended.
func takeSoon(t *testing.T, e *store.Engine, key string) store.Lease {
	t.Helper()
	for {
		l, err := e.Leases.Take(t.Context(), key, []byte("other"))
		var held *store.HeldError
		switch {
		case err == nil:
			return l
		case !errors.As(err, &held):
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// TestAFrozenServerEndsLeases: while it is frozen nobody can renew, and its clock goes on.
func TestAFrozenServerEndsLeases(t *testing.T) {
	s := ownServer(t)
	const lease = 2 * time.Second
	o := store.Options{URL: home(t, s, "frozen"), Lease: lease, Timeout: time.Minute}
	host, other := open(t, o), open(t, o)
	held, err := host.Leases.Take(t.Context(), "work", []byte("host"))
	if err != nil {
		t.Fatal(err)
	}
	s.Freeze()
	frozen := time.Now()
	<-held.Lost()
	if took := time.Since(frozen); took > lease+soon {
		t.Errorf("the holder knew after %s", took)
	}
	s.Thaw()
	if taken := takeSoon(t, other, "work"); taken.Fresh() {
		t.Error("the lease counts as given back")
	}
}
