package schemas_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/plugin"
)

// TestWhatFailsIsSkippedForTenMinutes: nobody waits for it again, and every run says so.
func TestWhatFailsIsSkippedForTenMinutes(t *testing.T) {
	for name, test := range map[string]struct{ line, why string }{
		"it hangs":             {"exec sleep 1000", "--schema: no answer after 2s"},
		"it exits with 3":      {"exit 3", "--schema: exit status 3"},
		"it prints no JSON":    {"echo Usage", `--schema did not print JSON; it begins "Usage"`},
		"its schema is wrong":  {"echo '{}'", `--schema: it has no "name"`},
		"it prints for ever":   {"exec yes", "--schema: ended"},
		"it prints no schemas": {`echo '[{"name": "a b"}]'`, `--schema: the name "a b" is not a valid tool name`},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			h.script("a", test.line)
			if name == "it hangs" {
				h.options.ProbeTimeout = 2 * time.Second
			}
			for _, step := range []struct {
				later        time.Duration
				asked, words string
			}{
				{0, "a", test.why}, {3 * time.Minute, "", " (3 min ago); asked again after "},
				{6*time.Minute + 30*time.Second, "", " (9 min ago); asked again after "}, {time.Minute, "a", test.why},
			} {
				h.ahead += step.later
				s := h.start()
				again := "; asked again after " + time.Now().Add(h.ahead+10*time.Minute).Format("15:")
				if s.asked != step.asked || !strings.HasPrefix(s.skipped, " a: "+test.why) ||
					!strings.Contains(s.skipped, step.words) || step.asked != "" && !strings.Contains(s.skipped, again) {
					t.Errorf("%v later: %+v", step.later, s)
				}
			}
			h.script("a", prints)
			h.start().holds(t, "a", "a:1")
		})
	}
}

func TestWhatSaysNothingAboutAPluginIsNotRemembered(t *testing.T) {
	for name, line := range map[string]string{
		"it was killed": "kill -9 $$", "it has an interpreter that does not exist": "",
	} {
		h := newHome(t)
		h.script("a", line)
		if line == "" {
			h.write("plugins/a", "#!/no/such/interpreter\n")
		}
		for range 2 {
			if s := h.start(); !strings.Contains(s.skipped, " a: --schema: ") || strings.Contains(s.skipped, "asked again") {
				t.Errorf("%s: %+v", name, s)
			}
		}
	}
}

// TestAFailureIsCheckedInTheBackground: a plugin that answers again is used again.
func TestAFailureIsCheckedInTheBackground(t *testing.T) {
	h := newHome(t)
	h.script("a", `[ -e `+h.path("works")+` ] || exit 3; `+prints)
	h.start()
	h.write("works", "")
	var rechecked string
	if h.start(h.recheck(&rechecked)); rechecked != "" {
		t.Errorf("at once: %q", rechecked)
	}
	h.ahead += time.Minute
	if s := h.start(h.recheck(&rechecked)); s.asked != "" || rechecked != "a" {
		t.Errorf("a minute later: %+v, %q", s, rechecked)
	}
	h.start().holds(t, "", "a:1")
}

func TestMoreTimeIsAnotherQuestion(t *testing.T) {
	h := newHome(t)
	h.options.ProbeTimeout = 2 * time.Second
	h.script("a", `[ -e `+h.path("wake")+` ] || exec sleep 1000; `+prints)
	h.start()
	h.write("wake", "")
	h.options.ProbeTimeout = 100 * time.Millisecond
	h.start().holds(t, "", "")
	h.options.ProbeTimeout = time.Minute
	h.start().holds(t, "a", "a:1")
}

