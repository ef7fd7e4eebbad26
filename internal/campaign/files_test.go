//go:build linux

package campaign

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// shape is something in the place of a file of the home.
type shape struct {
	name string
	make func(path string) error
}

func shapes() []shape {
	text := func(text string) func(string) error {
		return func(path string) error { return os.WriteFile(path, []byte(text), 0o644) }
	}
	return []shape{
		{"a FIFO", func(path string) error { return syscall.Mkfifo(path, 0o600) }},
		{"a link to /dev/zero", func(path string) error { return os.Symlink("/dev/zero", path) }},
		{"a folder", func(path string) error { return os.Mkdir(path, 0o755) }},
		{"a link to itself", func(path string) error { return os.Symlink(path, path) }},
		{"nothing", text("")},
		{"a list", text("[]\n")},
		{"an object of other types", text(`{"contexts": 5, "current_context": [], "partitions": {}, "id": {}, "content": ` +
			`7, "folder": 1}` + "\n")},
		{"5 million open brackets", text(strings.Repeat("[", 5_000_000))},
		{"an object a million deep", text(strings.Repeat(`{"a":`, 1_000_000) + "1" + strings.Repeat("}", 1_000_000) + "\n")},
		{"a line of 200 MB", func(path string) error { return long(path, 200<<20, "\n{}\n") }},
		{"1 GB without a newline", func(path string) error { return long(path, 1<<30, "") }},
		{"random bytes", text(strings.Repeat("\x00\xff\x1b[2J\n{\"", 9999))},
	}
}

// long makes a sparse file of zeros, followed by a text.
func long(path string, size int64, end string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteAt([]byte(end), size)
	if end == "" {
		err = f.Truncate(size)
	}
	return err
}

func homeFiles() []string {
	return []string{
		"config.toml", "models.toml", "state.json", "trust.json", "installed.json", "schemas.json", "mcp-tools.json",
		"prompts/chibi.md", "prompts/reflection.md",
		"recipes/x.md", "plugins/x", "contexts/work/local.toml", "contexts/work/transcript/active.jsonl",
		"contexts/work/transcript/manifest.json",
		"contexts/work/context.jsonl", "contexts/work/context.json", "contexts/work/inbox.jsonl", "contexts/work/summary.md",
		"contexts/work/todos.md",
		"contexts/work/context_meta.json", "contexts/work/trace.jsonl", "contexts/work/.lock",
		"contexts/work/system_prompt.md",
	}
}

// attackByFiles puts something else in the place of a file of the home. Commands may
// refuse it; they end, use little memory, and change nothing else.
func attackByFiles(a *attempt) {
	name, s := homeFiles()[a.number%len(homeFiles())], shapes()[a.number/len(homeFiles())%len(shapes())]
	h := a.home("home")
	h.furnish()
	h.must(os.MkdirAll(filepath.Dir(h.at(name)), 0o755))
	h.must(os.RemoveAll(h.at(name)))
	h.must(s.make(h.at(name)))
	a.Tried++
	for _, args := range [][]string{{"-C", "work", "still there?"}, {"-L"}, {"-C", "work", "-l"}, {"doctor"},
		{"-C", "work", "trace"}, {"recipe", "list"}, {"plugin", "list"}} {
		o := h.run(args...)
		if o.hung {
			a.found(hung, "%s is %s: chibi %q", name, s.name, args)
		}
		if o.code < 0 && !o.hung || strings.Contains(o.errs, "\ngoroutine ") {
			a.found(broken, "%s is %s: chibi %q: exit status %d: %s", name, s.name, args, o.code, o.errs)
		}
	}
	h.nothingLeft(soon)
	if strings.Contains(name, "transcript/") {
		return
	}
	if err := said("work", firstQuestion, secondQuestion)(h); err != nil {
		a.found(lost, "%s is %s: %v", name, s.name, err)
	}
}
