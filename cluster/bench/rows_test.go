package bench_test

import (
	stdcontext "context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/store"
)

// row is something that is measured in each store. prepare returns what is timed; it calls
// tidy, which is not timed, after each time.
type row struct {
	name    string
	reps    int
	where   func(*place) bool // nil: everywhere
	prepare func(t testing.TB, p *place) (once, tidy func())
}

func (r row) applies(p *place) bool { return r.where == nil || r.where(p) }

// The names of rows that goals are about.
const (
	rowFloor   = "write and fsync of 700 bytes, floor"
	rowAppend  = "append of 700 bytes"
	rowPublish = "one bare publish of 700 bytes"
	rowWindow  = "window of 50"
	rowBare    = "one bare Tail and Read of it"
	rowTurn    = "a turn with one tool call"
	rowLarge   = "the same in a home of many contexts"
)

func rows() []row {
	onFiles := func(p *place) bool { return p.engine == nil }
	onEngine := func(p *place) bool { return p.engine != nil }
	return []row{
		{rowFloor, *appends, onFiles, floor},
		{rowAppend, *appends, nil, appending},
		{rowPublish, *appends, func(p *place) bool { return p.replicas > 0 }, publishing},
		{"connect and first answer", 30, nil, connecting},
		{"window of 50, new process", 30, nil, windowOfProcess},
		{rowWindow, 100, nil, window},
		{rowBare, 100, onEngine, bare},
		{fmt.Sprintf("newest 10 of %d", *entries), 20, nil, newest},
		{fmt.Sprintf("search of %d", *entries), 5, nil, search},
		{"lock and unlock", 50, nil, locking},
		{"send mail", 50, nil, sending},
		{"rename", 20, nil, renaming},
		{fmt.Sprintf("%d MB in", *blobSize), 2, nil, blobIn},
		{fmt.Sprintf("%d MB out, another machine", *blobSize), 2, nil, blobOut},
	}
}

func nothing() {}

// message is an entry of about 700 bytes.
func message(n int) contexts.Entry {
	return contexts.UserMessage("ann", "work", fmt.Sprintf("%d %s", n, strings.Repeat("0123456789", 45)))
}

