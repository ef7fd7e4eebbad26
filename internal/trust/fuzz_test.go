package trust_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/chibi-host/chibi/internal/trust"
)

// FuzzList holds that whatever is in the list of approvals, it approves no file
// whose hash it does not name.
func FuzzList(f *testing.F) {
	f.Add(`[{"folder": "/project", "format": 2, "at": "2030-01-01T00:00:00Z", "files": [{"path": "hook", "sha256": ` +
		`"00", "mode": "-rwxr-xr-x"}]}]`)
	f.Add(`[{"folder": "/project", "Files": [{"path": "hook"}]}]`)
	f.Add(`{}`)
	f.Fuzz(func(t *testing.T, text string) {
		fuzztest.Memory(t)
		home := t.TempDir()
		for name, data := range map[string]string{"trust.json": text, "hook": "#!/bin/sh\n"} {
			if err := os.WriteFile(filepath.Join(home, name), []byte(data), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		all, err := trust.Open(home).List()
		if err != nil && len(all) > 0 {
			t.Errorf("a damaged list has %d approvals", len(all))
		}
		for _, a := range all {
			a.Project = home
			if a.Look(".")(filepath.Join(home, "hook")) == nil ||
				a.Content(filepath.Join(home, "hook"), []byte("#!/bin/sh\n"), 0o700) == nil {
				t.Errorf("approved by %s", text)
			}
		}
	})
}
