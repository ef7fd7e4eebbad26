package cli_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestAPluginRunsOnlyAfterThePersonAgreed: neither to ask it what it can do, nor to
// use it.
func TestAPluginRunsOnlyAfterThePersonAgreed(t *testing.T) {
	for _, test := range []struct {
		name, run, enable string // what the person types
		ran, enabled      bool
	}{
		{"no", "n", "", false, false},
		{"it may be asked", "y", "n", true, false},
		{"it may be used", "y", "y", true, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			ran, source := filepath.Join(dir, "ran"), filepath.Join(dir, "guard")
			text := "#!/bin/sh\ntouch " + ran + "\necho '{\"name\": \"guard\", \"hooks\": [\"pre_tool\"]}'\n"
			if err := os.WriteFile(source, []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
			p, cmd := atTerminal(t, filepath.Join(dir, "home"), "plugin", "install", source)
			p.Sees(t, "(a script for /bin/sh)")
			p.Sees(t, "names pre_tool")
			p.Sees(t, "guard --schema, to ask it what it can do? [y/N] ")
			if _, err := os.Stat(ran); err == nil {
				t.Error("it ran before the question")
			}
			p.WriteString(test.run + "\n")
			if test.enable != "" {
				p.Sees(t, "Enable it? [y/N] ")
				p.WriteString(test.enable + "\n")
			}
			want := "It is installed and not enabled"
			if test.enabled {
				want = "Plugin guard is enabled"
			}
			p.Sees(t, want)
			if err := cmd.Wait(); err != nil {
				t.Errorf("chibi ended with %v", err)
			}
			if _, err := os.Stat(ran); test.ran == errors.Is(err, fs.ErrNotExist) {
				t.Errorf("ran: %v, want %v", err, test.ran)
			}
		})
	}
}
