package cli

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/term/screen"
	"github.com/chibi-host/chibi/internal/term/termtest"
	"github.com/chibi-host/chibi/internal/terminaltest"
)

// evil is a text of somebody else with every kind of sequence in it, and a word
// by which it is found.
func evil() string { return "SEEN" + termtest.All() + "SEEN" }

// evilName is the same for the file of a recipe.
func evilName() string { return strings.ReplaceAll(evilUTF8(), "\x1b\\", "\a") }

// evilUTF8 is the same for a text that must be UTF-8.
func evilUTF8() string { return strings.ToValidUTF8(evil(), "") }

// quoted is the same as a string of JSON, YAML or TOML.
func quoted() string {
	text, _ := json.Marshal(strings.ReplaceAll(evilUTF8(), "\x7f", ""))
	return string(text)
}

// atScreen is a home and a terminal, at which chibi runs.
type atScreen struct {
	*testing.T
	dir, home string
}

// write writes a file below the test's folder.
func (s *atScreen) write(path, text string, mode os.FileMode) {
	s.Helper()
	path = filepath.Join(s.dir, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		s.Fatal(err)
	}
}

// plugin writes a plugin with a schema, which prints evil files for its body.
func (s *atScreen) plugin(name, schema, body string) {
	s.Helper()
	message, _ := json.Marshal(map[string]any{"block": true, "message": evil()})
	s.write("message", string(message), 0o600)
	s.write("evil", evil(), 0o600)
	s.write("large", strings.Repeat("x", 32<<10-7)+"\nSEEN"+termtest.All()+"\n", 0o600)
	s.write("home/plugins/"+name, "#!/bin/sh\ncd '"+s.dir+"'\n[ \"$1\" = --schema ] && { printf '%s' '"+schema+
		"'; exit; }\n"+body+"\n", 0o700)
}

// run runs chibi at a terminal and returns what the terminal got.
func (s *atScreen) run(typed string, args ...string) string {
	s.Helper()
	terminal, person := terminaltest.New(s.T)
	if typed != "" {
		person.WriteString(typed)
	}
	seen := make(chan string)
	go func() {
		var all strings.Builder
		for buf := make([]byte, 4096); !strings.Contains(all.String(), "END OF THE RUN"); {
			n, err := person.Read(buf)
			if err != nil {
				break
			}
			all.Write(buf[:n])
		}
		seen <- all.String()
	}()
	screen := screen.New(terminal, terminal)
	p := newProgram(terminal, screen, (&interrupts{}).begin, Sharing{})
	report(p.env.Out, p.run(context.Background(), append([]string{"--home", s.home}, args...)))
	screen.Close()
	terminal.WriteString("END OF THE RUN")
	return <-seen
}

// ownSequences are chibi's own, of the status line and of the rows of an answer.
func ownSequences() *regexp.Regexp {
	return regexp.MustCompile(`\r*(\r\x1b\[K|\r(\x1b\[[0-9]+A)?\x1b\[J)|\x1b\[\?7[lh]`)
}

