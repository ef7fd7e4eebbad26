package natsstore

import (
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/store"
)

// What the servers send was written by whoever may write the store.

func FuzzAnswer(f *testing.F) {
	f.Add(`{"message":{"subject":"a","seq":3,"hdrs":"TkFUUy8xLjANCkNoaWJpLUlkOiB4DQpDaGliaS1Db3VudDogMg0KDQo=",` +
		`"data":"eA==","time":"2026-11-22T10:00:00Z"}}`)
	f.Add(`{"error":{"code":404,"err_code":10037,"description":"no message found"}}`)
	f.Add(`{"message":{"seq":18446744073709551616}}`)
	f.Fuzz(func(t *testing.T, text string) {
		fuzztest.Memory(t)
		m, err := decodeAnswer([]byte(text))
		if err != nil {
			return
		}
		checkMessage(t, m)
	})
}

func FuzzHeaders(f *testing.F) {
	f.Add("Chibi-Id: x\r\nChibi-Count: 1\r\nNats-Sequence: 5\r\nNats-Subject: a\r\n"+
		"Nats-Time-Stamp: 2026-11-22T10:00:00Z\r\n", "x")
	f.Add("Nats-Sequence: 1\r\nNats-Sequence: 18446744073709551615\r\nChibi-Window: -1\r\nChibi-Large: > 5\r\n", "")
	f.Add("Status: 204\r\nNats-Num-Pending: 1\r\nNats-Last-Sequence: 0\r\n", "")
	f.Fuzz(func(t *testing.T, header, data string) {
		fuzztest.Memory(t)
		h, err := nats.DecodeHeadersMsg([]byte("NATS/1.0\r\n" + header + "\r\n"))
		if err != nil {
			return
		}
		got := &nats.Msg{Header: h, Data: []byte(data)}
		_, _ = endOf(got, batchEnd{})
		if m, err := decodeDirect(got); err == nil {
			checkMessage(t, m)
		}
	})
}

// checkMessage reads a message as everything that it can be.
func checkMessage(t *testing.T, m message) {
	tail, err := tailOf(m)
	if err == nil && (tail.Last != m.seq || tail.Window > tail.Last || tail.Window == 0 || tail.Count == 0) {
		t.Errorf("tail %+v of message %d", tail, m.seq)
	}
	if r, err := record(m); err == nil && store.CheckID(r.ID) != nil {
		t.Errorf("a record with the id %q", r.ID)
	}
	upload, size, err := parseLarge(m.header.Get(headerLarge))
	if err == nil && (!isUpload(upload) || size > store.MaxRecord) {
		t.Errorf("a large record in %q of %d bytes", upload, size)
	}
	if d, err := decodeBlob(m); err == nil && (!isUpload(d.Upload) || d.Size < 0) {
		t.Errorf("a large value in %q of %d bytes", d.Upload, d.Size)
	}
	l := &leases{ttl: time.Second, now: time.Now}
	held := l.held(m, time.Now())
	if len(held.Holder) > store.MaxHolder {
		t.Errorf("a holder of %d bytes", len(held.Holder))
	}
}

func FuzzTimeToLive(f *testing.F) {
	for _, seed := range []string{"30s", "30", "never", "-1", "9999999h", "1e9"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		fuzztest.Memory(t)
		if ttl, ok := timeToLive(text); ok && (ttl <= 0 || ttl > longestLease) {
			t.Errorf("%q is %v", text, ttl)
		}
	})
}

func FuzzMonitor(f *testing.F) {
	f.Add(`{"config":{"sync_always":true,"sync_interval":120000000000}}`)
	f.Add(`{"config":null}`)
	f.Fuzz(func(t *testing.T, text string) {
		fuzztest.Memory(t)
		always, err := decodeJSZ([]byte(text))
		if always && (err != nil || !strings.Contains(text, "true")) {
			t.Errorf("%q: always, %v", text, err)
		}
	})
}

func TestNamesOfUploadsAreHexadecimal(t *testing.T) {
	for text, want := range map[string]bool{
		newID(): true, "": false, ">": false, "*": false, strings.Repeat(">", 32): false, strings.Repeat("A", 32): false,
		strings.Repeat("a", 31): false, strings.Repeat("a", 15) + "." + strings.Repeat("a", 16): false,
	} {
		if got := isUpload(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
		forged, err := strictjson.Encode(blobDoc{Size: 1, Upload: text})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := decodeBlob(message{seq: 1, data: forged}); (err == nil) != want {
			t.Errorf("a large value in %q: %v", text, err)
		}
		if _, _, err := parseLarge(text + " 5"); (err == nil) != want {
			t.Errorf("a large record in %q: %v", text, err)
		}
	}
}

func TestHeadersThatAWriterForgedDoNotCount(t *testing.T) {
	forged := nats.Header{
		headerSequence: {"1", "7"}, headerSubject: {"other", "mine"}, headerTime: {"x", "2026-11-22T10:00:00Z"},
		"Status": {"204"},
	}
	m, err := decodeDirect(&nats.Msg{Header: forged})
	if err != nil || m.seq != 7 || m.subject != "mine" || m.time.Hour() != 10 {
		t.Errorf("%+v, %v", m, err)
	}
}
