package schemas_test

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/chibi-host/chibi/internal/schemas"
	"github.com/chibi-host/chibi/internal/systest"
	"github.com/chibi-host/chibi/plugin/oneshot"
)

// TestBadFiles: whatever is in the place of the memory, plugins are asked, and afterwards
// they are remembered.
func TestBadFiles(t *testing.T) {
	text := func(make func(good string) string) func(string, string) error {
		return func(path, good string) error { return os.WriteFile(path, []byte(make(good)), 0o600) }
	}
	replace := func(old, new string) func(string, string) error {
		return text(func(good string) string { return regexp.MustCompile(old).ReplaceAllString(good, new) })
	}
	for name, damage := range map[string]func(path, good string) error{
		"empty":             text(func(string) string { return "" }),
		"garbage":           text(func(string) string { return "\x00\xff\x1b[2J{" }),
		"cut":               text(func(good string) string { return good[:len(good)/2] }),
		"null":              text(func(string) string { return "null" }),
		"a list":            text(func(string) string { return "[]" }),
		"zeros":             text(func(good string) string { return strings.Repeat("\x00", len(good)) }),
		"deep":              text(func(string) string { return strings.Repeat("[", 1_000_000) }),
		"a later version":   replace(`"version":1`, `"version":2`),
		"without a version": replace(`"version":1,`, ``),
		"from the future":   replace(`"probed_at":"20`, `"probed_at":"21`),
		"of another type":   replace(`"checks":0`, `"checks":"many"`),
		"a null entry":      replace(`:\{"id".*\}\}`, `:null}`),
		"of another file":   replace(`"ino":`, `"ino":1`),
		"huge": func(path, good string) error {
			return errors.Join(os.WriteFile(path, []byte(good), 0o600), os.Truncate(path, 1<<30))
		},
		"writable by others": func(path, _ string) error { return os.Chmod(path, 0o666) },
		"of another user": func(path, _ string) error {
			if os.Getuid() != 0 {
				return os.Chmod(path, 0o620) // only root can give files away
			}
			return os.Chown(path, 12345, 12345)
		},
		"a named pipe": func(path, _ string) error { return errors.Join(os.Remove(path), systest.Mkfifo(path)) },
		"a dangling link": func(path, _ string) error {
			return errors.Join(os.Remove(path), os.Symlink("nowhere", path))
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			h.script("a", prints)
			h.start()
			h.start().holds(t, "", "a:1")
			if err := damage(h.path("schemas.json"), h.stored()); err != nil {
				t.Fatal(err)
			}
			h.start().holds(t, "a", "a:1")
			h.start().holds(t, "", "a:1")
		})
	}
}

// TestOneBadEntryLeavesTheOthers: entries are read one by one.
func TestOneBadEntryLeavesTheOthers(t *testing.T) {
	h := newHome(t)
	h.script("a", prints)
	h.script("b", strings.Replace(prints, `"a"`, `"b"`, 1))
	h.start()
	bad := regexp.MustCompile(`("[^"]*plugins/a":)\{"id":\{[^}]*\}`).ReplaceAllString(h.stored(), `$1{"id":[7]`)
	if bad == h.stored() {
		t.Fatal("nothing was damaged")
	}
	if err := os.WriteFile(h.path("schemas.json"), []byte(bad), 0o600); err != nil {
		t.Fatal(err)
	}
	h.start().holds(t, "a", "a:1 b:1")
	h.start().holds(t, "", "a:1 b:1")
}

