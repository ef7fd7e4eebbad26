package kodelet

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chibi-host/chibi/internal/fuzztest"
)

// FuzzKnownAnswers holds that whatever is in the file of known answers, new ones can be
// kept.
func FuzzKnownAnswers(f *testing.F) {
	f.Add([]byte(`{"/hooks/a": {"event": "before_tool_call", "size": 3, "mtime_ns": 1, "mode": "-rwxr-xr-x", ` +
		`"sha256": "00"}}`))
	f.Add([]byte(`null`))
	f.Add([]byte(`{"a": [`))
	f.Fuzz(func(t *testing.T, text []byte) {
		fuzztest.Memory(t)
		path := filepath.Join(t.TempDir(), "events.json")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		a := readAnswers(path)
		a.fresh[path] = known{Event: "turn_end"}
		if err := a.save(); err != nil {
			t.Fatal(err)
		}
		if again := readAnswers(path); again.known[path].Event != "turn_end" {
			t.Errorf("what was kept is gone: %v", again.known)
		}
	})
}
