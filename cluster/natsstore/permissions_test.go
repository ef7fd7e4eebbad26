package natsstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/cluster/internal/natstest"
	"github.com/chibi-host/chibi/cluster/natsstore"
	"github.com/chibi-host/chibi/store"
)

// soon bounds how long a missing permission takes to be named. Where other tests make the machine
// busy, it is only less than a store is waited for.
var soon = 2 * time.Second

// teamUsers is an account as docs/operating/CLUSTER.md describes it: an administrator, a user with
// the permissions of the home "team", and users without one of them each.
func teamUsers() string {
	publish := []string{"chibi.team.>", "$KV.chibi_team.>"}
	for _, s := range []string{"KV_chibi_team", "chibi_team_log", "chibi_team_out"} {
		publish = append(publish, "$JS.API.STREAM.INFO."+s, "$JS.API.STREAM.MSG.GET."+s, "$JS.API.STREAM.PURGE."+s,
			"$JS.API.DIRECT.GET."+s, "$JS.API.DIRECT.GET."+s+".>")
	}
	subscribe := []string{"_INBOX.chibi_team.>", "$KV.chibi_team.mail.>"}
	without := func(all []string, one string) (rest []string) {
		for _, subject := range all {
			if subject != one {
				rest = append(rest, subject)
			}
		}
		return rest
	}
	user := func(name string, publish, subscribe []string) string {
		return fmt.Sprintf("{ user: %s, password: secret, permissions: { publish: %s, subscribe: %s } }\n",
			name, quoted(publish), quoted(subscribe))
	}
	return "accounts { TEAM { jetstream: enabled, users: [\n{ user: admin, password: secret }\n" +
		user("team", publish, subscribe) +
		user("wide", publish, []string{"_INBOX.>"}) +
		user("nomail", publish, without(subscribe, "$KV.chibi_team.mail.>")) +
		user("noanswers", publish, without(subscribe, "_INBOX.chibi_team.>")) +
		user("nologs", without(publish, "chibi.team.>"), subscribe) +
		user("nobatch", without(publish, "$JS.API.DIRECT.GET.KV_chibi_team"), subscribe) +
		"] } }"
}

func quoted(all []string) string { return `["` + strings.Join(all, `", "`) + `"]` }

// as is the URL of a home for a user.
func as(user string, s *natstest.Server, home string) string {
	return "nats://" + user + ":secret@" + s.Address() + "/" + home
}

func TestThePermissionsOfAHomeSuffice(t *testing.T) {
	s := natstest.Start(t, "", natstest.Always, teamUsers())
	natstest.Init(t, as("admin", s, "team"), 1)
	e := natstest.Open(t, store.Options{URL: as("team", s, "team")})
	ctx := t.Context()
	heard, err := e.Watch(ctx, "mail.")
	if err != nil {
		t.Fatal(err)
	}
	rev, err := e.Docs.Put(ctx, "mail.a.b", []byte("hello"), 0)
	<-heard
	large := bytes.Repeat([]byte("0123456789"), 300<<10)
	var (
		tail  store.Tail
		lease store.Lease
		blob  store.Blob
	)
	for _, do := range []func() error{
		func() error { return err },
		func() error { return e.Docs.List(ctx, "mail.", func(store.Doc) bool { return true }) },
		func() error { _, err := e.Docs.Put(ctx, "mail.a.b", nil, rev); return err },
		func() error {
			tail, err = e.Log.Append(ctx, "a", tail, store.Record{ID: "1", Data: []byte("x")})
			return err
		},
		func() error { tail, err = e.Log.Append(ctx, "a", tail, store.Record{ID: "2", Data: large}); return err },
		func() error { return readAll(ctx, e, store.Range{Last: tail.Last}, 2) },
		func() error { return readAll(ctx, e, store.Range{Backward: true}, 2) },
		func() error { return e.Log.Remove(ctx, "a") },
		func() error { _, err := e.Blobs.Put(ctx, "a", bytes.NewReader(large)); return err },
		func() error { blob, err = e.Blobs.Open(ctx, "a"); return err },
		func() error { _, err := io.Copy(io.Discard, io.NewSectionReader(blob, 0, blob.Size())); return err },
		func() error { return e.Blobs.List(ctx, "", func(store.BlobInfo) bool { return true }) },
		func() error { return e.Blobs.Remove(ctx, "a") },
		func() error { lease, err = e.Leases.Take(ctx, "a", nil); return err },
		func() error { return e.Leases.Held(ctx, "", func(string, store.HeldError) bool { return true }) },
		func() error { return lease.Release(ctx) },
		func() error { return e.Leases.Break(ctx, "a") },
		func() error { _, err := e.Status(ctx); return err },
	} {
		if err := do(); err != nil {
			t.Error(err)
		}
	}
}

