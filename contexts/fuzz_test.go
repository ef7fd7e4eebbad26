package contexts

import (
	"path/filepath"
	"testing"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/disk/disktest"
	"github.com/chibi-host/chibi/internal/fuzztest"
)

// FuzzForeignFiles holds that whatever lies in a context's files, it can be
// read, a prompt can be stored, and the prompt is there afterwards.
func FuzzForeignFiles(f *testing.F) {
	entry := `{"id":"1","timestamp":1,"from":"u","to":"work","content":"hi","entry_type":"message"}` + "\n"
	f.Add([]byte(entry), []byte(entry), []byte(`{"version":1,"partitions":[{"file":"partitions/1-2.jsonl"}]}`),
		[]byte(entry))
	f.Add([]byte("torn"), []byte(`{"entry_type":"compaction","metadata":{"replacement":[{}]}}`+"\n"),
		[]byte("{"), []byte("{}\n"))
	f.Add([]byte("\n\n"), []byte(""), []byte(`{"partitions":[{"file":"../../x"}]}`), []byte("null\n"))
	f.Fuzz(func(t *testing.T, window, active, manifest, inbox []byte) {
		fuzztest.Memory(t)
		home := t.TempDir()
		files := disktest.New(home, -1)
		store := crashStore(t, home, files)
		for name, data := range map[string][]byte{
			"context.jsonl": window, "transcript/active.jsonl": active, "transcript/manifest.json": manifest,
			"transcript/partitions/1-2.jsonl": window, "inbox.jsonl": inbox, "context_meta.json": manifest,
			"transcript/.rotation.json": manifest,
		} {
			path := filepath.Join(home, "contexts", "work", name)
			err := disk.MkdirAll(files, filepath.Dir(path), 0o700)
			if err == nil {
				err = disk.Append(files, path, data, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		c, err := store.Context("work")
		if err != nil {
			t.Fatal(err)
		}
		mail, err := c.Mail(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		prompt := UserMessage("u", "work", "a prompt").Delivering(mail)
		for _, step := range []func() error{
			func() error { return c.Append(prompt) }, c.RemoveMail, func() error { return c.NoteSystemPrompt("x") },
			func() error { return c.History(t.Context(), Query{}, func(Entry) bool { return true }) },
		} {
			if err := step(); err != nil {
				t.Fatal(err)
			}
		}
		entries, err := c.Window(t.Context())
		if err != nil || len(entries) == 0 || entries[len(entries)-1].ID != prompt.ID {
			t.Errorf("the window does not end with the prompt: %+v, %v", entries, err)
		}
		if rest, err := c.Mail(t.Context()); err != nil || len(rest) > 0 {
			t.Errorf("mail came again: %v, %v", rest, err)
		}
	})
}
