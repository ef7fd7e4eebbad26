package builtin_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/internal/systest"
	"github.com/chibi-host/chibi/tools"
	"github.com/chibi-host/chibi/tools/builtin"
)

// fixture is a home with a document, a secret outside what is allowed, and links
// between them; and a cache with one output.
func fixture(t *testing.T) (set *tools.Set, home, id string) {
	t.Helper()
	home = t.TempDir()
	for name, text := range map[string]string{"docs/a.txt": "one\ntwo\nthree\n", "secret.txt": "secret"} {
		path := filepath.Join(home, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	err := errors.Join(
		os.Symlink(filepath.Join(home, "secret.txt"), filepath.Join(home, "docs", "out")),
		os.Symlink(filepath.Join(home, "docs", "a.txt"), filepath.Join(home, "in")),
		systest.Mkfifo(filepath.Join(home, "docs", "pipe")))
	c := cache.Open(t.TempDir())
	entry, putErr := c.PutText("tool", nil, "first\nsecond\n")
	if err := errors.Join(err, putErr); err != nil {
		t.Fatal(err)
	}
	set = &tools.Set{}
	if err := set.Add(builtin.All(builtin.Config{Files: builtin.Files{Cache: c, Allowed: []string{"~/docs"},
		Home: home}})...); err != nil {
		t.Fatal(err)
	}
	return set, home, entry.ID
}

func TestFileTools(t *testing.T) {
	set, home, id := fixture(t)
	refused := "Error: Path 'PATH' is not under any allowed path. Allowed: [~/docs]"
	for _, test := range []struct{ tool, arguments, want string }{
		{"file_head", `{"cache_id": "ID", "lines": 1}`, "first\n[continue with file_lines, start=2]"},
		{"file_head", `{"cache_id": "ID", "lines": -3}`, "first\nsecond"},
		{"file_tail", `{"path": "~/docs/a.txt", "lines": 2}`, "two\nthree"},
		{"file_lines", `{"path": "HOME/docs/a.txt", "start": 2, "end": 9}`, "two\nthree"},
		{"file_lines", `{"path": "HOME/in", "start": 1, "end": 1}`, "one"},
		{"file_lines", `{"cache_id": "ID", "start": 0, "end": 1}`, "Error: Line numbers are 1-indexed, start must be >= 1"},
		{"file_lines", `{"cache_id": "ID", "start": 3, "end": 1}`, "Error: End line must be >= start line"},
		{"file_lines", `{"cache_id": "ID", "end": 1}`, "Error: Missing 'start' parameter"},
		{"file_grep", `{"cache_id": "ID", "pattern": "sec"}`, " 1:first\n>2:second"},
		{"file_grep", `{"cache_id": "ID", "pattern": "third"}`, "No matches found for pattern: third"},
		{"file_grep", `{"cache_id": "ID", "pattern": "("}`,
			"Error: Invalid regex: error parsing regexp: missing closing ): `(`"},
		{"file_head", `{"PATH": "~/docs/a.txt"}`, `Error: unknown argument "PATH"; did you mean "path"?`},
		{"file_head", `{"path": "~/docs/a.txt", "cacheId": "ID"}`,
			`Error: unknown argument "cacheId"; did you mean "cache_id"?`},
		{"cache_list", `{"x": 1}`, `Error: unknown argument "x"; none are known`},
		{"recurse", `{"Note": "x"}`, `Error: unknown argument "Note"; did you mean "note"?`},
		{"send_message", `{"to": "a", "Content": "x"}`, `Error: unknown argument "Content"; did you mean "content"?`},
		{"update_todos", `{"Content": "x"}`, `Error: unknown argument "Content"; did you mean "content"?`},
		{"file_head", `{}`, "Error: Must provide either cache_id or path"},
		{"file_head", `{"cache_id": "ID", "path": "x"}`, "Error: Provide either cache_id or path, not both"},
		{"file_head", `{"cache_id": "../cache/ID"}`, `Error: cached output "../cache/ID": not found`},
		{"file_head", `{"path": "HOME/secret.txt"}`, strings.ReplaceAll(refused, "PATH", "HOME/secret.txt")},
		{"file_head", `{"path": "HOME/no-such-file"}`, strings.ReplaceAll(refused, "PATH", "HOME/no-such-file")},
		{"file_head", `{"path": "HOME/docs/out"}`, strings.ReplaceAll(refused, "PATH", "HOME/docs/out")},
		{"file_head", `{"path": "HOME/docs/../secret.txt"}`, strings.ReplaceAll(refused, "PATH", "HOME/docs/../secret.txt")},
		{"file_head", `{"path": "HOME/docs/nothing"}`, "Error: Could not resolve path 'HOME/docs/nothing': no such file"},
		{"file_head", `{"path": "~/docs/pipe"}`, "Error: HOME/docs/pipe is not a regular file but a named pipe"},
		{"file_head", `{"path": "~"}`, strings.ReplaceAll(refused, "PATH", "~")},
	} {
		t.Run(test.tool+" "+test.arguments, func(t *testing.T) {
			fill := strings.NewReplacer("ID", id, "HOME", home)
			tool, _ := set.Lookup(test.tool)
			result, err := tool.Call(t.Context(), tools.Call{Arguments: json.RawMessage(fill.Replace(test.arguments))})
			if want := fill.Replace(test.want); err != nil || result.Text != want ||
				result.Failed != strings.HasPrefix(want, "Error:") {
				t.Errorf("got  %q (failed %v), %v\nwant %q", result.Text, result.Failed, err, want)
			}
		})
	}
}

func TestNothingIsAllowedByDefault(t *testing.T) {
	set := &tools.Set{}
	if err := set.Add(builtin.All(builtin.Config{Files: builtin.Files{Cache: cache.Open(t.TempDir())}})...); err != nil {
		t.Fatal(err)
	}
	tool, _ := set.Lookup("file_head")
	result, err := tool.Call(t.Context(), tools.Call{Arguments: json.RawMessage(`{"path": "/etc/passwd"}`)})
	want := "Error: File path access is not allowed. Use cache_id to access cached tool outputs, or configure " +
		"file_tools_allowed_paths."
	if err != nil || result.Text != want {
		t.Errorf("got %q, %v", result.Text, err)
	}
	list, _ := set.Lookup("cache_list")
	if result, err := list.Call(t.Context(), tools.Call{Arguments: json.RawMessage(`{}`)}); err != nil ||
		result.Text != "No cached outputs found." {
		t.Errorf("got %q, %v", result.Text, err)
	}
}
