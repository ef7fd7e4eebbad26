package doctor

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/trace"
	"github.com/chibi-host/chibi/plugin"
	"github.com/google/go-cmp/cmp"
)

// TestAHomeThatCannotBeOpenedIsCheckedWithoutASession: the error is a finding, and
// what needs no session is checked all the same.
func TestAHomeThatCannotBeOpenedIsCheckedWithoutASession(t *testing.T) {
	home := filepath.Join(t.TempDir(), ".chibi")
	if err := os.MkdirAll(filepath.Join(home, "plugins"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", t.TempDir())
	for _, tt := range []struct {
		err  error
		want finding
	}{
		{errors.New("bad key"), failure("bad key", "correct the cause that the error names")},
		{&os.PathError{Op: "open", Path: "x", Err: os.ErrPermission},
			failure("open x: permission denied", "make it readable: chmod -R u+rX "+home)},
	} {
		e := &examination{home: home, online: true, open: func(context.Context) (*app.Session, error) { return nil, tt.err }}
		found, err := e.run(t.Context(), checks(sharedStore))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]finding{fine("the home is " + home), tt.want}, found[:2]); diff != "" {
			t.Errorf("%v (-want +got):\n%s", tt.err, diff)
		}
		for _, f := range found[2:] { // the directory of the tests may be open to others
			if !strings.Contains(f.Text, "others may change") {
				t.Errorf("%v: it finds %v", tt.err, f)
			}
		}
	}
}

func TestNoCheckRunsAfterAnInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	ran := 0
	interrupt := func(context.Context, *examination) []finding {
		ran++
		cancel()
		return []finding{fine("done")}
	}
	found, err := (&examination{}).run(ctx, []check{interrupt, interrupt})
	if ran != 1 || found != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%d checks ran: %v, %v", ran, found, err)
	}
}

func TestHomeDirectory(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(file, nil, 0o600), os.Symlink("nowhere", link)); err != nil {
		t.Fatal(err)
	}
	const another = "use a different one: --home DIR, or CHIBI_HOME"
	for home, want := range map[string]finding{
		dir:                           fine("the home is " + dir),
		filepath.Join(dir, "a", "b"):  fine("there is no home yet at " + dir + "/a/b; the first prompt creates it"),
		file:                          failure(file+" is not a usable directory", another),
		filepath.Join(file, "within"): failure(file+"/within is not a usable directory", another),
		link: failure(link+" is a broken link",
			"create the directory that it points to, or "+another),
	} {
		if diff := cmp.Diff([]finding{want}, homeDirectory(home)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", home, diff)
		}
	}
}

func TestWhatTheStatusOfTheServerMeans(t *testing.T) {
	const url = "https://user:secret@llm.example/v1?key=secret"
	for _, tt := range []struct {
		status int
		key    string
		want   level
		text   string
	}{
		{http.StatusBadRequest, "k", levelOK, "llm.example can be reached and accepts the key"},
		{http.StatusOK, "", levelOK, "llm.example can be reached; no key is sent to it"},
		{http.StatusUnauthorized, "k", levelError, "llm.example refuses the key (401 Unauthorized)"},
		{http.StatusForbidden, "k", levelError, "llm.example refuses the key (403 Forbidden)"},
		{http.StatusNotFound, "k", levelError,
			"https://llm.example/v1/chat/completions has no chat completions (404 Not Found)"},
		{http.StatusTooManyRequests, "k", levelWarning,
			"llm.example can be reached, but does not answer now (429 Too Many Requests)"},
		{http.StatusBadGateway, "k", levelWarning,
			"llm.example can be reached, but does not answer now (502 Bad Gateway)"},
	} {
		f := serverStatus(config.Config{BaseURL: url, APIKey: tt.key}, tt.status)
		if f.Level != tt.want || f.Text != tt.text {
			t.Errorf("%d: %s %q, want %s %q", tt.status, f.Level, f.Text, tt.want, tt.text)
		}
	}
}

// TestHooksInTraces has a plugin with a hook of prompts and one of tools.
func TestHooksInTraces(t *testing.T) {
	plugins := []plugin.Plugin{{Name: "a", Hooks: []hookpoints.Name{"pre_message", "pre_tool"}}, {Name: "b"}}
	record := func(name string, point hookpoints.Name, result plugin.Result) trace.Line {
		return trace.Line{Record: &plugin.Record{Plugin: name, Point: point, Result: result}}
	}
	call := trace.Line{Step: &agent.Event{Kind: agent.EventCall}}
	answer := trace.Line{Step: &agent.Event{Kind: agent.EventAnswer}}
	came := filepath.Join(t.TempDir(), "came")
	if err := os.WriteFile(came, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	plugins = append(plugins, plugin.Plugin{Name: "new", Hooks: []hookpoints.Name{"pre_message"},
		Origin: plugin.Origin{Path: came}})
	ok, failed := record("a", "pre_message", plugin.NoOpinion), record("a", "pre_message", plugin.Failed)
	for _, tt := range []struct {
		name  string
		turns []trace.Turn
		want  []string
	}{
		{"nothing is traced", nil, nil},
		{"no tool was called", []trace.Turn{{Lines: []trace.Line{ok}}}, nil},
		{"a hook of tools was not asked", []trace.Turn{{Lines: []trace.Line{ok, call}}, {}},
			[]string{`chibi never asked plugin "a" at pre_tool in 1 traced turn`}},
		{"a hook of prompts was not asked", []trace.Turn{{Lines: []trace.Line{answer}}},
			[]string{`chibi never asked plugin "a" at pre_message in 1 traced turn`}},
		{"it was in another agent", []trace.Turn{
			{Lines: []trace.Line{answer}}, {Lines: []trace.Line{ok}, Bridged: true},
		}, nil},
		{"what another agent did is no sign", []trace.Turn{{Lines: []trace.Line{answer, call}, Bridged: true}}, nil},
		{"no prompt was answered", []trace.Turn{{}}, nil},
		{"hooks failed", []trace.Turn{
			{Lines: []trace.Line{failed, record("b", "on_start", plugin.Failed), record("gone", "on_start", plugin.Failed)}},
			{Lines: []trace.Line{failed}},
		}, []string{`plugin "a" failed at pre_message 2 times in the traced turns`,
			`plugin "b" failed at on_start 1 time in the traced turns`}},
	} {
		var texts []string
		for _, f := range append(failedHooks(tt.turns, plugins), hooksNeverAsked(tt.turns, plugins)...) {
			texts = append(texts, f.Text)
		}
		if diff := cmp.Diff(tt.want, texts); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}
