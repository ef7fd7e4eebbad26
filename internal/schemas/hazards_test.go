package schemas_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/schemas"
	"github.com/chibi-host/chibi/internal/systest"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/oneshot"
)

const prints = `echo '{"name": "a", "description": "1"}'`

func TestAPluginIsAskedOnce(t *testing.T) {
	h := newHome(t)
	h.script("a", prints)
	h.start().holds(t, "a", "a:1")
	h.start().holds(t, "", "a:1")
	if info, err := os.Stat(h.path("schemas.json")); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	before := h.stored()
	h.start()
	if h.stored() != before {
		t.Error("a start that asked nothing wrote")
	}
}

// TestEveryChangeOfAFileIsSeen: times that programs can set, sizes and names are no proof.
func TestEveryChangeOfAFileIsSeen(t *testing.T) {
	other := strings.Replace(prints, "1", "2", 1)
	for name, change := range map[string]func(h *home, path string) error{
		"written in place": func(h *home, _ string) error { h.script("a", other); return nil },
		"written in place, with its old time, as by touch -d": func(h *home, path string) error {
			info, err := os.Stat(path)
			h.script("a", other)
			return errors.Join(err, os.Chtimes(path, info.ModTime(), info.ModTime()))
		},
		"replaced by one of the same time, as by cp -p and rsync -t": func(h *home, path string) error {
			info, err := os.Stat(path)
			h.script("b", other)
			text, err2 := os.ReadFile(h.path("plugins/b"))
			h.write("plugins/b", strings.Replace(string(text), "echo b", "echo a", 1))
			return errors.Join(err, err2, os.Chtimes(h.path("plugins/b"), info.ModTime(), info.ModTime()),
				os.Rename(h.path("plugins/b"), path))
		},
		"a link that leads elsewhere": func(h *home, path string) error {
			h.script(".b", other)
			text, err := os.ReadFile(h.path("plugins/.b"))
			h.write("plugins/.b", strings.Replace(string(text), "echo .b", "echo a", 1))
			return errors.Join(err, os.Remove(path), os.Symlink(".b", path))
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			h.script("a", prints)
			h.warm()
			h.start().holds(t, "", "a:1")
			if err := change(h, h.path("plugins/a")); err != nil {
				t.Fatal(err)
			}
			h.start().holds(t, "a", "a:2")
			h.start().holds(t, "", "a:2")
		})
	}
}

// TestAFileThatHasJustChangedIsAskedAgain: a further change may have the same time.
func TestAFileThatHasJustChangedIsAskedAgain(t *testing.T) {
	h := newHome(t)
	h.script("a", prints)
	h.ahead = 0
	h.start().holds(t, "a", "a:1")
	h.start().holds(t, "a", "a:1")
	h.ahead = time.Hour
	h.start().holds(t, "a", "a:1")
	h.start().holds(t, "", "a:1")
}

func TestAFileThatChangesWhileItIsAskedIsAskedAgain(t *testing.T) {
	h := newHome(t)
	h.script("a", prints+`; echo '#' >> "$0"`)
	h.start().holds(t, "a", "a:1")
	h.start().holds(t, "a", "a:1")
}

// TestModulesInAPluginsDirectoryBelongToIt: to a depth of three directories.
func TestModulesInAPluginsDirectoryBelongToIt(t *testing.T) {
	h := newHome(t)
	h.script("a/a", `. "${0%/*}/lib/sub/module"`)
	h.write("plugins/a/lib/sub/module", prints)
	h.warm()
	h.start().holds(t, "", "a:1")
	h.write("plugins/a/lib/sub/module", strings.Replace(prints, "1", "2", 1))
	h.start().holds(t, "a", "a:2")
	h.start().holds(t, "", "a:2")
	h.write("plugins/a/lib/other", "")
	h.start().holds(t, "a", "a:2")
	if err := os.Remove(h.path("plugins/a/lib/other")); err != nil {
		t.Fatal(err)
	}
	h.start().holds(t, "a", "a:2")
	h.start().holds(t, "", "a:2")
}

