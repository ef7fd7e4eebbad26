package natsstore

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/chibi-host/chibi/store"
)

// led is a connection to a server that answers for a stream as one that leads it.
func led(t *testing.T, subject string, publish, get func() string) stream {
	t.Helper()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(s.Shutdown)
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the server does not start")
	}
	nc, err := nats.Connect(s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	for subject, answer := range map[string]func() string{subject: publish, api + "STREAM.MSG.GET.S": get} {
		_, err := nc.Subscribe(subject, func(m *nats.Msg) {
			if err := m.Respond([]byte(answer())); err != nil {
				t.Error(err)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return stream{&connection{nc: nc, timeout: time.Minute, calls: map[*call]bool{}}, "S"}
}

// TestALeaderThatIsBehindDoesNotRefuse: a server hung, another one leads the stream since then and
// has stored message 5. The one that hung refuses what comes after that, until it knows.
func TestALeaderThatIsBehindDoesNotRefuse(t *testing.T) {
	for name, newest := range map[string]string{
		"an older one": `{"message":{"subject":"a","seq":3}}`, "none": `{"error":{"code":404,"err_code":10037}}`,
	} {
		for _, isBehind := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, behind %t", name, isBehind), func(t *testing.T) {
				var tries, gets atomic.Int32
				s := led(t, "a", func() string {
					if tries.Add(1) > 1 && isBehind {
						return `{"stream":"S","seq":6}`
					}
					return `{"stream":"S","seq":0,"error":{"code":400,"err_code":10071,"description":"wrong last sequence: 3"}}`
				}, func() string {
					if gets.Add(1)%2 == 1 { // what comes after message 5
						return `{"error":{"code":404,"err_code":10037}}`
					}
					return newest
				})
				began := time.Now()
				seq, err := s.put(t.Context(), write{subject: "a", after: 5, id: "x", unique: true})
				switch {
				case isBehind && (err != nil || seq != 6):
					t.Errorf("%d, %v", seq, err)
				case !isBehind && (!errors.Is(err, store.ErrConflict) || time.Since(began) < behindTime):
					t.Errorf("of a message that is gone: %v after %v", err, time.Since(began))
				}
			})
		}
	}
}
