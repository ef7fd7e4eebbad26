package contexts_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chibi-host/chibi/contexts"
)

// TestSupersedingEndsTheSummary: in one step with the conversation, also when the
// window is rebuilt from the transcript.
func TestSupersedingEndsTheSummary(t *testing.T) {
	home := t.TempDir()
	store, err := contexts.Open(home)
	if err != nil {
		t.Fatal(err)
	}
	c, err := store.Context("work")
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		name string
		do   func() error
		want string
	}{
		{"compacted", func() error { return c.Compact("first", nil) }, "first"},
		{"replaced", func() error { return c.Replace([]contexts.Entry{contexts.UserMessage("user", "work", "x")}) }, "first"},
		{"superseded", func() error { return c.Supersede([]contexts.Entry{contexts.UserMessage("user", "work", "y")}) }, ""},
	} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		if got, err := c.Summary(t.Context()); got != step.want || err != nil {
			t.Errorf("%s: summary %q, %v", step.name, got, err)
		}
	}
	folder := filepath.Join(home, "contexts", "work")
	if err := os.WriteFile(filepath.Join(folder, "summary.md"), []byte("stale"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(folder, "context.jsonl")); err != nil {
		t.Fatal(err)
	}
	window, err := c.Window(t.Context())
	if err != nil || len(window) == 0 || window[len(window)-1].Content != "y" {
		t.Errorf("window %+v, %v", window, err)
	}
	if got, err := c.Summary(t.Context()); got != "" || err != nil {
		t.Errorf("rebuilt: summary %q, %v", got, err)
	}
}
