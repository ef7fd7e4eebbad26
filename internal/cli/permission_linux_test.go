package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/cli/clitest"
	"github.com/chibi-host/chibi/internal/terminaltest"
)

// project makes a directory under version control with files.
func project(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// codingIn starts chibi with the coding tools at a terminal, in a directory.
func codingIn(t *testing.T, dir, home string, args ...string) (*terminaltest.Person, *exec.Cmd) {
	t.Helper()
	binary, err := exec.LookPath("chibi")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), binary, append([]string{"--home", home, "--coding"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "NO_COLOR=1", "GOCACHE="+clitest.GoEnv(t, "GOCACHE"))
	return startAtTerminal(t, 80, cmd), cmd
}

// question is what every question ends with.
const question = "the model learns the reason\r\n> "

// TestThePersonIsAskedAboutACall answers in each way that a line of two commands has, which
// no rule can allow.
func TestThePersonIsAskedAboutACall(t *testing.T) {
	for _, test := range []struct {
		typed []string
		sees  string
		runs  bool
	}{
		{[]string{"\n"}, "Permission denied: the person said no", false},
		{[]string{"n because make test does it\n"}, "Permission denied: the person said no: make test does it", false},
		{[]string{"y\n"}, "The tool answered: ran", true},
		{[]string{"r\n", "a\n", "y\n"}, "The tool answered: ran", true},
	} {
		dir := project(t, nil)
		p, cmd := codingIn(t, dir, t.TempDir(), `@tool shell_exec {"command": "touch it; echo ran"}`)
		p.Sees(t, "shell_exec wants to run:\r\n  | touch it; echo ran\r\nin\r\n  | "+dir+"\r\n")
		p.Sees(t, "Asked by the default for shell.")
		for i, typed := range test.typed {
			if i > 0 {
				p.Sees(t, "That is not an answer.")
			}
			p.Sees(t, question)
			p.WriteString(typed)
		}
		p.Sees(t, test.sees)
		if err := cmd.Wait(); err != nil {
			t.Errorf("%q: chibi ended with %v", test.typed, err)
		}
		if _, err := os.Stat(filepath.Join(dir, "it")); (err == nil) != test.runs {
			t.Errorf("%q: the command ran: %v", test.typed, err == nil)
		}
	}
}

// TestSubAgentsAskOneAfterAnother, each with its name, and what the person allows for the run
// settles the question of the other one.
func TestSubAgentsAskOneAfterAnother(t *testing.T) {
	dir := project(t, nil)
	spawn := `@tool spawn_agent {"task": "@tool shell_exec {\"command\": \"touch it\"}"}`
	p, cmd := codingIn(t, dir, t.TempDir(), "--set", "tools.agents=true", spawn+"\n"+spawn)
	p.Sees(t, "sub-agent agent-")
	p.Sees(t, ": shell_exec wants to run:\r\n  | touch it\r\n")
	p.Sees(t, question)
	p.WriteString("r\n")
	p.Sees(t, "The tool answered: The tool answered:")
	p.Sees(t, "The tool answered: The tool answered:")
	if err := cmd.Wait(); err != nil {
		t.Errorf("chibi ended with %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "it")); err != nil {
		t.Error(err)
	}
}

// TestNothingIsPrintedIntoAQuestion of one sub-agent while another one works.
func TestNothingIsPrintedIntoAQuestion(t *testing.T) {
	dir, home := project(t, nil), t.TempDir()
	writePlugin(t, home, "work", `{"name":"work"}`, `
while [ ! -e "$CHIBI_HOME/asked" ]; do sleep 0.01; done
echo "work says" >&2
touch "$CHIBI_HOME/worked"`)
	p, cmd := codingIn(t, dir, home, "--set", "tools.agents=true",
		`@tool spawn_agent {"task": "@tool shell_exec {\"command\": \"touch it\"}"}`+"\n"+
			`@tool spawn_agent {"task": "@tool work {}\n@tool work {}"}`)
	p.Sees(t, question)
	if err := os.WriteFile(filepath.Join(home, "asked"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if _, err := os.Stat(filepath.Join(home, "worked")); err == nil {
			break
		}
	}
	p.WriteString("y\n")
	p.Sees(t, "work says")
	if err := cmd.Wait(); err != nil {
		t.Errorf("chibi ended with %v", err)
	}
	if text := p.Screen().Text(); !strings.Contains(text, "learns the reason\n> y\n") {
		t.Errorf("the screen is\n%s", text)
	}
}

// TestAPluginsQuestionReachesThePerson, about a tool of no category too, and whatever
// --trust-tools would allow.
func TestAPluginsQuestionReachesThePerson(t *testing.T) {
	home := t.TempDir()
	const asks = `#!/bin/sh
[ "$1" = --schema ] && { echo '{"name": "asks", "tool": false, "hooks": ["pre_tool"]}'; exit; }
echo '{"decision": "ask", "reason": "is it done?"}'
`
	if err := os.MkdirAll(filepath.Join(home, "plugins"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "plugins", "asks"), []byte(asks), 0o755); err != nil {
		t.Fatal(err)
	}
	binary, err := exec.LookPath("chibi")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), binary, "--home", home, "--trust-tools", `@tool update_todos {"content": "x"}`)
	cmd.Dir = project(t, nil)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "NO_COLOR=1")
	p := startAtTerminal(t, 80, cmd)
	p.Sees(t, `Asked by plugin "asks":`)
	p.Sees(t, "is it done?")
	p.Sees(t, "learns the reason\r\n> ")
	p.WriteString("y\n")
	p.Sees(t, "The tool answered:")
	if err := cmd.Wait(); err != nil {
		t.Errorf("chibi ended with %v", err)
	}
}

