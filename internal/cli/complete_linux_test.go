package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestCompletionInsertsNothingThatAShellWouldRun types in interactive shells, in
// a folder that came from somewhere with a recipe whose name is a command.
func TestCompletionInsertsNothingThatAShellWouldRun(t *testing.T) {
	for _, shell := range []struct{ name, start, load string }{
		{"bash", "bash --norc --noprofile -i", "source <(chibi completion bash)"},
		{"zsh", "zsh -f -i", "autoload -Uz compinit; compinit -u -D; source <(chibi completion zsh)"},
		{"fish", "fish --no-config -i", "chibi completion fish | source"},
	} {
		t.Run(shell.name, func(t *testing.T) {
			if _, err := exec.LookPath(shell.name); err != nil {
				t.Skip(shell.name, " is not installed")
			}
			folder := t.TempDir()
			for name, text := range map[string]string{
				"zz;touch PWNED;#.md": "evil", "yy$(touch PWNED).md": "evil", "xx`touch PWNED`.md": "evil",
				"ww&touch PWNED.md": "evil",
				"v v.md":            "evil", "-u.md": "evil", "good-one.md": "Body of a good recipe",
			} {
				if err := os.MkdirAll(filepath.Join(folder, "recipes"), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(folder, "recipes", name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", "exec "+shell.start)
			cmd.Dir = folder
			cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "CHIBI_HOME=", "TERM=xterm", "HISTFILE=")
			p := startAtTerminal(t, 60, cmd)
			says := func(line, answer string) {
				t.Helper()
				p.WriteString(line)
				p.Sees(t, answer)
			}
			says("printf 'the shell is %s\\n' up\r", "the shell is up")
			says(shell.load+"; printf 'it is %s\\n' loaded\r", "it is loaded")
			says("chibi recipe show goo\t\r", "Body of a good recipe")
			for _, begin := range []string{"z", "y", "x", "w", "v", "-u"} {
				says("chibi recipe show "+begin+"\t\rprintf 'asked for "+begin+" %s\\n' here\r", "asked for "+begin+" here")
			}
			if _, err := os.Stat(filepath.Join(folder, "PWNED")); err == nil {
				t.Error("completing a word ran the name of a file")
			}
			p.WriteString("exit\r")
			cmd.Wait()
		})
	}
}