func floor(t testing.TB, p *place) (once, tidy func()) {
	f, err := os.OpenFile(filepath.Join(p.home, "floor"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	must(t, err)
	t.Cleanup(func() { f.Close() })
	data := []byte(strings.Repeat("x", 700))
	return func() {
		_, err := f.Write(data)
		must(t, err)
		must(t, f.Sync())
	}, nothing
}

// appending appends as a turn does, which has the lock.
func appending(t testing.TB, p *place) (once, tidy func()) {
	c := context(t, p.Store, "append")
	_, unlock, err := c.Lock(t.Context())
	must(t, err)
	t.Cleanup(unlock)
	n := 0
	return func() {
		n++
		must(t, c.Append(message(n)))
	}, nothing
}

// publishing is the floor of an append on NATS: what a bare client waits for until the server has
// stored as many bytes, in a stream with as many replicas.
func publishing(t testing.TB, p *place) (once, tidy func()) {
	nc, err := nats.Connect(p.servers())
	must(t, err)
	t.Cleanup(nc.Close)
	js, err := nc.JetStream()
	must(t, err)
	_, err = js.AddStream(&nats.StreamConfig{Name: "bare", Subjects: []string{"bare"}, Replicas: p.replicas})
	must(t, err)
	data := []byte(strings.Repeat("x", 700))
	return func() {
		_, err := js.Publish("bare", data)
		must(t, err)
	}, nothing
}

func connecting(t testing.TB, p *place) (once, tidy func()) {
	end := nothing
	return func() {
		var s *contexts.Store
		s, end = p.connected(t)
		s.Exists(t.Context(), "nobody")
	}, func() { end() }
}

// fill makes a context with so many entries.
func fill(t testing.TB, p *place, name string, n int) {
	t.Helper()
	c := context(t, p.Store, name)
	_, unlock, err := c.Lock(t.Context())
	must(t, err)
	defer unlock()
	for i := range n {
		must(t, c.Append(message(i)))
	}
}

// filled makes a context whose window has 50 entries, behind as many others.
func filled(t testing.TB, p *place, name string) {
	t.Helper()
	fill(t, p, name, 50)
	must(t, context(t, p.Store, name).Archive())
	fill(t, p, name, 49)
}

func windowOfProcess(t testing.TB, p *place) (once, tidy func()) {
	filled(t, p, "process")
	end := nothing
	return func() {
		var s *contexts.Store
		s, end = p.connected(t)
		readWindow(t, s, "process")
	}, func() { end() }
}

func readWindow(t testing.TB, s *contexts.Store, name string) {
	t.Helper()
	if entries, err := context(t, s, name).Window(t.Context()); err != nil || len(entries) != 50 {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
}

func window(t testing.TB, p *place) (once, tidy func()) {
	filled(t, p, "window")
	return func() { readWindow(t, p.fresh(t), "window") }, nothing
}

func bare(t testing.TB, p *place) (once, tidy func()) {
	id, err := p.ID(t.Context(), "window")
	must(t, err)
	return func() {
		tail, err := p.engine.Log.Tail(t.Context(), id)
		must(t, err)
		n := 0
		must(t, p.engine.Log.Read(t.Context(), id, store.Range{First: tail.Window, Last: tail.Last}, func(store.Record) bool {
			n++
			return true
		}))
		if n != 50 {
			t.Fatalf("%d records", n)
		}
	}, nothing
}

// find reads a long conversation.
func find(t testing.TB, p *place, q contexts.Query, want int) func() {
	return func() {
		n := 0
		must(t, context(t, p.fresh(t), "long").History(t.Context(), q, func(contexts.Entry) bool {
			n++
			return true
		}))
		if n != want {
			t.Fatalf("%d entries, not %d", n, want)
		}
	}
}

func newest(t testing.TB, p *place) (once, tidy func()) {
	fill(t, p, "long", *entries)
	return find(t, p, contexts.Query{Last: 10}, 10), nothing
}

func search(t testing.TB, p *place) (once, tidy func()) {
	return find(t, p, contexts.Query{Text: "nowhere"}, 0), nothing
}

func locking(t testing.TB, p *place) (once, tidy func()) {
	c := context(t, p.Store, "window")
	return func() {
		_, unlock, err := c.Lock(t.Context())
		must(t, err)
		unlock()
	}, nothing
}

func sending(t testing.TB, p *place) (once, tidy func()) {
	c := context(t, p.Store, "window")
	return func() { must(t, c.Send("append", "ann", strings.Repeat("x", 500))) }, nothing
}

func renaming(t testing.TB, p *place) (once, tidy func()) {
	c := context(t, p.Store, "moving0")
	must(t, c.Append(message(0)))
	n := 0
	return func() {
		n++
		must(t, c.Rename(fmt.Sprint("moving", n)))
	}, nothing
}

func (p *place) idOf(name string) func(stdcontext.Context) (string, error) {
	return func(ctx stdcontext.Context) (string, error) { return p.ID(ctx, name) }
}

func blobIn(t testing.TB, p *place) (once, tidy func()) {
	c := p.outputs("window")
	var f cache.Spill
	write := func() {
		var err error
		f, err = c.SpillFile()
		must(t, err)
		random := rand.NewChaCha8([32]byte{1})
		_, err = io.CopyN(f, random, int64(*blobSize)<<20)
		must(t, err)
		must(t, f.Close())
	}
	write()
	return func() {
		_, err := c.PutFile("tool", nil, f)
		must(t, err)
	}, write
}

func blobOut(t testing.TB, p *place) (once, tidy func()) {
	list, err := p.outputs("window").List(t.Context())
	must(t, err)
	there := *p
	return func() {
		if p.engine != nil {
			there.home = temp(t)
		}
		r, err := there.outputs("window").Open(t.Context(), list[0].ID)
		must(t, err)
		defer r.Close()
		n, err := io.Copy(io.Discard, r.Content())
		must(t, err)
		if n != int64(*blobSize)<<20 {
			t.Fatalf("%d bytes", n)
		}
	}, nothing
}
