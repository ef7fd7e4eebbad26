package trace_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/chibi-host/chibi/internal/trace"
	"github.com/chibi-host/chibi/plugin"
	"github.com/google/go-cmp/cmp"
)

// write writes lines to a file and returns its path.
func write(t *testing.T, most int64, lines func(w *trace.Writer)) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trace.jsonl")
	f, err := trace.Open(path, most)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := &trace.Writer{Run: "r1", Redact: trace.NewRedactor([]string{"sk-secret-key"},
		[]*regexp.Regexp{regexp.MustCompile(`\d{4}-\d{4}`)})}
	w.Context("work")
	w.To(f)
	lines(w)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t *testing.T, path string) []trace.Turn {
	t.Helper()
	turns, bad, err := trace.ReadFile(path)
	if err != nil || bad > 0 {
		t.Fatalf("%d bad lines, %v", bad, err)
	}
	return turns
}

func prompt(w *trace.Writer, text string) { w.Step(agent.Event{Kind: agent.EventPrompt, Text: text}) }

// record is what a plugin did at a point in a dispatch.
func record(w *trace.Writer, dispatch int64, point, name, payload, answer string, result plugin.Result,
	more ...func(*plugin.Record)) {
	r := plugin.Record{Time: time.Now(), Dispatch: dispatch, Plugin: name, Result: result,
		Payload: json.RawMessage(payload), DurationMS: 5}
	r.Point = hookpoints.Name(point)
	if answer != "" {
		r.Answer = json.RawMessage(answer)
	}
	for _, do := range more {
		do(&r)
	}
	w.Record(r)
}

func TestTurnsAreReadAsTheyWere(t *testing.T) {
	path := write(t, 1<<20, func(w *trace.Writer) {
		record(w, 1, "on_start", "a", `{}`, "", plugin.NoOpinion)
		prompt(w, "one")
		record(w, 2, "pre_message", "a", `{"prompt":"one"}`, "", plugin.NoOpinion)
		record(w, 2, "pre_message", "b", `{"prompt":"one"}`, "", plugin.NoOpinion)
		prompt(w, "two")
		w.Step(agent.Event{Kind: agent.EventAnswer, Text: "yes"})
	})
	turns := read(t, path)
	if len(turns) != 2 || turns[0].Prompt() != "one" || turns[1].Prompt() != "two" || turns[0].Context != "work" {
		t.Fatalf("turns = %+v", turns)
	}
	if len(turns[0].Lines) != 4 || len(turns[0].Dispatches()) != 2 || len(turns[0].Dispatches()[1]) != 2 {
		t.Errorf("the first turn has %d lines, dispatches %v", len(turns[0].Lines), turns[0].Dispatches())
	}
	if turns[0].Over() || !turns[1].Over() {
		t.Error("only the second turn is over")
	}
}

func TestRunsThatOverlapAreToldApart(t *testing.T) {
	line := func(run string, text string) string {
		return fmt.Sprintf(`{"run":%q,"turn":1,"context":"c","step":{"kind":"prompt","text":%q}}`+"\n", run, text)
	}
	turns, _, err := trace.Read(strings.NewReader(line("a", "1") + line("b", "2") + line("a", "3") + line("b", "4")))
	if err != nil || len(turns) != 2 || len(turns[0].Lines) != 2 || turns[0].Run != "a" || turns[1].Prompt() != "2" {
		t.Errorf("turns = %+v, %v", turns, err)
	}
}

func TestAFileStaysWithinItsBound(t *testing.T) {
	const most = 20_000
	path := write(t, most, func(w *trace.Writer) {
		for i := range 500 {
			prompt(w, fmt.Sprint("prompt ", i))
		}
	})
	var size int64
	for _, name := range []string{path, trace.Previous(path)} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
	}
	turns := read(t, path)
	if size > most || turns[len(turns)-1].Prompt() != "prompt 499" || len(turns) < 50 {
		t.Errorf("%d bytes, %d turns, the last one %q", size, len(turns), turns[len(turns)-1].Prompt())
	}
}

