package contexts_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/contexts"
	"github.com/google/go-cmp/cmp"
)

// open opens a store on a home with the given files, and collects its reports.
func open(t *testing.T, files map[string]string) (store *contexts.Files, home string, reports *[]string) {
	t.Helper()
	home = t.TempDir()
	for name, text := range files {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	store, err := contexts.Open(home)
	if err != nil {
		t.Fatal(err)
	}
	store.Storage.MaxAge = 1 << 62 // entries of these tests are old
	reports = &[]string{}
	store.Report = func(text string) { *reports = append(*reports, strings.ReplaceAll(text, home, "HOME")) }
	return store, home, reports
}

func openContext(t *testing.T, s *contexts.Files, name string) *contexts.Context {
	t.Helper()
	c, err := s.Context(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// texts is the content of the window's entries.
func texts(t *testing.T, c *contexts.Context) []string {
	t.Helper()
	window, err := c.Window(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range window {
		list = append(list, fmt.Sprintf("%s %s", e.Type, e.Content))
	}
	return list
}

// line is an entry as the original writes it.
func line(id, from, to, content, kind string) string {
	return fmt.Sprintf(`{"id":%q,"timestamp":1,"from":%q,"to":%q,"content":%q,"entry_type":%q}`+"\n", id,
		from, to, content, kind)
}

func TestValidName(t *testing.T) {
	for _, name := range []string{"a", "work-2", "A_b", strings.Repeat("x", 128)} {
		if err := contexts.ValidName(name); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"", "-", "..", "a/b", "a b", "é", "a\x00", strings.Repeat("x", 129)} {
		if contexts.ValidName(name) == nil {
			t.Errorf("%q was taken", name)
		}
	}
}

func TestOpeningWritesNothing(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	store, err := contexts.Open(home)
	if err != nil {
		t.Fatal(err)
	}
	openContext(t, store, "work")
	if _, err := store.List(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(home); !errors.Is(err, os.ErrNotExist) {
		t.Error("the home was made")
	}
}

func TestAHomeOfTheOriginalOpens(t *testing.T) {
	store, _, reports := open(t, map[string]string{
		"state.json": `{"contexts":[{"name":"work","created_at":5}],"current_context":"work"}`,
		"contexts/work/context.jsonl": line("1", "ann", "work", "hi", "message") + line("2", "work",
			"user", "hello", "message"),
		"contexts/work/transcript/active.jsonl": line("1", "ann", "work", "hi", "message") + line("2", "work",
			"user", "hello", "message"),
		"contexts/work/todos.md":                  "buy milk",
		"prompts/chibi.md":                        "Be kind.",
		"contexts/old/context.jsonl":              line("9", "ann", "old", "from before transcripts", "message"),
		"contexts/not a context/whatever.txt":     "",
		"contexts/work/tool_cache/x_1_2.cache":    "cached",
		"contexts/work/transcript/partitions/.gi": "",
	})
	c := openContext(t, store, "work")
	window, err := c.Window(t.Context())
	if err != nil || len(window) != 2 || window[0].Role() != "user" || window[1].Role() != "assistant" {
		t.Errorf("window = %+v, %v", window, err)
	}
	if got := texts(t, openContext(t, store, "old")); !cmp.Equal(got, []string{"message from before transcripts"}) {
		t.Errorf("a context without a transcript holds %q", got)
	}
	state, err := store.State(t.Context())
	if err != nil || state.Current != "work" {
		t.Errorf("state = %+v, %v", state, err)
	}
	list, err := store.List(t.Context())
	if err != nil || len(list) != 2 || list[0].Name != "old" || !list[1].Current || list[1].Created.Unix() != 5 {
		t.Errorf("list = %+v, %v", list, err)
	}
	todos, _ := c.Todos(t.Context())
	prompt, _ := c.SystemPrompt(t.Context())
	if todos != "buy milk" || prompt != "Be kind." {
		t.Errorf("todos %q, system prompt %q", todos, prompt)
	}
	if len(*reports) > 0 {
		t.Errorf("reports: %q", *reports)
	}
}

func TestTheWindowIsMadeAnewFromTheTranscript(t *testing.T) {
	old := line("1", "u", "work", "long ago", "message") + line("2", "work", "u", "archived", "archival") + line("3", "u",
		"work", "in a partition", "message")
	active := line("4", "u", "work", "now", "message") + line("5", "work", "x", "prompt", "system_prompt_changed")
	manifest := `{"version":1,"active_partition":"active.jsonl","partitions":[{"file":"partitions/1-2.jsonl"}]}`
	want := []string{"archival archived", "message in a partition", "message now"}
	for name, window := range map[string]string{
		"missing": "", "behind": line("3", "u", "work", "in a partition", "message"),
		"marked": line("4", "u", "work", "now", "message"),
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{
				"contexts/work/transcript/partitions/1-2.jsonl": old,
				"contexts/work/transcript/active.jsonl":         active,
				"contexts/work/transcript/manifest.json":        manifest,
			}
			if window != "" {
				files["contexts/work/context.jsonl"] = window
			}
			if name == "marked" {
				files["contexts/work/.dirty"] = ""
			}
			store, home, _ := open(t, files)
			if diff := cmp.Diff(want, texts(t, openContext(t, store, "work"))); diff != "" {
				t.Errorf("window (-want +got):\n%s", diff)
			}
			if _, err := os.Stat(filepath.Join(home, "contexts/work/.dirty")); err == nil {
				t.Error("the mark is still there")
			}
		})
	}
}

func TestDamageIsReportedNotDropped(t *testing.T) {
	store, home, reports := open(t, map[string]string{
		"contexts/work/transcript/active.jsonl": line("1", "u", "work", "one", "message") + "this is no entry\n" +
			line("2", "u", "work", "two", "message") + `{"id":"3","timest`,
	})
	c := openContext(t, store, "work")
	if diff := cmp.Diff([]string{"message one", "message two"}, texts(t, c)); diff != "" {
		t.Errorf("window (-want +got):\n%s", diff)
	}
	if err := c.Append(contexts.UserMessage("u", "work", "three")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"message one", "message two", "message three"}, texts(t, c)); diff != "" {
		t.Errorf("window (-want +got):\n%s", diff)
	}
	all := strings.Join(*reports, "\n")
	for _, want := range []string{
		"HOME/contexts/work/transcript/active.jsonl:2: not an entry, left out of the conversation: not JSON: invalid " +
			"character",
		"HOME/contexts/work/transcript/active.jsonl: the last line was torn by a crash; its 17 bytes were never " +
			"acknowledged and are removed",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no report %q in:\n%s", want, all)
		}
	}
	data, err := os.ReadFile(filepath.Join(home, "contexts/work/transcript/active.jsonl"))
	if err != nil || !strings.Contains(string(data), "this is no entry") || strings.Contains(string(data), "timest`") {
		t.Errorf("transcript:\n%s%v", data, err)
	}
}

func TestOnlyOneUsesAContext(t *testing.T) {
	store, _, _ := open(t, nil)
	c := openContext(t, store, "work")
	_, unlock, err := c.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var locked *contexts.LockedError
	if _, _, err := openContext(t, store, "work").Lock(t.Context()); !errors.As(err, &locked) ||
		locked.Holder.PID != os.Getpid() {
		t.Fatalf("second lock: %v", err)
	}
	want := fmt.Sprintf(`context "work" is in use by process %d on `, os.Getpid())
	if text := locked.Error(); !strings.HasPrefix(text, want) ||
		!strings.HasSuffix(text, "; wait for it (--wait), or use another context (-C NAME)") {
		t.Errorf("error = %s", text)
	}
	if list, err := store.List(t.Context()); err != nil || !list[1].Locked {
		t.Errorf("list = %+v, %v", list, err)
	}
	unlock()
	if _, unlock, err = c.Lock(t.Context()); err != nil {
		t.Fatal(err)
	}
	unlock()
}

func TestSwitching(t *testing.T) {
	store, _, _ := open(t, nil)
	for _, name := range []string{"a", "b", "b"} {
		if _, err := store.Switch(name); err != nil {
			t.Fatal(err)
		}
	}
	if state, err := store.State(t.Context()); err != nil || state != (contexts.State{Current: "b", Previous: "a"}) {
		t.Errorf("state = %+v, %v", state, err)
	}
}

func TestManyProcessesLoseNoState(t *testing.T) {
	store, home, _ := open(t, nil)
	done := make(chan error)
	for i := range 8 {
		go func() {
			other, err := contexts.Open(home)
			if err == nil {
				_, err = other.Switch(fmt.Sprint("c", i))
			}
			done <- err
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if _, err := store.Switch("c0"); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(home, "state.json"))
	if err != nil || strings.Count(string(data), `"name"`) != 8 {
		t.Errorf("state.json: %s, %v", data, err)
	}
}

func Example() {
	home, _ := os.MkdirTemp("", "home")
	defer os.RemoveAll(home)
	store, err := contexts.Open(home)
	if err != nil {
		fmt.Println(err)
		return
	}
	c, _ := store.Context("work")
	c.Append(contexts.UserMessage("ann", "work", "hello"), contexts.AssistantMessage("work", "hi"))
	window, err := c.Window(context.Background())
	for _, e := range window {
		if e.Type == contexts.TypeMessage {
			fmt.Println(e.Role(), e.Content)
		}
	}
	fmt.Println(err)
	// Output:
	// user hello
	// assistant hi
	// <nil>
}

func ExampleContext_Compact() {
	home, _ := os.MkdirTemp("", "home")
	defer os.RemoveAll(home)
	store, err := contexts.Open(home)
	if err != nil {
		fmt.Println(err)
		return
	}
	c, _ := store.Context("work")
	for _, text := range []string{"one", "two", "three"} {
		c.Append(contexts.UserMessage("ann", "work", text))
	}
	window, _ := c.Window(context.Background())
	if err := c.Compact("Ann counted.", window[len(window)-1:]); err != nil {
		fmt.Println(err)
	}
	window, _ = c.Window(context.Background())
	summary, _ := c.Summary(context.Background())
	fmt.Println(len(contexts.Messages(window)), summary)
	c.History(context.Background(), contexts.Query{Text: "t"}, func(e contexts.Entry) bool {
		if e.Type == contexts.TypeMessage {
			fmt.Println(e.Content)
		}
		return true
	})
	// Output:
	// 1 Ann counted.
	// two
	// three
}

// TestTheSessionOfForeignEntries: the id of a window that another program wrote is a UUID
// too, and the same whether the window was lost or not.
func TestTheSessionOfForeignEntries(t *testing.T) {
	const uuid = "5f0c9d3e-4ad1-4d3c-9b4f-2f60f6a8f0aa"
	for _, id := range []string{uuid, "first"} {
		entries := line(id, "system", "work", "Context created", "context_created") +
			line("m1", "ann", "work", "hi", "message")
		store, home, _ := open(t, map[string]string{"contexts/work/context.jsonl": entries,
			"contexts/work/transcript/active.jsonl": entries})
		session := func() contexts.Session {
			got, err := openContext(t, store, "work").Session(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		got := session()
		if got.Empty || got.Cleared || id == uuid && got.ID != uuid || len(got.ID) != len(uuid) {
			t.Errorf("%s: %+v", id, got)
		}
		if err := os.Remove(filepath.Join(home, "contexts/work/context.jsonl")); err != nil {
			t.Fatal(err)
		}
		if again := session(); again != got {
			t.Errorf("%s: %+v without the window, %+v with it", id, again, got)
		}
	}
}
