package permissions

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/chibi-host/chibi/tools"
)

func TestWhatACallOfAnotherToolWouldDo(t *testing.T) {
	dir := t.TempDir()
	home := t.TempDir()
	t.Setenv("HOME", home)
	if err := os.Symlink("there", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	file := func(name, real string) tools.Access {
		_, err := os.Lstat(real)
		return tools.Access{Path: name, Real: real, Exists: err == nil}
	}
	for _, test := range []struct {
		category           tools.Category
		subject, arguments string
		want               tools.Access
	}{
		{tools.CategoryShell, "command", `{"command": "ls"}`, tools.Access{Command: "ls", Dir: dir}},
		{tools.CategoryShell, "line", `{"line": "ls", "command": "rm"}`, tools.Access{Command: "ls", Dir: dir}},
		{tools.CategoryShell, "", `{"cmd": "ls", "cwd": "sub/.."}`, tools.Access{Command: "ls", Dir: dir}},
		{tools.CategoryShell, "", `{"command": "ls", "cmd": "rm"}`, tools.Access{Command: "ls\nrm", Dir: dir}},
		{tools.CategoryShell, "", `{"command": ["sh", "-c", "a; b"], "workdir": "/x"}`,
			tools.Access{Command: "sh -c 'a; b'", Dir: "/x"}},
		{tools.CategoryRead, "", `{"file_path": "a/../b"}`, file(filepath.Join(dir, "b"), filepath.Join(dir, "b"))},
		{tools.CategoryWrite, "path", `{"path": "link"}`, file(filepath.Join(dir, "link"), filepath.Join(dir, "there"))},
		{tools.CategoryRead, "", `{"path": "~/x"}`, file(filepath.Join(dir, "~/x"), filepath.Join(home, "x"))},
		{tools.CategorySearch, "", `{"pattern": "x"}`, file(dir, dir)},
		{tools.CategoryEdit, "", `{"path": 1}`, tools.Access{}},
		{tools.CategoryEdit, "", `[`, tools.Access{}},
		{tools.CategoryFetch, "", `{"url": "http://a"}`, tools.Access{URL: "http://a"}},
		{tools.CategoryAgent, "", `{"url": "http://a"}`, tools.Access{}},
	} {
		got := AccessOf(tools.Spec{Name: "x", Category: test.category, Subject: test.subject}, []byte(test.arguments), dir)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", test.category, test.arguments, diff)
		}
	}
}

// TestTheUsualNameIsTheOneThatTheToolHas: another one in a call does not hide it.
func TestTheUsualNameIsTheOneThatTheToolHas(t *testing.T) {
	spec := tools.Spec{Name: "x", Category: tools.CategoryFetch, Parameters: []byte(`{"properties": {"uri": {}}}`)}
	if got := AccessOf(spec, []byte(`{"url": "http://a", "uri": "http://b"}`), "/").URL; got != "http://b" {
		t.Errorf("got %q", got)
	}
}

// TestTheSubjectHasOneSpelling, because a tool may read another one.
func TestTheSubjectHasOneSpelling(t *testing.T) {
	for _, test := range []struct{ subject, arguments, want string }{
		{"command", `{"command": "ls"}`, ""},
		{"command", `{"commands": "ls"}`, ""},
		{"command", `{}`, ""},
		{"command", `{"command": "ls", "Command": "rm"}`, `the argument "Command" must be written "command"`},
		{"file_path", `{"filePath": "a"}`, `the argument "filePath" must be written "file_path"`},
		{"", `{"CMD": "rm"}`, `the argument "CMD" must be written "cmd"`},
		{"task", `{"tasK": "rm"}`, "the argument \"tas\u212a\" must be written \"task\""},
	} {
		spec := tools.Spec{Name: "x", Category: tools.CategoryShell, Subject: test.subject}
		got := ""
		if err := CheckSubject(spec, []byte(test.arguments)); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s %s: %q, want %q", test.subject, test.arguments, got, test.want)
		}
	}
	none := tools.Spec{Name: "x", Subject: "command"}
	if err := CheckSubject(none, []byte(`{"Command": "rm"}`)); err != nil {
		t.Errorf("a tool without a category: %v", err)
	}
}
