//go:build unix

package coding_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestOnlyRegularFilesAreUsed: nothing blocks, and nothing reads a device.
func TestOnlyRegularFilesAreUsed(t *testing.T) {
	p := newProject(t, nil)
	p.must(syscall.Mkfifo(p.at("pipe"), 0o600))
	socket, err := net.Listen("unix", p.at("socket"))
	p.must(err)
	defer socket.Close()
	p.must(os.Symlink("/dev/zero", p.at("device")))
	for path, what := range map[string]string{
		"pipe": p.at("pipe") + " is not a regular file but a named pipe", "socket": p.at("socket") +
			" is not a regular file but a socket", "device": "/dev/zero is not a regular file but a device",
	} {
		p.says("read_file", arg{"path": path}, "Error: cannot read "+path+": "+what)
		p.says("file_edit", arg{"path": path, "old_string": "a", "new_string": "b"}, "Error: cannot read "+path+": "+what)
		p.says("write_file", arg{"path": path, "content": ""}, "Error: cannot write "+path+": "+what)
	}
}

// TestRealShowsWhereLinksLead, and what is shown there is what is used.
func TestRealShowsWhereLinksLead(t *testing.T) {
	p := newProject(t, map[string]string{"src/a": "in", ".git/hooks/": "/", "../outside/file": "out"})
	for link, target := range map[string]string{
		"in": "src/a", "out": "../outside/file", "dir": "../outside", "hook": ".git/hooks/pre-commit", "loop": "loop",
		"chain": "dir/../outside/file", "absolute": p.at("../outside/file"),
	} {
		p.must(os.Symlink(target, p.at(link)))
	}
	outside := filepath.Join(p.config.Home, "outside")
	for _, test := range []struct{ path, want, content string }{
		{"in", p.at("src/a"), "in"},
		{"out", outside + "/file", "out"},
		{"dir/file", outside + "/file", "out"},
		{"dir/none/x", outside + "/none/x", "-"},
		{"chain", outside + "/file", "out"},
		{"absolute", outside + "/file", "out"},
		{"../outside/./x/../file", outside + "/file", "out"},
		{"~/outside/file", outside + "/file", "out"},
		{"hook", p.at(".git/hooks/pre-commit"), "-"},
		{"loop", p.at("loop"), "-"},
		{"src/../in", p.at("src/a"), "in"},
	} {
		plan, err := p.plan("read_file", arg{"path": test.path})
		p.must(err)
		defer plan.Close()
		if got := plan.Access().Real; got != test.want {
			t.Errorf("%s leads to %s, want %s", test.path, got, test.want)
		}
		result, err := plan.Run(t.Context())
		p.must(err)
		if result.Failed != (test.content == "-") || !result.Failed && !strings.Contains(result.Text,
			"\t"+test.content+"\n") {
			t.Errorf("%s: %q", test.path, result.Text)
		}
		write, err := p.plan("write_file", arg{"path": test.path, "content": "x"})
		p.must(err)
		defer write.Close()
		if got := write.Access().Real; got != test.want {
			t.Errorf("%s would be written to %s, want %s", test.path, got, test.want)
		}
	}
	p.says("write_file", arg{"path": "hook", "content": "#!/bin/sh\n"}, "File written successfully: hook (10 bytes, "+
		"new file)")
	if got := p.content(".git/hooks/pre-commit"); got != "#!/bin/sh\n" {
		t.Errorf("the hook is %q", got)
	}
	if info, err := os.Lstat(p.at("hook")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v", err)
	}
	p.mentions("write_file", arg{"path": "loop", "content": ""}, "Error: cannot write loop: "+p.at("loop")+
		" is not a regular file but a link")
}

