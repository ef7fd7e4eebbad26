package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/store"
)

// TestPluginsThatKnowTheFilesOfAHomeWorkOnASharedStore: one reads context.jsonl before and
// after the answer, and puts a message into inbox.jsonl, which the next prompt, on another
// machine, delivers.
func TestPluginsThatKnowTheFilesOfAHomeWorkOnASharedStore(t *testing.T) {
	here, there, m := home(t), t.TempDir(), newShared()
	plugin := `#!/bin/sh
case "$1" in --schema) echo '{"name": "files", "hooks": ["pre_message", "post_message"], "tool": false}'; exit;; esac
cat > /dev/null
cd "$CHIBI_HOME/contexts/$CHIBI_CONTEXT" && cat context.jsonl > "$CHIBI_HOME/$CHIBI_HOOK"
if [ "$CHIBI_HOOK" = post_message ]; then echo '{"from": "files", "content": "look at the build"}' >> inbox.jsonl; fi
`
	if err := os.WriteFile(filepath.Join(here, "plugins", "files"), []byte(plugin), 0o700); err != nil {
		t.Fatal(err)
	}
	saw := func(hook string) string {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(here, hook))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	if err := m.ask(m.options(here, "work"), "first"); err != nil {
		t.Fatal(err)
	}
	if text := saw("post_message"); !strings.Contains(text, `"SHOUTED"`) || strings.Count(text, "\n") != 3 {
		t.Errorf("after the answer the plugin reads %q", text)
	}
	if err := m.ask(m.options(here, "work"), "second"); err != nil {
		t.Fatal(err)
	}
	if text := saw("pre_message"); strings.Count(text, "\n") != 3 {
		t.Errorf("before the second prompt the plugin reads %q", text)
	}
	if err := m.ask(m.options(there, "work"), "third"); err != nil {
		t.Fatal(err)
	}
	e := m.memory.Engine(store.Options{})
	defer e.Close()
	c, err := contexts.OpenShared(e, t.TempDir()).Context("work")
	if err != nil {
		t.Fatal(err)
	}
	delivered := 0
	err = c.History(t.Context(), contexts.Query{}, func(e contexts.Entry) bool {
		if e.Role() == "user" { // the model's answer repeats them
			delivered += strings.Count(e.Content, "look at the build")
		}
		return true
	})
	if err != nil || delivered != 2 {
		t.Errorf("the two messages were delivered %d times, %v", delivered, err)
	}
	if left, err := filepath.Glob(filepath.Join(here, "contexts", "work", "inbox*")); err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}

func TestADirectoryWithAConversationInFilesIsNamed(t *testing.T) {
	here, m := home(t), newShared()
	files, err := contexts.Open(here)
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
	var notices []string
	o := m.options(here, "work")
	o.Output = agent.Output{Notice: func(text string) { notices = append(notices, text) }}
	if err := m.ask(o, "in the store"); err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(notices, "\n"); !strings.Contains(text, "has a conversation in files") {
		t.Errorf("said is %q", text)
	}
	window, err := c.Window(t.Context())
	if err != nil || len(contexts.Messages(window)) != 1 {
		t.Errorf("the conversation in files has %d messages, %v", len(contexts.Messages(window)), err)
	}
}
