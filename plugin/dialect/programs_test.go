package dialect_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/plugin/dialect"
	"github.com/google/go-cmp/cmp"
)

// TestPayloadsAreThoseOfThePrograms reads each line that a program wrote to a hook, and writes it
// again: what the table says must be there, in that order.
func TestPayloadsAreThoseOfThePrograms(t *testing.T) {
	files, _ := filepath.Glob("testdata/*/*.json")
	more, _ := filepath.Glob("testdata/*/*/*.json")
	for _, file := range append(files, more...) {
		parts := strings.Split(file, "/")
		d, ok := dialect.ByName(parts[1])
		if !ok || d.Name == "claude" || d.Name == "qwen" {
			continue
		}
		name, _, _ := strings.Cut(filepath.Base(file), ".")
		t.Run(strings.Join(parts[1:], "/"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("CWD"), []byte("/cwd")), []byte("HOME"), []byte("/home"))
			e, ok := d.Event(name)
			if !ok {
				t.Fatalf("no event %s", name)
			}
			m, err := d.Moment(e, text)
			if err != nil {
				t.Fatal(err)
			}
			again, err := d.Payload(e, m)
			if err != nil || !bytes.Equal(bytes.TrimSpace(again), bytes.TrimSpace(text)) {
				var want, got any
				_ = json.Unmarshal(text, &want)
				_ = json.Unmarshal(again, &got)
				t.Errorf("%v\n%s%s\n%s", err, text, again, cmp.Diff(want, got))
			}
		})
	}
}
