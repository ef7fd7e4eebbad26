package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"
)

// eventful is a home in which much happens.
func eventful(t *testing.T) (home string) {
	t.Helper()
	home = t.TempDir()
	writePlugin(t, home, "shell", `{"name":"shell"}`, `case $CHIBI_TOOL_ARGS in *fail*) exit 3;; esac; echo done`)
	writePlugin(t, home, "10-guard", `{"name":"guard","hooks":["pre_tool"],"guards":["pre_tool"]}`,
		`case $CHIBI_HOOK_DATA in *rm*) echo '{"block":true,"message":"no"}';; esac`)
	writePlugin(t, home, "20-rewrite", `{"name":"rewrite","hooks":["pre_tool"]}`,
		`case $CHIBI_HOOK_DATA in *secret*) echo '{"arguments":{"command":"cat public"}}';; esac`)
	writePlugin(t, home, "30-goon", `{"name":"goon","hooks":["pre_stop"]}`,
		`case $CHIBI_HOOK_DATA in *'"follow_ups":0'*) printf '%s' '{"follow_up_messages":["and\n\nthen?",`+
			`"日本語日本語日本語日本語"]}';; esac`)
	prompt := `@tool shell {"command":"ls -la"}
@tool shell {"command":"cat secret"}
@tool shell {"command":"rm -rf /"}
@tool shell {"command":"fail","timeout":5}
@tool shell {"text":"日本語日本語日本語\u001b[2J\u202e日本語"}
@tool shell {"a":1,"b":["x"]}
@tool shell
@tool update_todos {}
@tool nothing
@tool recurse {"note":"look again"}`
	if err := os.WriteFile(filepath.Join(home, "prompt"), []byte(prompt), 0o600); err != nil {
		t.Fatal(err)
	}
	return home
}

// told are the lines of a screen about what happens.
func told(lines []string) string {
	var list []string
	for _, line := range lines {
		for _, word := range []string{"tool ", "follow-up", "another round", "compacted"} {
			if strings.HasPrefix(strings.TrimPrefix(line, "["), word) {
				list = append(list, line)
			}
		}
	}
	return strings.Join(list, "\n")
}

func TestWhatHappensIsSeenOnATerminal(t *testing.T) {
	all := `tool shell: ls -la
tool shell: cat public
tool shell: blocked by plugin 10-guard: rm -rf /
tool shell: fail {"timeout":5}
tool shell: 日本語日本語日本語日本語
tool shell: {"a":1,"b":["x"]}
tool shell
tool update_todos: not run: argument "content" is missing
tool nothing: not run: there is no tool "nothing"
tool recurse: look again
follow-up by 30-goon: and then?
follow-up by 30-goon: 日本語日本語日本語日本語
another round: look again
follow-up by 30-goon: and then?
follow-up by 30-goon: 日本語日本語日本語日本語`
	for name, tt := range map[string]struct {
		columns int
		command string
		want    string
	}{
		"wide":                         {160, "chibi <prompt", all},
		"the answer goes to a file":    {160, "chibi <prompt >answer", all},
		"without colour":               {160, "NO_COLOR=1 chibi <prompt", all},
		"a terminal without sequences": {160, "TERM=dumb chibi <prompt", all},
		"quiet":                        {160, "chibi -q <prompt", ""},
		"in a pipe":                    {160, "chibi <prompt | cat", ""},
		"the error output is a file":   {160, "chibi <prompt 2>errors", ""},
		"as JSON":                      {160, "chibi --json-output <prompt", ""},
	} {
		t.Run(name, func(t *testing.T) {
			home := eventful(t)
			p, cmd := inShell(t, tt.columns, home, "cd $HOME; "+tt.command+"; echo END")
			p.Sees(t, "END\r\n")
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
			got := told(p.Screen().Lines())
			if got != tt.want {
				t.Errorf("the terminal shows\n%s\nwant\n%s\nof\n%s", got, tt.want, p.Screen().Text())
			}
			dim := strings.Contains(p.Raw(), "\x1b[2mtool shell: ls -la\x1b[0m\r\n")
			if dim != (name == "wide" || strings.Contains(name, "to a file")) {
				t.Errorf("it is dim: %v; %q", dim, p.Raw())
			}
		})
	}
}

// TestLinesOfWhatHappensAreCutToTheTerminal holds that each is one line there,
// whatever it holds.
func TestLinesOfWhatHappensAreCutToTheTerminal(t *testing.T) {
	home := eventful(t)
	var seen [2][]string
	for i, columns := range []int{160, 28} {
		p, cmd := inShell(t, columns, home, "cd $HOME; chibi <prompt; echo END")
		p.Sees(t, "END\r\n")
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
		dim := regexp.MustCompile(`\x1b\[2m([tfa][^\x1b\r\n]*)\x1b\[0m\r\n`)
		for _, line := range dim.FindAllStringSubmatch(p.Raw(), -1) {
			seen[i] = append(seen[i], line[1])
		}
	}
	for i, line := range seen[1] {
		begin, isCut := strings.CutSuffix(line, "...")
		width := runewidth.StringWidth(line)
		whole := seen[0][i]
		if width > 27 || !strings.HasPrefix(whole, begin) || isCut && width < 26 || !isCut && line != whole {
			t.Errorf("%q is shown as %q, %d columns", whole, line, width)
		}
	}
	if len(seen[0]) != 15 || len(seen[1]) != 15 {
		t.Errorf("%d and %d lines are shown: %q", len(seen[0]), len(seen[1]), seen)
	}
}