func TestSecretsNeverEnterATrace(t *testing.T) {
	payload := `{"request_body":{"headers":{"Authorization":"Bearer abcdefgh","X-Api-Key":"k"},"api_key":"x",` +
		`"list":[{"authorization":"y"}],"text":"curl -H 'Authorization: Bearer abc.def-ghi' sk-secret-key and 1234-5678",` +
		`"arguments":"{\"api_key\":\"sk-secret-key\"}","n":7,"keyboard":"kept"}}`
	path := write(t, 1<<20, func(w *trace.Writer) {
		prompt(w, "my key is sk-secret-key")
		record(w, 1, "pre_api_request", "a", payload, `{"request_body":{"note":"sk-secret-key"}}`, plugin.Failed,
			func(r *plugin.Record) { r.Why = "bearer abcdefghij sk-secret-key" })
	})
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"sk-secret-key", "abcdefgh", "abc.def-ghi", "1234-5678", `"k"`, `"x"`, `"y"`} {
		if strings.Contains(string(data), secret) {
			t.Errorf("%s is in the trace:\n%s", secret, data)
		}
	}
	if turns := read(t, path); !strings.Contains(string(turns[0].Lines[1].Payload), `"keyboard":"kept"`) {
		t.Errorf("too much was taken out: %s", turns[0].Lines[1].Payload)
	}
}

func FuzzRedact(f *testing.F) {
	f.Add(`{"api_key":"x","a":["Bearer abcdefgh",{"b\"":"\\"}]}`)
	r := trace.NewRedactor([]string{"secret"}, nil)
	f.Fuzz(func(t *testing.T, line string) {
		fuzztest.Memory(t)
		out := r.Line([]byte(line))
		if json.Valid([]byte(line)) && !json.Valid(out) {
			t.Errorf("%s became %s", line, out)
		}
	})
}

func TestLinesThatAreNotOfATraceAreCounted(t *testing.T) {
	turns, bad, err := trace.Read(strings.NewReader("x\n{}\n{\"run\":\"r\",\"turn\":1}\n" +
		`{"run":"r","turn":1,"step":{"kind":"prompt","text":"p"}}` + "\n"))
	if len(turns) != 1 || bad != 3 || err != nil {
		t.Errorf("%d turns, %d bad, %v", len(turns), bad, err)
	}
	if _, _, err := trace.ReadFile("nowhere"); err == nil {
		t.Error("a missing file is no error")
	}
}

func TestHeldLinesGoWhereTheyAreReleased(t *testing.T) {
	var held, direct strings.Builder
	w := &trace.Writer{Run: "r"}
	w.To(&direct)
	w.Hold()
	prompt(w, "one")
	if err := w.Release(&held); err != nil {
		t.Fatal(err)
	}
	prompt(w, "two")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if held.String() != direct.String() || strings.Count(held.String(), "\n") != 2 {
		t.Errorf("held %q\ndirect %q", held.String(), direct.String())
	}
}