// TestNothingForeignDrivesTheTerminal prints foreign text at every place that
// prints some.
func TestNothingForeignDrivesTheTerminal(t *testing.T) {
	hook := `{"name": "p", "hooks": ["pre_message"]}`
	tool := `{"name": "p"}`
	for _, tt := range []struct {
		name     string
		setup    func(s *atScreen) []string // makes what is printed, and returns the command line
		typed    string
		progress bool // progress lines are let through
	}{
		{name: "an answer as Markdown", setup: func(*atScreen) []string { return []string{"@say " + evil()} }},
		{name: "an answer as it is", setup: func(*atScreen) []string { return []string{"--raw", "@say " + evil()} }},
		{name: "characters of Markdown by number", setup: func(*atScreen) []string {
			return []string{"@say SEEN &#27;[2J &#155;2J &#x202e; `&#27;c` [a](b&#27;c)"}
		}},
		{name: "what the demo model repeats", setup: func(*atScreen) []string { return []string{evil()} }},
		{name: "an error of the model's server", setup: func(*atScreen) []string { return []string{"@error 400 " + evil()} }},
		{name: "history", setup: func(s *atScreen) []string { s.run("", "@say "+evil()); return []string{"history"} }},
		{name: "tool calls in history", setup: func(s *atScreen) []string {
			s.plugin("p", tool, "cat evil")
			s.run("", "@tool p "+`{"x": "`+evil()+`"}`)
			return []string{"-v", "-g", "0"}
		}},
		{name: "a message from another context", setup: func(s *atScreen) []string {
			text, _ := json.Marshal(map[string]string{"to": "other", "content": evil()})
			s.run("", "-c", "other", "hello")
			s.run("", "-c", "first", "@tool send_message "+string(text))
			return []string{"-B", "other"}
		}},
		{name: "a system prompt", setup: func(s *atScreen) []string {
			s.run("", "-y",
				evil())
			return []string{"-n", "system_prompt"}
		}},
		{name: "todos", setup: func(s *atScreen) []string {
			text, _ := json.Marshal(map[string]string{"content": evil()})
			s.run("", "@tool update_todos "+string(text))
			return []string{"-n", "todos"}
		}},
		{name: "a tool's output", setup: func(s *atScreen) []string {
			s.plugin("p", tool,
				"cat evil")
			return []string{"-P", "p", "{}"}
		}},
		{name: "a tool's failure", progress: true, setup: func(s *atScreen) []string {
			s.plugin("p", tool, "cat evil >&2; exit 3")
			return []string{"tool", "call", "--hooks", "p", "{}"}
		}},
		{name: "arguments of a call as it happens", setup: func(s *atScreen) []string {
			s.plugin("p", tool, "echo ran")
			return []string{`@tool p {"x": ` + quoted() + `}`}
		}},
		{name: "a call of an unknown tool as it happens",
			setup: func(*atScreen) []string { return []string{"@tool " + evilUTF8()} }},
		{name: "a follow-up as it happens", setup: func(s *atScreen) []string {
			s.plugin("p", `{"name": "p", "hooks": ["pre_stop"]}`, "cat follow")
			s.write("follow", `{"follow_up_messages": [`+quoted()+`]}`, 0o600)
			return []string{"--set", "max_follow_ups=1", "hello"}
		}},
		{name: "a cached output", setup: func(s *atScreen) []string {
			s.plugin("p", tool, "cat large")
			s.run("", "@tool p")
			found, err := filepath.Glob(filepath.Join(s.home, "contexts/default/tool_cache/*.cache"))
			if err != nil || len(found) == 0 {
				s.Fatalf("nothing is cached: %v", err)
			}
			return []string{"cache", "show", strings.TrimSuffix(filepath.Base(found[0]), ".cache")}
		}},
		{name: "standard error of a hook", progress: true,
			setup: func(s *atScreen) []string { s.plugin("p", hook, "cat evil >&2"); return []string{"hello"} }},
		{name: "why a hook blocks", setup: func(s *atScreen) []string {
			s.plugin("p", hook,
				"cat message")
			return []string{"hello"}
		}},
		{name: "why a hook fails", progress: true, setup: func(s *atScreen) []string {
			s.plugin("p", hook, "cat evil >&2; exit 1")
			return []string{"-v", "hello"}
		}},
		{name: "a plugin's name in the status line", setup: func(s *atScreen) []string {
			s.plugin(evil(), hook,
				"")
			return []string{"hello"}
		}},
		{name: "a plugin's name with -v", setup: func(s *atScreen) []string {
			s.plugin(evil(), hook,
				"exit 1")
			return []string{"-v", "hello"}
		}},
		{name: "a plugin without a schema", setup: func(s *atScreen) []string {
			s.plugin(evil(), evil(),
				"")
			return []string{"hello"}
		}},
		{name: "plugin list", setup: func(s *atScreen) []string {
			s.plugin(evil(), hook,
				"")
			return []string{"plugin", "list"}
		}},
		{name: "plugin show", setup: func(s *atScreen) []string {
			s.plugin(evil(), hook,
				"")
			return []string{"plugin", "show", evil()}
		}},
		{name: "plugin check", setup: func(s *atScreen) []string {
			s.plugin(evil(), hook, "cat evil; cat evil >&2; exit 1")
			return []string{"plugin", "check", evil()}
		}},
		{name: "plugin remove", typed: "n\n", setup: func(s *atScreen) []string {
			s.plugin(evil(), hook,
				"")
			return []string{"plugin", "remove", evil()}
		}},
		{name: "plugin disable", setup: func(s *atScreen) []string {
			s.plugin(evil(), hook,
				"")
			return []string{"plugin", "disable", evil()}
		}},
		{name: "hook fire", setup: func(s *atScreen) []string {
			s.plugin(evil(), hook, "cat message")
			return []string{"hook", "fire", "pre_message"}
		}},
		{name: "doctor", setup: func(s *atScreen) []string {
			s.plugin(evil(), hook, "exit 1")
			s.plugin(evil()+"2", evil(), "")
			s.run("", "hello")
			s.write("home/plugins/"+evil()+"3", "", 0o700)
			os.Chmod(filepath.Join(s.home, "plugins", evil()), 0o777)
			return []string{"doctor"}
		}},
		{name: "trace", setup: func(s *atScreen) []string {
			s.plugin(evil(), hook, "cat message")
			s.run("", "hello")
			return []string{"trace"}
		}},
		{name: "trace explain", setup: func(s *atScreen) []string {
			s.plugin(evil(), hook, "cat message")
			s.run("", "hello")
			return []string{"trace", "explain"}
		}},
		{name: "recipe list", setup: func(s *atScreen) []string {
			s.write("home/recipes/"+evilName()+".md", "---\ndescription: "+quoted()+"\n---\nhello", 0o600)
			s.write("home/recipes/broken"+evilName()+".md", "---\n"+evilUTF8()+": [\n---\n", 0o600)
			return []string{"recipe", "list"}
		}},
		{name: "recipe show", setup: func(s *atScreen) []string {
			s.write("home/recipes/r.md", "---\nname: "+quoted()+"\ndescription: "+quoted()+"\n---\n"+evilUTF8(), 0o600)
			return []string{"recipe", "show", "r"}
		}},
		{name: "trust", typed: "n\n", setup: func(s *atScreen) []string {
			s.write("project/.kodelet/hooks/"+evil(), "#!/bin/sh\n# "+evil()+"\n", 0o700)
			s.write("project/recipes/"+evil()+".md", "{{bash \""+evil()+"\"}}", 0o600)
			s.Chdir(filepath.Join(s.dir, "project"))
			return []string{"trust"}
		}},
		{name: "hooks that are not approved", setup: func(s *atScreen) []string {
			s.write("project/.kodelet/hooks/"+evil(), "#!/bin/sh\n", 0o700)
			s.Chdir(filepath.Join(s.dir, "project"))
			return []string{"hello"}
		}},
		{name: "a key of the configuration", setup: func(s *atScreen) []string {
			s.write("home/config.toml", quoted()+" = 1\n", 0o600)
			return []string{"hello"}
		}},
		{name: "an entry of somebody else", setup: func(s *atScreen) []string {
			s.run("", "hello")
			entry := `{"id":"1","timestamp":1,"from":` + quoted() + `,"to":"b","content":"x","entry_type":"message"}`
			s.write("home/contexts/default/transcript/active.jsonl", entry+"\n", 0o600)
			return []string{"history"}
		}},
		{name: "an unknown flag", setup: func(*atScreen) []string { return []string{"--" + evil()} }},
		{name: "an unknown context", setup: func(*atScreen) []string { return []string{"-G", evil(), "0"} }},
		{name: "an unknown recipe", setup: func(*atScreen) []string { return []string{"recipe", "show", evil()} }},
		{name: "an unknown tool", setup: func(*atScreen) []string { return []string{"-P", evil(), "{}"} }},
		{name: "completion", setup: func(s *atScreen) []string {
			s.write("home/recipes/"+evilName()+".md", "hello", 0o600)
			s.write("home/recipes/SEEN.md", "hello", 0o600)
			return []string{"__complete", "--", "recipe", "run", ""}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv("HOME", dir)
			t.Setenv("TERM", "xterm")
			s := &atScreen{T: t, dir: dir, home: filepath.Join(dir, "home")}
			args := tt.setup(s)
			seen := s.run(tt.typed, args...)
			if !strings.Contains(seen, "SEEN") {
				t.Errorf("it is not printed at all: %q", seen)
			}
			seen = ownSequences().ReplaceAllString(seen, "")
			if tt.progress {
				seen = strings.ReplaceAll(seen, "\rover", "over")
			}
			if wrong := termtest.Wrong(seen); wrong != "" {
				t.Errorf("%q reaches the terminal in %q", wrong, seen)
			}
		})
	}
}