// TestWithVEverythingIsSaidOnce, in full, and in a pipe too.
func TestWithVEverythingIsSaidOnce(t *testing.T) {
	home := eventful(t)
	p, cmd := inShell(t, 300, home, `cd $HOME; chibi -v '@tool shell {"command":"ls -la"}' 2>errors >answer; cat `+
		`errors; echo END`)
	p.Sees(t, "END\r\n")
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	want := `[tool shell: {"command":"ls -la"}]
[follow-up by 30-goon: and then?]
[follow-up by 30-goon: 日本語日本語日本語日本語]`
	if got := told(p.Screen().Lines()); got != want {
		t.Errorf("it says\n%s\nwant\n%s", got, want)
	}
}

// TestOutputsOfToolsAreSeen at a terminal, and with -v in a file too, but no secret that a plugin
// takes out: the beginning, and how each call ended.
func TestOutputsOfToolsAreSeen(t *testing.T) {
	home := t.TempDir()
	writePlugin(t, home, "count", `{"name":"count"}`, `
case $CHIBI_TOOL_ARGS in *bad*) seq 20; echo "no luck" >&2; exit 3;; esac
printf '\tone \033[31mred\033[0m \033[2J\342\200\256end\r\n10%%\r100%%\n'; seq 45`)
	writePlugin(t, home, "secret", `{"name":"secret"}`, `echo hunter2`)
	writePlugin(t, home, "hide", `{"name":"hide","hooks":["pre_tool_output"],"tool":false}`,
		`case $CHIBI_HOOK_DATA in *hunter2*) echo '{"output":"hidden"}';; esac`)
	good := `chibi "@tool count"; `
	for name, tt := range map[string]struct{ command, want string }{
		"five rows": {good, "tool count\n      one red end\n  100%\n  1\n  2\n  3\n" +
			"  … 42 more rows\n  ok N s, 165 bytes\n"},
		"fifteen": {`chibi "@tool count {\"bad\":1}"; `,
			"  14\n  15\n  … 5 more rows\n  exit 3 (no luck), N s, 51 bytes\n"},
		"with -v": {`chibi -v "@tool count" >answer 2>errors; cat errors; `,
			"\n  44\n  45\n  ok N s, 165 bytes\n"},
		"what a plugin leaves":    {`chibi "@tool secret"; `, "tool secret\n  hidden\n  ok N s, 6 bytes\n"},
		"the answer goes to file": {`chibi "@tool secret" >answer; `, "tool secret\n  hidden\n  ok N s, 6 bytes\n"},
	} {
		t.Run(name, func(t *testing.T) {
			p, cmd := inShell(t, 100, home, "cd $HOME; "+tt.command+"echo END")
			p.Sees(t, "END\r\n")
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
			text := regexp.MustCompile(`\b[0-9]+\.[0-9] s`).ReplaceAllString(p.Screen().Text(), "N s")
			if !strings.Contains(text, tt.want) || strings.Contains(text, "hunter2") {
				t.Errorf("no\n%s\nin\n%s", tt.want, text)
			}
		})
	}
}

// TestHistoryHasTimesAtATerminal: what a program reads keeps its form.
func TestHistoryHasTimesAtATerminal(t *testing.T) {
	p, cmd := inShell(t, 60, t.TempDir(), "chibi hello >answer; chibi history; chibi history | cat; echo END")
	p.Sees(t, "END\r\n")
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	text := p.Screen().Text()
	if !regexp.MustCompile(`\[USER 20\d\d-\d\d-\d\d \d\d:\d\d\]: hello(?s:.*)\[USER\]: hello`).MatchString(text) {
		t.Errorf("the terminal shows\n%s", text)
	}
}

// TestAChangeOfAFileIsSeenAsOne: its name, and how many lines come and go.
func TestAChangeOfAFileIsSeenAsOne(t *testing.T) {
	dir := project(t, map[string]string{"calc.py": "a\nb\n"})
	p, cmd := codingIn(t, dir, t.TempDir(), "--trust-tools",
		`@tool file_edit {"path": "calc.py", "old_string": "a", "new_string": "c"}`+"\n"+
			`@tool write_file {"path": "new.py", "content": "x\ny\n"}`+"\n"+`@tool read_file {"path": "nosuch.py"}`)
	p.Sees(t, "tool file_edit: calc.py +1 -1\r\n")
	p.Sees(t, "tool write_file: new.py +2\r\n")
	p.Sees(t, "  failed: there is no file or directory nosuch.py; ")
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

func TestCompactionIsSeenOnATerminal(t *testing.T) {
	home := t.TempDir()
	set := "--set auto_compact=true --set context_window_limit=20000 --set auto_compact_threshold=1"
	long := strings.Repeat("long ", 200)
	p, cmd := inShell(t, 60, home, "for i in 1 2 3 4; do chibi -q "+long+">answer; done; "+
		"chibi "+set+" five >answer; chibi -z >answer; echo END")
	p.Sees(t, "END\r\n")
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	want := "compacted: 6 entries into a summary, 3 stay\ncompacted: 4 entries into a summary"
	if got := told(p.Screen().Lines()); got != want {
		t.Errorf("the terminal shows\n%s\nwant\n%s\nof\n%s", got, want, p.Screen().Text())
	}
}
