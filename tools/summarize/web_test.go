package summarize_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/tools"
)

// byPerson makes a call that a person makes, who may name any address.
func (p *project) byPerson(source string) string {
	p.Helper()
	call := tools.Call{Arguments: fmt.Appendf(nil, `{"source": %q, "instructions": "What is it?"}`, source)}
	result, err := p.tool().Call(p.Context(), call)
	if err != nil {
		p.Fatal(err)
	}
	return result.Text
}

func TestAPageIsSummarizedAsText(t *testing.T) {
	p := newProject(t)
	address := p.serve(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "<html><title>News</title><script>x()</script><h1>One</h1><p>Two</html>")
	})
	if got := p.byPerson(address); got != "in short\n" {
		t.Error(got)
	}
	if got := p.content(); strings.Contains(got, "x()") || !strings.Contains(got, "# One\n\nTwo") {
		t.Errorf("the content is %q", got)
	}
	if !strings.Contains(p.asked[0].Input, "The content comes from "+address+"/.\n") {
		t.Errorf("the request is\n%s", p.asked[0].Input)
	}
}

func TestWhatOfAURLIsNotSummarized(t *testing.T) {
	p := newProject(t)
	address := p.serve(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/image":
			w.Header().Set("Content-Type", "image/png")
			fmt.Fprint(w, "\x89PNG")
		case "/empty":
		case "/metadata":
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
		case "/huge":
			w.Header().Set("Content-Length", "8388609")
		default:
			http.NotFound(w, r)
		}
	})
	for path, want := range map[string]string{
		"/image": "Error: " + address + "/image is not text: it has the type image/png; only text is summarized",
		"/empty": "Error: " + address + "/empty is empty; there is nothing to summarize",
		"/huge":  "Error: " + address + "/huge has 8,388,609 bytes; at most 8,388,608 bytes can be read",
		"/none":  "Error: " + address + "/none: 404 Not Found\n404 page not found",
		"/metadata": "Error: " + address + "/metadata redirects to http://169.254.169.254/latest/meta-data/, which was not " +
			"fetched: no rule allows that without a question; call summarize_content with this URL to ask",
	} {
		if got := p.byPerson(address + path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	p.unasked()
}

// TestAModelsURLNeedsAJudge: what nobody has judged is fetched from public addresses only.
func TestAModelsURLNeedsAJudge(t *testing.T) {
	p := newProject(t)
	address := p.serve(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "secret") })
	call := tools.Call{ID: "call_1", Arguments: fmt.Appendf(nil, `{"source": %q, "instructions": "x"}`, address)}
	result, err := p.tool().Call(t.Context(), call)
	if err != nil || !strings.Contains(result.Text, "is refused: 127.0.0.1 is not a public address (loopback)") {
		t.Errorf("%+v %v", result, err)
	}
	p.unasked()
}
