package natsstore_test

import (
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/chibi-host/chibi/cluster/internal/natstest"
	"github.com/chibi-host/chibi/store"
)

// TestWhatIsRemovedStaysRemoved kills all servers after a document was removed: with three copies
// after its mark has ended. One server would find the document again then, so there it stays longer.
func TestWhatIsRemovedStaysRemoved(t *testing.T) {
	for name, test := range map[string]struct {
		replicas       int
		markTime, then string
	}{"one copy": {1, "720h", "720h"}, "three copies": {3, "1h", "1s"}} {
		t.Run(name, func(t *testing.T) {
			c := natstest.StartCluster(t, natstest.Always)
			natstest.Init(t, c.URL()+"/team", test.replicas)
			e := natstest.Open(t, store.Options{URL: c.URL() + "/team"})
			nc, err := nats.Connect(c.URL(), nats.MaxReconnects(-1))
			if err != nil {
				t.Fatal(err)
			}
			defer nc.Close()
			js, err := nc.JetStream()
			if err != nil {
				t.Fatal(err)
			}
			rev, err := e.Docs.Put(t.Context(), "mail.a", []byte("hello"), 0)
			if err == nil {
				_, err = e.Docs.Put(t.Context(), "mail.a", nil, rev)
			}
			if err == nil {
				_, err = e.Docs.Put(t.Context(), "mail.b", []byte("hello"), 0)
			}
			if err != nil {
				t.Fatal(err)
			}
			mark, err := js.GetLastMsg("KV_chibi_team", "$KV.chibi_team.mail.a")
			if err != nil || mark.Header.Get("Nats-TTL") != test.markTime {
				t.Fatalf("the mark is %+v, %v", mark, err)
			}
			const other = "$KV.chibi_team.mail.b"
			removed := &nats.Msg{Subject: other, Header: nats.Header{"KV-Operation": {"PURGE"}, "Nats-TTL": {test.then}}}
			if _, err := js.PublishMsg(removed); err != nil {
				t.Fatal(err)
			}
			if test.then != test.markTime {
				untilGone(t, js, other)
			}
			for _, n := range c.Nodes {
				n.Kill()
			}
			for _, n := range c.Nodes {
				n.Start()
			}
			if !c.Healthy(healthyAgain) {
				t.Fatal("the servers are not healthy again")
			}
			if d, err := e.Docs.Get(t.Context(), "mail.b"); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("after the crash: %+v, %v", d, err)
			}
		})
	}
}

// untilGone waits until the mark of a removed document has ended.
func untilGone(t *testing.T, js nats.JetStreamContext, subject string) {
	t.Helper()
	var err error
	for end := time.Now().Add(healthyAgain); !errors.Is(err, nats.ErrMsgNotFound); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it stays: %v", err)
		}
		_, err = js.GetLastMsg("KV_chibi_team", subject)
	}
}
