package contexts_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/contexts"
	"github.com/google/go-cmp/cmp"
)

// viewOf reads a view: its lines without ids and times, in the order of the file.
func viewOf(t *testing.T, path string) (lines []string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	parent := any(nil)
	for text := range strings.Lines(string(data)) {
		var line map[string]any
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if line["parentUuid"] != parent {
			t.Errorf("the parent of %s is not %v", text, parent)
		}
		parent = line["uuid"]
		message, _ := json.Marshal(line["message"])
		lines = append(lines, line["type"].(string)+" "+string(message))
	}
	return lines
}

// TestTheViewForScripts: what is said is in it at once, in Claude Code's shape.
func TestTheViewForScripts(t *testing.T) {
	store, home, reports := open(t, nil)
	c := openContext(t, store, "work")
	keep := func(c *contexts.Context) string {
		path, err := c.KeepView(t.Context(), contexts.View{Cwd: "/src", Version: "1.2", Model: "m"})
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	path := keep(c)
	if want := filepath.Join(home, "contexts/work/transcript-view.jsonl"); path != want {
		t.Errorf("path %s, want %s", path, want)
	}
	if store.Exists(t.Context(), "work") {
		t.Error("asking for the view created the context")
	}
	session, err := c.Session(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	add := func(entries ...contexts.Entry) {
		t.Helper()
		if err := c.Append(entries...); err != nil {
			t.Fatal(err)
		}
	}
	prompt := contexts.UserMessage("ann", "work", "hi <there>")
	prompt.ID, prompt.Timestamp = "5f0c9d3e-4ad1-4d3c-9b4f-2f60f6a8f0aa", 1767225600
	add(prompt)
	data, _ := os.ReadFile(path)
	want := `{"parentUuid":null,"isSidechain":false,"userType":"external","cwd":"/src","sessionId":"` + session.ID +
		`","version":"1.2","gitBranch":"","type":"user","message":{"role":"user","content":"hi <there>"},` +
		`"uuid":"5f0c9d3e-4ad1-4d3c-9b4f-2f60f6a8f0aa","timestamp":"2026-01-01T00:00:00.000Z"}` + "\n"
	if diff := cmp.Diff(want, string(data)); diff != "" {
		t.Errorf("the first line (-want +got):\n%s", diff)
	}
	text, call := contexts.AssistantMessage("work", "let me see"), contexts.ToolCall("work", "ls", "c1", `{ "path": "." }`)
	text.ID, call.ID = "00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"
	text.Usage = &contexts.Usage{InputTokens: 9, OutputTokens: 4}
	call.Usage = text.Usage
	add(text, call)
	add(contexts.ToolResult("work", "ls", "c1", "Error: no"))
	answer := contexts.AssistantMessage("work", "done")
	answer.ID = "00000000-0000-4000-8000-000000000003"
	add(answer)
	const used = `"usage":{"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"input_tokens":9,"output_tokens":4}`
	response := func(block, id, reason, usage string) string {
		return `assistant {"content":[` + block + `],"id":"msg_0000000000004000800000000000000` + id +
			`","model":"m","role":"assistant","stop_reason":"` + reason + `","stop_sequence":null,"type":"message",` +
			usage + `}`
	}
	lines := []string{
		`user {"content":"hi \u003cthere\u003e","role":"user"}`,
		response(`{"text":"let me see","type":"text"}`, "1", "tool_use", used),
		response(`{"id":"c1","input":{"path":"."},"name":"ls","type":"tool_use"}`, "1", "tool_use", used),
		`user {"content":[{"content":"Error: no","is_error":true,"tool_use_id":"c1","type":"tool_result"}],"role":"user"}`,
		response(`{"text":"done","type":"text"}`, "3", "end_turn", strings.NewReplacer("9", "0", "4", "0").Replace(used)),
	}
	if diff := cmp.Diff(lines, viewOf(t, path)); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	// Another handle goes on where it ends; so does one that finds it torn, behind or gone.
	for name, damage := range map[string]func() error{
		"as it was": func() error { return nil }, "gone": func() error { return os.Remove(path) },
		"torn":    func() error { return os.WriteFile(path, data[:len(data)-5], 0o600) },
		"behind":  func() error { return os.WriteFile(path, data, 0o600) },
		"damaged": func() error { return os.WriteFile(path, make([]byte, 100), 0o600) },
	} {
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		keep(openContext(t, store, "work"))
		got := viewOf(t, path)
		if strings.Join(without(got), "\n") != strings.Join(without(lines), "\n") {
			t.Errorf("%s (-want +got):\n%s", name, cmp.Diff(lines, got))
		}
	}
	// A compaction begins with the summary, an archived context with nothing.
	c = openContext(t, store, "work")
	keep(c)
	if err := c.Compact("we said hi", nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{`user {"content":"we said hi","role":"user"}`}, viewOf(t, path)); diff != "" {
		t.Errorf("compacted (-want +got):\n%s", diff)
	}
	if err := c.Archive(); err != nil {
		t.Fatal(err)
	}
	if got := viewOf(t, path); len(got) > 0 {
		t.Errorf("archived: %q", got)
	}
	if err := c.Rename("play"); err != nil {
		t.Fatal(err)
	}
	add(contexts.UserMessage("ann", "play", "again"))
	if got := viewOf(t, filepath.Join(home, "contexts/play/transcript-view.jsonl")); len(got) != 1 {
		t.Errorf("renamed: %q", got)
	}
	if len(*reports) > 0 {
		t.Errorf("reports: %q", *reports)
	}
}

// without is a view without what is not stored: what a response took.
func without(lines []string) (list []string) {
	for _, line := range lines {
		before, _, _ := strings.Cut(line, `"usage"`)
		list = append(list, before)
	}
	return list
}

// TestAViewCutsWhatIsTooLong and says so.
func TestAViewCutsWhatIsTooLong(t *testing.T) {
	store, _, _ := open(t, nil)
	c := openContext(t, store, "work")
	path, err := c.KeepView(t.Context(), contexts.View{})
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", 3<<20)
	if err := c.Append(contexts.UserMessage("ann", "work", long), contexts.ToolCall("work", "ls", "c1", long),
		contexts.ToolResult("work", "ls", "c1", long)); err != nil {
		t.Fatal(err)
	}
	for _, line := range viewOf(t, path) {
		if len(line) > 1<<20+500 || !strings.Contains(line, `\n[cut: 2097152 more bytes]"`) {
			t.Errorf("%d bytes: %.80s...%s", len(line), line, line[len(line)-80:])
		}
	}
}

// TestWithoutAViewNothingIsWritten, and a store without files has none.
func TestWithoutAViewNothingIsWritten(t *testing.T) {
	store, home, _ := open(t, nil)
	c := openContext(t, store, "work")
	if err := c.Append(contexts.UserMessage("ann", "work", "hi")); err != nil {
		t.Fatal(err)
	}
	if files, err := filepath.Glob(filepath.Join(home, "contexts/work/*view*")); err != nil || len(files) > 0 {
		t.Errorf("files %q, %v", files, err)
	}
	memory, err := contexts.NewMemory().Context("work")
	if err != nil {
		t.Fatal(err)
	}
	if path, err := memory.KeepView(t.Context(), contexts.View{}); path != "" || err != nil {
		t.Errorf("in memory: %q, %v", path, err)
	}
}