func TestNothingOfARunningProcessIsRead(t *testing.T) {
	p := newProject(t, map[string]string{"file": "text"})
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("there is no /proc")
	}
	p.must(os.Symlink("/proc/self/environ", p.at("link")))
	reader, writer, err := os.Pipe()
	p.must(err)
	defer reader.Close()
	defer writer.Close()
	for _, path := range []string{"/proc/self/environ", "/proc/self/fd/0/../../environ", "/proc/thread-self/environ",
		"link",
		"/proc/self/fd/" + itoa(reader.Fd()), "/proc/self/mem"} {
		p.says("read_file", arg{"path": path}, "Error: "+path+" is about a running process, whose environment and memory "+
			"can "+
			"have keys; the file tools never use that")
		p.mentions("write_file", arg{"path": path, "content": "x"}, "is about a running process")
		p.mentions("file_edit", arg{"path": path, "old_string": "x", "new_string": "y"}, "is about a running process")
	}
	f, err := os.Open(p.at("file"))
	p.must(err)
	defer f.Close()
	plan, err := p.plan("read_file", arg{"path": "/proc/self/fd/" + itoa(f.Fd())})
	p.must(err)
	defer plan.Close()
	if got := plan.Access().Real; got != p.at("file") {
		t.Errorf("it leads to %s", got)
	}
}

func itoa(n uintptr) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}

// TestWhatWasJudgedIsWhatIsUsed: the file, or a directory on the way to it, is replaced
// between the plan and its execution.
func TestWhatWasJudgedIsWhatIsUsed(t *testing.T) {
	swaps := map[string]func(p *project) error{
		"the file by a link": func(p *project) error {
			return errors.Join(os.Remove(p.at("dir/file")), os.Symlink(p.at("../secret/file"), p.at("dir/file")))
		},
		"the file by another": func(p *project) error {
			return errors.Join(os.WriteFile(p.at("dir/x"), []byte("theirs"), 0o600), os.Rename(p.at("dir/x"), p.at("dir/file")))
		},
		"the directory by a link": func(p *project) error {
			return errors.Join(os.Rename(p.at("dir"), p.at("moved")), os.Symlink(p.at("../secret"), p.at("dir")))
		},
		"the content": func(p *project) error { return os.WriteFile(p.at("dir/file"), []byte("more text"), 0o600) },
		"the file by nothing": func(p *project) error {
			return os.Remove(p.at("dir/file"))
		},
	}
	changed := "Error: dir/file was replaced or changed since this call was examined; nothing was done, look at it and " +
		"try again"
	for name, swap := range swaps {
		for tool, args := range map[string]arg{
			"read_file":  {"path": "dir/file"},
			"write_file": {"path": "dir/file", "content": "ours"},
			"file_edit":  {"path": "dir/file", "old_string": "text", "new_string": "ours"},
		} {
			p := newProject(t, map[string]string{"dir/file": "text", "../secret/file": "secret text"})
			plan, err := p.plan(tool, args)
			p.must(err)
			defer plan.Close()
			p.must(swap(p))
			before := p.content("dir/file")
			result, err := plan.Run(t.Context())
			p.must(err)
			want := changed
			switch {
			case tool == "read_file" && name == "the content":
				want = "more text"
			case tool == "read_file":
				want = "     1\ttext\n"
			case name == "the directory by a link":
				want = " dir/file ("
				before = "secret text"
			}
			if !strings.Contains(result.Text, want) || p.content("../secret/file") != "secret text" ||
				p.content("dir/file") != before {
				t.Errorf("%s, %s: %q, the file has %q", tool, name, result.Text, p.content("dir/file"))
			}
		}
	}
}

// TestADirectoryThatBecomesALinkIsNotFollowed: what is missing is made where it was judged.
func TestADirectoryThatBecomesALinkIsNotFollowed(t *testing.T) {
	p := newProject(t, map[string]string{"../secret/": "/"})
	plan, err := p.plan("write_file", arg{"path": "new/dir/file", "content": "x"})
	p.must(err)
	defer plan.Close()
	p.must(os.Symlink(p.at("../secret"), p.at("new")))
	result, err := plan.Run(t.Context())
	p.must(err)
	if want := "Error: cannot write new/dir/file: a part of the path is not a directory"; result.Text != want {
		t.Errorf("%q, want %q", result.Text, want)
	}
	if entries, _ := os.ReadDir(p.at("../secret")); len(entries) > 0 {
		t.Errorf("%v was written", entries)
	}
}

