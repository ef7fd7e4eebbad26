package builtin_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/tools"
	"github.com/chibi-host/chibi/tools/builtin"
)

// head is what file_head says of a path where a directory is allowed.
func head(t *testing.T, files builtin.Files, path string) tools.Result {
	t.Helper()
	files.Cache = cache.Open(t.TempDir())
	set := &tools.Set{}
	if err := set.Add(builtin.All(builtin.Config{Files: files})...); err != nil {
		t.Fatal(err)
	}
	tool, _ := set.Lookup("file_head")
	arguments, _ := json.Marshal(map[string]string{"path": path})
	result, err := tool.Call(t.Context(), tools.Call{Arguments: arguments})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// TestChibisOwnKeysAndApprovalsAreNeverRead, whatever is allowed and whatever name
// leads to them.
func TestChibisOwnKeysAndApprovalsAreNeverRead(t *testing.T) {
	user := t.TempDir()
	home := filepath.Join(user, ".chibi")
	put := func(path, text string) {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"config.toml", "models.toml", "trust.json", "contexts/work/local.toml",
		"mcp-tokens.json", "mcp-tokens.json.damaged-1", "me.nk", "team.creds", "store-credentials", ".pgpass",
		".config.toml.tmp-x1", "trust.json.damaged-1"} {
		put(filepath.Join(home, name), "the key")
	}
	put(filepath.Join(home, "prompts", "chibi.md"), "a prompt")
	put(filepath.Join(user, "src", "config.toml"), "of another program")
	put(filepath.Join(user, "src", "notes"), "notes")
	err := errors.Join(
		os.Symlink(filepath.Join(home, "config.toml"), filepath.Join(user, "src", "link")),
		os.Link(filepath.Join(home, "config.toml"), filepath.Join(user, "src", "hard")),
		os.Symlink(filepath.Join(home, "contexts", "work"), filepath.Join(user, "src", "work")))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		path   string // below the person's home
		isRead bool
	}{
		{".chibi/config.toml", false}, {".chibi/models.toml", false}, {".chibi/trust.json", false},
		{".chibi/mcp-tokens.json", false}, {".chibi/mcp-tokens.json.damaged-1", false},
		{".chibi/contexts/work/local.toml", false},
		{".chibi/me.nk", false}, {".chibi/team.creds", false}, {".chibi/store-credentials", false}, {".chibi/.pgpass", false},
		{".chibi/.config.toml.tmp-x1", false}, {".chibi/trust.json.damaged-1", false},
		{".chibi/prompts/../config.toml", false},
		{"src/link", false}, {"src/hard", false}, {"src/work/local.toml", false},
		{".chibi/prompts/chibi.md", true}, {"src/config.toml", true}, {"src/notes", true},
	} {
		for _, allowed := range [][]string{{"~"}, {"/"}, {home, "~/src"}, {filepath.Join(user, test.path)}} {
			result := head(t, builtin.Files{Allowed: allowed, Home: user, Private: home}, "~/"+test.path)
			if result.Failed == test.isRead || strings.Contains(result.Text, "the key") {
				t.Errorf("%s, with %q allowed: %q", test.path, allowed, result.Text)
			}
		}
	}
}

// TestNoSwapLeadsOutOfAnAllowedDirectory: another process puts links that lead out in
// the place of a file and of a directory, and back, all the time.
func TestNoSwapLeadsOutOfAnAllowedDirectory(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{"allowed/file", "allowed/folder/file"} {
		full := filepath.Join(dir, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o700), os.WriteFile(full, []byte("open"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	err := errors.Join(
		os.Mkdir(filepath.Join(dir, "outside"), 0o700), os.WriteFile(filepath.Join(dir, "outside", "file"),
			[]byte("secret"), 0o600),
		os.Symlink(filepath.Join(dir, "outside", "file"), filepath.Join(dir, "evil-file")),
		os.Symlink(filepath.Join(dir, "outside"), filepath.Join(dir, "evil-folder")))
	if err != nil {
		t.Fatal(err)
	}
	swap := exec.Command("python3", "-c", `
import os
print("ready", flush=True)
while True:
    for name in "file", "folder":
        os.rename("allowed/" + name, "x")
        os.rename("evil-" + name, "allowed/" + name)
        os.rename("x", "evil-" + name)`)
	swap.Dir = dir
	ready, err := swap.StdoutPipe()
	if err := errors.Join(err, swap.Start()); err != nil {
		t.Fatal(err)
	}
	defer swap.Wait()
	defer swap.Process.Kill()
	if _, err := ready.Read(make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	allowed := filepath.Join(dir, "allowed")
	for i := range 4000 {
		path := []string{"file", "folder/file"}[i%2]
		result := head(t, builtin.Files{Allowed: []string{allowed}}, filepath.Join(allowed, path))
		if strings.Contains(result.Text, "secret") {
			t.Fatalf("after %d: %s led out of the directory", i, path)
		}
	}
}
