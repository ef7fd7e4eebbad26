package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/terminaltest"
)

// exchange is what a person types at the prompt, and what they see then.
type exchange struct{ typed, sees string }

// converse types one after another.
func converse(t *testing.T, p *terminaltest.Person, steps []exchange) {
	t.Helper()
	for _, step := range steps {
		p.Sees(t, "> ")
		p.WriteString(step.typed)
		p.Sees(t, step.sees)
		if t.Failed() {
			t.FailNow()
		}
	}
}

// TestCommandsInAConversation types each command; what is none goes to the model.
func TestCommandsInAConversation(t *testing.T) {
	home := t.TempDir()
	writePlugin(t, home, "log", `{"name":"log","hooks":["on_context_switch","on_end"]}`,
		`printf '%s %s\n' "$CHIBI_HOOK" "$CHIBI_HOOK_DATA" >> "$CHIBI_HOME/log"`)
	trace := filepath.Join(home, "trace")
	p, cmd := atTerminal(t, home, "-c", "work", "--trace", trace)
	converse(t, p, []exchange{
		{"/help\r", "/compact"},
		{"/hepl\r", "unknown command /hepl; did you mean /help? /help lists the commands; begin with // to send the line " +
			"as a prompt"},
		{"\x1b[A\x7f\x7f\x7f\x7f/quit-now\r", "You said: /quit-now"},
		{"/exit now\r", "/exit takes no words"},
		{"/usr/bin/foo: not found\r", "You said: /usr/bin/foo: not found"},
		{"\x1b[200~/compact\rthis\x1b[201~\r", "You said: /compact"},
		{"/retry\r", "there is nothing to send again"},
		{"/history -1\r", "[USER]: /quit-now"},
		{"/history many\r", "/history takes a number of entries"},
		{"/comp\t\r", "Context compacted (history saved to transcript)"},
		{"/compact\r", "Context is already empty"},
		{"/clear\r", "Context 'work' archived (history saved to transcript)"},
		{"/context a/b\r", "context name"},
		{"/context\r", "Context: work"},
		{"/context other\r", "Switched to context 'other'"},
		{"hello\r", "You said: hello"},
		{"/contexts\r", "* other"},
		{"/cont\t\t", "/context  /contexts"},
		{" wo\t\r", "Switched to context 'work'"},
		{"\x1b[A\x1b[A\r", "You said: /usr/bin/foo: not found"},
	})
	p.Sees(t, "> ")
	p.WriteString("/quit\r")
	if err := cmd.Wait(); err != nil {
		t.Errorf("chibi ended with %v", err)
	}
	log, err := os.ReadFile(filepath.Join(home, "log"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`on_context_switch {"from_context":"default","to_context":"work","is_transient":false}`,
		`on_context_switch {"from_context":"work","to_context":"other","is_transient":false}`,
		`on_context_switch {"from_context":"other","to_context":"work","is_transient":false}`,
		`on_end {"current_context":"work","verbose":false,"reason":"user_exit","turns":5}`,
	} {
		if !strings.Contains(string(log), want) {
			t.Errorf("no %s in\n%s", want, log)
		}
	}
	if data, err := os.ReadFile(trace); err != nil || !strings.Contains(string(data), "quit-now") ||
		!strings.Contains(string(data), `You said: hello`) {
		t.Errorf("the trace lacks turns: %v", err)
	}
}

// TestAnotherContextForThisRun: a conversation that began with -C changes the
// current context for nobody else, and stays where it is when it cannot move.
func TestAnotherContextForThisRun(t *testing.T) {
	home := t.TempDir()
	broken := filepath.Join(home, "contexts", "broken")
	if err := os.MkdirAll(broken, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(broken, "local.toml"), []byte("no_such_key = 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p, cmd := atTerminal(t, home, "-C", "draft")
	converse(t, p, []exchange{
		{"/context other\r", "Switched to context 'other'"},
		{"hello\r", "You said: hello"},
		{"/context broken\r", "unknown key"},
		{"/history\r", "[USER]: hello"},
		{"again\r", "You said: again"},
	})
	p.Sees(t, "> ")
	p.WriteString("\x04")
	if err := cmd.Wait(); err != nil {
		t.Errorf("chibi ended with %v", err)
	}
	now, _ := inShell(t, 60, home, "chibi -l; chibi -L; echo END")
	now.Sees(t, "END")
	if text := now.Screen().Text(); !strings.Contains(text, "Context: default") || !strings.Contains(text, "  other") {
		t.Errorf("the terminal shows\n%s", text)
	}
}

// TestWhatIsPipedIsNoCommand: commands are for who types at a terminal.
func TestWhatIsPipedIsNoCommand(t *testing.T) {
	home := t.TempDir()
	p, cmd := inShell(t, 60, home, `echo /exit | chibi; chibi /help; echo END`)
	p.Sees(t, "END")
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	for _, want := range []string{"You said: /exit", "You said: /help"} {
		if !strings.Contains(p.Screen().Text(), want) {
			t.Errorf("no %q in\n%s", want, p.Screen().Text())
		}
	}
}

// TestCtrlCEndsACommand: a compaction that was interrupted keeps nothing, and does
// not say so. What the conversation says about itself is wrapped between words.
func TestCtrlCEndsACommand(t *testing.T) {
	home := t.TempDir()
	writePlugin(t, home, "slow", `{"name":"slow","tool":false,"hooks":["pre_compact"]}`, "echo up >&2\nexec sleep 1000")
	p, cmd := atTerminal(t, home, "-c", "work")
	p.Sees(t, "> ")
	p.WriteString("/help\r")
	p.Sees(t, "//...")
	p.Sees(t, "> ")
	below := strings.Repeat(" ", len("/clear, /archive  "))
	for _, want := range []string{"begins a new\nline, /help", "with a summary\n" + below + "that the model writes\n"} {
		if text := p.Screen().Text(); !strings.Contains(text, want) {
			t.Errorf("no %q on\n%s", want, text)
		}
	}
	for _, prompt := range []string{"one", "two"} {
		p.WriteString(prompt + "\r")
		p.Sees(t, "You said: "+prompt)
		p.Sees(t, "> ")
	}
	p.WriteString("/compact\r")
	p.Sees(t, "up")
	p.WriteString("\x03")
	p.Sees(t, "chibi: interrupted\r\n")
	p.Sees(t, "> ")
	p.WriteString("\x04")
	if err := cmd.Wait(); err != nil {
		t.Errorf("chibi ended with %v", err)
	}
}