func TestPrivateFilesAreNeverRead(t *testing.T) {
	p := newProject(t, map[string]string{"../.chibi/config.toml": "key", "../.chibi/trust.json": "{}",
		"../.chibi/contexts/work/local.toml": "key", "config.toml": "of the project"})
	p.must(os.Symlink(p.at("../.chibi/config.toml"), p.at("link")))
	p.must(os.Link(p.at("../.chibi/config.toml"), p.at("hard")))
	for _, path := range []string{"../.chibi/config.toml", "~/.chibi/trust.json", "~/.chibi/contexts/work/local.toml",
		"link",
		"hard"} {
		want := "Error: " + path + " is one of chibi's own files with keys, settings or approvals, which the file tools " +
			"never read"
		p.says("read_file", arg{"path": path}, want)
		p.says("file_edit", arg{"path": path, "old_string": "key", "new_string": "x"}, want)
		plan, err := p.plan("write_file", arg{"path": path, "content": "x"})
		p.must(err)
		if plan.Access().Diff != "" {
			t.Errorf("the diff of %s shows %q", path, plan.Access().Diff)
		}
		plan.Close()
	}
	p.mentions("read_file", arg{"path": "config.toml"}, "of the project")
}

func TestWhatMayNotBeReadOrWritten(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may read and write everything")
	}
	p := newProject(t, map[string]string{"unreadable": "text", "read only": "text", "closed/file": "text"})
	p.must(errors.Join(os.Chmod(p.at("unreadable"), 0), os.Chmod(p.at("read only"), 0o444), os.Chmod(p.at("closed"), 0)))
	defer os.Chmod(p.at("closed"), 0o755)
	p.says("read_file", arg{"path": "unreadable"}, "Error: cannot read unreadable: the system does not permit it")
	p.says("read_file", arg{"path": "closed/file"}, "Error: cannot read closed/file: the system does not permit it")
	p.says("write_file", arg{"path": "read only", "content": "x"}, "Error: cannot write read only: the system does not "+
		"permit it")
	p.says("write_file", arg{"path": "closed/file", "content": "x"},
		"Error: cannot write closed/file: the system does not permit it")
}

// TestASearchStaysInItsDirectory, whatever gets its name, and follows no link in it. Pipes
// in it do not block.
func TestASearchStaysInItsDirectory(t *testing.T) {
	for tool, test := range map[string]struct {
		args arg
		want string
	}{
		"grep_files": {arg{"pattern": "text", "path": "dir"}, "file:1:text\n"},
		"glob_files": {arg{"pattern": "**/f*", "path": "dir"}, "file\n"},
		"dir_list":   {arg{"path": "dir", "depth": 3}, "file (4 B)\nlink -> ../../secret\npipe (named pipe)\n"},
	} {
		p := newProject(t, map[string]string{"dir/file": "text", "../secret/found": "secret text"})
		p.must(errors.Join(os.Symlink("../../secret", p.at("dir/link")), syscall.Mkfifo(p.at("dir/pipe"), 0o600)))
		plan, err := p.plan(tool, test.args)
		p.must(err)
		p.must(errors.Join(os.Rename(p.at("dir"), p.at("moved")), os.Symlink(p.at("../secret"), p.at("dir"))))
		result, err := plan.Run(t.Context())
		plan.Close()
		p.must(err)
		if result.Text != test.want {
			t.Errorf("%s: %q, want %q", tool, result.Text, test.want)
		}
	}
}

func TestASearchSaysWhatItCouldNotRead(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may read everything")
	}
	p := newProject(t, map[string]string{"closed/file": "text", "unreadable": "text", "open": "text"})
	p.must(errors.Join(os.Chmod(p.at("unreadable"), 0), os.Chmod(p.at("closed"), 0)))
	defer os.Chmod(p.at("closed"), 0o755)
	p.says("grep_files", arg{"pattern": "text"}, "open:1:text\n"+
		"[2 files or directories could not be read; the first: unreadable: permission denied]\n")
}
