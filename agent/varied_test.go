package agent

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/tools"
)

// lookTool reads a file or fetches a URL, by what its argument "at" is.
type lookTool struct{ goTool }

func (t lookTool) SpecFor(arguments json.RawMessage) tools.Spec {
	spec := t.spec
	spec.Category, spec.Subject = tools.CategoryRead, "at"
	if strings.Contains(string(arguments), "https:") {
		spec.Category = tools.CategoryFetch
	}
	return spec
}

// look adds a tool whose category is that of its calls, and a gate that allows what nobody
// decides.
func (h *harness) look() {
	h.t.Helper()
	run := func(tools.Call) tools.Result {
		h.note("run look")
		return tools.Result{Text: "seen"}
	}
	spec := tools.Spec{Name: "look", Category: tools.CategoryAgent}
	if err := h.Tools.Add(lookTool{goTool{spec, run}}); err != nil {
		h.t.Fatal(err)
	}
	h.Gate = &permissions.Gate{Policy: policy{}, Dir: "/p", AccessOf: permissions.AccessOf}
}

// lookResults are what the model is told about calls of look.
func (h *harness) lookResults() (texts []string) {
	for _, line := range h.window() {
		if text, ok := strings.CutPrefix(line, "result look "); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// TestTheCategoryOfACall decides what hooks are told and which permission point fires, where
// a tool does different things.
func TestTheCategoryOfACall(t *testing.T) {
	for arguments, want := range map[string][]string{
		`{"at":"a.txt"}`: {"pre_tool read at", "pre_file_read /p/a.txt", "run look", "pre_tool_output read at"},
		`{"at":"https://a.org"}`: {"pre_tool fetch at", "pre_fetch_url https://a.org", "run look",
			"pre_tool_output fetch at"},
	} {
		t.Run(arguments, func(t *testing.T) {
			h := newHarness(t, calls("look", arguments), says("done"))
			h.look()
			tool, output := observe(h, hookpoints.PreTool), observe(h, hookpoints.PreToolOutput)
			read, fetched := observe(h, hookpoints.PreFileRead), observe(h, hookpoints.PreFetchURL)
			h.prompt("go")
			var got []string
			for _, p := range *tool {
				got = append(got, "pre_tool "+p.Category+" "+p.Subject)
			}
			for _, p := range *read {
				got = append(got, "pre_file_read "+p.Path)
			}
			for _, p := range *fetched {
				got = append(got, "pre_fetch_url "+p.URL)
			}
			for _, line := range h.log {
				if line == "run look" {
					got = append(got, line)
				}
			}
			for _, p := range *output {
				got = append(got, "pre_tool_output "+p.Category+" "+p.Subject)
			}
			same(t, "hooks", got, want)
		})
	}
}

// TestAnExcludedCategoryHoldsForCalls of a tool that has others too.
func TestAnExcludedCategoryHoldsForCalls(t *testing.T) {
	h := newHarness(t, calls("look", `{"at":"https://a.org"}`), calls("look", `{"at":"a.txt"}`), says("done"))
	h.look()
	h.Settings.ExcludeCategories = []tools.Category{tools.CategoryFetch}
	h.prompt("go")
	want := []string{
		`Error: tool "look" did not run: tools.exclude_categories of the configuration names fetch`,
		"seen",
	}
	same(t, "results", h.lookResults(), want)
}

// TestARewriteCannotChangeTheCategoryOfACall, because the plugins before it were told another
// one.
func TestARewriteCannotChangeTheCategoryOfACall(t *testing.T) {
	h := newHarness(t, calls("look", `{"at":"a.txt"}`), says("done"))
	h.look()
	h.plug("redirect", answerAt(hookpoints.PreTool,
		hookpoints.PreToolAnswer{Arguments: []byte(`{"at":"https://a.org"}`)}))
	h.prompt("go")
	want := []string{`Error: tool "look" did not run: plugins changed its arguments so that the call has the category ` +
		`"fetch", but plugins that look for such calls saw "read"`}
	same(t, "results", h.lookResults(), want)
}