// TestAlwaysShowsTheRuleAndWritesIt, and the next run is not asked any more.
func TestAlwaysShowsTheRuleAndWritesIt(t *testing.T) {
	dir, home := project(t, nil), t.TempDir()
	before := "# mine\n[permissions]\nallow = [\n  'read_file', # comment\n]\n"
	if err := os.WriteFile(filepath.Join(home, "config.toml"), []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	p, cmd := codingIn(t, dir, home, `@tool shell_exec {"command": "touch it"}`)
	p.Sees(t, "r and a allow what this rule matches:\r\n  | shell_exec(touch it)\r\n")
	p.Sees(t, question)
	p.WriteString("a\n")
	p.Sees(t, "This rule would be added to [permissions] allow in config.toml:\r\n  | shell_exec(touch it)\r\n")
	p.Sees(t, "> ")
	p.WriteString("y\n")
	p.Sees(t, "The tool answered:")
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(home, "config.toml"))
	want := "# mine\n[permissions]\nallow = [\n  'read_file', # comment\n  'shell_exec(touch it)',\n]\n"
	if err != nil || string(got) != want {
		t.Errorf("%v: config.toml is\n%s", err, got)
	}
	os.Remove(filepath.Join(dir, "it"))
	p, cmd = codingIn(t, dir, home, `@tool shell_exec {"command": "touch it"}`)
	p.Sees(t, "The tool answered:")
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "it")); err != nil {
		t.Error("the rule did not allow it:", err)
	}
}