// TestWhatDependsOnSomethingElseIsFound: whatever it is, a check in the background finds it,
// one run uses the earlier answer, and from then on it is asked.
func TestWhatDependsOnSomethingElseIsFound(t *testing.T) {
	const say = `echo '{"name": "a", "description": "'$n'"}'`
	for name, test := range map[string]struct {
		line string
		be   func(h *home, n string)
	}{
		"the environment": {"n=$FLAVOUR; " + say, func(h *home, n string) {
			h.options.Runner.Env = append(os.Environ(), "FLAVOUR="+n)
		}},
		"the context": {"n=$CHIBI_CONTEXT; " + say, func(h *home, n string) { h.options.Context = n }},
		"the current directory": {"n=${PWD##*/}; " + say, func(h *home, n string) {
			h.write("work/"+n+"/file", "")
			h.t.Chdir(h.path("work/" + n))
		}},
		"a server, or the date": {"read n < DIR/now; " + say, func(h *home, n string) { h.write("now", n) }},
		"a module elsewhere":    {". DIR/module; " + say, func(h *home, n string) { h.write("module", "n="+n) }},
		"a program in PATH": {"n=$(flavour); " + say, func(h *home, n string) {
			h.write("bin/flavour", "#!/bin/sh\necho "+n)
			h.options.Runner.Env = append(os.Environ(), "PATH="+h.path("bin")+":"+os.Getenv("PATH"))
		}},
		"its interpreter": {say, func(h *home, n string) {
			h.write("sh", "#!/bin/sh\nn="+n+" exec /bin/sh \"$@\"\n")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "its interpreter" && runtime.GOOS != "linux" {
				t.Skip("a script cannot be an interpreter")
			}
			h := newHome(t)
			h.script("a", strings.ReplaceAll(test.line, "DIR", h.dir))
			if name == "its interpreter" {
				text, _ := os.ReadFile(h.path("plugins/a"))
				h.write("plugins/a", strings.Replace(string(text), "#!/bin/sh", "#!"+h.path("sh"), 1))
			}
			test.be(h, "1")
			h.warm()
			test.be(h, "2")
			h.ahead += 11 * time.Minute
			h.foundToChange(t)
		})
	}
}

// foundToChange fails unless the plugin a, which was remembered with 1, is found to answer 2.
func (h *home) foundToChange(t *testing.T) {
	t.Helper()
	var rechecked string
	s := h.start(h.recheck(&rechecked))
	s.holds(t, "", "a:1") // for one run
	want := ` plugin "a": it described itself differently than before, although its file is the same; chibi asks it at ` +
		`every start from now on, until its file changes`
	if rechecked != "a" || s.notices != want {
		t.Errorf("checked %q, said %q", rechecked, s.notices)
	}
	for range 3 {
		s = h.start(h.recheck(&rechecked))
		s.holds(t, "a", "a:2")
		if s.notices != "" || rechecked != "" {
			t.Errorf("checked %q, said %q", rechecked, s.notices)
		}
		if got := schemas.Open(h.dir, h.memory).Differed(); len(got) != 1 || filepath.Base(got[0]) != "a" {
			t.Errorf("listed are %q", got)
		}
	}
	h.script("a", prints)
	if got := schemas.Open(h.dir, h.memory).Differed(); len(got) != 0 {
		t.Errorf("after a change of its file listed are %q", got)
	}
	h.start().holds(t, "a", "a:1")
	h.start().holds(t, "", "a:1")
}

func TestWhoForbidsItIsAskedEachTime(t *testing.T) {
	h := newHome(t)
	h.script("a", `echo '[{"name": "a"}, {"name": "b", "cache": false}]'`)
	h.start().holds(t, "a", "a: b:")
	h.start().holds(t, "a", "a: b:")
}

func TestChecksInTheBackground(t *testing.T) {
	h := newHome(t)
	h.script("a", prints)
	h.script("b", strings.Replace(prints, `"a"`, `"b"`, 1))
	var rechecked string
	for i, want := range []string{"a b", "a b", "a b", "", ""} {
		if h.start(h.recheck(&rechecked)); rechecked != want {
			t.Errorf("run %d checked %q, want %q", i, rechecked, want)
		}
	}
	h.ahead += 9 * time.Minute
	if h.start(h.recheck(&rechecked)); rechecked != "" {
		t.Errorf("after 9 minutes %q", rechecked)
	}
	h.ahead += 2 * time.Minute
	if h.start(h.recheck(&rechecked)); rechecked != "a b" {
		t.Errorf("after 11 minutes %q", rechecked)
	}
}

// TestAFailureInTheBackgroundIsSeenByTheNextRun: a plugin that works is not skipped because
// it failed while nobody watched.
func TestAFailureInTheBackgroundIsSeenByTheNextRun(t *testing.T) {
	h := newHome(t)
	h.script("a", `[ -e `+h.path("broken")+` ] && exit 3; `+prints)
	h.warm()
	h.write("broken", "")
	h.ahead += 11 * time.Minute
	h.start(h.recheck(new(string))).holds(t, "", "a:1")
	if s := h.start(); s.asked != "a" || !strings.Contains(s.skipped, "exit status 3") {
		t.Errorf("%+v", s)
	}
}