func TestRawStandardErrorReachesTheTerminal(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	s := &atScreen{T: t, dir: dir, home: filepath.Join(dir, "home")}
	s.plugin("p", `{"name": "p", "hooks": ["pre_message"]}`, "cat evil >&2")
	if seen := s.run("", "--set", "plugins.raw_stderr=true", "hello"); !strings.Contains(seen, evil()) {
		t.Errorf("it is changed: %q", seen)
	}
}

// TestANameOfTwoLinesForgesNoLine holds for names of files at every place that
// prints some.
func TestANameOfTwoLinesForgesNoLine(t *testing.T) {
	const name = "x\nFORGED"
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	s := &atScreen{T: t, dir: dir, home: filepath.Join(dir, "home")}
	s.plugin(name, `{"name": "p", "hooks": ["pre_message", "on_start"]}`, "cat message; exit 1")
	s.write("home/plugins/y\nFORGED", "", 0o700)
	s.write("home/recipes/z\nFORGED.md", "hello", 0o600)
	s.write("project/.kodelet/hooks/"+name, "#!/bin/sh\n", 0o700)
	s.write("project/recipes/"+name+".md", "hello", 0o600)
	s.Chdir(filepath.Join(dir, "project"))
	for _, args := range [][]string{
		{"hello"}, {"-v", "hello"}, {"plugin", "list"}, {"plugin", "show", name}, {"plugin", "check", name},
		{"plugin", "check"}, {"doctor"},
		{"trace"}, {"trace", "explain"}, {"recipe", "list"}, {"hook", "fire", "pre_message"}, {"trust"}, {"trust", "--list"},
		{"plugin", "disable", name}, {"plugin", "list"}, {"plugin", "enable", name}, {"plugin", "remove", "--yes", name},
		{"recipe", "show", name}, {"-P", name, "{}"},
	} {
		seen := s.run("n\n", args...)
		for line := range strings.Lines(seen) {
			line = strings.TrimPrefix(strings.TrimLeft(line, "\r"), "\x1b[K")
			if strings.HasPrefix(strings.TrimSpace(line), "FORGED") {
				t.Errorf("chibi %q prints the line %q in %q", args, line, seen)
			}
		}
	}
}
