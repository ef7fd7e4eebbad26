package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/toolbox"
	"github.com/chibi-host/chibi/tools"
)

// home makes a home with one plugin, which takes part in every prompt.
func home(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("HOME", t.TempDir())
	t.Setenv("CHIBI_HOME", "")
	t.Chdir(t.TempDir())
	script := `#!/bin/sh
case "$1" in --schema) echo '{"name": "shout", "hooks": ["pre_message"], "tool": false}'; exit;; esac
echo "shout was asked" >&2
echo '{"prompt": "SHOUTED"}'
`
	if err := os.MkdirAll(filepath.Join(dir, "plugins"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "plugins", "shout"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// streams runs do and returns what it wrote to the process's standard output and
// standard error.
func streams(t *testing.T, do func()) string {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "streams"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	stdout, stderr := os.Stdout, os.Stderr
	os.Stdout, os.Stderr = file, file
	defer func() { os.Stdout, os.Stderr = stdout, stderr }()
	do()
	written, err := os.ReadFile(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(written)
}

func TestAskingAPromptPrintsNothing(t *testing.T) {
	dir := home(t)
	var answer, said strings.Builder
	written := streams(t, func() {
		ctx := context.Background()
		s, err := app.Open(ctx, app.Options{
			Home: dir, Model: app.ModelOptions{Demo: true}, Plugins: app.PluginOptions{Stderr: &said},
			Output: agent.Output{Text: func(delta string) { answer.WriteString(delta) }},
		})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if err := s.Run(ctx, func() error { return s.Ask(ctx, "hello") }); err != nil {
			t.Fatal(err)
		}
	})
	if written != "" {
		t.Errorf("the standard streams got %q", written)
	}
	if !strings.Contains(answer.String(), "SHOUTED") {
		t.Errorf("the answer is %q, want the prompt that the plugin made", answer.String())
	}
	if said.String() != "shout was asked\n" {
		t.Errorf("PluginOptions.Stderr got %q", said.String())
	}
}

func TestReadingAHomeAsksNoPluginAndChangesNothing(t *testing.T) {
	dir := home(t)
	s, err := app.Open(context.Background(), app.Options{Home: dir, Purpose: app.ToRead})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.Agent.Host != nil || len(s.Loaded.Plugins) > 0 {
		t.Errorf("plugins were loaded: %v", s.Loaded.Plugins)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the home has %v (%v), want the plugins alone", entries, err)
	}
	if err := s.Load(context.Background()); err != nil || len(s.Loaded.Plugins) != 1 {
		t.Errorf("Load found %d plugins (%v), want one", len(s.Loaded.Plugins), err)
	}
}

func TestASessionThatReadsLocksAnotherContext(t *testing.T) {
	ctx := t.Context()
	s, err := app.Open(ctx, app.Options{Home: home(t), Purpose: app.ToRead})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = s.WithLock(ctx, "other", func(_ context.Context, other *app.Session) error {
		if other.Name() != "other" {
			t.Errorf("the session is for %q", other.Name())
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestTheConfigurationSaysHowManyPluginsAreAskedAtOnce(t *testing.T) {
	dir := home(t)
	if err := os.WriteFile(filepath.Join(dir, "config.toml"), []byte("[plugins]\nparallel = 7\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := app.Open(t.Context(), app.Options{Home: dir, Model: app.ModelOptions{Demo: true}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.Agent.Host.Parallel != 7 {
		t.Errorf("%d plugins are asked at once, want 7", s.Agent.Host.Parallel)
	}
}

func TestAnotherContextHasItsOwnConfiguration(t *testing.T) {
	dir, ctx := home(t), context.Background()
	s, err := app.Open(ctx, app.Options{Home: dir, Model: app.ModelOptions{Demo: true}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	local := filepath.Join(dir, "contexts", "other")
	if err := os.MkdirAll(local, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(local, "local.toml"), []byte("username = \"ada\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	other, err := s.For(t.Context(), "other")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if got := other.Agent.Settings.UserName; got != "ada" || s.Agent.Settings.UserName == "ada" {
		t.Errorf("the user is %q in the other context and %q here", got, s.Agent.Settings.UserName)
	}
	if len(other.Loaded.Plugins) != 1 || other.Agent.Host != s.Agent.Host {
		t.Error("the plugins are not those of the first session")
	}
	state, err := s.Store.State(t.Context())
	if err != nil || state.Current == "other" {
		t.Errorf("the current context is %q (%v)", state.Current, err)
	}
}

func TestMovingTakesThePlaceOfASession(t *testing.T) {
	dir, ctx := home(t), context.Background()
	s, err := app.Open(ctx, app.Options{Home: dir, Model: app.ModelOptions{Demo: true},
		Plugins: app.PluginOptions{Stderr: io.Discard}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Move(ctx, "-"); err == nil {
		t.Error("moved to a previous context that there is not")
	}
	moved, err := s.Move(ctx, "other")
	if err != nil {
		t.Fatal(err)
	}
	defer moved.Close()
	if err := moved.Ask(ctx, "hello"); err != nil {
		t.Fatal(err)
	}
	if err := moved.End(ctx, nil); err != nil {
		t.Fatal(err)
	}
	if !moved.Store.Exists(t.Context(), "other") {
		t.Error("nothing was stored in the other context")
	}
}

func TestTracesOfAnotherContextAreItsOwn(t *testing.T) {
	dir, ctx := home(t), context.Background()
	s, err := app.Open(ctx, app.Options{Home: dir, Model: app.ModelOptions{Demo: true},
		Plugins: app.PluginOptions{Stderr: io.Discard}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	other, err := s.For(t.Context(), "other")
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Load(ctx); err != nil {
		t.Fatal(err)
	}
	if err := other.Ask(ctx, "hello"); err != nil {
		t.Fatal(err)
	}
	other.Close()
	text, err := os.ReadFile(s.Host.Layout().Trace("other"))
	if err != nil || !strings.Contains(string(text), `"context":"other"`) {
		t.Errorf("the trace of the context is %q (%v)", text, err)
	}
	if _, err := os.Stat(s.Host.Layout().Trace(s.Name())); err == nil {
		t.Error("the turn was traced in the context of the first session")
	}
}

// TestTheServerIsDialledWhilePluginsLoad: a plugin tells its schema when the server has got
// a connection. Nothing is sent over it if nothing is asked.
func TestTheServerIsDialledWhilePluginsLoad(t *testing.T) {
	dir := home(t)
	connected := filepath.Join(dir, "connected")
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("a request was sent")
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			os.WriteFile(connected, nil, 0o600)
		}
	}
	server.Start()
	defer server.Close()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write("plugins/waits", fmt.Sprintf("#!/bin/sh\nuntil [ -e %q ]; do sleep 0.01; done\n"+
		"echo '{\"name\": \"waits\"}'\n", connected))
	config := fmt.Sprintf("base_url = %q\nmodel = \"m\"\n[plugins]\nschema_cache = \"off\"\nprobe_timeout_ms = ",
		server.URL+"/v1")
	for _, test := range []struct {
		name, config string
		loaded       bool
	}{
		{"early", config + "60000", true},
		{"not early", config + "300\n[network]\nearly = false", false},
	} {
		os.Remove(connected)
		write("config.toml", test.config)
		s, err := app.Open(t.Context(), app.Options{Home: dir, Model: app.ModelOptions{Early: true}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := toolbox.Of(s.Agent, s.Loaded.Plugins).Find("waits"); (err == nil) != test.loaded {
			t.Errorf("%s: %v", test.name, err)
		}
		s.Close()
	}
}

func TestCommandsOfTheModelDoNotGetItsKey(t *testing.T) {
	t.Setenv("CHIBI_API_KEY", "sk-0123456789")
	t.Setenv("OPENROUTER_API_KEY", "sk-other")
	t.Setenv("AUTHORIZATION", "Bearer sk-0123456789")
	t.Setenv("MINE", "kept")
	s, err := app.Open(t.Context(), app.Options{Home: home(t), Purpose: app.ToRead})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	result, err := app.ShellTool(s, t.TempDir()).Call(t.Context(),
		tools.Call{Arguments: json.RawMessage(`{"command": "env | grep -e sk- -e KEY -e MINE"}`)})
	if err != nil || result.Text != "MINE=kept\n" {
		t.Errorf("%q, %v", result.Text, err)
	}
}

// TestCommandsOfTheModelDoNotGetWhatOpensTheStore states that a URL with a password or a token
// is kept from the model like its key; one without opens nothing, and is kept for a chibi that
// a command starts.
func TestCommandsOfTheModelDoNotGetWhatOpensTheStore(t *testing.T) {
	url := app.StoreOptions{URL: new(string)} // files
	for store, want := range map[string]string{
		"postgres://me:secretword00@h/db?home=team": "MINE=kept\n",
		"postgres://h/db?password=secretword00":     "MINE=kept\n",
		"nats://secretword00@h1:4222,h2:4222/team":  "MINE=kept\n",
		"postgres://me@h/db":                        "CHIBI_STORE=postgres://me@h/db\nCOPY=secretword00\nMINE=kept\n",
	} {
		t.Setenv("CHIBI_STORE", store)
		t.Setenv("COPY", "secretword00")
		t.Setenv("MINE", "kept")
		s, err := app.Open(t.Context(), app.Options{Home: home(t), Purpose: app.ToRead, Store: url})
		if err != nil {
			t.Fatal(err)
		}
		result, err := app.ShellTool(s, t.TempDir()).Call(t.Context(),
			tools.Call{Arguments: json.RawMessage(`{"command": "env | grep -e CHIBI_STORE -e COPY -e MINE | sort"}`)})
		if err != nil || result.Text != want {
			t.Errorf("%s: %q, %v; want %q", store, result.Text, err, want)
		}
		s.Close()
	}
}