func TestAFileThatCannotBeWrittenCostsOnlyTime(t *testing.T) {
	h := newHome(t)
	h.script("a", prints)
	if err := os.Mkdir(h.path("schemas.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	memory := schemas.Open(h.dir, h.memory)
	file := oneshot.File{Path: h.path("plugins/a"), Question: "--schema"}
	memory.Begin(file)(oneshot.Answer{Stdout: []byte("{}")})
	if err := memory.Save(""); err == nil {
		t.Error("no error")
	}
	if left, err := os.ReadDir(h.dir); err != nil || len(left) != 3 { // its lock too
		t.Errorf("left: %v, %v", left, err)
	}
	if os.Getuid() == 0 {
		return // root may write everywhere
	}
	if err := errors.Join(os.Remove(h.path("schemas.json")), os.Chmod(h.dir, 0o500)); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(h.dir, 0o700)
	if err := memory.Save(""); err != nil {
		t.Errorf("a home that cannot be written to: %v", err)
	}
}

// TestManyRemember: each run adds what it saw to what is there, and nobody reads half of a file.
func TestManyRemember(t *testing.T) {
	h := newHome(t)
	var all sync.WaitGroup
	for i := range 8 {
		h.write(fmt.Sprintf("p%d", i), "")
		all.Go(func() {
			for range 5 {
				memory := schemas.Open(h.dir, h.memory)
				file := oneshot.File{Path: h.path(fmt.Sprintf("p%d", i)), Question: "--schema"}
				memory.Begin(file)(oneshot.Answer{Stdout: []byte("{}")})
				if err := memory.Save(""); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if !strings.HasPrefix(h.stored(), `{"version":1,"plugins":{"`) || !strings.HasSuffix(h.stored(), "}}\n") {
		t.Errorf("stored is %s", h.stored())
	}
	left, err := os.ReadDir(h.dir)
	if err != nil || len(left) != 8+3 { // the plugins, the memory and its lock
		t.Errorf("left: %v, %v", left, err)
	}
}

// TestAnAnswerThatIsTooLargeIsNotRemembered: nor one that is no text.
func TestAnAnswerThatIsTooLargeIsNotRemembered(t *testing.T) {
	h := newHome(t)
	memory := schemas.Open(h.dir, h.memory)
	for name, stdout := range map[string][]byte{"large": make([]byte, 256<<10+1), "binary": {0xff}} {
		h.write(name, "")
		file := oneshot.File{Path: h.path(name), Question: "--schema"}
		memory.Begin(file)(oneshot.Answer{Stdout: stdout})
		if _, ok := memory.Recall(file); ok {
			t.Errorf("%s is remembered", name)
		}
	}
}

// TestWhatEarlierVersionsRememberedIsRemoved: it is of no use.
func TestWhatEarlierVersionsRememberedIsRemoved(t *testing.T) {
	h := newHome(t)
	h.script("a", prints)
	for _, old := range []string{"hung-plugins.json", "hung-plugins.json.lock", "kodelet-events.json"} {
		h.write(old, "{}")
	}
	h.start()
	left, err := os.ReadDir(h.dir)
	if err != nil || len(left) != 3 { // the plugins, the memory and its lock
		t.Errorf("left: %v, %v", left, err)
	}
}

// TestAFileIsAskedTwoQuestions: a plugin that is also a hook of Kodelet's.
func TestAFileIsAskedTwoQuestions(t *testing.T) {
	h := newHome(t)
	h.write("both", "")
	for question, answer := range map[string]string{"--schema": "{}", "hook": "turn_end"} {
		memory := schemas.Open(h.dir, h.memory)
		memory.Begin(oneshot.File{Path: h.path("both"), Question: question})(oneshot.Answer{Stdout: []byte(answer)})
		if err := memory.Save(""); err != nil {
			t.Fatal(err)
		}
	}
	memory := schemas.Open(h.dir, h.memory)
	for question, answer := range map[string]string{"--schema": "{}", "hook": "turn_end"} {
		known, ok := memory.Recall(oneshot.File{Path: h.path("both"), Question: question})
		if !ok || string(known.Stdout) != answer {
			t.Errorf("%s: %q, %v", question, known.Stdout, ok)
		}
	}
}

// FuzzOpen holds that whatever the file says, plugins can be asked and remembered.
func FuzzOpen(f *testing.F) {
	f.Add(`{"version":1,"plugins":{"/p":{"id":{"dev":1,"ino":2,"size":3,"mtime_ns":4,"ctime_ns":5,"mode":493},` +
		`"folder":{"count":1,"newest_ctime_ns":7},"stdout":"{}","probed_at":"2026-01-02T15:04:05Z","took_ms":1,"checks":1}}}`)
	f.Add(`{"version":1,"plugins":{"/p":null},"hooks":[]}`)
	f.Add(`[]`)
	f.Fuzz(func(t *testing.T, text string) {
		fuzztest.Memory(t)
		h := newHome(t)
		h.write("p", "x")
		h.write("schemas.json", strings.ReplaceAll(text, "/p", h.path("p")))
		if err := os.Chmod(h.path("schemas.json"), 0o600); err != nil {
			t.Fatal(err)
		}
		file := oneshot.File{Path: h.path("p"), Question: "--schema"}
		memory := schemas.Open(h.dir, h.memory)
		memory.Recall(file)
		memory.Due(file)
		memory.Forget(file)
		memory.Begin(file)(oneshot.Answer{Stdout: []byte("{}"), Took: time.Second})
		if err := memory.Save(""); err != nil {
			t.Fatal(err)
		}
		if known, ok := schemas.Open(h.dir, h.memory).Recall(file); !ok || string(known.Stdout) != "{}" {
			t.Errorf("%q: it is not remembered", text)
		}
	})
}
