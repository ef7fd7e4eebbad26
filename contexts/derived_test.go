package contexts_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/contexts/contexttest"
	"github.com/chibi-host/chibi/store"
	"github.com/chibi-host/chibi/store/storetest"
)

// shared is a context in a store, used by a machine with a home of its own.
type shared struct {
	*testing.T
	*contexts.Context
	home    string
	reports []string
}

func sharedContext(t *testing.T, m *storetest.Memory, home string) *shared {
	t.Helper()
	s := &shared{T: t, home: home}
	contextsThere := contexts.OpenShared(m.Engine(store.Options{}), home)
	contextsThere.Report = func(text string) { s.reports = append(s.reports, text) }
	c, err := contextsThere.Context("work")
	s.must(err)
	s.Context = c
	return s
}

func (s *shared) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *shared) path(file string) string { return filepath.Join(s.home, "contexts", "work", file) }

// turn takes the lock for the rest of the test, and begins as a turn does.
func (s *shared) turn() {
	s.Helper()
	_, unlock, err := s.Lock(s.T.Context())
	s.must(err)
	s.Cleanup(unlock)
	s.must(s.SendDropped(s.T.Context()))
	s.must(s.KeepCopies(s.T.Context()))
}

// run runs a plugin's script in the context's directory.
func (s *shared) run(script string) string {
	s.Helper()
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir = filepath.Dir(s.path("x"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.Fatalf("%s: %v\n%s", script, err, out)
	}
	return string(out)
}

func (s *shared) has(file, want string) {
	s.Helper()
	data, err := os.ReadFile(s.path(file))
	if want == "" {
		if !os.IsNotExist(err) {
			s.Errorf("%s: %q, %v", file, data, err)
		}
		return
	}
	info, statErr := os.Lstat(s.path(file))
	if err != nil || statErr != nil || string(data) != want || info.Mode().Perm() != 0o400 {
		s.Errorf("%s: %q, %v, mode %v; want %q", file, data, err, info.Mode(), want)
	}
}

func TestPluginsReadCopiesOfASharedContext(t *testing.T) {
	s := sharedContext(t, storetest.NewMemory(), t.TempDir())
	s.must(s.Append(contexts.UserMessage("ann", "work", "before")))
	s.must(s.SetTodos("- [ ] one"))
	s.must(s.SetSystemPrompt("You are terse."))
	s.must(s.ChangeLocalConfig(func(string) (string, error) { return "model = \"m\"\n", nil }))
	if _, err := os.Stat(s.path("")); !os.IsNotExist(err) {
		t.Errorf("copies before a turn: %v", err)
	}
	s.turn()
	s.has("todos.md", "- [ ] one")
	s.has("goals.md", "")
	s.has("system_prompt.md", "You are terse.")
	s.has("local.toml", "model = \"m\"\n")
	s.has("summary.md", "")

	// What is stored during the turn is seen by the next hook.
	said := `python3 -c '
import json
print(" ".join(e["content"] for e in map(json.loads, open("context.jsonl")) if e.get("entry_type") == "message"))'`
	if got := s.run(said); got != "before\n" {
		t.Errorf("the plugin reads %q", got)
	}
	s.must(s.Append(contexts.UserMessage("ann", "work", "prompt")))
	s.must(s.Append(contexts.AssistantMessage("work", "answer")))
	s.must(s.SetGoals("win"))
	s.must(s.SetTodos(""))
	if got := s.run(said); got != "before prompt answer\n" {
		t.Errorf("the plugin reads %q", got)
	}
	s.has("goals.md", "win")
	s.has("todos.md", "")

	window, err := s.Window(t.Context())
	s.must(err)
	s.must(s.Compact("they talked", window[len(window)-1:]))
	s.has("summary.md", "they talked")
	if got := s.run(said); got != "answer\n" {
		t.Errorf("after a compaction the plugin reads %q", got)
	}
	s.must(s.Archive())
	s.has("summary.md", "")
	if got := s.run(said); got != "\n" {
		t.Errorf("after the window was emptied the plugin reads %q", got)
	}
	if len(s.reports) > 0 {
		t.Errorf("reported: %q", s.reports)
	}
}

// TestTheCopyIsTheFileOfAHomeOfFiles: a plugin finds the same lines in both.
func TestTheCopyIsTheFileOfAHomeOfFiles(t *testing.T) {
	s := sharedContext(t, storetest.NewMemory(), t.TempDir())
	s.turn()
	s.must(s.Append(contexts.UserMessage("ann", "work", "hello")))
	files, err := contexts.Open(t.TempDir())
	s.must(err)
	c, err := files.Context("work")
	s.must(err)
	window, err := s.Window(t.Context())
	s.must(err)
	for i := range window {
		window[i].Metadata = nil // who wrote it is only said in a shared store
	}
	s.must(c.Append(window[1:]...))
	lines := func(home string) (list []string) {
		data, err := os.ReadFile(filepath.Join(home, "contexts", "work", "context.jsonl"))
		s.must(err)
		for line := range strings.Lines(string(data)) {
			key, _, _ := strings.Cut(line, `"metadata"`)
			list = append(list, strings.TrimRight(key, ",}\n"))
		}
		return list
	}
	shared, inFiles := lines(s.home), lines(files.Layout().Home)
	if !slices.Equal(shared[1:], inFiles[1:]) || len(shared) != 2 {
		t.Errorf("the copy has\n%q, the file\n%q", shared, inFiles)
	}
}

func TestWhatAPluginPutsIntoInboxJSONLIsSent(t *testing.T) {
	m := storetest.NewMemory()
	s := sharedContext(t, m, t.TempDir())
	s.turn()
	s.run(`
echo '{"id":"7f","timestamp":1700000000,"from":"watcher","to":"work","content":"the build is red"}' >> inbox.jsonl
echo '{"from":"watcher","content":"again"}' >> inbox.jsonl
echo '{"from":"watcher","content":"again"}' >> inbox.jsonl
echo 'not a message' >> inbox.jsonl
echo '{"from":"watcher"}' >> inbox.jsonl
printf '{"id":"../x","from":"watcher","content":"no newline"}' >> inbox.jsonl`)
	s.must(s.SendDropped(t.Context()))
	s.must(s.SendDropped(t.Context())) // once
	other := sharedContext(t, m, t.TempDir())
	mail, err := other.Mail(t.Context())
	s.must(err)
	var got []string
	for _, m := range mail {
		got = append(got, fmt.Sprintf("%s: %s to %s", m.From, m.Content, m.To))
		if m.Timestamp == 0 || store.CheckID(m.ID) != nil {
			t.Errorf("%+v", m)
		}
	}
	slices.Sort(got)
	want := []string{"watcher: again to work", "watcher: again to work", "watcher: no newline to work",
		"watcher: the build is red to work"}
	if !slices.Equal(got, want) {
		t.Errorf("sent are %q", got)
	}
	if left, err := filepath.Glob(s.path("inbox.jsonl*")); len(left) > 0 || err != nil {
		t.Errorf("left are %v, %v", left, err)
	}
	if data, err := os.ReadFile(s.path("inbox.damaged.jsonl")); string(data) != "not a message\n{\"from\":\"watcher\"}\n" {
		t.Errorf("kept aside is %q, %v", data, err)
	}
	reports := strings.Join(s.reports, "\n")
	for _, want := range []string{"inbox.jsonl:4: not a message, it is kept in inbox.damaged.jsonl",
		"inbox.jsonl:5: not a message"} {
		if !strings.Contains(reports, want) {
			t.Errorf("%q is not reported: %s", want, reports)
		}
	}
}

func TestMailOfARunThatWasKilledIsSentOnce(t *testing.T) {
	m := storetest.NewMemory()
	s := sharedContext(t, m, t.TempDir())
	s.turn()
	line := `{"from":"watcher","content":"once"}` + "\n"
	killed := s.path("inbox.jsonl.sending-0f")
	for range 2 { // it was killed after it had sent the line, and before it removed the file
		s.must(os.WriteFile(killed, []byte(line), 0o600))
		s.must(s.SendDropped(t.Context()))
	}
	mail, err := s.Mail(t.Context())
	s.must(err)
	if len(mail) != 1 || mail[0].Content != "once" {
		t.Errorf("%+v", mail)
	}
}

func TestMailThatCannotBeSentStays(t *testing.T) {
	m, home := storetest.NewMemory(), t.TempDir()
	s := sharedContext(t, m, home)
	s.turn()
	s.must(os.WriteFile(s.path("inbox.jsonl"), []byte(`{"from":"watcher","content":"later"}`+"\n"), 0o600))
	e := m.Engine(store.Options{})
	gone := contexts.OpenShared(e, home)
	c, err := gone.Context("work")
	s.must(err)
	s.must(e.Close())
	if err := c.SendDropped(t.Context()); err == nil || !strings.Contains(err.Error(), "inbox.jsonl") {
		t.Errorf("without a store: %v", err)
	}
	s.must(s.SendDropped(t.Context()))
	if mail, err := s.Mail(t.Context()); err != nil || len(mail) != 1 {
		t.Errorf("%+v, %v", mail, err)
	}
}

func TestAnEnormousInboxIsSetAside(t *testing.T) {
	s := sharedContext(t, storetest.NewMemory(), t.TempDir())
	s.turn()
	f, err := os.Create(s.path("inbox.jsonl"))
	s.must(err)
	s.must(f.Truncate(17 << 20))
	s.must(f.Close())
	s.must(s.SendDropped(t.Context()))
	if got := strings.Join(s.reports, "\n"); !strings.Contains(got, "inbox.jsonl") || !strings.Contains(got, "renamed") {
		t.Errorf("reported: %q", got)
	}
	if mail, err := s.Mail(t.Context()); len(mail) > 0 || err != nil {
		t.Errorf("%+v, %v", mail, err)
	}
}

func TestAConversationInFilesIsNotOverwritten(t *testing.T) {
	home := t.TempDir()
	files, err := contexts.Open(home)
	if err != nil {
		t.Fatal(err)
	}
	before, err := files.Context("work")
	if err == nil {
		err = before.Append(contexts.UserMessage("ann", "work", "in files"))
	}
	if err == nil {
		err = before.Send("work", "ann", "mail in files")
	}
	if err != nil {
		t.Fatal(err)
	}
	s := sharedContext(t, storetest.NewMemory(), home)
	if err := s.KeepCopies(t.Context()); err == nil || !strings.Contains(err.Error(), "chibi store copy") ||
		!strings.Contains(err.Error(), filepath.Join("contexts", "work")) {
		t.Errorf("%v", err)
	}
	s.must(s.SendDropped(t.Context()))
	s.must(s.Append(contexts.UserMessage("ann", "work", "in the store")))
	window, err := before.Window(t.Context())
	s.must(err)
	if got := contexttest.Contents(contexts.Messages(window)); got != "in files" {
		t.Errorf("the conversation in files is %q", got)
	}
	if mail, err := before.Mail(t.Context()); err != nil || len(mail) != 1 {
		t.Errorf("the mail in files is %v, %v", mail, err)
	}
}

func TestAFileThatAPersonHasPutThereIsLeftAlone(t *testing.T) {
	s := sharedContext(t, storetest.NewMemory(), t.TempDir())
	s.must(s.SetTodos("from the store"))
	s.must(os.MkdirAll(s.path(""), 0o700))
	s.must(os.WriteFile(s.path("local.toml"), []byte("model = \"mine\"\n"), 0o600))
	s.must(s.ChangeLocalConfig(func(string) (string, error) { return "model = \"ours\"\n", nil }))
	s.turn()
	if data, err := os.ReadFile(s.path("local.toml")); string(data) != "model = \"mine\"\n" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	s.has("todos.md", "from the store")
	if got := strings.Join(s.reports, "\n"); !strings.Contains(got, "local.toml has no effect, and chibi does not "+
		"change it") {
		t.Errorf("reported: %q", got)
	}
}

func TestCopiesGoWithTheirContext(t *testing.T) {
	s := sharedContext(t, storetest.NewMemory(), t.TempDir())
	s.must(s.SetTodos("from the store"))
	s.turn()
	s.must(s.Rename("play"))
	renamed := filepath.Join(s.home, "contexts", "play")
	if data, err := os.ReadFile(filepath.Join(renamed, "todos.md")); string(data) != "from the store" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := os.Stat(s.path("")); !os.IsNotExist(err) {
		t.Errorf("left under the old name: %v", err)
	}
	s.must(s.Append(contexts.UserMessage("ann", "play", "hello")))
	if data, err := os.ReadFile(filepath.Join(renamed, "context.jsonl")); !strings.Contains(string(data), "hello") {
		t.Errorf("%q, %v", data, err)
	}
	_, err := s.Delete()
	s.must(err)
	if left, err := os.ReadDir(filepath.Join(s.home, "contexts")); err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}

func TestAConversationInFilesIsNotRemoved(t *testing.T) {
	home := t.TempDir()
	files, err := contexts.Open(home)
	if err != nil {
		t.Fatal(err)
	}
	c, err := files.Context("work")
	if err == nil {
		err = c.Append(contexts.UserMessage("ann", "work", "in files"))
	}
	if err != nil {
		t.Fatal(err)
	}
	s := sharedContext(t, storetest.NewMemory(), home)
	s.must(s.Append(contexts.UserMessage("ann", "work", "in the store")))
	_, err = s.Delete()
	s.must(err)
	window, err := c.Window(t.Context())
	if err != nil || contexttest.Contents(contexts.Messages(window)) != "in files" {
		t.Errorf("%v, %v", window, err)
	}
}

func TestHomesOfFilesHaveNoCopies(t *testing.T) {
	files, err := contexts.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*contexts.Store{files.Store, contexts.NewMemory()} {
		c, err := s.Context("work")
		if err != nil {
			t.Fatal(err)
		}
		if err := c.KeepCopies(t.Context()); err != nil {
			t.Error(err)
		}
		if err := c.SendDropped(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if names, err := os.ReadDir(filepath.Join(files.Layout().Home, "contexts")); err == nil && len(names) > 0 {
		t.Errorf("made are %v", names)
	} else if err != nil && !os.IsNotExist(err) {
		t.Error(err)
	}
}
