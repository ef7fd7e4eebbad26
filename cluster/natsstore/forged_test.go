package natsstore_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/chibi-host/chibi/cluster/internal/natstest"
	"github.com/chibi-host/chibi/store"
)

// forger writes messages as they are into the home "team".
type forger struct {
	t  *testing.T
	nc *nats.Conn
}

// newForger starts a server, with an engine of the home and somebody who writes what the
// engine would not.
func newForger(t *testing.T) (*store.Engine, forger) {
	t.Helper()
	s := natstest.Start(t, "", natstest.Always, "")
	natstest.Init(t, s.URL()+"/team", 1)
	nc, err := nats.Connect(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return natstest.Open(t, store.Options{URL: s.URL() + "/team"}), forger{t, nc}
}

// write writes a message with headers such as "Chibi-Id: x".
func (f forger) write(subject, data string, headers ...string) {
	f.t.Helper()
	m := &nats.Msg{Subject: subject, Data: []byte(data), Header: nats.Header{}}
	for _, h := range headers {
		key, value, _ := strings.Cut(h, ": ")
		m.Header.Add(key, value)
	}
	answer, err := f.nc.RequestMsg(m, soon)
	if err != nil || !strings.Contains(string(answer.Data), `"seq"`) {
		f.t.Fatalf("forging %s: %v", subject, err)
	}
}

func TestRecordsThatAreForged(t *testing.T) {
	e, f := newForger(t)
	ctx := t.Context()
	var tail store.Tail
	large := bytes.Repeat([]byte("x"), 2<<20)
	for n := range 3 {
		var err error
		if tail, err = e.Log.Append(ctx, "a", tail, store.Record{ID: fmt.Sprint(n), Data: large}); err != nil {
			t.Fatal(err)
		}
	}
	upload := strings.Repeat("a", 32)
	for n, headers := range [][]string{
		{"Chibi-Id: x", "Chibi-Large: > 5"},
		{"Chibi-Id: x", "Chibi-Large: " + upload + " 99999999999"},
		{"Chibi-Id: x", "Chibi-Large: " + upload + " -1"},
		{"Chibi-Id: x", "Chibi-Large: " + upload + " 5"},
		{"Chibi-Id: >"},
		{},
	} {
		log := fmt.Sprintf("forged%d", n)
		f.write("chibi.team.log."+log, "x", headers...)
		err := e.Log.Read(ctx, log, store.Range{}, func(store.Record) bool { return true })
		var damage *store.DamageError
		if !errors.As(err, &damage) || damage.Pos == 0 || !strings.Contains(err.Error(), `log "`+log+`": record `) {
			t.Errorf("%q: %v", headers, err)
		}
		if err := e.Log.Remove(ctx, log); err != nil {
			t.Error(err)
		}
	}
	for n, header := range []string{"Chibi-Window: 99999", "Chibi-Window: -1", "Chibi-Count: x", "Chibi-Count: 0"} {
		log := fmt.Sprintf("tail%d", n)
		f.write("chibi.team.log."+log, "x", "Chibi-Id: x", header)
		end, err := e.Log.Tail(ctx, log)
		if err != nil || end != (store.Tail{Last: end.Last, Window: end.Last, Count: 1}) {
			t.Errorf("%s: %+v, %v", header, end, err)
		}
	}
	if err := readAll(ctx, e, store.Range{Last: tail.Last}, 3); err != nil {
		t.Errorf("the log beside them: %v", err)
	}
}

func TestValuesThatAreForged(t *testing.T) {
	e, f := newForger(t)
	ctx := t.Context()
	if _, err := e.Blobs.Put(ctx, "good", strings.NewReader("good")); err != nil {
		t.Fatal(err)
	}
	for _, doc := range []string{`{"size":4,"upload":">"}`, `{"size":4,"upload":"*"}`, `{"size":-1}`, `x`} {
		f.write("$KV.chibi_team.blob.bad", doc)
		if _, err := e.Blobs.Open(ctx, "bad"); err == nil || !strings.Contains(err.Error(), "is damaged") {
			t.Errorf("%s: %v", doc, err)
		}
		if err := e.Blobs.Remove(ctx, "bad"); err != nil {
			t.Errorf("removing %s: %v", doc, err)
		}
	}
	b, err := e.Blobs.Open(ctx, "good")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(io.NewSectionReader(b, 0, b.Size())); err != nil || string(text) != "good" {
		t.Errorf("the value beside them: %q, %v", text, err)
	}
	f.write("$KV.chibi_team.blob.gone", `{"size":4,"upload":"`+strings.Repeat("a", 32)+`"}`)
	if _, err := e.Blobs.Open(ctx, "gone"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a value whose pieces are not there: %v", err)
	}
}

func TestHeadersOfTheServerThatAreForged(t *testing.T) {
	e, f := newForger(t)
	f.write("$KV.chibi_team.name.a", "1", "Status: 204", "Nats-Num-Pending: 0", "Nats-Last-Sequence: 0")
	f.write("$KV.chibi_team.name.b", "2",
		"Nats-Sequence: 1", "Nats-Subject: $KV.chibi_team.name.z", "Nats-Last-Sequence: 7")
	f.write("$KV.chibi_team.name.c", "3", "Status: 404")
	got := map[string]string{}
	err := e.Docs.List(t.Context(), "name.", func(d store.Doc) bool { got[d.Key] = string(d.Data); return true })
	if err != nil || fmt.Sprint(got) != "map[name.a:1 name.b:2 name.c:3]" {
		t.Errorf("%v, %v", got, err)
	}
}

func TestALeaseThatCannotEndIsNamedAndBroken(t *testing.T) {
	e, f := newForger(t)
	for n, headers := range [][]string{
		{"Chibi-Lease: held"}, {"Chibi-Lease: ?"}, {}, {"Chibi-Lease: held", "Nats-TTL: 9000h"},
	} {
		key := fmt.Sprintf("k%d", n)
		f.write("$KV.chibi_team.lease."+key, "somebody", headers...)
		_, err := e.Leases.Take(t.Context(), key, nil)
		var held *store.HeldError
		if !errors.As(err, &held) || string(held.Holder) != "somebody" || !held.Expires.IsZero() {
			t.Fatalf("%q: %v", headers, err)
		}
		if err := e.Leases.Break(t.Context(), key); err != nil {
			t.Fatal(err)
		}
		l, err := e.Leases.Take(t.Context(), key, nil)
		if err != nil || l.Fresh() {
			t.Errorf("%q: taking it then: %v", headers, err)
		}
	}
}
