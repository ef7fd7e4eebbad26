package cli_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chibi-host/chibi/internal/sandbox"
)

// TestThePersonIsAskedWhatACommandChanged of what other programs run: what they see may stay if they say
// so, and is put back otherwise.
func TestThePersonIsAskedWhatACommandChanged(t *testing.T) {
	if err := (sandbox.Rules{}).Check(); err != nil {
		t.Skip(err)
	}
	for _, test := range []struct {
		typed, sees string
		stays       bool
	}{
		{"y\n", "The tool answered: ran\r\n", true},
		{"\n", "[put back, because other programs run it", false},
		{"n because I have my own\n", "own]", false},
	} {
		dir := project(t, map[string]string{"script": "mkdir -p .git/hooks\necho evil > .git/hooks/post-commit\necho ran\n"})
		p, cmd := codingIn(t, dir, t.TempDir(), "--trust-tools", "--set", "tools.sandbox=landlock",
			`@tool shell_exec {"command": "sh script"}`)
		hook := filepath.Join(dir, ".git/hooks/post-commit")
		p.Sees(t, "shell_exec wants to change:\r\n  | "+dir)
		p.Sees(t, "\r\nThe change:\r\n")
		p.Sees(t, "+evil\r\nAsked by the sandbox:\r\n")
		p.Sees(t, "Only you can allow this, and only once.")
		p.Sees(t, question)
		p.WriteString(test.typed)
		p.Sees(t, test.sees)
		if err := cmd.Wait(); err != nil {
			t.Errorf("%q: chibi ended with %v", test.typed, err)
		}
		if _, err := os.Stat(hook); (err == nil) != test.stays {
			t.Errorf("%q: the hook is there: %v", test.typed, err == nil)
		}
	}
}