// TestHoldWhileOthersWrite is for the race detector.
func TestHoldWhileOthersWrite(t *testing.T) {
	w := &trace.Writer{Run: "r"}
	var all sync.WaitGroup
	all.Go(func() { prompt(w, "one") })
	all.Go(w.Hold)
	all.Wait()
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

// eventful is a turn with one of everything.
func eventful(t *testing.T) trace.Turn {
	path := write(t, 1<<20, func(w *trace.Writer) {
		changed := func(paths ...string) func(*plugin.Record) { return func(r *plugin.Record) { r.Changed = paths } }
		prompt(w, "do it")
		record(w, 1, "pre_message", "add-time", `{"prompt":"do it"}`, `{"prompt":"do it now"}`,
			plugin.Changed, changed("/prompt"))
		record(w, 2, "pre_api_tools", "include", `{}`, `{"include":["a","b"]}`, plugin.Changed, changed("/include"))
		record(w, 2, "pre_api_tools", "exclude", `{}`, `{"exclude":["a"]}`, plugin.Changed, changed("/exclude"))
		record(w, 3, "pre_api_request", "hot", `{}`, `{"request_body":{"temperature":0.9}}`, plugin.Changed,
			changed("/request_body/temperature"))
		record(w, 3, "pre_api_request", "cold", `{}`, `{"request_body":{"temperature":0.1}}`, plugin.Changed,
			changed("/request_body/temperature"))
		w.Step(agent.Event{Kind: agent.EventRequest, Request: &agent.RequestEvent{
			Tools: []string{"a", "b", "c", "d"}, Configured: []string{"a", "b", "c"}, Offered: []string{"b"},
			Before: json.RawMessage(`{"model":"m","temperature":0.7}`),
			After:  json.RawMessage(`{"model":"m","temperature":0.1}`), Bytes: 100,
		}})
		call := `{"tool_name":"b","arguments":{},"tool_call_id":"c1"}`
		record(w, 4, "pre_tool", "rewrite", call, `{"arguments":{"x":1}}`, plugin.Changed, changed("/arguments"))
		record(w, 4, "pre_tool", "guard", call, `{"block":true,"message":"no b"}`, plugin.Blocked,
			func(r *plugin.Record) { r.Why = "no b" })
		record(w, 4, "pre_tool", "late", "", "", plugin.Skipped, func(r *plugin.Record) { r.Why = `plugin "guard" blocked` })
		w.Step(agent.Event{Kind: agent.EventCall, Call: &agent.CallEvent{ID: "c1", Tool: "b", Why: "no b"}})
		w.Step(agent.Event{Kind: agent.EventCall, Call: &agent.CallEvent{ID: "c2", Tool: "a",
			Why: `Error: tool "a" is not available here`}})
		w.Step(agent.Event{Kind: agent.EventCall, Call: &agent.CallEvent{ID: "c3", Tool: "b", Ran: true,
			Exit: 3, DurationMS: 12}})
		record(w, 7, "post_system_prompt", "terse", `{}`, `{"inject":"x"}`, plugin.Changed, changed("/inject"))
		record(w, 8, "pre_stop", "tidy", `{}`, `{"follow_up_messages":["more"]}`, plugin.Changed,
			changed("/follow_up_messages"))
		record(w, 9, "post_turn", "short", `{}`, `{"recipe":"compact"}`, plugin.Changed, changed("/recipe"))
		record(w, 5, "post_message", "broken", `{}`, "", plugin.Failed, func(r *plugin.Record) { r.Why = "exit status 3" })
		record(w, 6, "on_end", "odd", `{}`, "", plugin.Ignored,
			func(r *plugin.Record) { r.Notes = []string{"its answer is not JSON"}; r.Event = "session_end" })
		w.Step(agent.Event{Kind: agent.EventAnswer, Text: "done"})
	})
	return read(t, path)[0]
}

func TestExplain(t *testing.T) {
	want := []string{
		`The prompt was changed by plugin "add-time"; it became "do it now".`,
		`The tool a is not in the request: plugin "exclude" excludes it.`,
		`The tool c is not in the request: plugin "include" includes only a, b.`,
		`The tool d is not in the request: tools.include or tools.exclude of the configuration exclude it, or the ` +
			`recipe does.`,
		`temperature is 0.1 instead of 0.7: plugin "hot" set it to 0.9, then plugin "cold" set it to 0.1.`,
		`chibi did not ask plugin "late" at pre_tool: plugin "guard" blocked.`,
		`The arguments of the call of b (c1) were changed: all of them by plugin "rewrite"; they became {"x":1}.`,
		`The call of b (c1) was blocked by plugin "guard", asked in position 2: no b.`,
		`The call of a (c2) did not run: tool "a" is not available here; plugin "exclude" excludes it.`,
		`The call of b (c3) failed with exit status 3.`,
		`The system prompt ends with what was added by plugin "terse".`,
		`Plugin "tidy" continued the turn with ["more"] at pre_stop.`,
		`Plugin "short" asked for the recipe "compact" to be run on the conversation at post_turn.`,
		`Plugin "broken" failed at post_message: exit status 3.`,
		`The answer of plugin "odd" at session_end had no effect: its answer is not JSON.`,
	}
	if diff := cmp.Diff(want, eventful(t).Explain()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestExplainNamesDiscardedCalls: pure plugins were called before their turn.
func TestExplainNamesDiscardedCalls(t *testing.T) {
	early := func(result plugin.Result, why string, discarded ...string) func(*plugin.Record) {
		return func(r *plugin.Record) {
			r.Result, r.Why = result, why
			for _, because := range discarded {
				r.Discarded = append(r.Discarded, plugin.DiscardedCall{DurationMS: 12.3, Why: because})
			}
		}
	}
	const changed, blocked = `plugin "a" changed the payload`, `plugin "b" blocked`
	turn := read(t, write(t, 1<<20, func(w *trace.Writer) {
		prompt(w, "do it")
		record(w, 1, "post_turn", "look", `{}`, "", plugin.NoOpinion, early(plugin.NoOpinion, "", changed))
		record(w, 1, "post_turn", "spared", `{}`, "", plugin.Skipped, early(plugin.Skipped, blocked, changed, blocked))
		record(w, 1, "post_turn", "unasked", `{}`, "", plugin.Skipped, early(plugin.Skipped, "not its tool", changed))
	}))[0]
	want := []string{
		`Plugin "look" at post_turn: called before its turn for 12 ms, answer not used: plugin "a" changed the payload.`,
		`Plugin "spared" at post_turn: called before its turn for 12 ms, answer not used: plugin "a" changed the payload.`,
		`Plugin "spared" at post_turn: called before its turn for 12 ms, answer not used: plugin "b" blocked.`,
		`Plugin "unasked" at post_turn: called before its turn for 12 ms, answer not used: plugin "a" changed the payload.`,
		`chibi did not ask plugin "unasked" at post_turn: not its tool.`,
	}
	if diff := cmp.Diff(want, turn.Explain()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestATimelineFitsTheTerminal(t *testing.T) {
	var b strings.Builder
	for _, columns := range []int{50, 90, 140} {
		b.Reset()
		eventful(t).Print(&b, "", columns, func(mark, text string) string { return text })
		for _, line := range strings.Split(b.String(), "\n") {
			if len([]rune(line)) > columns {
				t.Errorf("too long for %d columns: %s", columns, line)
			}
		}
	}
	for _, want := range []string{"pre_tool ", "blocked: no b", "did not run: no b", "failed with exit status 3",
		"on_end (session_end)", "1 of 4 tools"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in:\n%s", want, b.String())
		}
	}
	b.Reset()
	eventful(t).Print(&b, "guard", 0, func(mark, text string) string { return "<" + mark + ">" + text })
	if !strings.Contains(b.String(), "<blocked>blocked: no b") || strings.Count(b.String(), "\n") != 2 {
		t.Errorf("of one plugin:\n%s", b.String())
	}
}

// TestThePageInABrowser looks at the page as a browser renders it, and searches
// in it. It is skipped where there is no browser.
func TestThePageInABrowser(t *testing.T) {
	browser := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			browser = path
		}
	}
	if browser == "" {
		t.Skip("no browser is installed")
	}
	turn := eventful(t)
	turn.Lines[0].Step.Text = "<script>document.title='broken'</script>"
	page := filepath.Join(t.TempDir(), "trace.html")
	var b strings.Builder
	if err := trace.HTML(&b, []trace.Turn{turn}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "http://") || strings.Contains(b.String(), "https://") {
		t.Error("the page needs other files")
	}
	if err := os.WriteFile(page, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	dom := func(fragment string) string {
		out, err := exec.Command(browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", "--user-data-dir="+
			t.TempDir(), "file://"+page+fragment).Output()
		if err != nil {
			t.Skipf("the browser does not run here: %v", err)
		}
		return string(out)
	}
	whole := dom("")
	for _, want := range []string{"<title>chibi trace</title>", "blocked by plugin &quot;guard&quot;",
		"temperature is 0.1 instead of 0.7"} {
		if !strings.Contains(whole, want) && !strings.Contains(whole, strings.ReplaceAll(want, "&quot;", `"`)) {
			t.Errorf("%s is missing", want)
		}
	}
	shown := regexp.MustCompile(`<(?:details|div) class="row [a-z ]*"(?: open="")?>`)
	if n := len(shown.FindAllString(whole, -1)); n != len(turn.Lines) {
		t.Errorf("%d rows are shown, want %d", n, len(turn.Lines))
	}
	if n := len(shown.FindAllString(dom("#search=add-time"), -1)); n != 1 {
		t.Errorf("%d rows are shown after a search, want 1", n)
	}
}

func TestCases(t *testing.T) {
	text, err := eventful(t).Cases("guard")
	if err != nil || !strings.Contains(text, `plugin = "guard"`) || !strings.Contains(text, "hook = 'pre_tool'") ||
		!strings.Contains(text, "message = 'no b'") {
		t.Errorf("%v:\n%s", err, text)
	}
	if _, err := eventful(t).Cases("nobody"); err == nil {
		t.Error("cases of nobody")
	}
}

func content(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