// TestAPluginWhoseFailureMayBlockIsAskedEachTime: by the configuration, by the word in its
// file, across two of the pieces that are searched, or by its earlier schema.
func TestAPluginWhoseFailureMayBlockIsAskedEachTime(t *testing.T) {
	padding := strings.Repeat("#", 64<<10-5)
	for name, test := range map[string]struct {
		line     string
		override plugin.Override
	}{
		"by the configuration": {line: "exit 3", override: plugin.Override{OnFailure: plugin.Block}},
		"by its file":          {line: "exit 3 # on_failure"},
		"in a large file":      {line: "exit 3\n" + padding + "on_failure"},
	} {
		h := newHome(t)
		h.script("a", test.line)
		h.options.Overrides = map[string]plugin.Override{"a": test.override}
		for range 3 {
			if s := h.start(); s.asked != "a" || strings.Contains(s.skipped, "asked again") {
				t.Errorf("%s: %+v", name, s)
			}
		}
	}
}

// TestThePlaceOfTheWordInADirectoryOfItsOwn: a plugin is asked each time if the word is
// beside it, or if there is too much beside it to be searched.
func TestThePlaceOfTheWordInADirectoryOfItsOwn(t *testing.T) {
	many := map[string]string{}
	for i := range 250 {
		many[fmt.Sprint("lib/", i)] = ""
	}
	for name, test := range map[string]struct {
		files map[string]string
		each  bool
	}{
		"beside it":  {map[string]string{"schema.json": `{"on_failure": "block"}`}, true},
		"below it":   {map[string]string{"lib/b/c/schema.py": "on_failure='block'"}, true},
		"nowhere":    {map[string]string{"schema.json": "{}", "lib/x": "failure"}, false},
		"many files": {many, true},
	} {
		h := newHome(t)
		for path, text := range test.files {
			h.write("plugins/a/"+path, text)
		}
		h.write("plugins/a/a", "#!/bin/sh\necho a >> "+h.path("asked")+"\nexit 3\n")
		h.start()
		if s := h.start(); (s.asked == "a") != test.each {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// TestAGuardThatFailsOnceIsAskedEachTime: its file does not say that it is one, but it once
// said so itself.
func TestAGuardThatFailsOnceIsAskedEachTime(t *testing.T) {
	for _, more := range []string{"", `, "cache": false`} {
		h := newHome(t)
		h.write("schema", `{"name": "a", "description": "1", "hooks": ["pre_tool"], "on_failure": "block"`+more+`}`)
		h.script("a", "cat "+h.path("schema"))
		h.warm()
		if s := h.start(); s.tools != "a:1" || s.asked != "" && more == "" {
			t.Errorf("warm: %+v", s)
		}
		if err := os.Remove(h.path("schema")); err != nil {
			t.Fatal(err)
		}
		h.ahead += time.Hour
		h.start(h.recheck(new(string)))
		for range 3 {
			if s := h.start(); s.asked != "a" || !strings.Contains(s.skipped, "exit status 1") {
				t.Errorf("%+v", s)
			}
		}
	}
}

// TestFailuresAreRememberedEverywhere: failures are remembered also where answers are not.
func TestFailuresAreRememberedEverywhere(t *testing.T) {
	h := newHome(t)
	h.memory.Stable = func(string) bool { return false }
	h.script("a", "exit 3")
	h.start()
	if s := h.start(); s.asked != "" || !strings.Contains(s.skipped, "exit status 3 (") {
		t.Errorf("%+v", s)
	}
	h.memory.AskAgain = true
	if s := h.start(); s.asked != "a" {
		t.Errorf("%+v", s)
	}
}

// TestFailuresInAnotherHome: a plugin may fail only there, but one that hangs costs time
// everywhere.
func TestFailuresInAnotherHome(t *testing.T) {
	h := newHome(t)
	h.options.ProbeTimeout = 2 * time.Second
	h.memory.Elsewhere = true
	h.script("fails", "exit 3")
	h.script("hangs", "sleep 1000")
	h.start()
	h.memory.Elsewhere = false
	if s := h.start(); s.asked != "fails" {
		t.Errorf("%+v", s)
	}
}
