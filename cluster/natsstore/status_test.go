package natsstore_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/chibi-host/chibi/cluster/internal/natstest"
	"github.com/chibi-host/chibi/cluster/natsstore"
	"github.com/chibi-host/chibi/store"
)

// monitored is the line of a configuration that opens the monitoring port.
const monitored = "http: 127.0.0.1:-1"

// change changes a stream, as an administrator would.
func change(t *testing.T, s *natstest.Server, stream string, edit func(*nats.StreamConfig)) {
	t.Helper()
	nc, err := nats.Connect(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := nc.JetStream()
	if err != nil {
		t.Fatal(err)
	}
	info, err := js.StreamInfo(stream)
	if err != nil {
		t.Fatal(err)
	}
	edit(&info.Config)
	if _, err := js.UpdateStream(&info.Config); err != nil {
		t.Fatal(err)
	}
}

func TestStatusOfAServerAsItShouldBe(t *testing.T) {
	s := natstest.Start(t, "", natstest.Always, monitored)
	url := natstest.NewHome(t, s.URL(), 1)
	status, err := natstest.Open(t, store.Options{URL: url, Monitor: s.Monitor()}).Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, warning := range status.Warnings {
		if !strings.Contains(warning, "on one server only") {
			t.Errorf("a warning: %s", warning)
		}
	}
	home := url[strings.LastIndexByte(url, '/')+1:]
	if status.URL != url || status.Home != home || !status.Push || status.Format != store.Format ||
		len(status.Parts) != 3 || !strings.HasPrefix(status.Engine, "NATS 2.") || status.RoundTrip <= 0 {
		t.Errorf("%+v", status)
	}
	if !slices.Equal(status.Servers, []store.Server{{Name: "single", Role: "leader", Current: true}}) {
		t.Errorf("servers %+v", status.Servers)
	}
}

func TestStatusWarns(t *testing.T) {
	s := natstest.Start(t, "", "", monitored) // the default of sync_interval
	url := natstest.NewHome(t, s.URL(), 1)
	home := url[strings.LastIndexByte(url, '/')+1:]
	change(t, s, "chibi_"+home+"_log", func(c *nats.StreamConfig) {
		c.Compression, c.MaxAge, c.Discard, c.MaxMsgs = nats.S2Compression, time.Hour, nats.DiscardOld, 1000
	})
	o := store.Options{URL: "nats://me:secret@" + strings.TrimPrefix(url, "nats://"), Monitor: s.Monitor()}
	status, err := natstest.Open(t, o).Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(status.Warnings, "\n")
	for _, want := range []string{
		"set sync_interval: always", "has compression s2", "messages that are older than 1h0m0s", "discard old",
		"use a credentials file",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no warning has %q:\n%s", want, all)
		}
	}
	if strings.Contains(all+status.URL, "secret") {
		t.Error("the password is shown")
	}
	o.Monitor = "http://" + s.Address()
	status, err = natstest.Open(t, o).Status(t.Context())
	if err != nil || !strings.Contains(strings.Join(status.Warnings, "\n"), "does not say whether") {
		t.Errorf("a monitoring port that is none: %v, %v", status.Warnings, err)
	}
}

func TestInitSaysWhatItMadeAndWhatDiffers(t *testing.T) {
	s := natstest.Start(t, "", natstest.Always, "")
	url := s.URL() + "/team"
	said := strings.Join(natstest.Init(t, url, 1), "\n")
	for _, want := range []string{"stream KV_chibi_team", "stream chibi_team_log", "stream chibi_team_out", "format"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is missing in: %s", want, said)
		}
	}
	if said := natstest.Init(t, url, 1); len(said) > 0 {
		t.Errorf("the second time: %q", said)
	}
	change(t, s, "chibi_team_out", func(c *nats.StreamConfig) { c.MaxBytes, c.Compression = 5<<20, nats.S2Compression })
	said = strings.Join(natstest.Init(t, url, 1), "\n")
	for _, want := range []string{"has max_bytes 5242880 in place of 1073741824", "has compression s2 in place of none"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is missing in: %s", want, said)
		}
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	s := natstest.Start(t, "", natstest.Always, "")
	made := natstest.NewHome(t, s.URL(), 1)
	newer := natstest.NewHome(t, s.URL(), 1)
	o := store.InitOptions{Options: store.Options{URL: newer, Formats: store.Formats{Oldest: 1, Newest: 7}}, Replicas: 1}
	if _, err := natsstore.Driver().Init(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	var format *store.FormatError
	_, err := natsstore.Driver().Open(t.Context(), store.Options{URL: newer})
	if !errors.As(err, &format) || format.Found != 7 {
		t.Errorf("a newer store: %v", err)
	}
	_, err = natsstore.Driver().Open(t.Context(), store.Options{URL: s.URL() + "/nobody"})
	want := "store " + s.URL() + `/nobody: there is no home "nobody"; chibi store init makes it`
	if !errors.Is(err, store.ErrNotFound) || err.Error() != want {
		t.Errorf("a home that was not made: %v", err)
	}
	_, err = natsstore.Driver().Init(t.Context(), store.InitOptions{Options: store.Options{URL: s.URL() + "/three"}})
	if err == nil || !strings.Contains(err.Error(), "store init --replicas 1") {
		t.Errorf("three copies on one server: %v", err)
	}
	s.Stop()
	start := time.Now()
	_, err = natsstore.Driver().Open(t.Context(), store.Options{URL: made, Timeout: time.Second})
	want = "store " + made + ": no connection within 1s: no server can be reached"
	if !errors.Is(err, store.ErrUnavailable) || err.Error() != want || time.Since(start) > soon {
		t.Errorf("a server that is not there: %v after %v", err, time.Since(start))
	}
}

func TestAServerThatIsTooSmall(t *testing.T) {
	s := natstest.Start(t, "", natstest.Always, "max_payload: 65536")
	_, err := natsstore.Driver().Open(t.Context(), store.Options{URL: s.URL()})
	if err == nil || !strings.Contains(err.Error(), "max_payload is 65536 bytes, and at least 524288 are needed") {
		t.Errorf("%v", err)
	}
}
