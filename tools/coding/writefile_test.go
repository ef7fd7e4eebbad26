package coding_test

import (
	"os"
	"strings"
	"testing"
)

func TestWriteFile(t *testing.T) {
	p := newProject(t, map[string]string{"old": "one\ntwo\n", "script": "#!/bin/sh\n", "dir/": "/"})
	p.must(os.Chmod(p.at("script"), 0o755))
	for _, test := range []struct {
		path, content, want string
	}{
		{"new", "text\n", "File written successfully: new (5 bytes, new file)"},
		{"old", "one\n", "File written successfully: old (4 bytes, replaced)"},
		{"a/b/c", "", "File written successfully: a/b/c (0 bytes, new file)"},
		{"script", "#!/bin/bash\n", "File written successfully: script (12 bytes, replaced)"},
		{p.at("absolute"), "x", "File written successfully: " + p.at("absolute") + " (1 bytes, new file)"},
		{"bytes", "a\x00é", "File written successfully: bytes (4 bytes, new file)"},
	} {
		p.says("write_file", arg{"path": test.path, "content": test.content}, test.want)
		if got := p.content(strings.TrimPrefix(test.path, p.config.Root)); got != test.content {
			t.Errorf("%s has %q", test.path, got)
		}
	}
	if info, err := os.Stat(p.at("script")); err != nil || info.Mode() != 0o755 {
		t.Errorf("the mode of a file is not kept: %v %v", info.Mode(), err)
	}
	p.says("write_file", arg{"path": "dir", "content": "x"}, "Error: cannot write dir: it is a directory")
	p.says("write_file", arg{"path": "dir/", "content": "x"},
		`invalid: path "dir/" names a directory; write_file writes files`)
	p.says("write_file", arg{"path": "old/x", "content": "x"},
		"Error: cannot write old/x: a part of the path is not a directory")
	p.says("write_file", arg{"path": "old"}, "invalid: content is missing; it may be empty")
	if left, _ := os.ReadDir(p.config.Root); len(left) != 7 {
		t.Errorf("temporary files are left: %v", left)
	}
}

// TestAPlanShowsTheChange before anything is written.
func TestAPlanShowsTheChange(t *testing.T) {
	p := newProject(t, map[string]string{"old": "one\ntwo\n", "large": strings.Repeat("a\n", 100_000), "bin": "\x00"})
	for _, test := range []struct {
		tool      string
		args      arg
		exists    bool
		diff      string
		operation string
	}{
		{"write_file", arg{"path": "new", "content": "x\n"}, false, "@@ -0,0 +1,1 @@\n+x\n", ""},
		{"write_file", arg{"path": "old", "content": "one\nthree\n"}, true, "@@ -1,2 +1,2 @@\n one\n-two\n+three\n", ""},
		{"file_edit", arg{"path": "old", "old_string": "two", "new_string": "three"}, true,
			"@@ -1,2 +1,2 @@\n one\n-two\n+three\n", "replace_string"},
		{"file_edit", arg{"path": "old", "operation": "delete_lines", "line_start": 1}, true,
			"@@ -1,2 +1,1 @@\n-one\n two\n", "delete_lines"},
		{"file_edit", arg{"path": "old", "old_string": "none", "new_string": "three"}, false, "", "replace_string"},
	} {
		plan, err := p.plan(test.tool, test.args)
		p.must(err)
		a := plan.Access()
		want := test.diff
		if want != "" {
			want = "--- " + a.Path + "\n+++ " + a.Path + "\n" + want
		}
		if a.Exists != test.exists || a.Diff != want || a.Operation != test.operation {
			t.Errorf("%v: %+v\nwant the diff\n%s", test.args, a, want)
		}
		if isWrite := test.tool == "write_file"; isWrite != (a.Content != nil) || isWrite &&
			*a.Content != test.args["content"] {
			t.Errorf("%v: the content is %v", test.args, a.Content)
		}
		plan.Close()
		plan.Close()
	}
	if p.content("old") != "one\ntwo\n" || p.content("new") != "-" {
		t.Error("a plan has written")
	}
	plan, err := p.plan("write_file", arg{"path": "large", "content": strings.Repeat("b\n", 100_000)})
	p.must(err)
	defer plan.Close()
	if diff := plan.Access().Diff; len(diff) > 64<<10 || len(diff) < 60<<10 || !strings.Contains(diff[len(diff)-60:],
		"[the diff has ") {
		t.Errorf("the diff has %d bytes and ends with %q", len(diff), diff[len(diff)-60:])
	}
}
