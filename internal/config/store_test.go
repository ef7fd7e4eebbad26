package config_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/config"
	"github.com/google/go-cmp/cmp"
)

func TestWhereTheStoreIs(t *testing.T) {
	flag := func(url string) *string { return &url }
	for _, test := range []struct {
		name, file string
		flag       *string
		env        map[string]string
		want       config.Store
		err        string
	}{
		{name: "files are the default", want: config.Store{Timeout: 30 * time.Second, Lease: 30 * time.Second}},
		{name: "everything in the file",
			file: "store = \"nats://h/team\"\nstore_credentials = \"c\"\nstore_ca = \"a\"\nstore_timeout_ms = 1000\n" +
				"store_lease_seconds = 15\n",
			want: config.Store{URL: "nats://h/team", Credentials: "c", CA: "a", Timeout: time.Second,
				Lease: 15 * time.Second}},
		{name: "keys in capitals count", file: "STORE = \"nats://h\"\n",
			want: config.Store{URL: "nats://h", Timeout: 30 * time.Second, Lease: 30 * time.Second}},
		{name: "the variables precede the file", file: "store = \"nats://h\"\nstore_timeout_ms = 5\n",
			env: map[string]string{"CHIBI_STORE": "nats://other", "CHIBI_STORE_CREDENTIALS": "mine"},
			want: config.Store{URL: "nats://other", Credentials: "mine", Timeout: 5 * time.Millisecond,
				Lease: 30 * time.Second}},
		{name: "the flag precedes the variable", env: map[string]string{"CHIBI_STORE": "nats://other"},
			flag: flag("nats://f"),
			want: config.Store{URL: "nats://f", Timeout: 30 * time.Second, Lease: 30 * time.Second}},
		{name: "the flag can say files", env: map[string]string{"CHIBI_STORE": "nats://other"}, flag: flag("files"),
			want: config.Store{Timeout: 30 * time.Second, Lease: 30 * time.Second}},
		{name: "an empty flag means files", file: "store = \"nats://h\"\n", flag: flag(""),
			want: config.Store{Timeout: 30 * time.Second, Lease: 30 * time.Second}},
		{name: "the variable can say files", file: "store = \"nats://h\"\n", env: map[string]string{"CHIBI_STORE": "files"},
			want: config.Store{Timeout: 30 * time.Second, Lease: 30 * time.Second}},
		{name: "a mistake elsewhere is none of a home of files", file: "modle = \"x\"\n",
			want: config.Store{Timeout: 30 * time.Second, Lease: 30 * time.Second}},
		{name: "a lease that is too short", file: "store_lease_seconds = 14\n",
			err: "config.toml:1: store_lease_seconds is 14; want a number from 15 to 3600"},
		{name: "a lease that is too long", file: "store_lease_seconds = 3601\n",
			err: "config.toml:1: store_lease_seconds is 3601; want a number from 15 to 3600"},
		{name: "no time", file: "store_timeout_ms = 0\n", err: "config.toml:1: store_timeout_ms is 0; want a number above 0"},
		{name: "a key that is misspelt", file: "store_timeout = 3\n",
			err: `config.toml:1: unknown key "store_timeout"; did you mean "store_timeout_ms"?`},
	} {
		t.Run(test.name, func(t *testing.T) {
			home := t.TempDir()
			if err := os.WriteFile(filepath.Join(home, "config.toml"), []byte(test.file), 0o600); err != nil {
				t.Fatal(err)
			}
			global, err := config.ReadGlobal(home)
			if err != nil {
				t.Fatal(err)
			}
			got, err := global.Store(test.flag, func(name string) string { return test.env[name] })
			if test.err != "" {
				if err == nil || err.Error() != filepath.Join(home, test.err) {
					t.Fatalf("error = %v\nwant    %s", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestTheStoreIsNamedByTheHomeOnly states that what is read once the context is known cannot
// name the store.
func TestTheStoreIsNamedByTheHomeOnly(t *testing.T) {
	for key, value := range map[string]string{
		"store": `"nats://h"`, "store_credentials": `"f"`, "store_ca": `"f"`, "store_timeout_ms": "5",
		"store_lease_seconds": "20",
	} {
		home := t.TempDir()
		local := filepath.Join(home, "contexts", "c", "local.toml")
		if err := os.MkdirAll(filepath.Dir(local), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(local, []byte(key+" = "+value+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		says := key + " can only be in config.toml"
		if key == "store" {
			says += "; use --store URL or CHIBI_STORE"
		}
		_, err := config.Load(config.Sources{Home: home, Local: localOf(t, home, "c"),
			Env: func(string) string { return "" }})
		if want := local + ":1: " + says; err == nil || err.Error() != want {
			t.Errorf("error = %v\nwant    %s", err, want)
		}
		set := []string{key + "=" + value}
		_, err = config.Load(config.Sources{Home: home, Set: set, Env: func(string) string { return "" }})
		if want := "--set " + key + "=" + value + ": " + says; err == nil || err.Error() != want {
			t.Errorf("error = %v\nwant    %s", err, want)
		}
	}
}

func TestSecretsOfTheStoreAreNotShown(t *testing.T) {
	for _, test := range []struct {
		url, shown string
		secrets    []string
	}{
		{"files", "files", nil},
		{"nats://h:4222/team", "nats://h:4222/team", nil},
		{"nats://token@h/team", "nats://***@h/team", []string{"token"}},
		{"nats://me:pass@h1,h2/team", "nats://me:***@h1,h2/team", []string{"pass"}},
		{"nats://me:pass@h1:4222,h2:4222/team", "nats://me:***@h1:4222,h2:4222/team", []string{"pass"}},
		{"nats://me:p@ss/w?rd@h/team", "nats://me:***@h/team", []string{"p"}},
		{"postgres://me@h/db", "postgres://me@h/db", nil},
		{"postgres://a%40b:pw@h/db", "postgres://a%40b:***@h/db", []string{"pw"}},
		{"postgres://:pw@h/db", "postgres://***@h/db", []string{"pw"}},
		{"nats://t:@h/team", "nats://t:***@h/team", []string{""}},
		{"postgres://h/db?home=team&password=pw&sslmode=require&sslkey=k",
			"postgres://h/db?home=team&password=***&sslmode=require&sslkey=***", []string{"pw"}},
	} {
		if got := config.WithoutSecrets(test.url); got != test.shown {
			t.Errorf("%s is shown as %s; want %s", test.url, got, test.shown)
		}
		if got := config.OpensStore(test.url); got != (test.secrets != nil) {
			t.Errorf("whether %s opens the store: %v", test.url, got)
		}
		if got := config.StoreSecrets(test.url); !slices.Equal(got, test.secrets) {
			t.Errorf("the secrets of %s are %q; want %q", test.url, got, test.secrets)
		}
		if got, _ := (config.Config{Store: test.url}).Value("store"); got != test.shown {
			t.Errorf("the value of the key is shown as %s; want %s", got, test.shown)
		}
		if got := config.HoldsKey([]byte("store = " + config.Quote(test.url) + "\n")); got != (test.secrets != nil) {
			t.Errorf("HoldsKey of a file with %s is %v", test.url, got)
		}
	}
}