// TestAConversationAsksBetweenItsLines: what was typed ahead is no answer and no prompt,
// an answer for the run holds for later prompts, Ctrl-C refuses and ends the turn, and the
// conversation goes on.
func TestAConversationAsksBetweenItsLines(t *testing.T) {
	dir, home := project(t, map[string]string{"a.txt": "hello\n"}), t.TempDir()
	p, cmd := codingIn(t, dir, home)
	p.Sees(t, "> ")
	p.WriteString(`@tool shell_exec {"command": "echo one >>log"}` + "\ry\n")
	p.Sees(t, question)
	p.WriteString("n not now\n")
	p.Sees(t, "the person said no: not now")
	p.Sees(t, "> ")
	p.WriteString(`@tool file_edit {"path": "a.txt", "old_string": "hello", "new_string": "bye"}` + "\r")
	p.Sees(t, "file_edit wants to change:\r\n  | "+filepath.Join(dir, "a.txt"))
	p.Sees(t, "  | -hello\r\n  | +bye\r\n")
	p.Sees(t, question)
	p.WriteString("r\n")
	p.Sees(t, "Replaced")
	p.Sees(t, "> ")
	p.WriteString(`@tool file_edit {"path": "a.txt", "old_string": "bye", "new_string": "again"}` + "\r")
	p.Sees(t, "Replaced")
	p.Sees(t, "> ")
	p.WriteString(`@tool shell_exec {"command": "touch it"}` + "\r")
	p.Sees(t, question)
	p.WriteString("\x03")
	p.Sees(t, "interrupted; chibi keeps the part that has arrived")
	p.Sees(t, "> ")
	p.WriteString("hello\r")
	p.Sees(t, "You said: hello")
	p.Sees(t, "> ")
	p.WriteString("\x04")
	if err := cmd.Wait(); err != nil {
		t.Errorf("chibi ended with %v", err)
	}
	for _, name := range []string{"log", "it"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Errorf("a refused command made %s", name)
		}
	}
	if text, _ := os.ReadFile(filepath.Join(dir, "a.txt")); string(text) != "again\n" {
		t.Errorf("a.txt is %q", text)
	}
}

// TestCtrlCAtAQuestionEndsTheRun, and nothing has happened.
func TestCtrlCAtAQuestionEndsTheRun(t *testing.T) {
	dir := project(t, nil)
	p, cmd := codingIn(t, dir, t.TempDir(), `@tool shell_exec {"command": "touch it"}`)
	p.Sees(t, question)
	p.WriteString("\x03")
	p.Sees(t, "interrupted")
	if cmd.Wait(); cmd.ProcessState.ExitCode() != 130 {
		t.Errorf("chibi ended with %v", cmd.ProcessState)
	}
	if _, err := os.Stat(filepath.Join(dir, "it")); err == nil {
		t.Error("the command ran")
	}
}

// TestOnlyTheQuestionOpensAProtectedFile, and only once.
func TestOnlyTheQuestionOpensAProtectedFile(t *testing.T) {
	dir := project(t, nil)
	p, cmd := codingIn(t, dir, t.TempDir(), "--trust-tools", "--allow", "write",
		`@tool write_file {"path": ".git/config", "content": "x\n"}`)
	p.Sees(t, "write_file wants to create:\r\n  | "+filepath.Join(dir, ".git/config")+"\r\n")
	p.Sees(t, "Only you can allow this, and only once.")
	p.Sees(t, "\r\n> ")
	p.WriteString("y\n")
	p.Sees(t, "File written successfully")
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// TestAGuardAndTheProgramAskOneAfterTheOther: a guard that asks at the terminal and then
// chibi's own question.
func TestAGuardAndTheProgramAskOneAfterTheOther(t *testing.T) {
	dir, home := project(t, nil), t.TempDir()
	writePlugin(t, home, "guard", `{"name":"guard","hooks":["pre_shell_exec"]}`,
		strings.Replace(askingGuard, `{"block":true,"message":"REFUSED"}`, `{"denied":true,"reason":"REFUSED"}`, 1))
	for typed, sees := range map[string]string{"n\n": "Permission denied: REFUSED", "y\n": "The tool answered: ran"} {
		p, cmd := codingIn(t, dir, home, `@tool shell_exec {"command": "echo ran"}`)
		answer(t, p, home, typed)
		if typed == "y\n" {
			p.Sees(t, question)
			p.WriteString("y\n")
		}
		p.Sees(t, sees)
		if err := cmd.Wait(); err != nil {
			t.Errorf("%q: %v", typed, err)
		}
	}
}