func TestAMissingPermissionIsNamedAtOnce(t *testing.T) {
	s := natstest.Start(t, "", natstest.Always, teamUsers())
	natstest.Init(t, as("admin", s, "team"), 1)
	natstest.Init(t, as("admin", s, "other"), 1)
	printed := capture(t)
	for _, c := range []struct {
		user, home, want string
		do               func(ctx context.Context, e *store.Engine) error // nil: opening fails
	}{
		{"team", "other", `Subscription to "_INBOX.chibi_other.`, nil},
		{"wide", "other", `/other: the store does not permit it: Permissions Violation for Publish to ` +
			`"$JS.API.STREAM.MSG.GET.KV_chibi_other"; check the home in the URL, and what the user may do`, nil},
		{"noanswers", "team", `Subscription to "_INBOX.chibi_team.`, nil},
		{"wrong", "team", `/team: the server refuses the user "wrong" (nats: Authorization Violation); check the user ` +
			"and the credentials", nil},
		{"nomail", "team", `Subscription to "$KV.chibi_team.mail.>"`, func(ctx context.Context, e *store.Engine) error {
			_, err := e.Watch(ctx, "mail.")
			return err
		}},
		{"nologs", "team", `Publish to "chibi.team.log.a"`, func(ctx context.Context, e *store.Engine) error {
			_, err := e.Log.Append(ctx, "a", store.Tail{}, store.Record{ID: "1"})
			return err
		}},
		{"nologs", "team", `Publish to "chibi.team.out.a.`, func(ctx context.Context, e *store.Engine) error {
			_, err := e.Blobs.Put(ctx, "a", strings.NewReader("x"))
			return err
		}},
		{"nobatch", "team", `"$JS.API.DIRECT.GET.KV_chibi_team"`, func(ctx context.Context, e *store.Engine) error {
			return e.Docs.List(ctx, "", func(store.Doc) bool { return true })
		}},
	} {
		start := time.Now()
		e, err := natsstore.Driver().Open(t.Context(), store.Options{URL: as(c.user, s, c.home)})
		if c.do != nil && err == nil {
			err = c.do(t.Context(), e)
			e.Close()
		}
		said := fmt.Sprint(err)
		if !errors.Is(err, store.ErrDenied) || !strings.Contains(said, c.want) || strings.Contains(said, "secret") {
			t.Errorf("%s, home %s: %v; want: %s", c.user, c.home, err, c.want)
		}
		took := time.Since(start)
		t.Logf("%s, home %s: said after %v", c.user, c.home, took.Round(time.Millisecond))
		if took > soon {
			t.Error("that is not soon")
		}
	}
	if text := printed(); text != "" {
		t.Errorf("the engine printed %q", text)
	}
}

func TestStatusSaysThatMailIsNotPushed(t *testing.T) {
	s := natstest.Start(t, "", natstest.Always, teamUsers())
	natstest.Init(t, as("admin", s, "team"), 1)
	status, err := natstest.Open(t, store.Options{URL: as("nomail", s, "team")}).Status(t.Context())
	if err != nil || status.Push || !strings.Contains(status.WhyNot, `"$KV.chibi_team.mail.>"`) {
		t.Errorf("%+v, %v", status, err)
	}
}

// capture takes what is written to the standard streams until what it returns is called.
func capture(t *testing.T) func() string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, stderr := os.Stdout, os.Stderr
	os.Stdout, os.Stderr = w, w
	return func() string {
		os.Stdout, os.Stderr = stdout, stderr
		w.Close()
		text, _ := io.ReadAll(r)
		return string(text)
	}
}
