//go:build unix

package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chibi-host/chibi/cluster/internal/pgtest"
	"github.com/chibi-host/chibi/cluster/pgstore"
	"github.com/chibi-host/chibi/store"
	"github.com/chibi-host/chibi/store/storetest"
)

// initHome runs Init and returns what it said.
func initHome(t *testing.T, url string) []string {
	t.Helper()
	said, err := pgstore.Driver().Init(context.Background(), store.InitOptions{Options: store.Options{URL: url,
		Program: "chibi-cluster 1.2.3"}})
	if err != nil {
		t.Fatal(err)
	}
	return said
}

// homesOf makes a home for each call, for a role that is made with no more rights than Init grants.
func homesOf(t *testing.T, s *pgtest.Server, role string) storetest.Open {
	t.Helper()
	run(t, s, "create role "+role+" login")
	var count atomic.Int64
	return func(t *testing.T, o store.Options) func() *store.Engine {
		name := fmt.Sprint(role, count.Add(1))
		initHome(t, s.URL("postgres", name)+"&grant="+role)
		o.URL = s.URL(role, name)
		return func() *store.Engine {
			e, err := pgstore.Driver().Open(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			return e
		}
	}
}

func run(t *testing.T, s *pgtest.Server, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if _, err := s.Exec(context.Background(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// private writes a file that nobody else may read.
func private(t testing.TB, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "private")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestAnotherHomeIsShut(t *testing.T) {
	s := server(t)
	run(t, s, "create role mine login")
	home(t, s, "theirs")
	begin := time.Now()
	_, err := pgstore.Driver().Open(t.Context(), store.Options{URL: s.URL("mine", "theirs")})
	if !errors.Is(err, store.ErrDenied) || !strings.Contains(err.Error(), "permission denied for schema chibi_theirs") ||
		!strings.Contains(err.Error(), "the role mine") {
		t.Error(err)
	}
	saidSoon(t, begin)
}

func TestAMissingPermissionIsNamed(t *testing.T) {
	s := server(t)
	run(t, s, "create role reader login")
	initHome(t, s.URL("postgres", "partly")+"&grant=reader")
	e := open(t, store.Options{URL: s.URL("reader", "partly")})
	run(t, s, "revoke insert on chibi_partly.log from reader", "revoke usage on sequence chibi_partly.revision from "+
		"reader")
	_, err := e.Log.Append(t.Context(), "talk", store.Tail{}, store.Record{ID: "a"})
	if !errors.Is(err, store.ErrDenied) || !strings.Contains(err.Error(), "permission denied for table log") {
		t.Error(err)
	}
	_, err = e.Docs.Put(t.Context(), "a", []byte("x"), 0)
	if !errors.Is(err, store.ErrDenied) || !strings.Contains(err.Error(), "permission denied for sequence revision") {
		t.Error(err)
	}
}

func TestInitSaysWhatItMadeAndWhatDiffers(t *testing.T) {
	s := server(t)
	run(t, s, `create role "odd ""role" login`)
	url := s.URL("postgres", "said")
	said := strings.Join(initHome(t, url), "\n")
	for _, want := range []string{"made the table chibi_said.doc", "made the table chibi_said.lease", "made the format " +
		"number: 1",
		"grant usage on schema \"chibi_said\" to {r}"} {
		if !strings.Contains(said, strings.ReplaceAll(want, "{r}", "ROLE")) {
			t.Errorf("Init did not say %q:\n%s", want, said)
		}
	}
	said = strings.Join(initHome(t, url+"&grant=odd%20%22role"), "\n")
	if strings.Contains(said, "made") || !strings.Contains(said, `the role odd "role may use the home said`) {
		t.Errorf("the second time Init said:\n%s", said)
	}
	run(t, s, "alter table chibi_said.log drop column begins", "alter table chibi_said.doc alter column tag type "+
		"varchar(40)")
	said = strings.Join(initHome(t, url), "\n")
	for _, want := range []string{"the table chibi_said.log has no column begins",
		"the column tag of the table chibi_said.doc is character varying and not text"} {
		if !strings.Contains(said, want) {
			t.Errorf("Init did not say %q:\n%s", want, said)
		}
	}
}

func TestInitByARoleThatMayNot(t *testing.T) {
	s := server(t)
	run(t, s, "create role nobody login")
	_, err := pgstore.Driver().Init(t.Context(), store.InitOptions{Options: store.Options{URL: s.URL("nobody", "none")}})
	if !errors.Is(err, store.ErrDenied) || !strings.Contains(err.Error(), "permission denied for database postgres") {
		t.Error(err)
	}
}

func TestWhatIsNotThereIsNamed(t *testing.T) {
	s := server(t)
	cases := []struct{ url, want string }{
		{s.URL("postgres", "nowhere"), `there is no home "nowhere" (schema chibi_nowhere) in the database postgres; chibi ` +
			`store init makes it`},
		{strings.Replace(s.URL("postgres", "x"), "/postgres?", "/none?", 1),
			`database "none" does not exist (SQLSTATE 3D000); create it, then run chibi store init`},
	}
	for _, c := range cases {
		_, err := pgstore.Driver().Open(t.Context(), store.Options{URL: c.url})
		if !errors.Is(err, store.ErrNotFound) || err.Error() != c.want {
			t.Errorf("%s: %v; want %s", c.url, err, c.want)
		}
	}
	_, err := pgstore.Driver().Open(t.Context(), store.Options{URL: s.URL("stranger", "x")})
	want := `the server refuses this user: role "stranger" does not exist (SQLSTATE 28000); check the user and the ` +
		`credentials`
	if !errors.Is(err, store.ErrDenied) || err.Error() != want {
		t.Errorf("%v; want %s", err, want)
	}
}

func TestAServerThatIsNotThereIsNamedOnce(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	o := store.Options{URL: "postgres://me@" + address + "/x", Timeout: time.Second}
	_, err = pgstore.Driver().Open(t.Context(), o)
	if want := "no success within 1s: dial tcp " + address + ": "; !errors.Is(err, store.ErrUnavailable) ||
		!strings.HasPrefix(err.Error(), want) || strings.Count(err.Error(), address) != 1 {
		t.Error(err)
	}
}

func TestANewerFormatAndLayoutAreRefused(t *testing.T) {
	s := server(t)
	url := home(t, s, "newer")
	e := open(t, store.Options{URL: url})
	run(t, s, `update chibi_newer.doc set data = '{"format": 7, "by": "chibi 9"}' where key = 'format'`)
	var format *store.FormatError
	if _, err := pgstore.Driver().Open(t.Context(), store.Options{URL: url}); !errors.As(err, &format) ||
		format.Found != 7 {
		t.Error(err)
	}
	if _, err := e.Docs.Get(t.Context(), "format"); err != nil {
		t.Errorf("a connection from before: %v", err)
	}
	run(t, s, `update chibi_newer.doc set data = '{"format": 1}' where key = 'format'`,
		`update chibi_newer.setting set value = '2' where name = 'layout'`)
	_, err := pgstore.Driver().Open(t.Context(), store.Options{URL: url})
	if err == nil || !strings.Contains(err.Error(), `the tables of the home newer have the layout "2", and this `+
		`program knows 1; use a newer chibi-cluster`) {
		t.Error(err)
	}
}

func TestAPasswordComesFromTheFile(t *testing.T) {
	s := ownServer(t)
	run(t, s, "create role secret login password 'it''s: a secret'")
	initHome(t, s.URL("postgres", "default")+"&grant=secret")
	rules := "host all secret 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n"
	if err := s.Write("pg_hba.conf", []byte(rules)); err != nil {
		t.Fatal(err)
	}
	run(t, s, "select pg_reload_conf()")
	o := store.Options{URL: s.URL("secret", "default"), Credentials: private(t, "*:*:postgres:secret:it's\\: a secret\n")}
	if st, err := open(t, o).Status(t.Context()); err != nil || len(st.Warnings) > 0 {
		t.Errorf("%q, %v", st.Warnings, err)
	}
	withPassword := strings.Replace(s.URL("secret", "default"), "secret@", "secret:it's%3A%20a%20secret@", 1)
	st, err := open(t, store.Options{URL: withPassword}).Status(t.Context())
	if err != nil || strings.Contains(st.URL, "it's") || !strings.Contains(strings.Join(st.Warnings, ""),
		"the password is in the store's URL") {
		t.Errorf("%s: %q, %v", st.URL, st.Warnings, err)
	}
	for _, wrong := range []string{"wrong", "*:*:other:secret:it's\\: a secret\n"} {
		o.Credentials = private(t, wrong)
		_, err = pgstore.Driver().Open(t.Context(), o)
		if err == nil || wrong == "wrong" && !errors.Is(err, store.ErrDenied) || strings.Contains(err.Error(), wrong+"\n") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}

func TestStatusWarnsOfSettingsThatLoseWhatWasAcknowledged(t *testing.T) {
	s := ownServer(t, "fsync=off", "full_page_writes=off")
	run(t, s, "create role hasty login", "alter role hasty set synchronous_commit = off")
	initHome(t, s.URL("postgres", "hasty")+"&grant=hasty")
	st, err := open(t, store.Options{URL: s.URL("hasty", "hasty")}).Status(t.Context())
	warnings := strings.Join(st.Warnings, "\n")
	for _, want := range []string{"fsync is off", "full_page_writes is off", "synchronous_commit is off for the role " +
		"hasty"} {
		if err != nil || !strings.Contains(warnings, want) {
			t.Errorf("no warning that %s: %v\n%s", want, err, warnings)
		}
	}
}

// TestAServerThatWasSetToReadOnly, as services do when the disk is nearly full: reading works.
func TestAServerThatWasSetToReadOnly(t *testing.T) {
	s := server(t)
	run(t, s, "create role careful login")
	initHome(t, s.URL("postgres", "careful")+"&grant=careful")
	run(t, s, "alter role careful set default_transaction_read_only = on")
	e := open(t, store.Options{URL: s.URL("careful", "careful"), Timeout: time.Second})
	if _, err := e.Docs.Get(t.Context(), store.FormatKey); err != nil {
		t.Error(err)
	}
	_, err := e.Docs.Put(t.Context(), "a", []byte("x"), 0)
	if !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "read-only transaction") {
		t.Error(err)
	}
	st, err := e.Status(t.Context())
	if err != nil || !strings.Contains(strings.Join(st.Warnings, ""), "default_transaction_read_only is on") {
		t.Errorf("%q, %v", st.Warnings, err)
	}
}