// TestChecksEndWithTheRun: what has not answered is ended with its children, soon, and its
// answer stays as it was.
func TestChecksEndWithTheRun(t *testing.T) {
	h := newHome(t)
	h.script("a", `[ -e `+h.path("slow")+` ] && { trap '' TERM; sleep 1000 & echo $! > `+h.path("child")+
		`; : > `+h.path("ready")+`; wait; sleep 1000; }; `+prints)
	h.start().holds(t, "a", "a:1")
	if err := systest.Mkfifo(h.path("ready")); err != nil {
		t.Fatal(err)
	}
	h.write("slow", "")
	h.start(func(p *oneshot.Prober) {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			p.Recheck(ctx)
		}()
		if _, err := os.ReadFile(h.path("ready")); err != nil {
			t.Error(err)
		}
		cancel()
		<-done
		h.gone("child")
	})
	h.asked()
	h.start().holds(t, "", "a:1")
}

// TestFileSystemsThatMayHideChanges: NFS, FUSE, 9p, FAT.
func TestFileSystemsThatMayHideChanges(t *testing.T) {
	h := newHome(t)
	h.script("a", prints)
	h.memory.Stable = func(string) bool { return false }
	h.start().holds(t, "a", "a:1")
	h.start().holds(t, "a", "a:1")
	h.memory.Use = schemas.Always
	h.start().holds(t, "a", "a:1")
	h.start().holds(t, "", "a:1")
	h.memory.Use = schemas.On
	h.start().holds(t, "a", "a:1")
}

// TestOff: nothing that is remembered is used or changes, failures included.
func TestOff(t *testing.T) {
	h := newHome(t)
	h.script("a", prints)
	h.script("b", "exit 3")
	h.warm()
	before := h.stored()
	h.memory.Use = schemas.Off
	var rechecked string
	h.start(h.recheck(&rechecked)).holds(t, "a b", "a:1")
	if rechecked != "" || h.stored() != before {
		t.Errorf("checked %q, stored %s", rechecked, h.stored())
	}
}

func TestAskingAgain(t *testing.T) {
	h := newHome(t)
	h.write("elsewhere", "1")
	h.script("a", `read n < `+h.path("elsewhere")+`; echo '{"name": "a", "description": "'$n'"}'`)
	h.warm()
	h.write("elsewhere", "2")
	h.memory.AskAgain = true
	if s := h.start(); s.asked != "a" || s.tools != "a:2" || s.notices == "" {
		t.Errorf("%+v", s)
	}
	h.memory.AskAgain = false
	h.start().holds(t, "a", "a:2")
}

// TestInAnotherHome: a check of a plugin tells it of a home that is thrown away.
func TestInAnotherHome(t *testing.T) {
	h := newHome(t)
	h.script("a", prints)
	h.memory.Elsewhere = true
	h.start().holds(t, "a", "a:1")
	h.memory.Elsewhere = false
	h.start().holds(t, "a", "a:1")
	h.start().holds(t, "", "a:1")
	h.memory.Elsewhere = true
	h.start().holds(t, "a", "a:1")
}

// TestAGuardIsAskedUntilItsAnswerIsSure: one that blocks when it fails, by its schema or by
// the configuration, may subscribe to more points because of its environment.
func TestAGuardIsAskedUntilItsAnswerIsSure(t *testing.T) {
	for name, test := range map[string]struct{ line, tools string }{
		"by its schema":        {`echo '{"name": "a", "description": "1", "on_failure": "block"}'`, "a:1"},
		"by the configuration": {prints, "a:1"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			h.script("a", test.line)
			if name == "by the configuration" {
				h.options.Overrides = map[string]plugin.Override{"a": {OnFailure: plugin.Block}}
			}
			for range 4 { // the first answer, and three that confirm it
				h.start().holds(t, "a", test.tools)
			}
			h.start().holds(t, "", test.tools)
		})
	}
}

func TestPluginsThatAreGoneOrDisabledAreForgotten(t *testing.T) {
	h := newHome(t)
	for _, name := range []string{"a", "b", "c", "d"} {
		h.script(name, strings.Replace(prints, `"a"`, `"`+name+`"`, 1))
	}
	h.start()
	if err := errors.Join(os.Remove(h.path("plugins/b")), os.Rename(h.path("plugins/c"),
		h.path("plugins/c.disabled"))); err != nil {
		t.Fatal(err)
	}
	h.options.Overrides = map[string]plugin.Override{"d": {Disabled: true}}
	h.start().holds(t, "", "a:1")
	h.start(h.recheck(new(string)))
	for _, name := range []string{"b", "c", "d"} {
		if strings.Contains(h.stored(), "plugins/"+name+`"`) {
			t.Errorf("%s is remembered: %s", name, h.stored())
		}
	}
	h.options.Overrides = nil
	h.start().holds(t, "d", "a:1 d:1")
}
