package summarize_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/tools"
	"github.com/chibi-host/chibi/tools/coding"
	"github.com/chibi-host/chibi/tools/coding/fetch"
	"github.com/chibi-host/chibi/tools/summarize"
)

// project is a directory with files, and the tool that works in it with a model that always
// answers "in short".
type project struct {
	*testing.T
	config summarize.Config
	cache  cache.Files
	window int // of the model
	mu     sync.Mutex
	asked  []summarize.Request
}

func newProject(t *testing.T) *project {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &project{T: t, cache: cache.Open(filepath.Join(top, "cache")), window: 100_000}
	p.config = summarize.Config{
		Files:  coding.Config{Root: filepath.Join(top, "project"), Home: top, Private: filepath.Join(top, ".chibi")},
		Fetch:  fetch.Config{Proxy: func(*http.Request) (*url.URL, error) { return nil, nil }},
		Cache:  p.cache,
		Window: func(string) int { return p.window },
		Ask: func(_ context.Context, r summarize.Request) (tools.Result, error) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.asked = append(p.asked, r)
			return tools.Result{Text: "in short"}, nil
		},
	}
	p.put("a.txt", "first line\nlast line\n")
	return p
}

// put writes a file, whose name begins at the root of the project.
func (p *project) put(name, text string) {
	p.Helper()
	path := filepath.Join(p.config.Files.Root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		p.Fatal(err)
	}
}

// link makes a symbolic link in the project.
func (p *project) link(target, name string) {
	p.Helper()
	if err := os.Symlink(target, filepath.Join(p.config.Files.Root, name)); err != nil {
		p.Skipf("no symbolic links here: %v", err)
	}
}

// serve starts a server on loopback.
func (p *project) serve(handler http.HandlerFunc) (address string) {
	server := httptest.NewServer(handler)
	p.Cleanup(server.Close)
	return server.URL
}

// arg are the arguments of a call.
type arg = map[string]any

func (p *project) tool() tools.Planner { return summarize.New(p.config).(tools.Planner) }

// plan prepares a call.
func (p *project) plan(args arg) (tools.Plan, error) {
	p.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		p.Fatal(err)
	}
	schema, err := tools.Compile(p.tool().Spec().Parameters)
	if err != nil {
		p.Fatal(err)
	}
	if err := schema.Check(raw); err != nil {
		return nil, err
	}
	return p.tool().Plan(p.Context(), tools.Call{ID: "call_1", Arguments: raw, Context: "work"})
}

// call makes a call that was allowed, and returns what the model reads.
func (p *project) call(args arg) string {
	p.Helper()
	plan, err := p.plan(args)
	if err != nil {
		return "invalid: " + err.Error()
	}
	defer plan.Close()
	result, err := plan.Run(p.Context())
	if err != nil {
		p.Fatal(err)
	}
	if result.Failed != strings.HasPrefix(result.Text, "Error: ") {
		p.Errorf("failed: %v, %q", result.Failed, result.Text)
	}
	return result.Text
}

// summarize makes a call about a source.
func (p *project) summarize(source string) string {
	p.Helper()
	return p.call(arg{"source": source, "instructions": "What is it about?"})
}

// says checks what a call about a source returns.
func (p *project) says(source, want string) {
	p.Helper()
	if got := p.summarize(source); got != want {
		p.Errorf("%s: %q, want %q", source, got, want)
	}
}

// unasked checks that no model has seen anything.
func (p *project) unasked() {
	p.Helper()
	if len(p.asked) > 0 {
		p.Errorf("the model was asked: %+v", p.asked)
	}
}

// content returns what stands between the marks of the latest request.
func (p *project) content() string {
	p.Helper()
	if len(p.asked) == 0 {
		p.Fatal("no model was asked")
	}
	text := p.asked[len(p.asked)-1].Input
	_, mark, found := strings.Cut(text, "\ncontent ")
	mark, content, begins := strings.Cut(mark, " begins\n")
	content, rest, ends := strings.Cut(content, "content "+mark+" ends\n")
	if !found || !begins || !ends || rest != "" || strings.Count(text, mark) != 2 {
		p.Errorf("the content has no marks, or more than two:\n%s", text)
	}
	return content
}
