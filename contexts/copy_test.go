package contexts_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/contexts/contexttest"
	"github.com/chibi-host/chibi/store"
	"github.com/chibi-host/chibi/store/storetest"
)

func TestCopies(t *testing.T) {
	t.Run("files", func(t *testing.T) {
		contexttest.Copies(t, func(t *testing.T) func() *contexts.Store {
			home := t.TempDir()
			return func() *contexts.Store {
				files, err := contexts.Open(home)
				if err != nil {
					t.Fatal(err)
				}
				return files.Store
			}
		})
	})
	t.Run("shared", func(t *testing.T) {
		contexttest.Copies(t, func(t *testing.T) func() *contexts.Store {
			memory, home := storetest.NewMemory(), t.TempDir()
			return func() *contexts.Store { return contexts.OpenShared(memory.Engine(store.Options{}), home) }
		})
	})
	t.Run("memory", func(t *testing.T) {
		contexttest.Copies(t, func(*testing.T) func() *contexts.Store {
			store := contexts.NewMemory()
			return func() *contexts.Store { return store }
		})
	})
}

// TestCopiesOfASummaryThatIsApart copies homes as the original leaves them: after a compaction the
// window lacks the anchor, and the anchor the summary; its first versions had no anchors at all.
func TestCopiesOfASummaryThatIsApart(t *testing.T) {
	const anchor = `{"id":"a","timestamp":1,"from":"system","to":"work","entry_type":"context_created"}` + "\n"
	const hello = `{"id":"b","timestamp":2,"from":"ann","to":"work","content":"hello","entry_type":"message"}` + "\n"
	for name, transcript := range map[string]string{"with an anchor": hello + anchor + hello, "without anchors": hello,
		"without a transcript": ""} {
		t.Run(name, func(t *testing.T) {
			from := homeOf(t, map[string]string{"context.jsonl": hello, "summary.md": "They met.\n",
				"transcript/active.jsonl": transcript})
			between := contexts.OpenShared(storetest.NewMemory().Engine(store.Options{}), t.TempDir())
			to, err := contexts.Open(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			entries := 0
			count := contexts.CopyOptions{Progress: func(c contexts.Copied) { entries += c.Entries }}
			for _, step := range []struct{ from, to *contexts.Store }{{from, between}, {between, to.Store}, {from, between}} {
				entries = 0
				if err := contexts.Copy(t.Context(), step.from, step.to, count); err != nil {
					t.Fatal(err)
				}
				hasSummary(t, step.to, "They met.")
			}
			if entries != 0 {
				t.Errorf("%d entries were copied again", entries)
			}
			work, err := between.Context("work")
			if err == nil {
				err = work.Append(contexts.UserMessage("ann", "work", "more"))
			}
			if err != nil {
				t.Fatal(err)
			}
			hasSummary(t, between, "They met.")
		})
	}
}

// homeOf returns a home with one context, work, which has these files.
func homeOf(t *testing.T, files map[string]string) *contexts.Store {
	t.Helper()
	home := t.TempDir()
	for name, text := range files {
		path := filepath.Join(home, "contexts", "work", filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		if err == nil {
			err = os.WriteFile(path, []byte(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	h, err := contexts.Open(home)
	if err != nil {
		t.Fatal(err)
	}
	return h.Store
}

func hasSummary(t *testing.T, h *contexts.Store, want string) {
	t.Helper()
	work, err := h.Context("work")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := work.Summary(t.Context()); strings.TrimSpace(got) != want || err != nil {
		t.Errorf("the summary is %q, %v", got, err)
	}
}
